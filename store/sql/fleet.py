"""Vehicles: one by its uuid, and the search. Availability is one indexed NOT EXISTS, never a list of ids."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Date,
    Integer,
    Select,
    String,
    and_,
    bindparam,
    case,
    cast,
    func,
    literal,
    literal_column,
    or_,
    select,
)
from sqlalchemy.orm import Session

from store.errors import NotFound
from store.rules.facts import VehicleFacts
from store.rules.matching import NOTHING_WANTED, Wanted, needle
from store.rules.periods import Block
from store.sql.core import COMPANY_ID, blocks, place_in, table
from store.sql.holds import held_by_others, hold_parameters
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

_NAMED = (
    _vehicle.join(_model, and_(_model.c.id == _vehicle.c.model_id, _model.c.company_id == _vehicle.c.company_id))
    .join(_brand, and_(_brand.c.id == _model.c.brand_id, _brand.c.company_id == _vehicle.c.company_id))
    .join(_office, and_(_office.c.id == _vehicle.c.office_id, _office.c.company_id == _vehicle.c.company_id))
)
_JOINED = with_lists(_NAMED)

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
class Shape:
    """Which conditions a query has; their values are parameters."""

    categories: int
    words: int
    has_office: bool
    has_gearbox: bool
    has_seats: bool
    has_exception: bool


@dataclass(frozen=True, slots=True)
class Filters:
    """Which vehicles; every condition has to hold."""

    wanted: Wanted = NOTHING_WANTED
    category: str | None = None
    office_slug: str | None = None
    gearbox: str | None = None
    min_seats: int | None = None
    not_vehicle_id: int | None = None
    now: datetime | None = None
    """With a time, holds of others that are alive then count as taken."""

    @property
    def shape(self) -> Shape:
        """Which conditions there are."""
        return Shape(
            categories=len(self._categories),
            words=len(self.wanted.words),
            has_office=self.office_slug is not None,
            has_gearbox=self.gearbox is not None,
            has_seats=self.min_seats is not None,
            has_exception=self.not_vehicle_id is not None,
        )

    def parameters(self, scope: Scope, block: Block) -> dict[str, Any]:
        """Return the values of the conditions, the scope's company and the asked days."""
        parameters: dict[str, Any] = {
            "company_id": scope.company_id,
            "block_start": block.start,
            "block_end": block.end,
            "office": self.office_slug,
            "gearbox": self.gearbox,
            "seats": self.min_seats,
            "not_vehicle_id": self.not_vehicle_id,
        }
        parameters |= hold_parameters(scope, self.now) if self.now else {}
        parameters |= {f"category_{n}": category for n, category in enumerate(self._categories)}
        for n, word in enumerate(self.wanted.words):
            parameters |= {f"models_{n}": sorted(word.model_ids), f"like_{n}": f"%{needle(word.token)}%"}
        return parameters

    @property
    def _categories(self) -> list[str]:
        return sorted({c for c in (self.category, self.wanted.category) if c is not None})


@dataclass(frozen=True, slots=True)
class Group:
    """Matching vehicles that share a price list and an office, hence a price and a decision."""

    price_list_id: int | None
    office_id: int
    matching: int
    free: int


GroupKey = tuple[int | None, int]
"""(price list id, office id)."""


_UUID_QUERY: Final = (
    select(*_COLUMNS)
    .select_from(_JOINED)
    .where(_vehicle.c.company_id == COMPANY_ID, _vehicle.c.state == "ready", _vehicle.c.uuid == bindparam("uuid"))
)
_ID_QUERY: Final = (
    select(*_COLUMNS).select_from(_JOINED).where(_vehicle.c.company_id == COMPANY_ID, _vehicle.c.id == bindparam("id"))
)

_IDS_QUERY: Final = (
    select(*_COLUMNS[:-1])
    .select_from(_NAMED)
    # The zero keeps SQLite from reading all vehicles of the company by its index instead of these.
    .where(_vehicle.c.company_id + 0 == COMPANY_ID, _vehicle.c.id.in_(bindparam("ids", expanding=True)))
)


def get_vehicle(session: Session, scope: Scope, vehicle_uuid: str) -> VehicleFacts:
    """Return one vehicle that is in service.

    Raises:
        NotFound: missing, out of service or another company's.
    """
    row = session.execute(_UUID_QUERY, {"company_id": scope.company_id, "uuid": vehicle_uuid}).one_or_none()
    if row is None:
        raise NotFound("no such vehicle")
    return _facts(row)


def get_vehicle_by_id(session: Session, scope: Scope, vehicle_id: int) -> VehicleFacts:
    """Return the vehicle of a quote or a rental, also one that has been taken out of service since.

    Raises:
        NotFound: missing or another company's.
    """
    row = session.execute(_ID_QUERY, {"company_id": scope.company_id, "id": vehicle_id}).one_or_none()
    if row is None:
        raise NotFound("no such vehicle")
    return _facts(row)


def list_vehicles(
    session: Session, scope: Scope, vehicle_ids: Collection[int], list_of: Callable[[int, int], int | None]
) -> dict[int, VehicleFacts]:
    """Return the vehicles with those ids; `list_of` knows the price list by the vehicle's id and its model's."""
    if not vehicle_ids:
        return {}
    # Filled up to a round number, so that nearly always it is the same statement; no vehicle has the id 0.
    padding = [0] * (-len(vehicle_ids) % 16)
    parameters = {"company_id": scope.company_id, "ids": [*vehicle_ids, *padding]}
    rows = session.execute(_IDS_QUERY, parameters)
    return {row.id: _facts((*row, list_of(row.id, row.model_id))) for row in rows}


def lock_vehicle(session: Session, scope: Scope, vehicle_id: int) -> bool:
    """Make other writers of this vehicle wait, and say whether it is in service. (SQLite has locked all at once.)"""
    query = (
        select(_vehicle.c.state)
        .where(_vehicle.c.company_id == scope.company_id, _vehicle.c.id == vehicle_id)
        .with_for_update()
    )
    return session.execute(query).scalar_one_or_none() == "ready"


def count_groups(session: Session, scope: Scope, filters: Filters, block: Block) -> list[Group]:
    """Count matching and free vehicles by price list and office."""
    rows = session.execute(_groups_query(filters.shape), filters.parameters(scope, block))
    return [Group(list_id, office_id, matching, int(free)) for list_id, office_id, matching, free in rows]


def list_free(
    session: Session,
    scope: Scope,
    filters: Filters,
    block: Block,
    order: Sequence[GroupKey],
    *,
    offset: int,
    limit: int,
) -> list[VehicleFacts]:
    """Return free vehicles of the given groups, in the order of the groups, then by name."""
    if not order:
        return []
    parameters = filters.parameters(scope, block)
    parameters |= {"group_order": "".join(_group_label(*key) for key in order), "first": offset, "most": limit}
    return [_facts(row) for row in session.execute(_free_query(filters.shape), parameters)]


def list_taken(session: Session, scope: Scope, filters: Filters, block: Block, *, limit: int) -> list[VehicleFacts]:
    """Return matching vehicles that are not free."""
    parameters = filters.parameters(scope, block) | {"most": limit}
    return [_facts(row) for row in session.execute(_taken_query(filters.shape), parameters)]


def _group_label(list_id: int | None, office_id: int) -> str:
    return f"<{list_id}/{office_id}>"


def is_free(vehicle_id: ColumnElement[int]) -> ColumnElement[bool]:
    """Whether no rental blocks the vehicle on an asked day and nobody else holds it; as `Block.overlaps` says it.

    Parameters: `company_id`, `block_start`, `block_end`, and those of `hold_parameters`.
    """
    # A named column instead of "*", so that SQLite need not look beyond the index.
    is_taken = (
        select(_rental.c.vehicle_id)
        .where(
            _rental.c.company_id == COMPANY_ID,
            _rental.c.vehicle_id == vehicle_id,
            _rental.c.block_end > bindparam("block_start", type_=Date()),
            _rental.c.block_start < bindparam("block_end", type_=Date()),
            blocks(_rental.c.status),
        )
        .exists()
    )
    return and_(~is_taken, ~held_by_others(vehicle_id))


_IS_FREE: Final = is_free(_vehicle.c.id)

# The groups come as one text in their order, so that the statement is the same however many there are.
_PLACE: Final = place_in(
    bindparam("group_order", type_=String()),
    literal("<")
    .concat(cast(effective_list, String))
    .concat("/")
    .concat(cast(_vehicle.c.office_id, String))
    .concat(">"),
)


@lru_cache(maxsize=256)
def _groups_query(shape: Shape) -> Select[Any]:
    free = func.sum(case((_IS_FREE, 1), else_=0))
    return (
        select(effective_list, _vehicle.c.office_id, func.count(), free)
        .select_from(_JOINED)
        .where(*_conditions(shape))
        .group_by(effective_list, _vehicle.c.office_id)
    )


@lru_cache(maxsize=256)
def _free_query(shape: Shape) -> Select[Any]:
    return (
        _page_query(shape)
        .where(_IS_FREE, _PLACE > 0)
        .order_by(_PLACE, _model.c.display_name, _vehicle.c.id)
        .offset(bindparam("first", type_=Integer()))
    )


@lru_cache(maxsize=256)
def _taken_query(shape: Shape) -> Select[Any]:
    return _page_query(shape).where(~_IS_FREE).order_by(_model.c.display_name, _vehicle.c.id)


def _page_query(shape: Shape) -> Select[Any]:
    query = select(*_COLUMNS).select_from(_JOINED).where(*_conditions(shape))
    return query.limit(bindparam("most", type_=Integer()))


def _conditions(shape: Shape) -> list[ColumnElement[bool]]:
    conditions = [_vehicle.c.company_id == COMPANY_ID, _vehicle.c.state == literal_column("'ready'")]
    conditions += [_model.c.category == bindparam(f"category_{n}") for n in range(shape.categories)]
    conditions += [_has_word(n) for n in range(shape.words)]
    if shape.has_office:
        conditions.append(_office.c.slug == bindparam("office"))
    if shape.has_gearbox:
        conditions.append(_model.c.gearbox == bindparam("gearbox"))
    if shape.has_seats:
        conditions.append(_model.c.seats >= bindparam("seats"))
    if shape.has_exception:
        conditions.append(_vehicle.c.id != bindparam("not_vehicle_id"))
    return conditions


def _has_word(n: int) -> ColumnElement[bool]:
    named = _vehicle.c.model_id.in_(bindparam(f"models_{n}", expanding=True))
    return or_(named, _vehicle.c.search_text.like(bindparam(f"like_{n}")))


def _facts(row: Any) -> VehicleFacts:
    return VehicleFacts(*row)
