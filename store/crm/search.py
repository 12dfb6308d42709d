"""Search: which kinds of vehicles are free for a period, and for how much.

Prices come from the rules, one for each price list that says something of its own; the database then looks at kinds
in the order of their prices, a bounded number of vehicles each. No list of vehicles goes through Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from typing import Any, Final, Literal, NamedTuple

from sqlalchemy.orm import Session

from store.crm.terms import asked_period, make_terms
from store.rules.facts import CompanyFacts, OfficeFacts, VehicleFacts
from store.rules.matching import NOTHING_WANTED, Hint, Wanted, understand
from store.rules.periods import Block, Period
from store.rules.prices import Price
from store.rules.stay import Decision, Refusal, decide
from store.sql.catalogue import Amounts, Catalogue, CatalogueModel, load_catalogue, period_prices
from store.sql.companies import load_company
from store.sql.fleet import (
    Filters,
    Group,
    GroupKey,
    list_free,
    list_vehicles,
)
from store.sql.kinds import (
    MOST_OF_A_KIND,
    Asked,
    Candidate,
    FreeKind,
    OwnWord,
    count_matching,
    details_hold,
    find_free_kinds,
    find_models_by_own_words,
    find_taken,
    list_own_priced,
)
from store.sql.prices import load_price_lists
from store.sql.scope import Scope
from store.sql.unit import Database

MOST_KINDS_COUNTED: Final = 50
"""Kinds are counted up to here, or up to the end of the asked page where that is further."""

_MAX_TAKEN: Final = 5
_FIRST_LOOK, _LONGEST_LOOK = 64, 2048
"""Candidates that the database is asked about at a time: few first, since a page is mostly full after them."""

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
class Offer:
    """A vehicle that may be rented, with its price. It stands for its kind: same model, office and price."""

    vehicle: VehicleFacts
    price: Price
    is_cheapest: bool = False
    is_exact_match: bool = False
    also_free: int = 0
    """How many more of the kind are free; whatever their colour."""


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


class _Entry(NamedTuple):
    """A model, or a vehicle with its own list, that the rules let out at some offices."""

    place: int
    """Of its price class."""
    model_id: int
    office_ids: tuple[int, ...]
    vehicle_id: int | None = None


class _Allowed(NamedTuple):
    """A price and the offices at which the rules let it out."""

    amounts: Amounts
    office_ids: tuple[int, ...]


class _Found(NamedTuple):
    """A free kind."""

    kind: FreeKind
    candidate: Candidate
    entry: _Entry


@dataclass(frozen=True, slots=True)
class _Look:
    """What one search reads with, and what it looks at."""

    session: Session
    scope: Scope
    asked: Asked
    company: CompanyFacts
    catalogue: Catalogue
    offices: tuple[OfficeFacts, ...]
    period: Period

    def decide(self, place: int, office_id: int) -> Decision:
        """Take the one decision for a price at an office. Which vehicles are booked, the database looks at."""
        terms = make_terms(self.company, office_id, self.catalogue.classes[place])
        return decide(self.period, terms, self.asked.now, ())


def search_vehicles(database: Database, scope: Scope, now: datetime, query: SearchQuery) -> SearchOutcome:
    """Find free vehicles, one of each kind, cheapest first unless asked otherwise.

    Raises:
        InvalidData: the period runs backwards.
    """
    period = asked_period(query.start, query.end)
    with database.read() as session:
        company, catalogue = load_company(session, scope), load_catalogue(session, scope)
        wanted = _understand(session, scope, query, catalogue)
        asked = Asked(period.block(company.rules.turnaround_hours), now, _own_words(session, scope, wanted))
        offices = tuple(office for office in company.offices if query.office in {None, office.slug})
        look = _Look(session, scope, asked, company, catalogue, offices, period)
        return _search(look, query, wanted)


def _search(look: _Look, query: SearchQuery, wanted: Wanted) -> SearchOutcome:
    models = _models(look, query, wanted) if look.offices else ()
    allowed = _allowed(look, models)
    fits = {place: _fits(each.amounts, query) for place, each in allowed.items()}
    offset, size = (query.page - 1) * query.page_size, query.page_size
    found, is_all = _walk(
        look, _ranked(look, models, allowed, fits, query.sort), max(MOST_KINDS_COUNTED, offset + size)
    )
    page = found[offset : offset + size]
    total, taken_ids = _matching(look, models)
    vehicles = _vehicles(look, [*(each.kind.vehicle_id for each in page), *taken_ids])
    taken = sorted((vehicles[n] for n in taken_ids if n in vehicles), key=lambda vehicle: (vehicle.name, vehicle.id))
    dear = {place: not is_cheap for place, is_cheap in fits.items()}
    is_over_budget = not found and not _walk(look, _ranked(look, models, allowed, dear, "price"), 0)[1]
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


def _models(look: _Look, query: SearchQuery, wanted: Wanted) -> Sequence[CatalogueModel]:
    """Return the models of which a vehicle may match."""
    if wanted.matches_nothing:
        return []
    named = wanted.model_ids
    if look.asked.own_words:
        if not any(word.is_in_details for word in look.asked.own_words):
            return []
        named = find_models_by_own_words(look.session, look.scope, look.asked)
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


def _allowed(look: _Look, models: Sequence[CatalogueModel]) -> dict[int, _Allowed]:
    """Return, by price class, what the rules let out.

    Lists with the same limits of stay, at offices with the same hours, are refused or not alike: one decision each.
    What is shown in the end passes the decision once more, each with its own list and office.
    """
    places = {look.catalogue.class_of[model.list_id] for model in models}
    if models:
        places |= {look.catalogue.class_of[list_id] for list_id in look.catalogue.own_lists.values()}
    by_hours: dict[Any, list[int]] = {}
    for office in look.offices:
        by_hours.setdefault((office.timezone, office.hours), []).append(office.id)
    prices = period_prices(look.catalogue, look.period)
    by_limits: dict[int, list[int]] = {}
    for place in sorted(places - {0}):
        by_limits.setdefault(look.catalogue.limits[place], []).append(place)
    found: dict[int, _Allowed] = {}
    for alike in by_limits.values():
        refusals = {ids: look.decide(alike[0], ids[0]).refusal for ids in map(tuple, by_hours.values())}
        open_ids = {n for ids, refusal in refusals.items() if not refusal or refusal.code == "no_price" for n in ids}
        office_ids = tuple(office.id for office in look.offices if office.id in open_ids)
        for place in alike if office_ids else ():
            amounts = prices.of(place)
            if amounts is not None:
                found[place] = _Allowed(amounts, office_ids)
    return found


def _fits(price: Amounts, query: SearchQuery) -> bool:
    if query.budget_minor is None:
        return True
    return (price.per_day_minor if query.budget_per == "day" else price.total_minor) <= query.budget_minor


def _ranked(
    look: _Look,
    models: Sequence[CatalogueModel],
    allowed: Mapping[int, _Allowed],
    fits: Mapping[int, bool],
    sort: Literal["price", "price_desc"],
) -> Iterator[_Entry]:
    """Yield what may be offered in the order of price, then name; only as far as somebody asks."""
    own = _own_entries(look, models, allowed) if look.catalogue.own_lists else []
    by_place = look.catalogue.by_place
    if len(models) < len(look.catalogue.models):
        by_place = {}
        for model in models:
            by_place.setdefault(look.catalogue.class_of[model.list_id], []).append(model)
    totals: dict[int, list[int]] = {}
    for place in allowed:
        if fits[place]:
            totals.setdefault(allowed[place].amounts.total_minor, []).append(place)
    for total_minor in sorted(totals, reverse=sort == "price_desc"):
        same_price = [pair for pair in own if pair[1].place in totals[total_minor]]
        for place in totals[total_minor]:
            office_ids = allowed[place].office_ids
            same_price += [(model.name, _Entry(place, model.id, office_ids)) for model in by_place.get(place, ())]
        same_price.sort(key=lambda pair: (pair[0], pair[1].model_id, pair[1].vehicle_id or 0))
        yield from (entry for _, entry in same_price)


def _own_entries(
    look: _Look, models: Sequence[CatalogueModel], allowed: Mapping[int, _Allowed]
) -> list[tuple[str, _Entry]]:
    names = {model.id: model.name for model in models}
    found = []
    for own in list_own_priced(look.session, look.scope):
        place = look.catalogue.class_of.get(look.catalogue.own_lists.get(own.vehicle_id or 0), 0)
        if own.model_id in names and place in allowed and own.office_id in allowed[place].office_ids:
            found.append((names[own.model_id], _Entry(place, own.model_id, (own.office_id,), own.vehicle_id)))
    return found


def _walk(look: _Look, entries: Iterator[_Entry], enough: int) -> tuple[list[_Found], bool]:
    """Return free kinds in the order of the entries, and whether these are all; stops after `enough`."""
    pairs = ((Candidate(e.model_id, office_id, e.vehicle_id), e) for e in entries for office_id in e.office_ids)
    any_own_price = bool(look.catalogue.own_lists)
    found: list[_Found] = []
    size = _FIRST_LOOK
    while chunk := list(islice(pairs, size)):
        candidates = [candidate for candidate, _ in chunk]
        kinds = find_free_kinds(look.session, look.scope, look.asked, candidates, any_own_price=any_own_price)
        found += [_Found(kind, *chunk[kind.place]) for kind in kinds]
        if len(found) > enough:
            return found[:enough], False
        size = min(size * 4, _LONGEST_LOOK)
    return found, True


def _matching(look: _Look, models: Sequence[CatalogueModel]) -> tuple[int, list[int]]:
    """Return how many vehicles match, free or not, and some that are not."""
    if not models:
        return 0, []
    model_ids = None if len(models) == len(look.catalogue.models) else [model.id for model in models]
    office_ids = [office.id for office in look.offices]
    total = count_matching(look.session, look.scope, look.asked, model_ids, office_ids)
    taken = find_taken(look.session, look.scope, look.asked, model_ids, office_ids, limit=_MAX_TAKEN) if total else []
    return total, taken


def _vehicles(look: _Look, ids: Sequence[int]) -> dict[int, VehicleFacts]:
    by_id, own_lists = look.catalogue.by_id, look.catalogue.own_lists

    def list_of(vehicle_id: int, model_id: int) -> int | None:
        own = own_lists.get(vehicle_id)
        return own if own is not None else by_id[model_id].list_id if model_id in by_id else None

    return list_vehicles(look.session, look.scope, ids, list_of)


def _cheapest(
    found: Sequence[_Found],
    allowed: Mapping[int, _Allowed],
    sort: Literal["price", "price_desc"],
    *,
    is_all: bool,
) -> int | None:
    """Return the lowest total, or None when it is not known or there is nothing to compare it with."""
    if sum(each.kind.free for each in found) < 2 or (sort == "price_desc" and not is_all):
        return None
    return min(allowed[each.entry.place].amounts.total_minor for each in found)


def _offers(
    look: _Look,
    page: Sequence[_Found],
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


def _common_refusal(look: _Look, models: Sequence[CatalogueModel]) -> Refusal | None:
    """Return why no vehicle at all can be rented; a rule of one office does not count while another may."""
    first: Refusal | None = None
    for office in look.offices:
        refusals = _refusals(look, {look.catalogue.class_of[model.list_id] for model in models}, office.id)
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


def _refusals(look: _Look, places: set[int], office_id: int) -> dict[int, Refusal | None]:
    """Return what refuses each price class at an office. Those with the same limits of stay are refused alike."""
    by_limits: dict[int, Refusal | None] = {}
    found: dict[int, Refusal | None] = {}
    for place in sorted(places):
        limits = look.catalogue.limits[place]
        known = by_limits.get(limits)
        if known is None or known.code == "no_price":
            known = look.decide(place, office_id).refusal
            by_limits[limits] = known
        found[place] = known
    return found


# ---- for alternatives: similar vehicles, one by one ------------------------------------------------


def decide_groups(
    session: Session, scope: Scope, company: CompanyFacts, groups: Sequence[Group], period: Period, now: datetime
) -> dict[GroupKey, Decision]:
    """Take the one decision for each group. Which of its vehicles are booked, the query has looked at already."""
    list_ids = {group.price_list_id for group in groups if group.price_list_id is not None}
    lists = load_price_lists(session, scope, list_ids) if list_ids else {}
    return {
        (group.price_list_id, group.office_id): decide(
            period, make_terms(company, group.office_id, lists.get(group.price_list_id or 0)), now, ()
        )
        for group in groups
    }


def nearest_offers(
    session: Session,
    scope: Scope,
    filters: Filters,
    block: Block,
    decisions: Mapping[GroupKey, Decision],
    near_minor: int,
    limit: int,
) -> tuple[Offer, ...]:
    """Return free vehicles of the groups, those whose total is nearest to an amount first."""
    prices = {key: d.price for key, d in decisions.items() if d.allowed and d.price is not None}
    order = sorted(prices, key=lambda key: abs(prices[key].total_minor - near_minor))
    free = list_free(session, scope, filters, block, order, offset=0, limit=limit)
    return tuple(Offer(vehicle, prices[vehicle.price_list_id, vehicle.office_id]) for vehicle in free)
