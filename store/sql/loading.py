"""Load a demo company with rentals to start with."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

from store.rules.company_file import CompanyFile, RentalEntry
from store.rules.periods import Period, local_instant
from store.rules.price_file import most_specific
from store.rules.prices import PriceList as PriceRules
from store.rules.prices import price_stay
from store.sql.clients import add_client, add_contact, find_client, save_client
from store.sql.companies import take_order_number
from store.sql.company_apply import apply_company
from store.sql.core import table
from store.sql.price_values import lines_as_json
from store.sql.rentals import add_rental, list_taken_periods
from store.sql.scope import Scope
from store.sql.tables.company import Company, Office
from store.sql.tables.fleet import Vehicle, VehicleModel
from store.sql.tables.rentals import RentalRow

_PICKUP: Final = time(10)

_vehicle, _office, _model, _rental = table(Vehicle), table(Office), table(VehicleModel), table(RentalRow)


def has_company(session: Session, slug: str) -> bool:
    """Whether a company with that public name is stored."""
    return bool(session.execute(select(exists().where(table(Company).c.slug == slug))).scalar())


def store_company(session: Session, file: CompanyFile, now: datetime) -> Scope:
    """Store everything but the rentals. The file has to be checked; names that miss raise KeyError."""
    return apply_company(session, file, now).scope


def store_rentals(
    session: Session, scope: Scope, file: CompanyFile, entries: tuple[RentalEntry, ...], now: datetime
) -> int:
    """Store rentals that do not overlap what is there, and return how many."""
    return sum(_store_rental(session, scope, file, entry, now) for entry in entries)


def count_rentals_between(session: Session, scope: Scope, first: date, last: date) -> int:
    """Count the rentals that start in a span of days."""
    condition = (_rental.c.company_id == scope.company_id, _rental.c.start_date.between(first, last))
    return int(session.execute(select(func.count()).select_from(_rental).where(*condition)).scalar_one())


def _store_rental(session: Session, scope: Scope, file: CompanyFile, entry: RentalEntry, now: datetime) -> bool:
    zone = ZoneInfo(file.company.timezone)
    period = _rental_period(entry, now.astimezone(zone).date())
    block = period.block(file.company.turnaround_hours)
    query = select(_vehicle.c.id, _vehicle.c.office_id).where(
        _vehicle.c.company_id == scope.company_id, _vehicle.c.plate == entry.plate
    )
    vehicle_id, office_id = session.execute(query).one()
    if list_taken_periods(session, scope, vehicle_id, block):
        return False
    price = price_stay(_rules_for(file, entry.plate), period)
    values = {
        "order_number": take_order_number(session, scope),
        "vehicle_id": vehicle_id,
        "office_id": office_id,
        "client_id": _client_id(session, scope, entry, now),
        "status": entry.status,
        "source": entry.source,
        "start_date": period.start,
        "end_date": period.end,
        "pickup_at": local_instant(period.start, _PICKUP, file.company.timezone),
        "return_at": local_instant(period.end, _PICKUP, file.company.timezone),
        "total_minor": price.total_minor if price else 0,
        "deposit_minor": price.deposit_minor if price else None,
        "price_lines": lines_as_json(price.lines) if price else [],
        "customer_first_name": entry.first_name,
        "customer_last_name": entry.last_name,
        "customer_phone": entry.phone,
        "created_at": now,
        "updated_at": now,
    }
    add_rental(session, scope, block, values)
    return True


def _client_id(session: Session, scope: Scope, entry: RentalEntry, now: datetime) -> int:
    known = find_client(session, scope, ("phone", entry.phone)) if entry.phone else None
    if known:
        return known.id
    client = replace(
        add_client(session, scope, now), first_name=entry.first_name, last_name=entry.last_name, is_placeholder=False
    )
    save_client(session, scope, client)
    if entry.phone:
        add_contact(session, scope, client.id, ("phone", entry.phone))
    return client.id


def _rental_period(entry: RentalEntry, today: date) -> Period:
    if entry.start is not None and entry.end is not None:
        return Period(entry.start, entry.end)
    start = today + timedelta(days=entry.starts_in_days or 0)
    return Period(start, start + timedelta(days=entry.days or 1))


def _rules_for(file: CompanyFile, plate: str) -> PriceRules:
    vehicle = next(v for v in file.vehicles if v.plate == plate)
    model = next(m for m in file.models if m.slug == vehicle.model)
    entry = most_specific(file.price_lists, plate, model.slug, model.category)
    return file.price_list(entry) if entry else PriceRules(id=0, version=0, base_per_day_minor=None)
