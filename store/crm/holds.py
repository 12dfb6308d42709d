"""Keep a vehicle for the customer who reads the review, for as long as the company says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from store.crm.retrying import retry_lost_races
from store.crm.terms import dates_taken, require_allowed, terms_of
from store.errors import Refused
from store.rules.facts import CompanyFacts, VehicleFacts
from store.rules.periods import Period
from store.rules.stay import decide
from store.sql.companies import load_company
from store.sql.fleet import get_vehicle_by_id, lock_vehicle
from store.sql.holds import add_hold, find_own_hold
from store.sql.rentals import QuoteRecord, get_quote, list_in_the_way
from store.sql.scope import Scope
from store.sql.unit import Database


@dataclass(frozen=True, slots=True)
class HoldOutcome:
    """Whether the vehicle is kept, and until when."""

    company: CompanyFacts
    vehicle: VehicleFacts
    quote_uuid: str
    period: Period
    held_until: datetime | None
    """None: this company keeps nothing before the booking."""


def hold_vehicle(database: Database, scope: Scope, now: datetime, quote_uuid: str) -> HoldOutcome:
    """Keep the vehicle of a quote for its chat user, instead of what was kept for them before.

    A repeat does not prolong it, and it never outlives the quote.

    Raises:
        NotFound: no such quote for this company and chat user.
        Refused: quote_expired, dates_taken, period_refused.
    """
    return retry_lost_races(lambda: _hold_once(database, scope, now, quote_uuid))


def _hold_once(database: Database, scope: Scope, now: datetime, quote_uuid: str) -> HoldOutcome:
    with database.write() as session:
        quote = get_quote(session, scope, quote_uuid)
        if now >= quote.expires_at:
            facts = {"expired_at": quote.expires_at.isoformat()}
            raise Refused("the quote has expired", code="quote_expired", facts=facts)
        company = load_company(session, scope)
        vehicle = get_vehicle_by_id(session, scope, quote.vehicle_id)
        # Two people without a name cannot be told apart: nothing is kept for them.
        may_hold = company.hold_minutes > 0 and scope.actor != ""
        held_until = _keep(session, scope, now, company, vehicle, quote) if may_hold else None
        return HoldOutcome(company, vehicle, quote.uuid, quote.period, held_until)


def _keep(
    session: Session, scope: Scope, now: datetime, company: CompanyFacts, vehicle: VehicleFacts, quote: QuoteRecord
) -> datetime:
    if not lock_vehicle(session, scope, vehicle.id):
        raise dates_taken(())
    own = find_own_hold(session, scope)
    if own is not None and own.quote_id == quote.id and own.held_until > now:
        return own.held_until
    block = quote.period.block(company.rules.turnaround_hours)
    in_the_way = list_in_the_way(session, scope, vehicle.id, block, now)
    require_allowed(decide(quote.period, terms_of(session, scope, company, vehicle), now, in_the_way))
    held_until = min(now + timedelta(minutes=company.hold_minutes), quote.expires_at)
    if own is not None and own.vehicle_id == vehicle.id and own.held_until > now:
        held_until = min(held_until, own.held_until)  # another quote of the same vehicle does not prolong it either
    hold = {
        "vehicle_id": vehicle.id,
        "quote_id": quote.id,
        "start_date": quote.period.start,
        "end_date": quote.period.end,
        "held_until": held_until,
    }
    add_hold(session, scope, hold, block, now)
    return held_until
