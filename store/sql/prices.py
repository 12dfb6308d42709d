"""Price lists with all that hangs on them: read, and written."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import BindParameter, ColumnElement, FromClause, Select, Table, and_, bindparam, func, select
from sqlalchemy.orm import Session

from store.rules.prices import Extra, Package, PriceList, Season, Tier
from store.sql.core import COMPANY_ID, table
from store.sql.scope import Scope
from store.sql.tables.fleet import Vehicle, VehicleModel
from store.sql.tables.prices import PriceExtra, PricePackage, PriceSeason, PriceTier
from store.sql.tables.prices import PriceList as PriceListRow

_vehicle, _model = table(Vehicle), table(VehicleModel)
_list, _season, _tier = table(PriceListRow), table(PriceSeason), table(PriceTier)
_package, _extra = table(PricePackage), table(PriceExtra)

_of_vehicle = _list.alias("list_of_vehicle")
_of_model = _list.alias("list_of_model")
_of_category = _list.alias("list_of_category")
_of_company = _list.alias("list_of_company")

effective_list: ColumnElement[int | None] = func.coalesce(
    _of_vehicle.c.id, _of_model.c.id, _of_category.c.id, _of_company.c.id
)
"""The most specific list of a vehicle: its own, its model's, its category's, the company's."""


def with_lists(source: FromClause) -> FromClause:
    """Join the four lists that may price a vehicle to a source that holds `vehicle` and `vehicle_model`."""
    company = _vehicle.c.company_id
    nobody = and_(
        _of_company.c.vehicle_id.is_(None), _of_company.c.model_id.is_(None), _of_company.c.category.is_(None)
    )
    return (
        source.outerjoin(
            _of_vehicle, and_(_of_vehicle.c.company_id == company, _of_vehicle.c.vehicle_id == _vehicle.c.id)
        )
        .outerjoin(_of_model, and_(_of_model.c.company_id == company, _of_model.c.model_id == _model.c.id))
        .outerjoin(
            _of_category, and_(_of_category.c.company_id == company, _of_category.c.category == _model.c.category)
        )
        .outerjoin(_of_company, and_(_of_company.c.company_id == company, nobody))
    )


_PARTS: Final[dict[str, tuple[Table, tuple[str, ...]]]] = {
    "seasons": (
        _season,
        (
            "code",
            "name",
            "start_month",
            "start_day",
            "end_month",
            "end_day",
            "priority",
            "per_day_minor",
            "percent",
            "min_days",
            "max_days",
            "valid_from",
            "valid_until",
            "is_closed",
        ),
    ),
    "tiers": (_tier, ("min_days", "max_days", "percent_off", "per_day_minor", "season_code")),
    "packages": (_package, ("amount_minor", "days", "months", "name", "season_code", "weekdays")),
    "extras": (_extra, ("code", "name", "mode", "per", "amount_minor", "at_most_minor")),
}
"""What hangs on a list, and its columns in the order of the rules' own fields."""

_OWN_COLUMNS: Final = (
    "id",
    "version",
    "base_per_day_minor",
    "deposit_minor",
    "tier_mode",
    "package_rest",
    "stay_by",
    "min_days",
    "max_days",
)
_LIST_IDS: Final[BindParameter[Any]] = bindparam("list_ids", expanding=True)
_LISTS_QUERY: Final = select(*(_list.c[name] for name in _OWN_COLUMNS)).where(
    _list.c.company_id == COMPANY_ID, _list.c.id.in_(_LIST_IDS)
)


def _parts_query(part: Table, columns: tuple[str, ...]) -> Select[Any]:
    order = (part.c.min_days, part.c.id) if part is _tier else (part.c.id,)
    return (
        select(part.c.price_list_id, *(part.c[name] for name in columns))
        .where(part.c.company_id == COMPANY_ID, part.c.price_list_id.in_(_LIST_IDS))
        .order_by(*order)
    )


_PARTS_QUERIES: Final = {kind: _parts_query(part, columns) for kind, (part, columns) in _PARTS.items()}


def load_price_lists(session: Session, scope: Scope, list_ids: Collection[int]) -> dict[int, PriceList]:
    """Return the lists with those ids, by id."""
    parameters = {"company_id": scope.company_id, "list_ids": sorted(list_ids)}
    heads = [dict(row) for row in session.execute(_LISTS_QUERY, parameters).mappings()]
    # One query for each kind of part: joined, they would come back multiplied with each other.
    parts = {kind: _by_list(session.execute(query, parameters)) for kind, query in _PARTS_QUERIES.items()}
    return {
        head["id"]: _price_list(head, {kind: rows.get(head["id"], []) for kind, rows in parts.items()})
        for head in heads
    }


def add_price_list(session: Session, scope: Scope, rules: PriceList, target: dict[str, Any]) -> int:
    """Store a list with all its parts and return its id.

    `target` are the columns that `rules` does not have: code, and model_id, vehicle_id or category.
    """
    own = {name: getattr(rules, name) for name in _OWN_COLUMNS if name not in {"id", "version"}}
    row = PriceListRow(company_id=scope.company_id, **target, **own)
    session.add(row)
    session.flush()
    if row.id is None:
        raise RuntimeError("the row was not stored")
    hangs: dict[str, Any] = {"company_id": scope.company_id, "price_list_id": row.id}
    session.add_all(PriceSeason(**hangs, **_season_columns(season)) for season in rules.seasons)
    session.add_all(PriceTier(**hangs, **asdict(tier)) for tier in rules.tiers)
    session.add_all(PriceExtra(**hangs, **asdict(extra)) for extra in rules.extras)
    for package in rules.packages:
        weekdays = "".join(map(str, package.weekdays))
        session.add(PricePackage(**hangs, **{**asdict(package), "weekdays": weekdays}))
    return row.id


def _by_list(rows: Iterable[Any]) -> dict[int, list[tuple[Any, ...]]]:
    found: dict[int, list[tuple[Any, ...]]] = {}
    for list_id, *values in rows:
        found.setdefault(list_id, []).append(tuple(values))
    return found


def _price_list(head: dict[str, Any], parts: dict[str, list[tuple[Any, ...]]]) -> PriceList:
    return PriceList(
        **head,
        seasons=tuple(
            Season(code, name, (start_month, start_day), (end_month, end_day), *rest)
            for code, name, start_month, start_day, end_month, end_day, *rest in parts["seasons"]
        ),
        tiers=tuple(Tier(*row) for row in parts["tiers"]),
        packages=tuple(_package_rules(*row) for row in parts["packages"]),
        extras=tuple(Extra(*row) for row in parts["extras"]),
    )


def _package_rules(*row: Any) -> Package:
    *values, weekdays = row
    amount_minor, days, months, name, season_code = values
    return Package(amount_minor, days, months, name, season_code, tuple(map(int, weekdays)))


def _season_columns(season: Season) -> dict[str, Any]:
    values = asdict(season)
    (start_month, start_day), (end_month, end_day) = values.pop("start"), values.pop("end")
    days = {"start_month": start_month, "start_day": start_day, "end_month": end_month, "end_day": end_day}
    return {**values, **days}
