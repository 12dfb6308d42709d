"""Holds: a vehicle kept for the customer who reads the review. Whether one still holds is judged when it is read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Date, Select, String, and_, bindparam, delete, exists, or_, select
from sqlalchemy.orm import Session

from store.rules.periods import Block, Period, Taken
from store.sql.core import COMPANY_ID, table
from store.sql.scope import Scope
from store.sql.tables.rentals import HoldRow
from store.sql.types import UtcDateTime

_hold = table(HoldRow)

HELD: Final = "held"
"""The status under which a hold is told among the rentals that are in the way."""


@dataclass(frozen=True, slots=True)
class HoldRecord:
    """A stored hold."""

    quote_id: int
    vehicle_id: int
    held_until: datetime


def held_by_others(vehicle_id: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether somebody else holds the vehicle on days of the asked block. Own holds never block.

    Its parameters: `company_id`, `block_start`, `block_end`, and those of `hold_parameters`. Without these last
    no hold is seen.
    """
    return exists().where(
        _hold.c.company_id == COMPANY_ID,
        _hold.c.vehicle_id == vehicle_id,
        _hold.c.block_end > bindparam("block_start", type_=Date()),
        _hold.c.block_start < bindparam("block_end", type_=Date()),
        _is_alive_for_others(),
    )


def hold_parameters(scope: Scope, now: datetime) -> dict[str, Any]:
    """Return what the queries about holds compare with."""
    return {"hold_now": now, "hold_actor": scope.actor}


def list_holds(session: Session, scope: Scope, vehicle_id: int, window: Block, now: datetime) -> tuple[Taken, ...]:
    """Return the holds of others on one vehicle in a window, earliest first; who holds is not told."""
    parameters = {
        "company_id": scope.company_id,
        "vehicle_id": vehicle_id,
        "block_start": window.start,
        "block_end": window.end,
        **hold_parameters(scope, now),
    }
    return tuple(
        Taken(Period(start, end), Block(block_start, block_end), HELD, "")
        for start, end, block_start, block_end in session.execute(_HOLDS_QUERY, parameters)
    )


def find_own_hold(session: Session, scope: Scope) -> HoldRecord | None:
    """Return the hold of the chat user, alive or not."""
    query = select(_hold.c.quote_id, _hold.c.vehicle_id, _hold.c.held_until).where(
        _hold.c.company_id == scope.company_id, _hold.c.actor == scope.actor
    )
    row = session.execute(query).one_or_none()
    return HoldRecord(*row) if row else None


def add_hold(session: Session, scope: Scope, hold: dict[str, Any], block: Block, now: datetime) -> None:
    """Store the hold of the chat user, instead of an older one; clears the company's dead ones away."""
    old = or_(_hold.c.actor == scope.actor, _hold.c.held_until <= now)
    session.execute(delete(_hold).where(_hold.c.company_id == scope.company_id, old))
    session.add(
        HoldRow(
            company_id=scope.company_id,
            actor=scope.actor,
            block_start=block.start,
            block_end=block.end,
            created_at=now,
            **hold,
        )
    )
    session.flush()


def drop_own_hold(session: Session, scope: Scope, vehicle_id: int) -> None:
    """Give up the hold of the chat user on a vehicle: it became a rental."""
    own = (_hold.c.company_id == scope.company_id, _hold.c.actor == scope.actor, _hold.c.vehicle_id == vehicle_id)
    session.execute(delete(_hold).where(*own))


def _is_alive_for_others() -> ColumnElement[bool]:
    # Unset parameters compare as unknown, so that a caller that knows no time sees no hold.
    return and_(
        _hold.c.held_until > bindparam("hold_now", value=None, type_=UtcDateTime()),
        _hold.c.actor != bindparam("hold_actor", value=None, type_=String()),
    )


_HOLDS_QUERY: Final[Select[Any]] = (
    select(_hold.c.start_date, _hold.c.end_date, _hold.c.block_start, _hold.c.block_end)
    .where(
        _hold.c.company_id == COMPANY_ID,
        _hold.c.vehicle_id == bindparam("vehicle_id"),
        _hold.c.block_end > bindparam("block_start", type_=Date()),
        _hold.c.block_start < bindparam("block_end", type_=Date()),
        _is_alive_for_others(),
    )
    .order_by(_hold.c.block_start)
)
