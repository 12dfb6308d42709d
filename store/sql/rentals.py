"""Rentals and quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any, Final
from uuid import uuid4

from sqlalchemy import ColumnElement, Date, Integer, and_, bindparam, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from store.errors import NotFound
from store.rules.extras import ChosenExtra
from store.rules.periods import Block, Period, Taken
from store.rules.prices import Line
from store.sql.core import COMPANY_ID, blocks, table
from store.sql.holds import list_holds
from store.sql.price_values import extras_from_json, lines_as_json
from store.sql.scope import Scope
from store.sql.tables.rentals import QuoteRow, RentalRow, RentalStatusChange

_rental, _quote, _change = table(RentalRow), table(QuoteRow), table(RentalStatusChange)

_CHANGE_COLUMNS = (
    _change.c.kind,
    _change.c.old_status,
    _change.c.new_status,
    _change.c.actor,
    _change.c.changed_at,
    _change.c.facts,
)
"""In the order of the fields of ChangeRecord."""

_GUARD_NAMES = ("rental_overlap", "rental_no_overlap")
"""What the schema's guard says on SQLite and PostgreSQL."""


@dataclass(frozen=True, slots=True)
class QuoteRecord:
    """A stored quote."""

    id: int
    uuid: str
    vehicle_id: int
    period: Period
    total_minor: int
    deposit_minor: int | None
    extras: tuple[ChosenExtra, ...]
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
    client_id: int
    actor: str
    version: int
    cancel_fee_minor: int | None
    policy_pickup_at: datetime | None
    price_lines: list[Any]
    extras: tuple[ChosenExtra, ...]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ChangeRecord:
    """One entry of a rental's history."""

    kind: str
    old_status: str | None
    new_status: str
    actor: str
    changed_at: datetime
    facts: dict[str, Any]


_TAKEN_QUERY: Final = (
    select(
        _rental.c.start_date,
        _rental.c.end_date,
        _rental.c.block_start,
        _rental.c.block_end,
        _rental.c.status,
        _rental.c.source,
        _rental.c.order_number,
    )
    .where(
        _rental.c.company_id == COMPANY_ID,
        _rental.c.vehicle_id == bindparam("vehicle_id"),
        _rental.c.block_end > bindparam("window_start", type_=Date()),
        _rental.c.block_start < bindparam("window_end", type_=Date()),
        _rental.c.id != bindparam("not_rental_id", type_=Integer()),
        blocks(_rental.c.status),
    )
    .order_by(_rental.c.block_start)
)


def list_taken_periods(
    session: Session, scope: Scope, vehicle_id: int, window: Block, not_rental_id: int = 0
) -> tuple[Taken, ...]:
    """Return the rentals that block the vehicle in the window, earliest first, but for one; no client data."""
    parameters = {
        "company_id": scope.company_id,
        "vehicle_id": vehicle_id,
        "window_start": window.start,
        "window_end": window.end,
        "not_rental_id": not_rental_id,
    }
    return tuple(
        Taken(Period(start, end), Block(block_start, block_end), *rest)
        for start, end, block_start, block_end, *rest in session.execute(_TAKEN_QUERY, parameters)
    )


def list_in_the_way(
    session: Session, scope: Scope, vehicle_id: int, window: Block, now: datetime, not_rental_id: int = 0
) -> tuple[Taken, ...]:
    """Return all that keeps the vehicle from the chat user in the window: rentals that block, holds of others."""
    rentals = list_taken_periods(session, scope, vehicle_id, window, not_rental_id)
    return rentals + list_holds(session, scope, vehicle_id, window, now)


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
    return QuoteRecord(
        id=row.id,
        uuid=row.uuid,
        vehicle_id=row.vehicle_id,
        period=period,
        total_minor=row.total_minor,
        deposit_minor=row.deposit_minor,
        extras=extras_from_json(row.extras),
        actor=row.actor,
        expires_at=row.expires_at,
    )


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
    return _one_record(session.execute(query).scalar_one_or_none())


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose rentals may be seen: the chat user's own, and those of the client that a channel vouches for."""

    actor: str
    client_id: int | None = None


def find_own_rental(session: Session, scope: Scope, owner: Owner, rental_uuid: str) -> RentalRecord:
    """Return a rental of the owner.

    Raises:
        NotFound: missing, another company's or another customer's; the answer is the same.
    """
    query = select(RentalRow).where(
        _rental.c.company_id == scope.company_id, _rental.c.uuid == rental_uuid, _is_owned(owner)
    )
    return _one_record(session.execute(query).scalar_one_or_none())


def list_own_rentals(
    session: Session, scope: Scope, owner: Owner, first_day: date | None, limit: int
) -> list[RentalRecord]:
    """Return the owner's rentals by their start; only those that are not over on `first_day`, when it is given."""
    query = select(RentalRow).where(_rental.c.company_id == scope.company_id, _is_owned(owner))
    if first_day is not None:
        is_open = _rental.c.status.in_(("pending", "confirmed", "active"))
        query = query.where(_rental.c.end_date >= first_day, is_open)
    query = query.order_by(_rental.c.start_date, _rental.c.id).limit(limit)
    return [_record(row) for row in session.execute(query).scalars()]


def find_rental(session: Session, scope: Scope, rental_uuid: str) -> RentalRecord:
    """Return any rental of the company; for staff.

    Raises:
        NotFound: missing or another company's.
    """
    query = select(RentalRow).where(_rental.c.company_id == scope.company_id, _rental.c.uuid == rental_uuid)
    return _one_record(session.execute(query).scalar_one_or_none())


def lock_rental(session: Session, scope: Scope, rental_id: int) -> RentalRecord:
    """Return the rental as it is now, and make other writers of it wait. Lock its vehicle before.

    Raises:
        NotFound: missing or another company's.
    """
    query = (
        select(RentalRow)
        .where(_rental.c.company_id == scope.company_id, _rental.c.id == rental_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return _one_record(session.execute(query).scalar_one_or_none())


def change_rental(session: Session, scope: Scope, rental: RentalRecord, values: dict[str, Any]) -> RentalRecord:
    """Write columns of a rental that is locked, and return it with its next version.

    Raises:
        IntegrityError: the schema refused it; ask `is_overlap`.
    """
    session.execute(
        update(_rental)
        .where(_rental.c.company_id == scope.company_id, _rental.c.id == rental.id)
        .values(version=rental.version + 1, **values)
    )
    return lock_rental(session, scope, rental.id)


def add_change(session: Session, scope: Scope, rental_id: int, change: ChangeRecord) -> int:
    """Add an entry to a rental's history and return its number."""
    row = RentalStatusChange(company_id=scope.company_id, rental_id=rental_id, **asdict(change))
    session.add(row)
    session.flush()
    if row.id is None:
        raise RuntimeError("the change was not stored")
    return row.id


def get_change(session: Session, scope: Scope, change_id: int) -> ChangeRecord:
    """Return one entry of a history.

    Raises:
        NotFound: missing or another company's.
    """
    row: Any = session.execute(
        select(*_CHANGE_COLUMNS).where(_change.c.company_id == scope.company_id, _change.c.id == change_id)
    ).one_or_none()
    if row is None:
        raise NotFound("no such change")
    return ChangeRecord(*row)


def list_changes(session: Session, scope: Scope, rental_id: int) -> list[ChangeRecord]:
    """Return the history of a rental, oldest first."""
    query = (
        select(*_CHANGE_COLUMNS)
        .where(_change.c.company_id == scope.company_id, _change.c.rental_id == rental_id)
        .order_by(_change.c.id)
    )
    rows: Any = session.execute(query)
    return [ChangeRecord(*row) for row in rows]


def _is_owned(owner: Owner) -> ColumnElement[bool]:
    # Nobody named owns nothing: rentals of staff have an empty actor too.
    by_actor = and_(_rental.c.actor == owner.actor, _rental.c.actor != "")
    return by_actor if owner.client_id is None else or_(by_actor, _rental.c.client_id == owner.client_id)


def _one_record(row: RentalRow | None) -> RentalRecord:
    if row is None:
        raise NotFound("no such rental")
    return _record(row)


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
        client_id=row.client_id,
        actor=row.actor,
        version=row.version,
        cancel_fee_minor=row.cancel_fee_minor,
        policy_pickup_at=row.policy_pickup_at,
        price_lines=row.price_lines,
        extras=extras_from_json(row.extras),
        created_at=row.created_at,
    )
