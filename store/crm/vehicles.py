"""One vehicle: is it free, when is it taken, what does it cost (a quote)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from store.crm.extras import require_offered
from store.crm.terms import asked_period, handover_times, require_allowed, terms_of
from store.rules.extras import Chosen, to_choose
from store.rules.facts import CompanyFacts, VehicleFacts
from store.rules.periods import Period, Taken
from store.rules.prices import Extra, Price
from store.rules.stay import Decision, decide
from store.sql.companies import load_company
from store.sql.fleet import get_vehicle
from store.sql.price_values import extras_as_json
from store.sql.rentals import add_quote, list_in_the_way, list_upcoming_periods
from store.sql.scope import Scope
from store.sql.unit import Database


@dataclass(frozen=True, slots=True)
class AvailabilityOutcome:
    """Whether one vehicle may be rented for one period."""

    company: CompanyFacts
    vehicle: VehicleFacts
    period: Period
    decision: Decision


@dataclass(frozen=True, slots=True)
class QuoteOutcome:
    """A price that holds until `expires_at`. Times are office-local."""

    company: CompanyFacts
    quote_uuid: str
    vehicle: VehicleFacts
    period: Period
    price: Price
    pickup_at: datetime
    return_at: datetime
    expires_at: datetime
    offered: tuple[Extra, ...] = ()
    """Extras to choose from, chosen or not."""


def check_availability(
    database: Database, scope: Scope, now: datetime, vehicle_uuid: str, start: date, end: date
) -> AvailabilityOutcome:
    """Say whether the vehicle may be rented, and what is in the way.

    Raises:
        NotFound: no such vehicle in this company.
        InvalidData: the period runs backwards.
    """
    period = asked_period(start, end)
    with database.read() as session:
        company = load_company(session, scope)
        vehicle = get_vehicle(session, scope, vehicle_uuid)
        terms = terms_of(session, scope, company, vehicle)
        block = period.block(company.rules.turnaround_hours)
        taken = list_in_the_way(session, scope, vehicle.id, block, now)
    return AvailabilityOutcome(company, vehicle, period, decide(period, terms, now, taken))


def make_quote(
    database: Database, scope: Scope, now: datetime, vehicle_uuid: str, start: date, end: date, chosen: Chosen = ()
) -> QuoteOutcome:
    """Price the vehicle with the chosen extras for the period and store the quote.

    Raises:
        NotFound: no such vehicle in this company.
        InvalidData: the period runs backwards; `unknown_extra`.
        Refused: `dates_taken` or `period_refused`.
    """
    period = asked_period(start, end)
    with database.write() as session:
        company = load_company(session, scope)
        vehicle = get_vehicle(session, scope, vehicle_uuid)
        terms = terms_of(session, scope, company, vehicle)
        require_offered(terms.prices, chosen)
        block = period.block(company.rules.turnaround_hours)
        in_the_way = list_in_the_way(session, scope, vehicle.id, block, now)
        decision = decide(period, terms, now, in_the_way, chosen=chosen)
        require_allowed(decision)
        if decision.price is None or terms.prices is None:
            raise RuntimeError("an allowed period has a price")
        expires_at = now + timedelta(minutes=company.quote_minutes)
        quote = {
            "vehicle_id": vehicle.id,
            "start_date": period.start,
            "end_date": period.end,
            "total_minor": decision.price.total_minor,
            "deposit_minor": decision.price.deposit_minor,
            "extras": extras_as_json(decision.price.extras),
            "price_list_id": terms.prices.id,
            "price_list_version": terms.prices.version,
            "created_at": now,
            "expires_at": expires_at,
        }
        quote_uuid = add_quote(session, scope, quote, decision.price.lines)
    pickup_at, return_at = handover_times(company, vehicle.office_id, period, now)
    return QuoteOutcome(
        company=company,
        quote_uuid=quote_uuid,
        vehicle=vehicle,
        period=period,
        price=decision.price,
        pickup_at=pickup_at,
        return_at=return_at,
        expires_at=expires_at,
        offered=to_choose(terms.prices),
    )


def list_bookings(database: Database, scope: Scope, now: datetime, vehicle_uuid: str) -> tuple[Taken, ...]:
    """Return the periods for which the vehicle is taken from today on; no client data.

    Raises:
        NotFound: no such vehicle in this company.
    """
    with database.read() as session:
        company = load_company(session, scope)
        vehicle = get_vehicle(session, scope, vehicle_uuid)
        today = now.astimezone(ZoneInfo(company.office(vehicle.office_id).timezone)).date()
        return list_upcoming_periods(session, scope, vehicle.id, today)
