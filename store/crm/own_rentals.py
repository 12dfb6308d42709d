"""A customer's own rentals: those that this chat made, and those of the client that the channel vouches for.

A web chat proves nothing but itself. A Telegram account proves its client. A phone or an order number proves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from store.rules.facts import CompanyFacts, VehicleFacts
from store.rules.identity import actor_contact
from store.sql.clients import find_client
from store.sql.companies import load_company
from store.sql.fleet import get_vehicle_by_id
from store.sql.rentals import Owner, RentalRecord, find_own_rental, list_own_rentals
from store.sql.scope import Scope
from store.sql.unit import Database


@dataclass(frozen=True, slots=True)
class RentalView:
    """A rental with its vehicle."""

    vehicle: VehicleFacts
    rental: RentalRecord


@dataclass(frozen=True, slots=True)
class OwnRentals:
    """What a customer has booked, by the day of pick-up."""

    company: CompanyFacts
    rentals: tuple[RentalView, ...]


def get_own_rental(database: Database, scope: Scope, rental_uuid: str) -> OwnRentals:
    """Return one rental of the customer.

    Raises:
        NotFound: missing, another company's or another customer's; the answer is the same.
    """
    with database.read() as session:
        company = load_company(session, scope)
        record = find_own_rental(session, scope, owner_of(session, scope), rental_uuid)
        return OwnRentals(company, (_view(session, scope, record),))


def list_rentals(database: Database, scope: Scope, now: datetime, *, include_past: bool, limit: int) -> OwnRentals:
    """Return the customer's rentals; only those that wait, are to come or run, unless the past is asked for."""
    with database.read() as session:
        company = load_company(session, scope)
        today = now.astimezone(ZoneInfo(company.timezone)).date()
        owner = owner_of(session, scope)
        records = list_own_rentals(session, scope, owner, None if include_past else today, limit)
        return OwnRentals(company, tuple(_view(session, scope, record) for record in records))


def owner_of(session: Session, scope: Scope) -> Owner:
    """Return whose rentals the chat user may see."""
    contact = actor_contact(scope.actor)
    if contact is None or contact[0] != "telegram_id":
        return Owner(scope.actor)
    client = find_client(session, scope, contact)
    return Owner(scope.actor, client.id if client else None)


def _view(session: Session, scope: Scope, record: RentalRecord) -> RentalView:
    return RentalView(get_vehicle_by_id(session, scope, record.vehicle_id), record)
