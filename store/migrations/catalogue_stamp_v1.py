"""Triggers that renew a company's catalogue stamp, first form. Frozen: a later change is a new file and a revision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_TABLES: Final = (
    "brand",
    "vehicle_model",
    "price_list",
    "price_season",
    "price_tier",
    "price_package",
    "price_extra",
)
_EVENTS: Final = {"INSERT": "new", "UPDATE": "new", "DELETE": "old"}
"""Event -> the row that says whose it is; no row ever moves to another company."""

_RENEW: Final = "ON CONFLICT (company_id) DO UPDATE SET stamp = excluded.stamp"


def _sqlite() -> Iterator[str]:
    for table in _TABLES:
        for event, row in _EVENTS.items():
            yield (
                f"CREATE TRIGGER {table}_stamp_{event.lower()} AFTER {event} ON {table} BEGIN"
                f" INSERT INTO catalogue_stamp (company_id, stamp)"
                f" SELECT {row}.company_id, lower(hex(randomblob(16))) WHERE true {_RENEW}; END"
            )


_POSTGRESQL_FUNCTION: Final = f"""
CREATE FUNCTION renew_catalogue_stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO catalogue_stamp (company_id, stamp)
    SELECT company_id, replace(gen_random_uuid()::text, '-', '')
    FROM (SELECT DISTINCT company_id FROM changed ORDER BY company_id) AS companies
    {_RENEW};
    RETURN NULL;
END $$
"""  # noqa: S608 - constants only


def _postgresql() -> Iterator[str]:
    yield _POSTGRESQL_FUNCTION
    for table in _TABLES:
        for event, row in _EVENTS.items():
            # Once a statement: a bulk load would otherwise write the same row thousands of times.
            yield (
                f"CREATE TRIGGER {table}_stamp_{event.lower()} AFTER {event} ON {table}"
                f" REFERENCING {row.upper()} TABLE AS changed"
                " FOR EACH STATEMENT EXECUTE FUNCTION renew_catalogue_stamp()"
            )


SQLITE: Final = tuple(_sqlite())
POSTGRESQL: Final = tuple(_postgresql())
SQLITE_DOWN: Final = tuple(f"DROP TRIGGER {t}_stamp_{e.lower()}" for t in _TABLES for e in _EVENTS)
POSTGRESQL_DOWN: Final = (
    *(f"DROP TRIGGER {t}_stamp_{e.lower()} ON {t}" for t in _TABLES for e in _EVENTS),
    "DROP FUNCTION renew_catalogue_stamp()",
)
