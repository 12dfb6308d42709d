"""Price lists, read with their seasons and tiers in one query."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, FromClause, and_, func, select
from sqlalchemy.orm import Session

from store.rules.prices import PriceList, Season, Tier
from store.sql.core import table
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


def load_price_lists(session: Session, scope: Scope, list_ids: Collection[int]) -> dict[int, PriceList]:
    """Return the lists with those ids, by id."""
    query = (
        select(_list, *_labelled("season", _season), *_labelled("tier", _tier))
        .select_from(_list)
        .outerjoin(_season, and_(_season.c.price_list_id == _list.c.id, _season.c.company_id == _list.c.company_id))
        .outerjoin(_tier, and_(_tier.c.price_list_id == _list.c.id, _tier.c.company_id == _list.c.company_id))
        .where(_list.c.company_id == scope.company_id, _list.c.id.in_(list_ids))
        .order_by(_list.c.id, _season.c.id, _tier.c.min_days)
    )
    rows_by_list: dict[int, list[Any]] = {}
    for row in session.execute(query).mappings():
        rows_by_list.setdefault(row["id"], []).append(row)
    return {list_id: _price_list(rows) for list_id, rows in rows_by_list.items()}


def _labelled(prefix: str, of: Any) -> list[Any]:
    return [column.label(f"{prefix}_{column.name}") for column in of.c]


def _price_list(rows: list[Any]) -> PriceList:
    # Seasons times tiers come back; each is kept once.
    seasons = {row["season_id"]: _season_of(row) for row in rows if row["season_id"] is not None}
    tiers = {row["tier_id"]: _tier_of(row) for row in rows if row["tier_id"] is not None}
    first = rows[0]
    return PriceList(
        id=first["id"],
        version=first["version"],
        base_per_day_minor=first["base_per_day_minor"],
        deposit_minor=first["deposit_minor"],
        seasons=tuple(seasons.values()),
        tiers=tuple(tiers.values()),
    )


def _season_of(row: Any) -> Season:
    return Season(
        code=row["season_code"],
        name=row["season_name"],
        start=(row["season_start_month"], row["season_start_day"]),
        end=(row["season_end_month"], row["season_end_day"]),
        priority=row["season_priority"],
        per_day_minor=row["season_per_day_minor"],
        percent=row["season_percent"],
        min_days=row["season_min_days"],
    )


def _tier_of(row: Any) -> Tier:
    return Tier(row["tier_min_days"], row["tier_max_days"], row["tier_percent_off"])
