"""The command line over a database of its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from api.cli import app
from store.migrations import upgrade
from store.sql.engine import make_engine
from store.sql.unit import Database

EXAMPLE = Path(__file__).parents[2] / "examples" / "lagoon-rides"


@dataclass
class Shop:
    """Three files that a test may change."""

    directory: Path

    @property
    def files(self) -> list[str]:
        return [str(self.directory / name) for name in ("company.yaml", "fleet.csv", "prices.yaml")]

    def change(self, name: str, old: str, new: str) -> None:
        path = self.directory / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    shutil.copytree(EXAMPLE, tmp_path / "shop")
    return Shop(tmp_path / "shop")


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("imports") / "ridepass.db"
    db = Database(make_engine(f"sqlite:///{path}"))
    upgrade(db.engine)
    db.dispose()
    return path


@pytest.fixture
def data_dir(tmp_path: Path, migrated: Path) -> Path:
    (tmp_path / "data").mkdir()
    shutil.copy(migrated, tmp_path / "data" / "ridepass.db")
    return tmp_path / "data"


@pytest.fixture
def database(data_dir: Path) -> Iterator[Database]:
    db = Database(make_engine(f"sqlite:///{data_dir / 'ridepass.db'}"))
    yield db
    db.dispose()


@pytest.fixture
def ridepass(data_dir: Path) -> Any:
    """Run a command; returns its result."""
    environment = {
        "RIDEPASS_DATA_DIR": str(data_dir),
        "RIDEPASS_SEED_DEMO": "false",
        "RIDEPASS_NOW": "2027-05-31T14:30",
        "RIDEPASS_NOW_ZONE": "Asia/Bangkok",
        "RIDEPASS_DATABASE_URL": "",
    }

    def run(*arguments: str, code: int = 0) -> Any:
        result = CliRunner().invoke(app, list(arguments), env=environment)
        assert result.exit_code == code, result.output
        return result

    return run
