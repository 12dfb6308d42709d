"""Vehicles: one by its uuid, and the search. Availability is one indexed NOT EXISTS, never a list of ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, exists, func, or_, select
from sqlalchemy.orm import Session

from store.errors import NotFound
from store.rules.facts import VehicleFacts
from store.rules.matching import NOTHING_WANTED, ModelWords, Wanted, model_words
from store.rules.periods import Block
from store.sql.core import blocks, table
from store.sql.prices import effective_list, with_lists
from store.sql.scope import Scope
from store.sql.tables.company import Office
from store.sql.tables.fleet import Brand, Vehicle, VehicleModel
from store.sql.tables.rentals import RentalRow

_vehicle, _model, _brand, _office, _rental = (
    table(Vehicle),
    table(VehicleModel),
    table(Brand),
    table(Office),
    table(RentalRow),
)

_JOINED = with_lists(
    _vehicle.join(_model, and_(_model.c.id == _vehicle.c.model_id, _model.c.company_id == _vehicle.c.company_id))
    .join(_brand, and_(_brand.c.id == _model.c.brand_id, _brand.c.company_id == _vehicle.c.company_id))
    .join(_office, and_(_office.c.id == _vehicle.c.office_id, _office.c.company_id == _vehicle.c.company_id))
)

_COLUMNS = (
    _vehicle.c.id,
    _vehicle.c.uuid,
    _brand.c.name.label("brand"),
    _model.c.name.label("model"),
    _model.c.display_name.label("name"),
    _model.c.category,
    _model.c.drawing,
    _vehicle.c.colour,
    _vehicle.c.year,
    _model.c.engine_cc,
    _model.c.power_hp,
    _model.c.gearbox,
    _model.c.gears,
    _model.c.seats,
    _model.c.helmets,
    _model.c.skipper,
    _model.c.fuel,
    _model.c.licence,
    _model.c.image_url,
    _vehicle.c.details,
    _vehicle.c.model_id,
    _vehicle.c.office_id,
    _office.c.slug.label("office_slug"),
    _office.c.name.label("office_name"),
    effective_list.label("price_list_id"),
)
"""In the order of the fields of VehicleFacts."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Which vehicles; every condition has to hold."""

    wanted: Wanted = NOTHING_WANTED
    category: str | None = None
    office_slug: str | None = None
    gearbox: str | None = None
    min_seats: int | None = None
    not_vehicle_id: int | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Matching vehicles that share a price list and an office, hence a price and a decision."""

    price_list_id: int | None
    office_id: int
    matching: int
    free: int


@dataclass(frozen=True, slots=True)
class Words:
    """Names that only this company uses."""

    brands: tuple[str, ...]
    models: tuple[str, ...]
    categories: tuple[str, ...]
    aliases: dict[str, str]
    """Another name -> the name that the shop writes."""


GroupKey = tuple[int | None, int]
"""(price list id, office id)."""


def get_vehicle(session: Session, scope: Scope, vehicle_uuid: str) -> VehicleFacts:
    """Return one vehicle that is in service.

    Raises:
        NotFound: missing, retired or another company's.
    """
    query = select(*_COLUMNS).select_from(_JOINED).where(*_in_service(scope), _vehicle.c.uuid == vehicle_uuid)
    row = session.execute(query).one_or_none()
    if row is None:
        raise NotFound("no such vehicle")
    return _facts(row)


def get_vehicle_by_id(session: Session, scope: Scope, vehicle_id: int) -> VehicleFacts:
    """Return the vehicle of a quote or a rental, also one that has been taken out of service since.

    Raises:
        NotFound: missing or another company's.
    """
    query = (
        select(*_COLUMNS)
        .select_from(_JOINED)
        .where(_vehicle.c.company_id == scope.company_id, _vehicle.c.id == vehicle_id)
    )
    row = session.execute(query).one_or_none()
    if row is None:
        raise NotFound("no such vehicle")
    return _facts(row)


def lock_vehicle(session: Session, scope: Scope, vehicle_id: int) -> bool:
    """Make other writers of this vehicle wait, and say whether it is in service. (SQLite has locked all at once.)"""
    query = (
        select(_vehicle.c.state)
        .where(_vehicle.c.company_id == scope.company_id, _vehicle.c.id == vehicle_id)
        .with_for_update()
    )
    return session.execute(query).scalar_one_or_none() == "ready"


def load_vocabulary(session: Session, scope: Scope) -> list[ModelWords]:
    """Return the words by which the models of the company are found."""
    query = (
        select(
            _model.c.id,
            _brand.c.slug,
            _brand.c.name,
            _brand.c.aliases,
            _model.c.slug,
            _model.c.name,
            _model.c.display_name,
            _model.c.aliases,
            _model.c.gearbox,
        )
        .select_from(_model.join(_brand, _brand_of_model()))
        .where(_model.c.company_id == scope.company_id)
    )
    return [_words(row) for row in session.execute(query)]


def load_words(session: Session, scope: Scope) -> Words:
    """Return the names of brands and models, and the categories that the company has."""
    query = (
        select(
            _brand.c.name, _brand.c.aliases, _model.c.name, _model.c.display_name, _model.c.aliases, _model.c.category
        )
        .select_from(_model.join(_brand, _brand_of_model()))
        .where(_model.c.company_id == scope.company_id)
        .order_by(_model.c.display_name)
    )
    rows = session.execute(query).all()
    return Words(
        brands=tuple(dict.fromkeys(row[0] for row in rows)),
        models=tuple(dict.fromkeys(row[2] for row in rows)),
        categories=tuple(dict.fromkeys(row[5] for row in rows)),
        aliases=_unambiguous(
            [(a, row[0]) for row in rows for a in row[1]] + [(a, row[3]) for row in rows for a in row[4]]
        ),
    )


def details_hold(session: Session, scope: Scope, token: str) -> bool:
    """Whether some vehicle's own words (details, plate) hold the token."""
    condition = and_(*_in_service(scope), _vehicle.c.search_text.contains(token, autoescape=True))
    return bool(session.execute(select(exists().where(condition))).scalar())


def count_groups(session: Session, scope: Scope, filters: Filters, block: Block) -> list[Group]:
    """Count matching and free vehicles by price list and office."""
    free = func.sum(case((_is_free(block, scope), 1), else_=0))
    query = (
        select(effective_list, _vehicle.c.office_id, func.count(), free)
        .select_from(_JOINED)
        .where(*_conditions(scope, filters))
        .group_by(effective_list, _vehicle.c.office_id)
    )
    return [Group(row[0], row[1], row[2], int(row[3])) for row in session.execute(query)]


def list_free(
    session: Session,
    scope: Scope,
    filters: Filters,
    block: Block,
    rank: Mapping[GroupKey, int],
    *,
    offset: int,
    limit: int,
) -> list[VehicleFacts]:
    """Return free vehicles of the ranked groups, lowest rank first (give the price as the rank)."""
    if not rank:
        return []
    order = case(*[(_group_is(key), value) for key, value in rank.items()], else_=0)
    query = _page(scope, filters).where(_is_free(block, scope), or_(*map(_group_is, rank)))
    query = query.order_by(order, _model.c.display_name, _vehicle.c.id).offset(offset).limit(limit)
    return [_facts(row) for row in session.execute(query)]


def list_taken(session: Session, scope: Scope, filters: Filters, block: Block, *, limit: int) -> list[VehicleFacts]:
    """Return matching vehicles that are not free."""
    query = _page(scope, filters).where(~_is_free(block, scope))
    query = query.order_by(_model.c.display_name, _vehicle.c.id).limit(limit)
    return [_facts(row) for row in session.execute(query)]


def _page(scope: Scope, filters: Filters) -> Select[Any]:
    return select(*_COLUMNS).select_from(_JOINED).where(*_conditions(scope, filters))


def _group_is(key: GroupKey) -> ColumnElement[bool]:
    return and_(effective_list == key[0], _vehicle.c.office_id == key[1])


def _in_service(scope: Scope) -> Sequence[ColumnElement[bool]]:
    return (_vehicle.c.company_id == scope.company_id, _vehicle.c.state == "ready")


def _is_free(block: Block, scope: Scope) -> ColumnElement[bool]:
    overlapping = exists().where(
        _rental.c.company_id == scope.company_id,
        _rental.c.vehicle_id == _vehicle.c.id,
        _rental.c.block_end > block.start,
        _rental.c.block_start < block.end,
        blocks(_rental.c.status),
    )
    return ~overlapping


def _conditions(scope: Scope, filters: Filters) -> list[ColumnElement[bool]]:
    conditions = [*_in_service(scope)]
    categories = {c for c in (filters.category, filters.wanted.category) if c is not None}
    conditions += [_model.c.category == category for category in sorted(categories)]
    for word in filters.wanted.words:
        in_details = _vehicle.c.search_text.contains(word.token, autoescape=True)
        conditions.append(or_(_vehicle.c.model_id.in_(sorted(word.model_ids)), in_details))
    if filters.office_slug is not None:
        conditions.append(_office.c.slug == filters.office_slug)
    if filters.gearbox is not None:
        conditions.append(_model.c.gearbox == filters.gearbox)
    if filters.min_seats is not None:
        conditions.append(_model.c.seats >= filters.min_seats)
    if filters.not_vehicle_id is not None:
        conditions.append(_vehicle.c.id != filters.not_vehicle_id)
    return conditions


def _brand_of_model() -> ColumnElement[bool]:
    return and_(_brand.c.id == _model.c.brand_id, _brand.c.company_id == _model.c.company_id)


def _words(row: Any) -> ModelWords:
    model_id, brand_slug, brand, brand_aliases, slug, name, display_name, aliases, gearbox = row
    names = (brand_slug, brand, *brand_aliases, slug, name, display_name, f"{brand} {name}", *aliases)
    return model_words(model_id, (*names, "" if gearbox == "none" else gearbox))


def _unambiguous(pairs: list[tuple[str, str]]) -> dict[str, str]:
    meanings: dict[str, set[str]] = {}
    for alias, name in pairs:
        meanings.setdefault(alias, set()).add(name)
    return {alias: names.pop() for alias, names in meanings.items() if len(names) == 1}


def _facts(row: Any) -> VehicleFacts:
    return VehicleFacts(*row)
