"""Changes by staff: the moves of the board. Each names the version it saw; an older one gets the present state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from store.crm.change_plans import plan_period
from store.crm.rental_changes import not_changeable, stale_version, tell_staff
from store.crm.retrying import retry_lost_races
from store.crm.terms import asked_period, taken_for_staff
from store.errors import Refused
from store.rules.facts import CompanyFacts, VehicleFacts
from store.rules.rental_status import RentalStatus, following, may_follow
from store.sql.companies import load_company
from store.sql.fleet import get_vehicle_by_id, lock_vehicle
from store.sql.rentals import (
    ChangeRecord,
    RentalRecord,
    add_change,
    change_rental,
    find_rental,
    is_overlap,
    list_changes,
    list_taken_periods,
    lock_rental,
)
from store.sql.scope import Scope
from store.sql.unit import Database

_BLOCKING = {"confirmed", "active"}


@dataclass(frozen=True, slots=True)
class StaffOutcome:
    """A rental as staff have left it."""

    company: CompanyFacts
    vehicle: VehicleFacts
    rental: RentalRecord


def change_status(
    database: Database, scope: Scope, now: datetime, rental_uuid: str, new_status: RentalStatus, version: int
) -> StaffOutcome:
    """Set the next status; a rental that begins to block passes the guard.

    Raises:
        NotFound: missing or another company's rental.
        Refused: stale_version, not_changeable (with `may_follow`), dates_taken (with the blocking order numbers).
    """

    def work(session: Session, rental: RentalRecord) -> StaffOutcome:
        if not may_follow(rental.status, new_status):
            raise _no_such_step(rental)
        if new_status in _BLOCKING:
            _require_free(session, scope, rental)
        values: dict[str, Any] = {"status": new_status, "updated_at": now}
        if rental.status == "cancelled":
            values["cancel_fee_minor"] = None  # what is not cancelled any more costs no fee
        changed = change_rental(session, scope, rental, values)
        record = ChangeRecord("status", rental.status, new_status, scope.actor, now, {})
        return _finish(session, scope, now, "rental_status", changed, record)

    return _changed(database, scope, rental_uuid, version, work)


def move_rental(
    database: Database, scope: Scope, now: datetime, rental_uuid: str, start: date, end: date, version: int
) -> StaffOutcome:
    """Give a rental other dates, priced anew, by the same decision that customers get.

    Raises:
        NotFound: missing or another company's rental.
        InvalidData: the period runs backwards.
        Refused: stale_version, not_changeable, dates_taken, period_refused, extra_gone.
    """
    period = asked_period(start, end)

    def work(session: Session, rental: RentalRecord) -> StaffOutcome:
        if rental.status not in {"pending", "confirmed", "active"}:
            raise not_changeable(rental, "status")
        company, vehicle = load_company(session, scope), get_vehicle_by_id(session, scope, rental.vehicle_id)
        plan = plan_period(session, scope, now, company, vehicle, rental, period)
        changed = change_rental(session, scope, rental, {**plan.values, "updated_at": now})
        record = ChangeRecord("move", rental.status, rental.status, scope.actor, now, plan.facts())
        return _finish(session, scope, now, "rental_moved", changed, record)

    return _changed(database, scope, rental_uuid, version, work)


def rental_history(database: Database, scope: Scope, rental_uuid: str) -> list[ChangeRecord]:
    """Return who changed what on a rental, oldest first.

    Raises:
        NotFound: missing or another company's rental.
    """
    with database.read() as session:
        return list_changes(session, scope, find_rental(session, scope, rental_uuid).id)


def _changed(
    database: Database,
    scope: Scope,
    rental_uuid: str,
    version: int,
    work: Callable[[Session, RentalRecord], StaffOutcome],
) -> StaffOutcome:
    def once() -> StaffOutcome:
        with database.write() as session:
            seen = find_rental(session, scope, rental_uuid)
            lock_vehicle(session, scope, seen.vehicle_id)
            rental = lock_rental(session, scope, seen.id)
            if rental.version != version:
                raise stale_version(rental)
            return work(session, rental)

    try:
        return retry_lost_races(once)
    except IntegrityError as error:
        if not is_overlap(error):
            raise
        # The look before it is as strict as the guard, so that this is a race that the lock should have prevented.
        raise taken_for_staff(()) from error


def _require_free(session: Session, scope: Scope, rental: RentalRecord) -> None:
    # Holds are courtesies between customers: staff who confirm go before them.
    block = rental.period.block(load_company(session, scope).rules.turnaround_hours)
    conflicts = list_taken_periods(session, scope, rental.vehicle_id, block, rental.id)
    if conflicts:
        raise taken_for_staff(conflicts)


def _finish(
    session: Session, scope: Scope, now: datetime, notice: str, changed: RentalRecord, record: ChangeRecord
) -> StaffOutcome:
    add_change(session, scope, changed.id, record)
    tell_staff(session, scope, now, notice, changed)
    return StaffOutcome(load_company(session, scope), get_vehicle_by_id(session, scope, changed.vehicle_id), changed)


def _no_such_step(rental: RentalRecord) -> Refused:
    facts = {"status": rental.status, "reason": "status", "may_follow": list(following(rental.status))}
    return Refused("this status cannot follow", code="not_changeable", facts=facts)
