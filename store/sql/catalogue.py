"""What a company offers, apart from single vehicles: its rules and offices, its models, their words, their prices.

Read as a whole and remembered by stamps that the schema's triggers renew with every change of it, so that a search
reads one short row instead. What is remembered grows with the number of models and price lists, not with the fleet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple, TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from store.rules.facts import CompanyFacts
from store.rules.matching import Vocabulary
from store.rules.periods import Period
from store.rules.prices import PriceList, price_stay
from store.sql.companies import load_company
from store.sql.core import COMPANY_ID, table
from store.sql.prices import load_price_lists
from store.sql.scope import Scope
from store.sql.tables.company import CompanyStamp
from store.sql.tables.fleet import CatalogueStamp, VehicleModel
from store.sql.tables.prices import PriceList as PriceListRow
from store.sql.words import load_vocabulary

_model, _list = table(VehicleModel), table(PriceListRow)
_stamp, _company_stamp = table(CatalogueStamp), table(CompanyStamp)

Kept = TypeVar("Kept", CompanyFacts, "Catalogue")

_REMEMBERED: Final = 32
"""Companies (or versions of one) that a process keeps."""

_PERIODS: Final = 128
"""Periods whose prices a process keeps."""


class Amounts(NamedTuple):
    """What a stay costs, without the explanation."""

    total_minor: int
    per_day_minor: int


@dataclass(frozen=True, slots=True)
class CatalogueModel:
    """One model, as filters see it."""

    id: int
    name: str
    category: str
    gearbox: str
    seats: int | None
    list_id: int | None


@dataclass(frozen=True, eq=False)
class Catalogue:
    """Models, words and prices of one company."""

    models: tuple[CatalogueModel, ...]
    own_lists: dict[int, int]
    """Vehicle id -> the price list that is for this vehicle only."""
    vocabulary: Vocabulary
    classes: tuple[PriceList | None, ...]
    """Price lists that say the same are one class, whatever their ids; the first, None, is "no list at all"."""
    class_of: dict[int | None, int]
    """Price list id -> place in `classes`."""
    limits: tuple[int, ...]
    """Of each class, a number that those share which say the same about the length of a stay."""

    @cached_property
    def by_id(self) -> dict[int, CatalogueModel]:
        """The models by their ids."""
        return {model.id: model for model in self.models}

    @cached_property
    def by_place(self) -> dict[int, list[CatalogueModel]]:
        """The models of each price class, by name."""
        found: dict[int, list[CatalogueModel]] = {}
        for model in self.models:
            found.setdefault(self.class_of[model.list_id], []).append(model)
        return found


_NO_PRICES: Final[dict[str, Any]] = {
    "tiers": (),
    "packages": (),
    "extras": (),
    "tier_mode": "whole",
    "package_rest": "by_day",
}
_STAMPS_QUERY: Final = select(
    select(_company_stamp.c.stamp).where(_company_stamp.c.company_id == COMPANY_ID).scalar_subquery(),
    select(_stamp.c.stamp).where(_stamp.c.company_id == COMPANY_ID).scalar_subquery(),
)
_MODELS_QUERY: Final = (
    select(_model.c.id, _model.c.display_name, _model.c.category, _model.c.gearbox, _model.c.seats)
    .where(_model.c.company_id == COMPANY_ID)
    .order_by(_model.c.display_name, _model.c.id)
)
_TARGETS_QUERY: Final = select(_list.c.id, _list.c.vehicle_id, _list.c.model_id, _list.c.category).where(
    _list.c.company_id == COMPANY_ID
)


def load_shop(session: Session, scope: Scope) -> tuple[CompanyFacts, Catalogue]:
    """Return the company with its offices, and its catalogue, as this transaction sees them. To search, not to book.

    Raises:
        NotFound: there is no such company.
    """
    company_stamp, catalogue_stamp = session.execute(_STAMPS_QUERY, {"company_id": scope.company_id}).one()
    company = _kept(_company_shelf, scope, company_stamp, lambda: load_company(session, scope))
    return company, _kept(_catalogue_shelf, scope, catalogue_stamp, lambda: _read(session, scope))


class PeriodPrices:
    """What each price class costs for one period; computed when it is asked for, then kept."""

    def __init__(self, catalogue: Catalogue, period: Period) -> None:
        self._classes, self._period = catalogue.classes, period
        self._known: dict[int, Amounts | None] = {}

    def of(self, place: int) -> Amounts | None:
        """Return the amounts of a class; None where it has no price."""
        if place not in self._known:
            prices = self._classes[place]
            price = price_stay(prices, self._period) if prices else None
            self._known[place] = Amounts(price.total_minor, price.per_day_minor) if price else None
        return self._known[place]


@lru_cache(maxsize=_PERIODS)
def period_prices(catalogue: Catalogue, period: Period) -> PeriodPrices:
    """Return the prices of a period. Remembered, as one customer asks for one period again and again."""
    return PeriodPrices(catalogue, period)


@lru_cache(maxsize=_REMEMBERED)
def _catalogue_shelf(_company_id: int, _stamp: str) -> list[Catalogue]:
    """A place for what belongs to a stamp; stamps are random, so that two databases never share one by chance."""
    return []


@lru_cache(maxsize=_REMEMBERED)
def _company_shelf(_company_id: int, _stamp: str) -> list[CompanyFacts]:
    return []


def _kept(
    shelf_of: Callable[[int, str], list[Kept]], scope: Scope, stamp: str | None, read: Callable[[], Kept]
) -> Kept:
    if stamp is None:
        return read()
    shelf = shelf_of(scope.company_id, stamp)
    if not shelf:
        shelf.append(read())
    return shelf[0]


def _read(session: Session, scope: Scope) -> Catalogue:
    parameters = {"company_id": scope.company_id}
    targets = session.execute(_TARGETS_QUERY, parameters).all()
    of_model = {row.model_id: row.id for row in targets if row.model_id is not None}
    of_category = {row.category: row.id for row in targets if row.category is not None}
    of_company = next((r.id for r in targets if (r.vehicle_id, r.model_id, r.category) == (None, None, None)), None)
    models = tuple(
        CatalogueModel(*row, list_id=of_model.get(row.id, of_category.get(row.category, of_company)))
        for row in session.execute(_MODELS_QUERY, parameters)
    )
    classes, class_of = _classes(load_price_lists(session, scope, [row.id for row in targets]) if targets else {})
    return Catalogue(
        models=models,
        own_lists={row.vehicle_id: row.id for row in targets if row.vehicle_id is not None},
        vocabulary=Vocabulary(tuple(load_vocabulary(session, scope))),
        classes=classes,
        class_of=class_of,
        limits=_numbered([_limits(prices) if prices else None for prices in classes]),
    )


def _classes(lists: dict[int, PriceList]) -> tuple[tuple[PriceList | None, ...], dict[int | None, int]]:
    places: dict[PriceList | None, int] = {None: 0}
    class_of: dict[int | None, int] = {None: 0}
    for list_id, prices in lists.items():
        class_of[list_id] = places.setdefault(replace(prices, id=0, version=0), len(places))
    return tuple(places), class_of


def _numbered(values: list[PriceList | None]) -> tuple[int, ...]:
    numbers: dict[PriceList | None, int] = {}
    return tuple(numbers.setdefault(value, len(numbers)) for value in values)


def _limits(prices: PriceList) -> PriceList:
    seasons = tuple(replace(s, name="", per_day_minor=None, percent=None, is_closed=False) for s in prices.seasons)
    return replace(prices, base_per_day_minor=None, deposit_minor=None, seasons=seasons, **_NO_PRICES)
