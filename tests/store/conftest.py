"""The world of the fault log on SQLite, and on PostgreSQL where there is a server."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import store_world

from store.sql.engine import make_engine
from store.sql.unit import Database


@pytest.fixture(scope="session")
def world_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store_world.make_template(tmp_path_factory.mktemp("store") / "world.db", store_world.make_world)


@pytest.fixture
def sqlite_world(world_file: Path, tmp_path: Path) -> Iterator[Any]:
    path = shutil.copy(world_file, tmp_path / "ridepass.db")
    db = Database(make_engine(f"sqlite:///{path}"))
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
def any_world(request: pytest.FixtureRequest) -> Any:
    """The world on both engines; for what the engines may answer differently."""
    return request.getfixturevalue(f"{request.param}_world")


@pytest.fixture(scope="session")
def _sqlite_to_read(world_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    path = shutil.copy(world_file, tmp_path_factory.mktemp("store") / "to_read.db")
    db = Database(make_engine(f"sqlite:///{path}"))
    yield store_world.open_world(db)
    db.dispose()


@pytest.fixture(scope="session")
def _postgres_to_read(postgres_template: str) -> Iterator[Any]:
    with store_world.postgres_clone(postgres_template) as db:
        yield store_world.open_world(db)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def world_to_read(request: pytest.FixtureRequest) -> Any:
    """The world on both engines, shared: for tests that change nothing."""
    return request.getfixturevalue(f"_{request.param}_to_read")


@pytest.fixture
def world(sqlite_world: Any) -> Any:
    """The world on the engine that is always there."""
    return sqlite_world


@pytest.fixture
def day() -> Any:
    return store_world.day


@pytest.fixture(scope="session")
def open_world() -> Any:
    """Database -> its world."""
    return store_world.open_world
