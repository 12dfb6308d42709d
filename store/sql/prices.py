"""Price lists, read with their seasons and tiers in one query."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final

from sqlalchemy import ColumnElement, FromClause, and_, bindparam, func, select
from sqlalchemy.orm import Session

from store.rules.prices import PriceList, Season, Tier
from store.sql.core import COMPANY_ID, table
from store.sql.scope import Scope
from store.sql.tables.fleet import Vehicle, VehicleModel
from store.sql.tables.prices import PriceList as PriceListRow
from store.sql.tables.prices import PriceSeason, PriceTier

_vehicle, _model = table(Vehicle), table(VehicleModel)
_list, _season, _tier = table(PriceListRow), table(PriceSeason), table(PriceTier)

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


_LISTS_QUERY: Final = (
    select(
        _list.c.id,
        _list.c.version,
        _list.c.base_per_day_minor,
        _list.c.deposit_minor,
        _season.c.code,
        _season.c.name,
        _season.c.start_month,
        _season.c.start_day,
        _season.c.end_month,
        _season.c.end_day,
        _season.c.priority,
        _season.c.per_day_minor,
        _season.c.percent,
        _season.c.min_days,
        _tier.c.min_days,
        _tier.c.max_days,
        _tier.c.percent_off,
    )
    .select_from(
        _list.outerjoin(
            _season, and_(_season.c.price_list_id == _list.c.id, _season.c.company_id == _list.c.company_id)
        ).outerjoin(_tier, and_(_tier.c.price_list_id == _list.c.id, _tier.c.company_id == _list.c.company_id))
    )
    .where(_list.c.company_id == COMPANY_ID, _list.c.id.in_(bindparam("list_ids", expanding=True)))
    .order_by(_list.c.id, _season.c.id, _tier.c.min_days)
)


def load_price_lists(session: Session, scope: Scope, list_ids: Collection[int]) -> dict[int, PriceList]:
    """Return the lists with those ids, by id."""
    parameters = {"company_id": scope.company_id, "list_ids": sorted(list_ids)}
    # Seasons times tiers come back; each is kept once.
    parts: dict[tuple[Any, ...], tuple[dict[Any, None], dict[Any, None]]] = {}
    for row in session.execute(_LISTS_QUERY, parameters):
        seasons, tiers = parts.setdefault(tuple(row[:4]), ({}, {}))
        seasons[tuple(row[4:14])] = None
        tiers[tuple(row[14:])] = None
    return {head[0]: _price_list(head, seasons, tiers) for head, (seasons, tiers) in parts.items()}


def _price_list(head: tuple[Any, ...], seasons: Iterable[Any], tiers: Iterable[Any]) -> PriceList:
    list_id, version, base_per_day_minor, deposit_minor = head
    return PriceList(list_id, version, base_per_day_minor, deposit_minor, _seasons(seasons), _tiers(tiers))


def _seasons(rows: Iterable[Any]) -> tuple[Season, ...]:
    return tuple(
        Season(code, name, (start_month, start_day), (end_month, end_day), *rest)
        for code, name, start_month, start_day, end_month, end_day, *rest in rows
        if code is not None
    )


def _tiers(rows: Iterable[Any]) -> tuple[Tier, ...]:
    return tuple(Tier(*row) for row in rows if row[0] is not None)
