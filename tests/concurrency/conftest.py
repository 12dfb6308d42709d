"""The business API over a database that many callers use at once."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import store_world

from store.sql.engine import make_engine
from store.sql.unit import Database


@pytest.fixture
def sqlite_world(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    template = tmp_path_factory.getbasetemp() / "concurrency.db"
    if not template.exists():
        store_world.make_template(template, store_world.make_world)
    db = Database(make_engine(f"sqlite:///{shutil.copy(template, tmp_path / 'ridepass.db')}"))
    yield store_world.open_world(db)
    db.dispose()


@pytest.fixture(scope="session")
def postgres_template() -> Iterator[str]:
    with store_world.postgres_template(store_world.make_world) as name:
        yield name


@pytest.fixture
def postgres_world(postgres_template: str) -> Iterator[Any]:
    with store_world.postgres_clone(postgres_template) as db:
        yield store_world.open_world(db)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def world(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(f"{request.param}_world")
