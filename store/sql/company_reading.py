"""Read a company out of the tables in the form of its file."""

from __future__ import annotations

from typing import Any

from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from store.rules.company_file import WEEKDAYS, CompanyFile
from store.rules.price_file import from_minor
from store.rules.price_lists import Package, PriceList, Season, Tier
from store.sql.company_apply import SET_ASIDE
from store.sql.core import table
from store.sql.prices import load_price_lists
from store.sql.scope import Scope
from store.sql.tables.company import Company, Office, OfficeHours
from store.sql.tables.fleet import Brand, Vehicle, VehicleModel
from store.sql.tables.prices import PriceList as PriceListRow

_company, _office, _hours = table(Company), table(Office), table(OfficeHours)
_brand, _model, _vehicle, _list = table(Brand), table(VehicleModel), table(Vehicle), table(PriceListRow)

_SHARED = ("tiers", "packages", "extras")


def read_company(session: Session, scope: Scope) -> CompanyFile:
    """Return the file that would make this company; its clients and rentals are not part of it."""
    mine = select(_company).where(_company.c.id == scope.company_id)
    company = dict(session.execute(mine).mappings().one())
    exponent = company["currency_exponent"]
    for own in ("id", "currency_exponent", "created_at"):
        del company[own]
    return CompanyFile.model_validate(
        {
            "company": company,
            "offices": _offices(session, scope, company["timezone"]),
            "brands": _entries(session, scope, _brand),
            "models": _models(session, scope),
            "vehicles": _vehicles(session, scope),
            **_prices(session, scope, exponent),
        }
    )


def _entries(session: Session, scope: Scope, rows: Any) -> list[dict[str, Any]]:
    query = select(rows).where(rows.c.company_id == scope.company_id).order_by(rows.c.id)
    return [_without(row, "id", "company_id") for row in session.execute(query).mappings()]


def _offices(session: Session, scope: Scope, timezone: str) -> list[dict[str, Any]]:
    hours: dict[int, dict[str, list[str]]] = {}
    query = select(_hours).where(_hours.c.company_id == scope.company_id)
    for row in session.execute(query.order_by(_hours.c.office_id, _hours.c.weekday, _hours.c.opens)).mappings():
        of_day = hours.setdefault(row["office_id"], {}).setdefault(WEEKDAYS[row["weekday"]], [])
        of_day.append(f"{row['opens']}-{row['closes']}")
    rows = select(_office).where(_office.c.company_id == scope.company_id).order_by(_office.c.position, _office.c.id)
    return [
        {
            **_without(row, "id", "company_id", "position"),
            "timezone": _unless(row["timezone"], timezone),
            "hours": hours.get(row["id"], {}),
        }
        for row in session.execute(rows).mappings()
    ]


def _models(session: Session, scope: Scope) -> list[dict[str, Any]]:
    source = _model.join(_brand, and_(_brand.c.id == _model.c.brand_id, _brand.c.company_id == _model.c.company_id))
    query = select(_model, _brand.c.slug.label("brand"), _brand.c.name.label("brand_name")).select_from(source)
    rows = session.execute(query.where(_model.c.company_id == scope.company_id).order_by(_model.c.id)).mappings()
    return [
        {
            **_without(row, "id", "company_id", "brand_id", "brand_name"),
            "display_name": None
            if row["display_name"] == f"{row['brand_name']} {row['name']}"
            else row["display_name"],
            "drawing": "" if row["drawing"] == row["category"] else row["drawing"],
        }
        for row in rows
    ]


def _vehicles(session: Session, scope: Scope) -> list[dict[str, Any]]:
    source = _vehicle.join(
        _model, and_(_model.c.id == _vehicle.c.model_id, _model.c.company_id == _vehicle.c.company_id)
    ).join(_office, and_(_office.c.id == _vehicle.c.office_id, _office.c.company_id == _vehicle.c.company_id))
    columns = (_vehicle.c[n] for n in ("plate", "colour", "year", "details", "state"))
    query = (
        select(*columns, _model.c.slug.label("model"), _office.c.slug.label("office"))
        .select_from(source)
        .where(_vehicle.c.company_id == scope.company_id, _vehicle.c.state != "retired")
        .order_by(_vehicle.c.id)
    )
    return [dict(row) for row in session.execute(query).mappings()]


def _prices(session: Session, scope: Scope, exponent: int) -> dict[str, Any]:
    source = _list.outerjoin(
        _model, and_(_model.c.id == _list.c.model_id, _model.c.company_id == _list.c.company_id)
    ).outerjoin(_vehicle, and_(_vehicle.c.id == _list.c.vehicle_id, _vehicle.c.company_id == _list.c.company_id))
    query = (
        select(_list.c.id, _list.c.code, _list.c.category, _model.c.slug.label("model"), _vehicle.c.plate)
        .select_from(source)
        .where(_list.c.company_id == scope.company_id, ~_list.c.code.startswith(SET_ASIDE))
        .order_by(_list.c.code)
    )
    heads = [dict(row) for row in session.execute(query).mappings()]
    rules = load_price_lists(session, scope, [head["id"] for head in heads]) if heads else {}
    lists = [_price_list(head, rules[head["id"]], exponent) for head in heads]
    seasons = {season.code: season for found in rules.values() for season in found.seasons}
    return {"seasons": [_season(s) for s in seasons.values()], **_shared(lists), "price_lists": lists}


def _shared(lists: list[dict[str, Any]]) -> dict[str, Any]:
    """Take out of the lists what all of them say, so that it is written once."""
    shared: dict[str, Any] = {}
    for name in _SHARED:
        if lists and all(entry[name] == lists[0][name] for entry in lists):
            shared[name] = lists[0][name]
            for entry in lists:
                del entry[name]
    rules = {}
    for name in ("tier_mode", "package_rest", "stay_by"):
        if lists and all(entry[name] == lists[0][name] for entry in lists):
            rules[name] = lists[0][name]
            for entry in lists:
                del entry[name]
    return {**shared, "price_rules": rules}


def _price_list(head: dict[str, Any], rules: PriceList, exponent: int) -> dict[str, Any]:
    return {
        **_without(head, "id"),
        "base": _amount(rules.base_per_day_minor, exponent),
        "deposit": _amount(rules.deposit_minor, exponent),
        "seasons": {season.code: _season_price(season, exponent) for season in rules.seasons},
        "tiers": [_tier(tier, exponent) for tier in rules.tiers],
        "packages": [_package(package, exponent) for package in rules.packages],
        "extras": [
            {
                "code": extra.code,
                "name": extra.name,
                "mode": extra.mode,
                "per": extra.per,
                "price": _amount(extra.amount_minor, exponent) if extra.amount_minor else None,
                "at_most": _amount(extra.at_most_minor, exponent),
            }
            for extra in rules.extras
        ],
        "tier_mode": rules.tier_mode,
        "package_rest": rules.package_rest,
        "stay_by": rules.stay_by,
        "min_days": rules.min_days,
        "max_days": rules.max_days,
    }


def _season(season: Season) -> dict[str, Any]:
    if season.valid_from is not None and season.valid_until is not None:
        first, last = season.valid_from.isoformat(), season.valid_until.isoformat()
    else:
        first, last = (f"{month:02}-{day:02}" for month, day in (season.start, season.end))
    values = {name: getattr(season, name) for name in ("code", "name", "priority", "min_days", "max_days")}
    return {**values, "first": first, "last": last}


def _season_price(season: Season, exponent: int) -> int | str | None:
    if season.is_closed:
        return "closed"
    return f"{season.percent}%" if season.percent is not None else _amount(season.per_day_minor, exponent)


def _tier(tier: Tier, exponent: int) -> dict[str, Any]:
    return {
        "min_days": tier.min_days,
        "max_days": tier.max_days,
        "percent_off": tier.percent_off,
        "per_day": _amount(tier.per_day_minor, exponent),
        "season": tier.season_code,
    }


def _package(package: Package, exponent: int) -> dict[str, Any]:
    return {
        "price": _amount(package.amount_minor, exponent),
        "days": package.days,
        "months": package.months,
        "name": package.name,
        "season": package.season_code,
        "weekdays": [WEEKDAYS[day] for day in package.weekdays],
    }


def _amount(minor: int | None, exponent: int) -> int | str | None:
    return None if minor is None else from_minor(minor, exponent)


def _unless(value: str, usual: str) -> str | None:
    return None if value == usual else value


def _without(row: Any, *names: str) -> dict[str, Any]:
    return {key: value for key, value in dict(row).items() if key not in names}
