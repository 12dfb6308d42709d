"""Small steps that several use cases share: the asked period, the terms of a vehicle, refusals, hand-over times."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from store.errors import InvalidData, Refused
from store.rules.facts import CompanyFacts, VehicleFacts
from store.rules.periods import Period, Taken, local_instant
from store.rules.prices import PriceList
from store.rules.stay import Decision, Refusal, Terms
from store.sql.prices import load_price_lists
from store.sql.scope import Scope

_PICKUP_STEP_MINUTES: Final = 30


def asked_period(start: date, end: date) -> Period:
    """Return the period.

    Raises:
        InvalidData: the return is before the pick-up, or a day is out of range.
    """
    try:
        return Period(start, end)
    except ValueError as error:
        raise InvalidData(str(error), facts={"fields": ["end"]}) from error


def make_terms(company: CompanyFacts, office_id: int, prices: PriceList | None) -> Terms:
    """Return what decides about a vehicle of that office with that price list."""
    office = company.office(office_id)
    return Terms(company.rules, office.slug, office.timezone, office.hours, prices)


def terms_of(session: Session, scope: Scope, company: CompanyFacts, vehicle: VehicleFacts) -> Terms:
    """Return what decides about one vehicle; reads its price list."""
    list_id = vehicle.price_list_id
    lists = load_price_lists(session, scope, [list_id]) if list_id is not None else {}
    return make_terms(company, vehicle.office_id, lists.get(list_id) if list_id is not None else None)


def require_allowed(decision: Decision) -> None:
    """Raise when the rental may not be made.

    Raises:
        Refused: `period_refused` with the rule, or `dates_taken` with the conflicting periods.
    """
    if decision.refusal is not None:
        raise period_refused(decision.refusal)
    if decision.conflicts:
        raise dates_taken(decision.conflicts)


def period_refused(refusal: Refusal) -> Refused:
    """Return the error that tells which rule says no."""
    facts = {"refusal": {"code": refusal.code, "facts": refusal.facts}}
    return Refused("this period cannot be rented", code="period_refused", facts=facts)


def dates_taken(conflicts: Iterable[Taken]) -> Refused:
    """Return the error that tells which periods are in the way; no client data."""
    facts = {"conflicting_rentals": [_period_facts(taken) for taken in conflicts]}
    return Refused("the vehicle is taken for these dates", code="dates_taken", facts=facts)


def handover_times(company: CompanyFacts, office_id: int, period: Period, now: datetime) -> tuple[datetime, datetime]:
    """Return when the vehicle is picked up and due back: the same hour, inside the opening hours, office-local."""
    office = company.office(office_id)
    earliest = (now + timedelta(minutes=company.rules.lead_minutes)).astimezone(ZoneInfo(office.timezone))
    not_before = _next_step(earliest) if period.start == earliest.date() else time.min
    pickup = office.hours.handover(period.start, time.fromisoformat(company.pickup_time), not_before)
    pickup_at = local_instant(period.start, pickup, office.timezone)
    return pickup_at, due_back(company, office_id, period, pickup_at)


def due_back(company: CompanyFacts, office_id: int, period: Period, pickup_at: datetime) -> datetime:
    """Return when a vehicle that is picked up at an instant is due back: the same hour, inside the opening hours."""
    office = company.office(office_id)
    picked_up = pickup_at.astimezone(ZoneInfo(office.timezone)).time()
    due = time.max.replace(microsecond=0) if period.start == period.end else picked_up
    return local_instant(period.end, office.hours.handover(period.end, due), office.timezone)


def _next_step(now_local: datetime) -> time:
    step = timedelta(minutes=_PICKUP_STEP_MINUTES)
    minutes = timedelta(minutes=now_local.minute % _PICKUP_STEP_MINUTES, seconds=now_local.second)
    rounded = now_local.replace(microsecond=0) + (step - minutes if minutes else timedelta())
    return rounded.time() if rounded.date() == now_local.date() else time(23, 59)


def taken_for_staff(conflicts: Iterable[Taken]) -> Refused:
    """Return the same error with the order numbers, so that staff know which rental is in the way."""
    facts = {"conflicting_rentals": [{**_period_facts(t), "order_number": t.order_number} for t in conflicts]}
    return Refused("the vehicle is taken for these dates", code="dates_taken", facts=facts)


def price_changed(company: CompanyFacts, told_minor: int, now_minor: int) -> Refused:
    """Return the error that tells what was said and what it would be now."""
    facts = {"old_total": _money(company, told_minor), "new_total": _money(company, now_minor)}
    return Refused("the price has changed since it was told", code="price_changed", facts=facts)


def _money(company: CompanyFacts, minor: int) -> dict[str, Any]:
    return {"minor": minor, "currency": company.currency, "exponent": company.currency_exponent}


def _period_facts(taken: Taken) -> dict[str, Any]:
    return {
        "start": taken.period.start.isoformat(),
        "end": taken.period.end.isoformat(),
        "days": taken.period.days,
        "status": taken.status,
    }
