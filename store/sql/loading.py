"""Write a company's data file into the tables."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from typing import Final
from uuid import NAMESPACE_URL, uuid5
from zoneinfo import ZoneInfo

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

from store.rules.company_file import WEEKDAYS, CompanyFile, ModelEntry, OfficeEntry, PriceListEntry, RentalEntry
from store.rules.matching import search_text
from store.rules.periods import Period, local_instant
from store.rules.prices import PriceList as PriceRules
from store.rules.prices import price_stay
from store.sql.clients import add_client, add_contact, find_client, save_client
from store.sql.companies import take_order_number
from store.sql.core import table
from store.sql.prices import add_price_list
from store.sql.rentals import add_rental, lines_as_json, list_taken_periods
from store.sql.scope import Scope
from store.sql.tables.company import Company, Office, OfficeHours
from store.sql.tables.fleet import Brand, Vehicle, VehicleModel
from store.sql.tables.rentals import RentalRow

_PICKUP: Final = time(10)

_vehicle, _office, _model, _rental = table(Vehicle), table(Office), table(VehicleModel), table(RentalRow)


@dataclass
class _Ids:
    """Numbers given so far, by the file's own names."""

    scope: Scope
    offices: dict[str, int] = field(default_factory=dict)
    brands: dict[str, int] = field(default_factory=dict)
    models: dict[str, int] = field(default_factory=dict)
    vehicles: dict[str, int] = field(default_factory=dict)


def has_company(session: Session, slug: str) -> bool:
    """Whether a company with that public name is stored."""
    return bool(session.execute(select(exists().where(table(Company).c.slug == slug))).scalar())


def store_company(session: Session, file: CompanyFile, now: datetime) -> Scope:
    """Store everything but the rentals. The file has to be checked; names that miss raise KeyError."""
    company = Company(
        currency_exponent=file.company.currency_exponent,
        created_at=now,
        **file.company.model_dump(mode="json"),
    )
    session.add(company)
    session.flush()
    ids = _Ids(Scope(_number(company.id)))
    for position, office in enumerate(file.offices):
        _store_office(session, ids, file, office, position)
    for brand in file.brands:
        row = Brand(company_id=ids.scope.company_id, **brand.model_dump(mode="json"))
        session.add(row)
        session.flush()
        ids.brands[brand.slug] = _number(row.id)
    for model in file.models:
        _store_model(session, ids, file, model)
    _store_vehicles(session, ids, file)
    for entry in file.price_lists:
        _store_price_list(session, ids, entry, file.price_list(entry))
    return ids.scope


def store_rentals(
    session: Session, scope: Scope, file: CompanyFile, entries: tuple[RentalEntry, ...], now: datetime
) -> int:
    """Store rentals that do not overlap what is there, and return how many."""
    return sum(_store_rental(session, scope, file, entry, now) for entry in entries)


def count_rentals_between(session: Session, scope: Scope, first: date, last: date) -> int:
    """Count the rentals that start in a span of days."""
    condition = (_rental.c.company_id == scope.company_id, _rental.c.start_date.between(first, last))
    return int(session.execute(select(func.count()).select_from(_rental).where(*condition)).scalar_one())


def _store_office(session: Session, ids: _Ids, file: CompanyFile, entry: OfficeEntry, position: int) -> None:
    company_id = ids.scope.company_id
    values = entry.model_dump(exclude={"hours", "timezone"})
    row = Office(company_id=company_id, position=position, timezone=entry.timezone or file.company.timezone, **values)
    session.add(row)
    session.flush()
    ids.offices[entry.slug] = _number(row.id)
    for weekday, intervals in entry.hours.items():
        for interval in intervals:
            opens, closes = interval.split("-")
            session.add(
                OfficeHours(
                    company_id=company_id,
                    office_id=_number(row.id),
                    weekday=WEEKDAYS.index(weekday),
                    opens=opens,
                    closes=closes,
                )
            )


def _store_model(session: Session, ids: _Ids, file: CompanyFile, entry: ModelEntry) -> None:
    brand_name = next(brand.name for brand in file.brands if brand.slug == entry.brand)
    values = entry.model_dump(mode="json", exclude={"brand", "display_name"})
    row = VehicleModel(
        company_id=ids.scope.company_id,
        brand_id=ids.brands[entry.brand],
        display_name=entry.display_name or f"{brand_name} {entry.name}",
        **values,
    )
    session.add(row)
    session.flush()
    ids.models[entry.slug] = _number(row.id)


def _store_vehicles(session: Session, ids: _Ids, file: CompanyFile) -> None:
    for entry in file.vehicles:
        row = Vehicle(
            company_id=ids.scope.company_id,
            # The same file gives the same addresses on every machine.
            uuid=str(uuid5(NAMESPACE_URL, f"{file.company.slug}/{entry.plate}")),
            model_id=ids.models[entry.model],
            office_id=ids.offices[entry.office],
            plate=entry.plate,
            colour=entry.colour,
            year=entry.year,
            details=entry.details,
            search_text=search_text(entry.details, entry.plate),
        )
        session.add(row)
        session.flush()
        ids.vehicles[entry.plate] = _number(row.id)


def _store_price_list(session: Session, ids: _Ids, entry: PriceListEntry, rules: PriceRules) -> None:
    target = {
        "code": entry.code,
        "model_id": ids.models[entry.model] if entry.model else None,
        "vehicle_id": ids.vehicles[entry.plate] if entry.plate else None,
        "category": entry.category,
    }
    add_price_list(session, ids.scope, rules, target)


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
    lists = file.price_lists
    of_vehicle = [entry for entry in lists if entry.plate == plate]
    of_model = [entry for entry in lists if entry.model == model.slug]
    of_category = [entry for entry in lists if entry.category == model.category]
    of_company = [entry for entry in lists if not (entry.plate or entry.model or entry.category)]
    return file.price_list((of_vehicle + of_model + of_category + of_company)[0])


def _number(row_id: int | None) -> int:
    if row_id is None:
        raise RuntimeError("the row was not stored")
    return row_id
