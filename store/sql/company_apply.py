"""Bring a company's tables to what its file says, in one transaction: new, changed and gone.

What the same file has said before is left alone. A vehicle that is gone is retired and a price list that quotes name
is put aside, since rentals and quotes keep pointing to them; whatever nothing points to is deleted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Final, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from sqlalchemy import Table, delete, exists, insert, select, update
from sqlalchemy.orm import Session

from store.errors import Refused
from store.rules.company_file import WEEKDAYS, CompanyFile, ModelEntry, OfficeEntry, PriceListEntry, VehicleEntry
from store.rules.matching import search_text
from store.sql.core import table
from store.sql.prices import add_price_list, load_price_lists
from store.sql.scope import Scope
from store.sql.tables import METADATA
from store.sql.tables.company import Company, Office, OfficeHours
from store.sql.tables.fleet import Brand, Vehicle, VehicleModel
from store.sql.tables.prices import PriceList
from store.sql.tables.rentals import QuoteRow, RentalRow

_company, _office, _hours = table(Company), table(Office), table(OfficeHours)
_brand, _model, _vehicle = table(Brand), table(VehicleModel), table(Vehicle)
_list, _quote, _rental = table(PriceList), table(QuoteRow), table(RentalRow)

_BATCH: Final = 1000
SET_ASIDE: Final = "-"
"""The first sign of a price list's code and category that no vehicle has any more."""


@dataclass(slots=True)
class Change:
    """How many entries of one kind are new, other than before, and gone."""

    added: int = 0
    changed: int = 0
    removed: int = 0


@dataclass(slots=True)
class Applied:
    """What was done, by part of the file."""

    scope: Scope
    is_new: bool
    changes: dict[str, Change] = field(default_factory=dict)

    @property
    def is_same(self) -> bool:
        """Whether the file says what was stored."""
        return all(c == Change() for c in self.changes.values())


def apply_company(session: Session, file: CompanyFile, now: datetime) -> Applied:
    """Store what the file says. The file has to be checked; names that miss raise KeyError.

    Raises:
        Refused: `currency_in_use`, rentals are priced in the old currency.
    """
    applied = _apply_company(session, file, now)
    scope = applied.scope
    offices = _Part(session, scope, _office, "slug")
    applied.changes["offices"] = offices.apply(_office_values(file, o, n) for n, o in enumerate(file.offices))
    applied.changes["opening hours"] = _apply_hours(session, scope, file, offices.ids)
    brands = _Part(session, scope, _brand, "slug")
    applied.changes["brands"] = brands.apply(b.model_dump(mode="json") for b in file.brands)
    models = _Part(session, scope, _model, "slug")
    applied.changes["models"] = models.apply(_model_values(file, m, brands.ids) for m in file.models)
    vehicles = _Part(session, scope, _vehicle, "plate")
    wanted = (_vehicle_values(file, v, models.ids, offices.ids) for v in file.vehicles)
    applied.changes["vehicles"] = vehicles.apply(wanted)
    applied.changes["vehicles"].removed = _retire(session, scope, {v.plate for v in file.vehicles})
    applied.changes["price lists"] = _apply_price_lists(session, scope, file, models.ids, vehicles.ids)
    applied.changes["models"].removed = _delete_unused(session, scope, _model, {m.slug for m in file.models})
    applied.changes["brands"].removed = _delete_unused(session, scope, _brand, {b.slug for b in file.brands})
    applied.changes["offices"].removed = _delete_unused(session, scope, _office, {o.slug for o in file.offices})
    return applied


class _Part:
    """One table of the company, its rows known by a name that the file uses."""

    def __init__(self, session: Session, scope: Scope, rows: Table, name: str) -> None:
        self._session, self._scope, self._table, self._name = session, scope, rows, name
        stored = session.execute(select(rows).where(rows.c.company_id == scope.company_id)).mappings()
        self._stored = {row[name]: dict(row) for row in stored}
        self.ids: dict[str, int] = {key: row["id"] for key, row in self._stored.items()}

    def apply(self, wanted: Iterable[dict[str, Any]]) -> Change:
        """Insert and update; return how many."""
        change, fresh = Change(), []
        for values in wanted:
            stored = self._stored.get(values[self._name])
            if stored is None:
                fresh.append({**values, "company_id": self._scope.company_id})
            elif any(stored[key] != value for key, value in values.items()):
                self._update(stored["id"], values)
                change.changed += 1
        change.added = len(fresh)
        for start in range(0, len(fresh), _BATCH):
            self._insert(fresh[start : start + _BATCH])
        return change

    def _update(self, row_id: int, values: dict[str, Any]) -> None:
        mine = (self._table.c.company_id == self._scope.company_id, self._table.c.id == row_id)
        self._session.execute(update(self._table).where(*mine).values(**values))

    def _insert(self, rows: list[dict[str, Any]]) -> None:
        self._session.execute(insert(self._table), rows)
        column, names = self._table.c[self._name], [row[self._name] for row in rows]
        query = select(column, self._table.c.id).where(
            self._table.c.company_id == self._scope.company_id, column.in_(names)
        )
        self.ids |= {name: row_id for name, row_id in self._session.execute(query)}  # noqa: C416 - rows are no pairs


def _apply_company(session: Session, file: CompanyFile, now: datetime) -> Applied:
    values = {
        **file.company.model_dump(mode="json"),
        "cancellation": [step.model_dump(exclude_none=True) for step in file.company.cancellation],
        "currency_exponent": file.company.currency_exponent,
    }
    row = session.execute(select(_company).where(_company.c.slug == file.company.slug)).mappings().one_or_none()
    if row is None:
        made = session.execute(insert(_company).values(**values, created_at=now).returning(_company.c.id))
        return Applied(Scope(int(made.scalar_one())), is_new=True, changes={"company": Change(added=1)})
    scope = Scope(int(row["id"]))
    if row["currency"] != values["currency"] and _has(session, _rental, scope):
        raise Refused("rentals are priced in the old currency", code="currency_in_use")
    values["next_order_number"] = max(values["next_order_number"], row["next_order_number"])
    is_same = all(row[key] == value for key, value in values.items())
    if not is_same:
        session.execute(update(_company).where(_company.c.id == scope.company_id).values(**values))
    return Applied(scope, is_new=False, changes={"company": Change(changed=int(not is_same))})


def _has(session: Session, rows: Table, scope: Scope) -> bool:
    return bool(session.execute(select(exists().where(rows.c.company_id == scope.company_id))).scalar())


def _office_values(file: CompanyFile, entry: OfficeEntry, position: int) -> dict[str, Any]:
    values = entry.model_dump(mode="json", exclude={"hours", "timezone"})
    return {**values, "position": position, "timezone": entry.timezone or file.company.timezone}


def _apply_hours(session: Session, scope: Scope, file: CompanyFile, offices: dict[str, int]) -> Change:
    wanted = {
        (offices[office.slug], WEEKDAYS.index(weekday), *interval.split("-"))
        for office in file.offices
        for weekday, intervals in office.hours.items()
        for interval in intervals
    }
    columns = (_hours.c.office_id, _hours.c.weekday, _hours.c.opens, _hours.c.closes)
    mine = (_hours.c.company_id == scope.company_id, _hours.c.office_id.in_(offices[o.slug] for o in file.offices))
    stored = {tuple(row) for row in session.execute(select(*columns).where(*mine))}
    if stored == wanted:
        return Change()
    session.execute(delete(_hours).where(*mine))
    names = [column.name for column in columns]
    rows = [{"company_id": scope.company_id, **dict(zip(names, row, strict=True))} for row in sorted(wanted)]
    if rows:
        session.execute(insert(_hours), rows)
    return Change(added=len(wanted - stored), removed=len(stored - wanted))


def _model_values(file: CompanyFile, entry: ModelEntry, brands: dict[str, int]) -> dict[str, Any]:
    brand_name = next(brand.name for brand in file.brands if brand.slug == entry.brand)
    return {
        **entry.model_dump(mode="json", exclude={"brand"}),
        "brand_id": brands[entry.brand],
        "display_name": entry.display_name or f"{brand_name} {entry.name}",
        "drawing": entry.drawing or entry.category,
    }


def _vehicle_values(
    file: CompanyFile, entry: VehicleEntry, models: dict[str, int], offices: dict[str, int]
) -> dict[str, Any]:
    return {
        **entry.model_dump(exclude={"model", "office"}),
        # The same file gives the same addresses on every machine.
        "uuid": str(uuid5(NAMESPACE_URL, f"{file.company.slug}/{entry.plate}")),
        "model_id": models[entry.model],
        "office_id": offices[entry.office],
        "search_text": search_text(entry.details, entry.plate, entry.colour),
    }


def _retire(session: Session, scope: Scope, plates: set[str]) -> int:
    query = select(_vehicle.c.id, _vehicle.c.plate).where(
        _vehicle.c.company_id == scope.company_id, _vehicle.c.state != "retired"
    )
    gone = [row_id for row_id, plate in session.execute(query) if plate not in plates]
    for start in range(0, len(gone), _BATCH):
        batch = _vehicle.c.id.in_(gone[start : start + _BATCH])
        session.execute(
            update(_vehicle).where(_vehicle.c.company_id == scope.company_id, batch).values(state="retired")
        )
    return len(gone)


def _apply_price_lists(
    session: Session, scope: Scope, file: CompanyFile, models: dict[str, int], vehicles: dict[str, int]
) -> Change:
    """Lists that differ are made anew, so that a quote keeps pointing to the list that it was made from."""
    columns = (_list.c.id, _list.c.code, _list.c.model_id, _list.c.vehicle_id, _list.c.category)
    query = select(*columns).where(_list.c.company_id == scope.company_id, ~_list.c.code.startswith(SET_ASIDE))
    stored = {row.code: row for row in session.execute(query)}
    rules = load_price_lists(session, scope, [row.id for row in stored.values()]) if stored else {}
    wanted = {e.code: (_target(e, models, vehicles), file.price_list(e)) for e in file.price_lists}
    same = {
        code
        for code, row in stored.items()
        if code in wanted
        and row._asdict() == {"id": row.id, **wanted[code][0]}
        and replace(rules[row.id], id=0, version=1) == wanted[code][1]
    }
    for code, row in stored.items():
        if code not in same:
            _put_aside(session, scope, row.id)
    for code, (target, prices) in wanted.items():
        if code not in same:
            add_price_list(session, scope, prices, target)
    changed = len((stored.keys() & wanted.keys()) - same)
    return Change(len(wanted.keys() - stored.keys()), changed, len(stored.keys() - wanted.keys()))


def _target(entry: PriceListEntry, models: dict[str, int], vehicles: dict[str, int]) -> dict[str, Any]:
    return {
        "code": entry.code,
        "model_id": models[entry.model] if entry.model else None,
        "vehicle_id": vehicles[entry.plate] if entry.plate else None,
        "category": entry.category,
    }


def _put_aside(session: Session, scope: Scope, list_id: int) -> None:
    mine = (_list.c.company_id == scope.company_id, _list.c.id == list_id)
    quoted = exists().where(_quote.c.company_id == scope.company_id, _quote.c.price_list_id == list_id)
    if session.execute(select(quoted)).scalar():
        nowhere = {"code": f"{SET_ASIDE}{list_id}", "category": f"{SET_ASIDE}{list_id}"}
        session.execute(update(_list).where(*mine).values(**nowhere, model_id=None, vehicle_id=None))
        return
    for part in METADATA.sorted_tables:
        if "price_list_id" in part.c and part is not _quote:
            session.execute(delete(part).where(part.c.company_id == scope.company_id, part.c.price_list_id == list_id))
    session.execute(delete(_list).where(*mine))


def _delete_unused(session: Session, scope: Scope, rows: Table, names: set[str]) -> int:
    """Delete what the file does not name, where nothing else in the database points to it."""
    mine = rows.c.company_id == scope.company_id
    free = [
        ~exists().where(part.c.company_id == scope.company_id, part.c[column.name] == rows.c.id)
        for part in METADATA.sorted_tables
        for column in part.c
        if part is not _hours and "company_id" in part.c
        for key in column.foreign_keys
        if key.column is rows.c.id
    ]
    query = select(rows.c.id, rows.c.slug).where(mine, *free)
    gone = [row_id for row_id, slug in session.execute(query) if slug not in names]
    if gone:
        if rows is _office:
            session.execute(delete(_hours).where(_hours.c.company_id == scope.company_id, _hours.c.office_id.in_(gone)))
        session.execute(delete(rows).where(mine, rows.c.id.in_(gone)))
    return len(gone)


class GoneRental(NamedTuple):
    """A coming rental whose vehicle is retired: somebody has to call the customer."""

    order_number: str
    plate: str
    start: date
    end: date
    customer: str
    phone: str


def list_rentals_of_gone(session: Session, scope: Scope, now: datetime) -> list[GoneRental]:
    """Return the coming rentals of retired vehicles, the next one first."""
    query = (
        select(
            _rental.c.order_number,
            _vehicle.c.plate,
            _rental.c.start_date,
            _rental.c.end_date,
            _rental.c.customer_first_name + " " + _rental.c.customer_last_name,
            _rental.c.customer_phone,
        )
        .select_from(_rental.join(_vehicle, _vehicle.c.id == _rental.c.vehicle_id))
        .where(
            _rental.c.company_id == scope.company_id,
            _vehicle.c.company_id == scope.company_id,
            _vehicle.c.state == "retired",
            _rental.c.status.in_(("pending", "confirmed", "active")),
            _rental.c.return_at > now,
        )
        .order_by(_rental.c.start_date, _rental.c.id)
    )
    return [GoneRental(*row) for row in session.execute(query)]
