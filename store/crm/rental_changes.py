"""Move, extend and cancel a customer's own rental: told before (a preview), then done exactly once.

The preview and the change make the same plan; the change makes it again inside its transaction, with the vehicle and
the rental locked. What the customer was told goes along (`expected_minor`, `version`): when it no longer holds,
nothing is done and they are asked again. Below it the schema refuses an overlap, whatever this code does.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from typing import Final, Literal

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from store.crm.change_plans import ChangePlan, plan_cancel, plan_period, policy_pickup
from store.crm.keys import claim_once, fingerprint_of
from store.crm.own_rentals import owner_of
from store.crm.retrying import retry_lost_races
from store.crm.terms import asked_period, dates_taken, price_changed
from store.errors import InvalidData, Refused
from store.rules.facts import CompanyFacts, VehicleFacts
from store.rules.periods import Period
from store.rules.rental_status import customer_may
from store.sql.companies import load_company
from store.sql.fleet import get_vehicle_by_id, lock_vehicle
from store.sql.rentals import (
    ChangeRecord,
    RentalRecord,
    add_change,
    change_rental,
    find_own_rental,
    get_change,
    get_rental,
    is_overlap,
    list_taken_periods,
    lock_rental,
)
from store.sql.requests import EarlierRequest, add_notice, finish_key
from store.sql.scope import Scope
from store.sql.unit import Database

Kind = Literal["move", "extend", "cancel"]
_NOTICES: Final[dict[Kind, str]] = {"move": "rental_moved", "extend": "rental_extended", "cancel": "rental_cancelled"}


@dataclass(frozen=True, slots=True)
class ChangeOrder:
    """What the customer asks for. `start` for a move, `end` for a move or an extension."""

    kind: Kind
    rental_uuid: str
    idempotency_key: str = ""
    start: date | None = None
    end: date | None = None
    version: int | None = None
    """The version that the customer saw."""
    expected_minor: int | None = None
    """The new total, or the fee of a cancellation, that the customer was told. None: no fee; any total."""

    def fingerprint(self, scope: Scope) -> str:
        """Return the SHA-256 of everything but the key."""
        arguments = {**asdict(self), "actor": scope.actor}
        arguments.pop("idempotency_key")
        return fingerprint_of({k: v.isoformat() if isinstance(v, date) else v for k, v in arguments.items()})


@dataclass(frozen=True, slots=True)
class ChangeOutcome:
    """What the change does or did. In a preview `rental` is as it stands."""

    company: CompanyFacts
    vehicle: VehicleFacts
    rental: RentalRecord
    kind: Kind
    is_preview: bool
    plan: ChangePlan
    idempotent: bool = False
    """It repeats an earlier success of the same key."""


def preview_change(database: Database, scope: Scope, now: datetime, order: ChangeOrder) -> ChangeOutcome:
    """Say what the change would do; changes nothing.

    Raises:
        NotFound: missing, another company's or another customer's rental.
        InvalidData: the period runs backwards, or an extension does not extend.
        Refused: not_changeable, stale_version, dates_taken, period_refused, extra_gone.
    """
    with database.read() as session:
        rental = find_own_rental(session, scope, owner_of(session, scope), order.rental_uuid)
        company, vehicle = load_company(session, scope), get_vehicle_by_id(session, scope, rental.vehicle_id)
        plan = _plan(session, scope, now, company, vehicle, rental, order)
        return ChangeOutcome(company, vehicle, rental, order.kind, is_preview=True, plan=plan)


def apply_change(database: Database, scope: Scope, now: datetime, order: ChangeOrder) -> ChangeOutcome:
    """Do the change once, or return what the same request did before.

    Raises:
        NotFound: missing, another company's or another customer's rental.
        InvalidData: the period runs backwards, or an extension does not extend.
        Refused: not_changeable, stale_version, dates_taken, period_refused, extra_gone, price_changed,
            idempotency_key_reused, in_progress.
    """
    try:
        return retry_lost_races(lambda: _apply_once(database, scope, now, order))
    except IntegrityError as error:
        if not is_overlap(error):
            raise
        raise _taken_by_others(database, scope, order) from error


def _apply_once(database: Database, scope: Scope, now: datetime, order: ChangeOrder) -> ChangeOutcome:
    with database.write() as session:
        earlier = claim_once(session, scope, now, order.idempotency_key, order.fingerprint(scope))
        if earlier is not None:
            return _repeat(session, scope, order, earlier)
        seen = find_own_rental(session, scope, owner_of(session, scope), order.rental_uuid)
        is_ready = lock_vehicle(session, scope, seen.vehicle_id)
        rental = lock_rental(session, scope, seen.id)
        company, vehicle = load_company(session, scope), get_vehicle_by_id(session, scope, rental.vehicle_id)
        plan = _plan(session, scope, now, company, vehicle, rental, order)
        if order.kind != "cancel" and not is_ready:
            raise dates_taken(())
        _require_as_told(company, plan, order)
        return _store(session, scope, now, company, vehicle, rental, order, plan)


def _plan(
    session: Session,
    scope: Scope,
    now: datetime,
    company: CompanyFacts,
    vehicle: VehicleFacts,
    rental: RentalRecord,
    order: ChangeOrder,
) -> ChangePlan:
    if order.version is not None and order.version != rental.version:
        raise stale_version(rental)
    if not customer_may(order.kind, rental.status):
        raise not_changeable(rental, "status")
    if order.kind == "cancel":
        if now >= rental.pickup_at:
            raise not_changeable(rental, "pickup_passed")
        return plan_cancel(company, rental, now)
    period = _new_period(rental, order)
    if now >= rental.return_at:
        raise not_changeable(rental, "return_passed")
    # What was picked up cannot be had back in part: only a later return is left.
    if now >= rental.pickup_at and (period.start != rental.period.start or period.end < rental.period.end):
        raise not_changeable(rental, "pickup_passed")
    plan = plan_period(session, scope, now, company, vehicle, rental, period)
    return replace(plan, values={**plan.values, "policy_pickup_at": policy_pickup(company, rental, now)})


def _new_period(rental: RentalRecord, order: ChangeOrder) -> Period:
    period = asked_period(order.start or rental.period.start, order.end or rental.period.end)
    if order.kind == "extend" and period.end <= rental.period.end:
        raise InvalidData("an extension ends later than the rental", facts={"fields": ["end"]})
    if period == rental.period:
        raise not_changeable(rental, "same_dates")
    return period


def not_changeable(rental: RentalRecord, reason: str) -> Refused:
    """Return the error that tells why a rental stays as it is: status, pickup_passed, return_passed, same_dates."""
    facts = {"status": rental.status, "reason": reason}
    return Refused("this rental cannot be changed like that", code="not_changeable", facts=facts)


def stale_version(rental: RentalRecord) -> Refused:
    """Return the error that tells what the rental is now."""
    facts = {
        "version": rental.version,
        "status": rental.status,
        "start": rental.period.start.isoformat(),
        "end": rental.period.end.isoformat(),
    }
    return Refused("the rental was changed meanwhile", code="stale_version", facts=facts)


def _require_as_told(company: CompanyFacts, plan: ChangePlan, order: ChangeOrder) -> None:
    # Whoever was told of no fee pays none.
    told = (order.expected_minor or 0) if plan.cancel else order.expected_minor
    actual = plan.cancel.fee_minor if plan.cancel else plan.new_total_minor
    if told is not None and actual is not None and told != actual:
        raise price_changed(company, told, actual)


def _store(
    session: Session,
    scope: Scope,
    now: datetime,
    company: CompanyFacts,
    vehicle: VehicleFacts,
    rental: RentalRecord,
    order: ChangeOrder,
    plan: ChangePlan,
) -> ChangeOutcome:
    changed = change_rental(session, scope, rental, {**plan.values, "updated_at": now})
    change = ChangeRecord(order.kind, rental.status, changed.status, scope.actor, now, plan.facts())
    change_id = add_change(session, scope, rental.id, change)
    finish_key(session, scope, order.idempotency_key, rental.id, change_id)
    tell_staff(session, scope, now, _NOTICES[order.kind], changed)
    return ChangeOutcome(company, vehicle, changed, order.kind, is_preview=False, plan=plan)


def tell_staff(session: Session, scope: Scope, now: datetime, kind: str, rental: RentalRecord) -> None:
    """Write the notice about a change of a rental; one for each version."""
    payload = {"rental_uuid": rental.uuid, "order_number": rental.order_number, "version": rental.version}
    add_notice(session, scope, kind, f"{kind}:{rental.uuid}:{rental.version}", payload, now)


def _repeat(session: Session, scope: Scope, order: ChangeOrder, earlier: EarlierRequest) -> ChangeOutcome:
    # The rental is read again: what staff did since must show. What the request did is told from its history.
    rental = get_rental(session, scope, earlier.rental_id)
    if earlier.change_id is None:
        raise RuntimeError("a change without its entry in the history")
    change = get_change(session, scope, earlier.change_id)
    company, vehicle = load_company(session, scope), get_vehicle_by_id(session, scope, rental.vehicle_id)
    plan = ChangePlan.from_facts(change.facts)
    return ChangeOutcome(company, vehicle, rental, order.kind, is_preview=False, plan=plan, idempotent=True)


def _taken_by_others(database: Database, scope: Scope, order: ChangeOrder) -> Refused:
    """Say what the schema's guard found in the way."""
    with database.read() as session:
        rental = find_own_rental(session, scope, owner_of(session, scope), order.rental_uuid)
        block = _new_period(rental, order).block(load_company(session, scope).rules.turnaround_hours)
        return dates_taken(list_taken_periods(session, scope, rental.vehicle_id, block, rental.id))
