"""Search: which kinds of vehicles are free for a period, and for how much.

The words are understood here, and what was found is told; `store.crm.search_walk` finds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Literal

from sqlalchemy.orm import Session

from store.crm.offers import Offer
from store.crm.search_walk import Allowed, Found, Look, let_out, ranked, refusals_by_class, walk
from store.crm.terms import asked_period
from store.rules.facts import CompanyFacts, VehicleFacts
from store.rules.matching import NOTHING_WANTED, Hint, Wanted, understand
from store.rules.periods import Period
from store.rules.stay import Refusal
from store.sql.catalogue import Amounts, Catalogue, CatalogueModel, load_shop
from store.sql.fleet import list_vehicles
from store.sql.kinds import (
    MOST_COUNTED,
    MOST_LOOKED_AT,
    MOST_OF_A_KIND,
    Asked,
    Named,
    OwnWord,
    count_and_find_taken,
    count_matching,
    details_hold,
    find_named,
    find_taken_among,
    plan_once,
)
from store.sql.scope import Scope
from store.sql.unit import Database

MOST_KINDS_COUNTED: Final = 50
"""Kinds are counted up to here, or up to the end of the asked page where that is further."""

_MAX_TAKEN: Final = 5
_PERIOD_RULES: Final = {"period_past", "period_too_short", "period_too_long", "period_too_far"}


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is looked for. Money in minor units; `page` starts at 1."""

    start: date
    end: date
    category: str | None = None
    brand: str | None = None
    model: str | None = None
    text: str | None = None
    budget_minor: int | None = None
    budget_per: Literal["day", "total"] = "total"
    office: str | None = None
    gearbox: str | None = None
    seats: int | None = None
    sort: Literal["price", "price_desc"] = "price"
    page: int = 1
    page_size: int = 10


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """What was found."""

    company: CompanyFacts
    period: Period
    offers: tuple[Offer, ...]
    total_found: int
    """Free kinds, over all pages."""
    vehicles_found: int
    """Free vehicles of these kinds."""
    totals_are_minimum: bool
    """Whether counting stopped early: there are more."""
    matching_total: int
    """Vehicles, free or not, before any budget; counted up to MOST_COUNTED."""
    taken: tuple[VehicleFacts, ...]
    refusal: Refusal | None
    hints: tuple[Hint, ...]
    has_more: bool


def search_vehicles(database: Database, scope: Scope, now: datetime, query: SearchQuery) -> SearchOutcome:
    """Find free vehicles, one of each kind, cheapest first unless asked otherwise.

    Raises:
        InvalidData: the period runs backwards.
    """
    period = asked_period(query.start, query.end)
    with database.read() as session:
        company, catalogue = load_shop(session, scope)
        wanted = _understand(session, scope, query, catalogue)
        asked = Asked(period.block(company.rules.turnaround_hours), now, _own_words(session, scope, wanted))
        offices = tuple(office for office in company.offices if query.office in {None, office.slug})
        look = Look(session, scope, asked, company, catalogue, offices, period, _named(session, scope, asked))
        return _search(look, query, wanted)


def _search(look: Look, query: SearchQuery, wanted: Wanted) -> SearchOutcome:
    models = _models(look, query, wanted) if look.offices else ()
    plan_once(look.session)
    allowed = let_out(look, models)
    fits = {place: _fits(each.amounts, query) for place, each in allowed.items()}
    offset, size = (query.page - 1) * query.page_size, query.page_size
    found, is_all = walk(look, ranked(look, models, allowed, fits, query.sort), max(MOST_KINDS_COUNTED, offset + size))
    page = found[offset : offset + size]
    total, taken_ids = _matching(look, models)
    vehicles = _vehicles(look, [*(each.kind.vehicle_id for each in page), *taken_ids])
    taken = sorted((vehicles[n] for n in taken_ids if n in vehicles), key=lambda vehicle: (vehicle.name, vehicle.id))
    dear = {place: not is_cheap for place, is_cheap in fits.items()}
    is_over_budget = not found and not walk(look, ranked(look, models, allowed, dear, "price"), 0)[1]
    return SearchOutcome(
        company=look.company,
        period=look.period,
        offers=_offers(look, page, vehicles, wanted, _cheapest(found, allowed, query.sort, is_all=is_all)),
        total_found=len(found),
        vehicles_found=sum(each.kind.free for each in found),
        totals_are_minimum=not is_all or any(each.kind.free == MOST_OF_A_KIND for each in found),
        matching_total=total,
        taken=tuple(taken),
        refusal=None if found or is_over_budget else _common_refusal(look, models),
        hints=(*wanted.hints, Hint("over_budget", "")) if is_over_budget else wanted.hints,
        has_more=offset + len(page) < len(found) or not is_all,
    )


def _understand(session: Session, scope: Scope, query: SearchQuery, catalogue: Catalogue) -> Wanted:
    texts = (query.brand, query.model, query.text)
    if not any(texts):
        return NOTHING_WANTED
    return understand(texts, catalogue.vocabulary, lambda token: details_hold(session, scope, token))


def _own_words(session: Session, scope: Scope, wanted: Wanted) -> tuple[OwnWord, ...]:
    """Return how vehicles are told apart by their own words; nothing when whole models answer."""
    if not wanted.needs_own_words or wanted.matches_nothing:
        return ()
    return tuple(
        OwnWord(word.token, word.model_ids, not word.model_ids or details_hold(session, scope, word.token))
        for word in wanted.words
    )


def _named(session: Session, scope: Scope, asked: Asked) -> Named | None:
    """Return the vehicles that own words name; None when whole models answer."""
    if not asked.own_words:
        return None
    if not any(word.is_in_details for word in asked.own_words):
        return Named((), is_all=True)
    return find_named(session, scope, asked)


def _models(look: Look, query: SearchQuery, wanted: Wanted) -> Sequence[CatalogueModel]:
    """Return the models of which a vehicle may match."""
    if wanted.matches_nothing:
        return []
    named = wanted.model_ids
    if look.named is not None:
        named = frozenset(spot.model_id for spot in look.named.spots) if look.named.is_all else None
    models: Sequence[CatalogueModel] = look.catalogue.models
    if named is not None:
        models = [model for model in models if model.id in named]
    return _suiting(models, query, wanted)


def _suiting(models: Sequence[CatalogueModel], query: SearchQuery, wanted: Wanted) -> Sequence[CatalogueModel]:
    for category in {query.category, wanted.category} - {None}:
        models = [model for model in models if model.category == category]
    if query.gearbox is not None:
        models = [model for model in models if model.gearbox == query.gearbox]
    if query.seats is not None:
        models = [model for model in models if (model.seats or 0) >= query.seats]
    return models


def _fits(price: Amounts, query: SearchQuery) -> bool:
    if query.budget_minor is None:
        return True
    return (price.per_day_minor if query.budget_per == "day" else price.total_minor) <= query.budget_minor


def _matching(look: Look, models: Sequence[CatalogueModel]) -> tuple[int, list[int]]:
    """Return how many vehicles match, free or not, and some that are not."""
    if not models:
        return 0, []
    model_ids = None if len(models) == len(look.catalogue.models) else {model.id for model in models}
    office_ids = {office.id for office in look.offices}
    if look.named is not None:
        spots = [
            s for s in look.named.spots if s.office_id in office_ids and (not model_ids or s.model_id in model_ids)
        ]
        if look.named.is_all or len(spots) >= MOST_LOOKED_AT:
            ids = [spot.vehicle_id for spot in spots[:MOST_LOOKED_AT]]
            taken = find_taken_among(look.session, look.scope, look.asked, ids, limit=_MAX_TAKEN) if ids else []
            return min(len(spots), MOST_COUNTED), taken
    return count_and_find_taken(look.session, look.scope, look.asked, model_ids, office_ids, limit=_MAX_TAKEN)


def _vehicles(look: Look, ids: Sequence[int]) -> dict[int, VehicleFacts]:
    by_id, own_lists = look.catalogue.by_id, look.catalogue.own_lists

    def list_of(vehicle_id: int, model_id: int) -> int | None:
        own = own_lists.get(vehicle_id)
        return own if own is not None else by_id[model_id].list_id if model_id in by_id else None

    return list_vehicles(look.session, look.scope, ids, list_of)


def _cheapest(
    found: Sequence[Found],
    allowed: Mapping[int, Allowed],
    sort: Literal["price", "price_desc"],
    *,
    is_all: bool,
) -> int | None:
    """Return the lowest total, or None when it is not known or there is nothing to compare it with."""
    if sum(each.kind.free for each in found) < 2 or (sort == "price_desc" and not is_all):
        return None
    return min(allowed[each.entry.place].amounts.total_minor for each in found)


def _offers(
    look: Look,
    page: Sequence[Found],
    vehicles: Mapping[int, VehicleFacts],
    wanted: Wanted,
    cheapest_minor: int | None,
) -> tuple[Offer, ...]:
    offers: list[Offer] = []
    for kind, candidate, entry in page:
        decision = look.decide(entry.place, candidate.office_id)
        if not decision.allowed or decision.price is None:
            raise RuntimeError("a price class was let out that the decision refuses")
        vehicle, total_minor = vehicles[kind.vehicle_id], decision.price.total_minor
        is_cheapest = total_minor == cheapest_minor and not any(offer.is_cheapest for offer in offers)
        is_exact = wanted.fits_model(vehicle.model_id)
        offers.append(Offer(vehicle, decision.price, is_cheapest, is_exact, also_free=kind.free - 1))
    return tuple(offers)


def _common_refusal(look: Look, models: Sequence[CatalogueModel]) -> Refusal | None:
    """Return why no vehicle at all can be rented; a rule of one office does not count while another may."""
    first: Refusal | None = None
    for office in look.offices:
        refusals = refusals_by_class(look, {look.catalogue.class_of[model.list_id] for model in models}, office.id)
        by_code: dict[str, list[int]] = {}
        for model in models:
            refusal = refusals[look.catalogue.class_of[model.list_id]]
            by_code.setdefault(refusal.code if refusal else "", []).append(model.id)
        for code, model_ids in by_code.items():
            if count_matching(look.session, look.scope, look.asked, model_ids, [office.id]):
                if not code:
                    return None
                first = first or next(r for r in refusals.values() if r and r.code == code)
    if first is not None or not look.company.offices:
        return first
    by_rule = look.decide(0, look.company.offices[0].id).refusal
    return by_rule if by_rule and by_rule.code in _PERIOD_RULES else None
