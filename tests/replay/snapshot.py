"""What is in the database, in the form that is compared: the new rentals, and everything that must not have moved."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.replay.world import STRANGER

MAY_CHANGE: Final = {
    "bot": "the time of a token's last use",
    "outbox": "what is to be sent, follows from the rentals",
    "conversation": "the chat itself",
    "inbox_message": "the chat itself",
    "turn": "the chat itself: graded as speech",
    "action": "the chat itself: graded as speech",
    "tool_call": "the log of calls",
    "quote": "an offer binds nobody; the price of a rental is compared",
    "vehicle_hold": "ends by itself, and is kept only where the shop holds vehicles",
    "idempotency": "keys of writes; their effect is compared",
    "rental_status_change": "the history of a rental that is compared itself",
    "client_change": "the log of merging",
    "company_stamp": "renewed with the counter of orders; the company itself is compared",
    "alembic_version": "the schema",
}
"""Table -> why its rows are not compared. Every other row that was there stays as it was."""

COLUMNS_MAY_CHANGE: Final = {"company": {"next_order_number"}}
"""The counter of orders runs on with a refused booking too."""


@dataclass(frozen=True, slots=True)
class RentalRow:
    """One rental in the terms of a scenario."""

    id: int
    order_number: str
    vehicle: str
    start: str
    end: str
    status: str
    total_minor: int
    name: str
    phone: str
    version: int


@dataclass(slots=True)
class Snapshot:
    """The database at one moment."""

    rows: dict[str, Counter[tuple[Any, ...]]] = field(default_factory=dict)
    rentals: dict[int, RentalRow] = field(default_factory=dict)
    private: frozenset[str] = frozenset()
    """Names, phones and mails of people who are no customer of the chat."""
    phones: frozenset[str] = frozenset()


_RENTALS: Final = """
select r.id, r.order_number,
       coalesce(nullif(m.display_name, ''), b.name || ' ' || m.name, m.name) as vehicle,
       r.start_date, r.end_date, r.status, r.total_minor,
       trim(r.customer_first_name || ' ' || r.customer_last_name), r.customer_phone, r.version
from rental r join vehicle v on v.id = r.vehicle_id join vehicle_model m on m.id = v.model_id
left join brand b on b.id = m.brand_id
"""


_PHONES: Final = "select value from client_contact where kind = 'phone'"


def take(database_file: Path) -> Snapshot:
    """Read the database."""
    with closing(sqlite3.connect(database_file, timeout=10)) as connection:
        names = [row[0] for row in connection.execute("select name from sqlite_master where type = 'table'")]
        compared = [name for name in names if name not in MAY_CHANGE and not name.startswith("sqlite_")]
        return Snapshot(
            rows={name: _rows(connection, name) for name in compared},
            rentals={row[0]: RentalRow(*row) for row in connection.execute(_RENTALS)},
            private=_private(connection),
            phones=frozenset(str(row[0]) for row in connection.execute(_PHONES)),
        )


def rentals_now(database_file: Path) -> dict[int, RentalRow]:
    """Read the rentals alone."""
    with closing(sqlite3.connect(database_file, timeout=10)) as connection:
        return {row[0]: RentalRow(*row) for row in connection.execute(_RENTALS)}


def lost_rows(before: Snapshot, after: Snapshot) -> list[str]:
    """Tables in which a row that was there is gone or was changed."""
    return sorted(name for name, rows in before.rows.items() if rows - after.rows.get(name, Counter()))


def new_rows(before: Snapshot, after: Snapshot) -> list[str]:
    """Tables of the shop that have rows which were not there."""
    grows = {"rental", "client", "client_contact"}
    return sorted(name for name, rows in after.rows.items() if name not in grows and rows - before.rows[name])


def _rows(connection: sqlite3.Connection, name: str) -> Counter[tuple[Any, ...]]:
    cursor = connection.execute(f'select * from "{name}"')  # noqa: S608  (a name that the database itself gave)
    skipped = COLUMNS_MAY_CHANGE.get(name, set())
    kept = [place for place, column in enumerate(cursor.description) if column[0] not in skipped]
    return Counter(tuple(row[place] for place in kept) for row in cursor)


def _private(connection: sqlite3.Connection) -> frozenset[str]:
    seen = connection.execute("select customer_last_name, customer_phone, customer_email from rental")
    strangers = {str(value) for row in seen for value in row if value}
    return frozenset({*strangers, STRANGER["last_name"], STRANGER["phone"]})
