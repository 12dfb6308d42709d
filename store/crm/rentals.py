"""Create the rental of a quote, exactly once.

One transaction holds it all: the key of the request, the vehicle's lock, the second look at everything, the client,
the rental, its history and the notice to staff. Below it the schema refuses an overlap, whatever this code does.
A refusal stores nothing: the same key may be tried again.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from store.crm.clients import Claim, ResolvedClient, checked_claim, resolve_client
from store.crm.extras import require_still_offered, still_offered
from store.crm.keys import claim_once, fingerprint_of
from store.crm.retrying import retry_lost_races
from store.crm.terms import dates_taken, handover_times, price_changed, require_allowed, terms_of
from store.errors import Refused
from store.rules.facts import CompanyFacts, VehicleFacts
from store.rules.prices import Price
from store.rules.stay import decide
from store.sql.companies import load_company, take_order_number
from store.sql.fleet import get_vehicle_by_id, lock_vehicle
from store.sql.holds import drop_own_hold
from store.sql.price_values import extras_as_json, lines_as_json
from store.sql.rentals import (
    QuoteRecord,
    RentalRecord,
    add_rental,
    get_quote,
    get_rental,
    is_overlap,
    list_in_the_way,
    list_taken_periods,
)
from store.sql.requests import add_notice, finish_key
from store.sql.scope import Scope
from store.sql.unit import Database


@dataclass(frozen=True, slots=True)
class RentalOrder:
    """What the customer confirmed, and the key of this request."""

    quote_uuid: str
    idempotency_key: str
    claim: Claim
    note: str = ""

    def fingerprint(self, scope: Scope) -> str:
        """Return the SHA-256 of everything but the key; the same for the same request."""
        arguments = {"actor": scope.actor, "quote": self.quote_uuid, "note": self.note, "client": asdict(self.claim)}
        return fingerprint_of(arguments)


@dataclass(frozen=True, slots=True)
class RentalOutcome:
    """A rental that is in the database."""

    company: CompanyFacts
    vehicle: VehicleFacts
    rental: RentalRecord
    idempotent: bool
    """It repeats an earlier success of the same key."""


def create_rental(database: Database, scope: Scope, now: datetime, order: RentalOrder) -> RentalOutcome:
    """Create the rental, or return the one that the same request made before.

    Raises:
        NotFound: no such quote for this company and chat user.
        InvalidData: the phone cannot exist.
        Refused: quote_expired, dates_taken, period_refused, extra_gone, price_changed, idempotency_key_reused,
            in_progress.
    """
    try:
        return retry_lost_races(lambda: _create_once(database, scope, now, order))
    except IntegrityError as error:
        if not is_overlap(error):
            raise
        raise _taken_by_others(database, scope, order) from error


def _create_once(database: Database, scope: Scope, now: datetime, order: RentalOrder) -> RentalOutcome:
    with database.write() as session:
        earlier = claim_once(session, scope, now, order.idempotency_key, order.fingerprint(scope))
        return _create(session, scope, now, order) if earlier is None else _repeat(session, scope, earlier.rental_id)


def _create(session: Session, scope: Scope, now: datetime, order: RentalOrder) -> RentalOutcome:
    quote = get_quote(session, scope, order.quote_uuid)
    if now >= quote.expires_at:
        raise Refused("the quote has expired", code="quote_expired", facts={"expired_at": quote.expires_at.isoformat()})
    if not lock_vehicle(session, scope, quote.vehicle_id):
        raise dates_taken(())
    company = load_company(session, scope)
    vehicle = get_vehicle_by_id(session, scope, quote.vehicle_id)
    price = _check_again(session, scope, now, company, vehicle, quote)
    claim = checked_claim(order.claim, company.phone_region)
    values = {
        "order_number": take_order_number(session, scope),
        "note": order.note,
        **_stay_values(company, vehicle, quote, price, now),
        **_customer_values(claim, resolve_client(session, scope, claim, now)),
    }
    block = quote.period.block(company.rules.turnaround_hours)
    rental = add_rental(session, scope, block, values)
    finish_key(session, scope, order.idempotency_key, rental.id)
    drop_own_hold(session, scope, vehicle.id)
    notice = {"rental_uuid": rental.uuid, "order_number": rental.order_number}
    add_notice(session, scope, "rental_created", f"rental_created:{rental.uuid}", notice, now)
    return RentalOutcome(company, vehicle, rental, idempotent=False)


def _check_again(
    session: Session, scope: Scope, now: datetime, company: CompanyFacts, vehicle: VehicleFacts, quote: QuoteRecord
) -> Price:
    """Decide once more, now that nobody else can write; the price has to be the quoted one."""
    terms = terms_of(session, scope, company, vehicle)
    block = quote.period.block(company.rules.turnaround_hours)
    in_the_way = list_in_the_way(session, scope, vehicle.id, block, now)
    decision = decide(quote.period, terms, now, in_the_way, chosen=still_offered(terms.prices, quote.extras))
    require_allowed(decision)
    require_still_offered(terms.prices, quote.extras)
    price = decision.price
    if price is None:
        raise RuntimeError("an allowed period has a price")
    if (price.total_minor, price.deposit_minor) != (quote.total_minor, quote.deposit_minor):
        raise price_changed(company, quote.total_minor, price.total_minor)
    return price


def _stay_values(
    company: CompanyFacts, vehicle: VehicleFacts, quote: QuoteRecord, price: Price, now: datetime
) -> dict[str, Any]:
    pickup_at, return_at = handover_times(company, vehicle.office_id, quote.period, now)
    return {
        "vehicle_id": vehicle.id,
        "office_id": vehicle.office_id,
        "quote_id": quote.id,
        "status": "confirmed",
        "source": "mcp",
        "start_date": quote.period.start,
        "end_date": quote.period.end,
        "pickup_at": pickup_at,
        "return_at": return_at,
        "total_minor": price.total_minor,
        "deposit_minor": price.deposit_minor,
        "price_lines": lines_as_json(price.lines),
        "extras": extras_as_json(price.extras),
        "created_at": now,
        "updated_at": now,
    }


def _customer_values(claim: Claim, client: ResolvedClient) -> dict[str, Any]:
    return {
        "client_id": client.client_id,
        "staff_flag": client.staff_flag,
        "flag_client_id": client.flag_client_id,
        "customer_first_name": claim.first_name,
        "customer_last_name": claim.last_name,
        "customer_phone": claim.phone,
        "customer_email": claim.email,
        "customer_language": claim.language,
    }


def _repeat(session: Session, scope: Scope, rental_id: int) -> RentalOutcome:
    # Read again rather than replayed: a rental that was cancelled since must not be called booked.
    rental = get_rental(session, scope, rental_id)
    company = load_company(session, scope)
    vehicle = get_vehicle_by_id(session, scope, rental.vehicle_id)
    return RentalOutcome(company, vehicle, rental, idempotent=True)


def _taken_by_others(database: Database, scope: Scope, order: RentalOrder) -> Refused:
    """Say what the schema's guard found in the way."""
    with database.read() as session:
        quote = get_quote(session, scope, order.quote_uuid)
        turnaround_hours = load_company(session, scope).rules.turnaround_hours
        block = quote.period.block(turnaround_hours)
        return dates_taken(list_taken_periods(session, scope, quote.vehicle_id, block))
