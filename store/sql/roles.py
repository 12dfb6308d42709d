"""What the database lets the product's own role do."""

from __future__ import annotations

from sqlalchemy import text

from store.sql.unit import Database

_ROLE = text("SELECT rolsuper, rolbypassrls, rolcreaterole FROM pg_roles WHERE rolname = current_user")


def excess_powers(database: Database) -> tuple[str, ...]:
    """Powers of the connected role that the product never needs: superuser, bypassrls, createrole. SQLite has none.

    Raises:
        StoreUnavailable: the database is down.
    """
    if database.is_sqlite:
        return ()
    with database.read() as session:
        row = session.connection().execute(_ROLE).one()
    return tuple(name for name, has in zip(("superuser", "bypassrls", "createrole"), row, strict=True) if has)
