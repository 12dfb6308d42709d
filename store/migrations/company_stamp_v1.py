"""Triggers that renew a company's own stamp, first form. Frozen: a later change is a new file and a revision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_TABLES: Final = {"company": "id", "office": "company_id", "office_hours": "company_id"}
"""Table -> its column that says whose the row is; no row ever moves to another company."""

_EVENTS: Final = {"INSERT": "new", "UPDATE": "new", "DELETE": "old"}
_RENEW: Final = "ON CONFLICT (company_id) DO UPDATE SET stamp = excluded.stamp"


def _triggers() -> Iterator[tuple[str, str, str, str]]:
    for table, owner in _TABLES.items():
        for event, row in _EVENTS.items():
            if (table, event) != ("company", "DELETE"):  # the stamp hangs on its company and has to go before it
                yield table, event, f"{row}.{owner}", f"{table}_own_stamp_{event.lower()}"


def _sqlite() -> Iterator[str]:
    for table, event, company_id, name in _triggers():
        yield (
            f"CREATE TRIGGER {name} AFTER {event} ON {table} BEGIN"
            f" INSERT INTO company_stamp (company_id, stamp)"
            f" SELECT {company_id}, lower(hex(randomblob(16))) WHERE true {_RENEW}; END"
        )


_POSTGRESQL_FUNCTION: Final = f"""
CREATE FUNCTION renew_company_stamp() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed json := CASE WHEN TG_OP = 'DELETE' THEN row_to_json(OLD) ELSE row_to_json(NEW) END;
BEGIN
    INSERT INTO company_stamp (company_id, stamp)
    VALUES ((changed ->> TG_ARGV[0])::integer, replace(gen_random_uuid()::text, '-', ''))
    {_RENEW};
    RETURN NULL;
END $$
"""  # noqa: S608 - constants only

_MORE_THAN_THE_COUNTER: Final = (
    " WHEN (to_jsonb(OLD) - 'next_order_number' IS DISTINCT FROM to_jsonb(NEW) - 'next_order_number')"
)
"""Every booking counts order numbers on. It must not wait for the stamp, nor make searches read the company again."""


def _postgresql() -> Iterator[str]:
    yield _POSTGRESQL_FUNCTION
    for table, event, _, name in _triggers():
        condition = _MORE_THAN_THE_COUNTER if (table, event) == ("company", "UPDATE") else ""
        yield (
            f"CREATE TRIGGER {name} AFTER {event} ON {table} FOR EACH ROW{condition}"
            f" EXECUTE FUNCTION renew_company_stamp('{_TABLES[table]}')"
        )


SQLITE: Final = tuple(_sqlite())
POSTGRESQL: Final = tuple(_postgresql())
SQLITE_DOWN: Final = tuple(f"DROP TRIGGER {name}" for _, _, _, name in _triggers())
POSTGRESQL_DOWN: Final = (
    *(f"DROP TRIGGER {name} ON {table}" for table, _, _, name in _triggers()),
    "DROP FUNCTION renew_company_stamp()",
)
