"""Alembic migrations, run by the program itself: no ini file, no working directory."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, text

from store.sql.engine import WRITE_OPTION

_PLACE: Final = Path(__file__).parent
_LOCK_ID: Final = 0x52_49_44_45
"""Advisory lock of PostgreSQL: two processes that start together migrate one after the other."""


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Bring the database to `revision`, in one transaction. Does nothing when it is there already."""
    with engine.connect().execution_options(**{WRITE_OPTION: True}) as connection, connection.begin():
        _lock(connection)
        command.upgrade(_config(connection), revision)


def downgrade(engine: Engine, revision: str) -> None:
    """Take the database back to `revision` ("base" for nothing at all). For development and tests."""
    with engine.connect().execution_options(**{WRITE_OPTION: True}) as connection, connection.begin():
        _lock(connection)
        command.downgrade(_config(connection), revision)


def _lock(connection: Connection) -> None:
    # SQLite is locked by BEGIN IMMEDIATE.
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:id)"), {"id": _LOCK_ID})


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_PLACE).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
