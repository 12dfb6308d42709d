"""The unit of work: one transaction, and the only commit of the whole product."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlmodel import Session

from store.errors import StoreUnavailable
from store.sql.engine import WRITE_OPTION

WRITE_WAIT_SECONDS: Final = 10.0


class Database:
    """Hands out transactions. Methods block; call them from a worker thread in async code."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        # SQLite lets one writer in and makes the others poll, which starves some under load. Inside one
        # process they queue here instead; between processes its busy timeout remains.
        self._turn_to_write = threading.Lock() if self.is_sqlite else None

    @property
    def is_sqlite(self) -> bool:
        """True for the embedded engine."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Open a writing transaction; commits at the end, rolls back on any exception.

        Raises:
            StoreUnavailable: the database is down, locked beyond the busy timeout, or full.
        """
        with self._one_writer(), self._session(writing=True) as session:
            yield session
            session.commit()

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Open a reading transaction; what would be written in it is refused (PostgreSQL) or not kept (SQLite).

        Raises:
            StoreUnavailable: the database is down.
        """
        with self._session(writing=False) as session:
            yield session
            if self.is_sqlite:
                session.rollback()
            else:
                # The driver forgets its prepared statements at every rollback, and each query is planned anew.
                session.commit()

    @contextmanager
    def _one_writer(self) -> Iterator[None]:
        lock = self._turn_to_write
        if lock is None:
            yield
            return
        if not lock.acquire(timeout=WRITE_WAIT_SECONDS):
            raise StoreUnavailable("the database is busy")
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def _session(self, *, writing: bool) -> Iterator[Session]:
        try:
            with self.engine.connect() as connection:
                session = Session(
                    connection.execution_options(**{WRITE_OPTION: writing, "postgresql_readonly": not writing}),
                    expire_on_commit=False,
                    autoflush=True,
                )
                with session:
                    yield session
        except PoolTimeout as error:
            raise StoreUnavailable("the database cannot answer now") from error
        except DBAPIError as error:
            if isinstance(error, OperationalError) or error.connection_invalidated:
                raise StoreUnavailable("the database cannot answer now") from error
            raise

    def ping(self) -> bool:
        """Whether the database answers a query now."""
        try:
            with self.read() as session:
                session.execute(text("SELECT 1"))
        except StoreUnavailable:
            return False
        return True

    def dispose(self) -> None:
        """Close all pooled connections."""
        self.engine.dispose()
