"""Rentals and quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any, Final
from uuid import uuid4

from sqlalchemy import Date, bindparam, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from store.errors import NotFound
from store.rules.periods import Block, Period, Taken
from store.rules.prices import Line
from store.sql.core import COMPANY_ID, blocks, table
from store.sql.scope import Scope
from store.sql.tables.rentals import QuoteRow, RentalRow, RentalStatusChange

_rental, _quote = table(RentalRow), table(QuoteRow)

_GUARD_NAMES = ("rental_overlap", "rental_no_overlap")
"""What the schema's guard says on SQLite and PostgreSQL."""


@dataclass(frozen=True, slots=True)
class QuoteRecord:
    """A stored quote."""

    id: int
    vehicle_id: int
    period: Period
    total_minor: int
    deposit_minor: int | None
    actor: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class RentalRecord:
    """A stored rental, as the one who made it may see it. Times are instants in UTC."""

    id: int
    uuid: str
    order_number: str
    status: str
    source: str
    vehicle_id: int
    office_id: int
    period: Period
    pickup_at: datetime
    return_at: datetime
    total_minor: int
    deposit_minor: int | None
    customer_first_name: str
    created_at: datetime


_TAKEN_QUERY: Final = (
    select(
        _rental.c.start_date,
        _rental.c.end_date,
        _rental.c.block_start,
        _rental.c.block_end,
        _rental.c.status,
        _rental.c.source,
    )
    .where(
        _rental.c.company_id == COMPANY_ID,
        _rental.c.vehicle_id == bindparam("vehicle_id"),
        _rental.c.block_end > bindparam("window_start", type_=Date()),
        _rental.c.block_start < bindparam("window_end", type_=Date()),
        blocks(_rental.c.status),
    )
    .order_by(_rental.c.block_start)
)


def list_taken_periods(session: Session, scope: Scope, vehicle_id: int, window: Block) -> tuple[Taken, ...]:
    """Return the rentals that block the vehicle in the window, earliest first; no client data."""
    parameters = {
        "company_id": scope.company_id,
        "vehicle_id": vehicle_id,
        "window_start": window.start,
        "window_end": window.end,
    }
    return tuple(
        Taken(Period(start, end), Block(block_start, block_end), status, source)
        for start, end, block_start, block_end, status, source in session.execute(_TAKEN_QUERY, parameters)
    )


def list_upcoming_periods(session: Session, scope: Scope, vehicle_id: int, first_day: date) -> tuple[Taken, ...]:
    """Return the rentals that block the vehicle on or after a day."""
    return list_taken_periods(session, scope, vehicle_id, Block(first_day, date.max))


def is_overlap(error: IntegrityError) -> bool:
    """Whether the schema's guard against double booking refused the write."""
    text = str(error.orig)
    return any(name in text for name in _GUARD_NAMES)


def add_quote(session: Session, scope: Scope, quote: dict[str, Any], lines: Sequence[Line]) -> str:
    """Store a quote and return its uuid."""
    uuid = str(uuid4())
    session.add(
        QuoteRow(
            company_id=scope.company_id,
            bot_id=scope.bot_id,
            actor=scope.actor,
            uuid=uuid,
            lines=lines_as_json(lines),
            **quote,
        )
    )
    return uuid


def get_quote(session: Session, scope: Scope, quote_uuid: str) -> QuoteRecord:
    """Return a quote.

    Raises:
        NotFound: missing, another company's, or made for another chat user; the answer is the same.
    """
    query = select(QuoteRow).where(_quote.c.company_id == scope.company_id, _quote.c.uuid == quote_uuid)
    row = session.execute(query).scalar_one_or_none()
    if row is None or row.id is None or row.actor not in {"", scope.actor}:
        raise NotFound("no such quote")
    period = Period(row.start_date, row.end_date)
    return QuoteRecord(row.id, row.vehicle_id, period, row.total_minor, row.deposit_minor, row.actor, row.expires_at)


def add_rental(session: Session, scope: Scope, block: Block, values: dict[str, Any]) -> RentalRecord:
    """Store a rental with the first entry of its history. `values` are the columns of the rental.

    Raises:
        IntegrityError: the schema refused it; ask `is_overlap`.
    """
    rental = RentalRow(
        company_id=scope.company_id,
        uuid=str(uuid4()),
        bot_id=scope.bot_id,
        actor=scope.actor,
        block_start=block.start,
        block_end=block.end,
        **values,
    )
    session.add(rental)
    session.flush()
    record = _record(rental)
    session.add(
        RentalStatusChange(
            company_id=scope.company_id,
            rental_id=record.id,
            new_status=rental.status,
            actor=scope.actor,
            changed_at=rental.created_at,
        )
    )
    return record


def get_rental(session: Session, scope: Scope, rental_id: int) -> RentalRecord:
    """Return a rental by its internal number.

    Raises:
        NotFound: missing or another company's.
    """
    query = select(RentalRow).where(_rental.c.company_id == scope.company_id, _rental.c.id == rental_id)
    row = session.execute(query).scalar_one_or_none()
    if row is None:
        raise NotFound("no such rental")
    return _record(row)


def lines_as_json(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """Return price lines as plain JSON values."""
    return [
        {key: value.isoformat() if isinstance(value, date) else value for key, value in asdict(line).items()}
        for line in lines
    ]


def _record(row: RentalRow) -> RentalRecord:
    if row.id is None:
        raise RuntimeError("the rental was not stored")
    return RentalRecord(
        id=row.id,
        uuid=row.uuid,
        order_number=row.order_number,
        status=row.status,
        source=row.source,
        vehicle_id=row.vehicle_id,
        office_id=row.office_id,
        period=Period(row.start_date, row.end_date),
        pickup_at=row.pickup_at,
        return_at=row.return_at,
        total_minor=row.total_minor,
        deposit_minor=row.deposit_minor,
        customer_first_name=row.customer_first_name,
        created_at=row.created_at,
    )
