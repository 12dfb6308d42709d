"""One engine for SQLite (embedded) and PostgreSQL (production), with the same code above it."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url

WRITE_OPTION: Final = "ridepass_write"
"""Execution option of a connection that is going to write."""

_SQLITE_BUSY_TIMEOUT_MS: Final = 5_000


def make_engine(url: str | URL) -> Engine:
    """Create the engine for `sqlite:///file` or `postgresql://...` (psycopg 3 is chosen for both spellings)."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return _sqlite_engine(parsed)
    if parsed.drivername in {"postgresql", "postgres"}:
        parsed = parsed.set(drivername="postgresql+psycopg")
    # 40 request threads share the pool; a stuck database must not hang them for long.
    return create_engine(
        parsed, pool_size=10, max_overflow=30, pool_timeout=5, pool_pre_ping=True, hide_parameters=True
    )


def _sqlite_engine(url: URL) -> Engine:
    engine = create_engine(
        url,
        connect_args={"check_same_thread": False},
        pool_size=10,
        max_overflow=30,
        pool_timeout=10,
        hide_parameters=True,
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:
    # The driver's own implicit BEGIN is deferred and comes too late; `_begin_sqlite` begins instead.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")  # a confirmed rental survives power loss where the disk is honest
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.execute(f"PRAGMA busy_timeout={_SQLITE_BUSY_TIMEOUT_MS}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # The busy wait does not apply to a read that turns into a write, so writers take the lock at once.
    writing = connection.get_execution_options().get(WRITE_OPTION, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
