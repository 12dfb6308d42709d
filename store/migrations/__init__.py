"""Alembic migrations, run by the program itself: no ini file, no working directory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import OperationalError

from store.errors import StoreUnavailable
from store.sql.engine import WRITE_OPTION

if TYPE_CHECKING:
    from alembic.config import Config

_PLACE: Final = Path(__file__).parent
_LOCK_ID: Final = 0x52_49_44_45
"""Advisory lock of PostgreSQL: two processes that start together migrate one after the other."""

HEAD: Final = "0007_company_stamp"
"""The newest revision. Known here so that a start with an up-to-date database need not load Alembic (0.3 s, 10 MB)."""


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Bring the database to `revision`, in one transaction. Does nothing when it is there already."""
    if revision in {"head", HEAD} and current_revision(engine) == HEAD:
        return
    from alembic import command

    with engine.connect().execution_options(**{WRITE_OPTION: True}) as connection, connection.begin():
        _lock(connection)
        command.upgrade(_config(connection), revision)


def downgrade(engine: Engine, revision: str) -> None:
    """Take the database back to `revision` ("base" for nothing at all). For development and tests."""
    from alembic import command

    with engine.connect().execution_options(**{WRITE_OPTION: True}) as connection, connection.begin():
        _lock(connection)
        command.downgrade(_config(connection), revision)


def current_revision(engine: Engine) -> str | None:
    """Return the revision that the database is at, None for an empty one.

    Raises:
        StoreUnavailable: nothing answers there.
    """
    try:
        with engine.connect() as connection:
            if not inspect(connection).has_table("alembic_version"):
                return None
            return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    except OperationalError as error:
        raise StoreUnavailable("the database cannot answer now") from error


def _lock(connection: Connection) -> None:
    # SQLite is locked by BEGIN IMMEDIATE.
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:id)"), {"id": _LOCK_ID})


def _config(connection: Connection) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_PLACE).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
