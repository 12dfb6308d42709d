"""Search: which kinds of vehicles are free for a period, and for how much.

Prices come from the rules, one for each price list that says something of its own; the database then looks at kinds
in the order of their prices, a bounded number of vehicles each. No list of vehicles goes through Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from typing import Final, Literal

from sqlalchemy.orm import Session

from store.crm.terms import asked_period, make_terms
from store.rules.facts import CompanyFacts, OfficeFacts, VehicleFacts
from store.rules.matching import NOTHING_WANTED, Hint, Wanted, understand
from store.rules.periods import Block, Period
from store.rules.prices import Price
from store.rules.stay import Decision, Refusal, decide
from store.sql.catalogue import Catalogue, CatalogueModel, load_catalogue
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
    count_matching,
    find_free_kinds,
    find_models_by_own_words,
    find_taken,
    list_own_priced,
)
from store.sql.prices import load_price_lists
from store.sql.scope import Scope
from store.sql.unit import Database
from store.sql.words import details_hold

MOST_KINDS_COUNTED: Final = 100
"""Kinds are counted up to here, or up to the end of the asked page where that is further."""

_MAX_TAKEN: Final = 5
_FIRST_LOOK, _LONGEST_LOOK = 128, 2048
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


@dataclass(frozen=True, slots=True)
class _Entry:
    """A model, or a vehicle with its own list, that the rules let out at some offices for one price."""

    price: Price
    name: str
    model_id: int
    office_ids: tuple[int, ...]
    vehicle_id: int | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    """A free kind with its price."""

    kind: FreeKind
    entry: _Entry


@dataclass(frozen=True, slots=True)
class _Look:
    """What one search reads with."""

    session: Session
    scope: Scope
    asked: Asked


def search_vehicles(database: Database, scope: Scope, now: datetime, query: SearchQuery) -> SearchOutcome:
    """Find free vehicles, one of each kind, cheapest first unless asked otherwise.

    Raises:
        InvalidData: the period runs backwards.
    """
    period = asked_period(query.start, query.end)
    with database.read() as session:
        company = load_company(session, scope)
        catalogue = load_catalogue(session, scope)
        wanted = _understand(session, scope, query, catalogue)
        block = period.block(company.rules.turnaround_hours)
        look = _Look(session, scope, Asked(block, now, wanted if wanted.needs_own_words else None))
        offices = [office for office in company.offices if query.office in {None, office.slug}]
        models = _models(look, query, catalogue, wanted) if offices else []
        decisions = _decide(company, offices, catalogue, models, period, now)
        entries = _entries(look, catalogue, models, decisions)
        affordable = [entry for entry in entries if _fits(entry.price, query)]
        ranked = sorted(affordable, key=lambda entry: _rank(entry, query.sort))
        offset = (query.page - 1) * query.page_size
        found, is_all = _walk(look, ranked, max(MOST_KINDS_COUNTED, offset + query.page_size))
        page = found[offset : offset + query.page_size]
        vehicles = list_vehicles(session, scope, [each.kind.vehicle_id for each in page])
        matching = _matching(look, catalogue, models, offices)
        refusal = None if found else _common_refusal(look, company, offices, catalogue, models, decisions, period, now)
        dear = [entry for entry in entries if not _fits(entry.price, query)]
        is_over_budget = not found and _is_any_free(look, dear)
    hints = (*wanted.hints, Hint("over_budget", "")) if is_over_budget else wanted.hints
    return SearchOutcome(
        company=company,
        period=period,
        offers=_offers(page, vehicles, wanted, _cheapest(found, is_all, query.sort)),
        total_found=len(found),
        vehicles_found=sum(each.kind.free for each in found),
        totals_are_minimum=not is_all or any(each.kind.free == MOST_OF_A_KIND for each in found),
        matching_total=matching.total,
        taken=matching.taken,
        refusal=refusal,
        hints=hints,
        has_more=offset + len(page) < len(found) or not is_all,
    )


def _understand(session: Session, scope: Scope, query: SearchQuery, catalogue: Catalogue) -> Wanted:
    texts = (query.brand, query.model, query.text)
    if not any(texts):
        return NOTHING_WANTED
    return understand(texts, catalogue.vocabulary, lambda token: details_hold(session, scope, token))


def _models(look: _Look, query: SearchQuery, catalogue: Catalogue, wanted: Wanted) -> list[CatalogueModel]:
    """Return the models of which a vehicle may match."""
    if wanted.matches_nothing:
        return []
    named = wanted.model_ids
    if wanted.needs_own_words:
        named = find_models_by_own_words(look.session, look.scope, look.asked)
    return [
        model for model in catalogue.models if (named is None or model.id in named) and _suits(model, query, wanted)
    ]


def _suits(model: CatalogueModel, query: SearchQuery, wanted: Wanted) -> bool:
    return (
        (query.category is None or model.category == query.category)
        and (wanted.category is None or model.category == wanted.category)
        and (query.gearbox is None or model.gearbox == query.gearbox)
        and (query.seats is None or (model.seats or 0) >= query.seats)
    )


_Decisions = dict[tuple[int, int], Decision]
"""(price class, office id) -> the decision."""


def _decide(
    company: CompanyFacts,
    offices: Sequence[OfficeFacts],
    catalogue: Catalogue,
    models: Sequence[CatalogueModel],
    period: Period,
    now: datetime,
) -> _Decisions:
    """Take the one decision for each price at each office. Whether vehicles are booked, the database looks at."""
    own = catalogue.own_lists.values() if models else ()
    classes = {catalogue.class_of[list_id] for list_id in (*(model.list_id for model in models), *own)}
    decisions: _Decisions = {}
    same_hours: dict[object, list[OfficeFacts]] = {}
    for office in offices:
        same_hours.setdefault((office.timezone, office.hours), []).append(office)
    for (first, *others), place in ((group, place) for group in same_hours.values() for place in sorted(classes)):
        prices = catalogue.classes[place]
        decision = decide(period, make_terms(company, first.id, prices), now, ())
        decisions[place, first.id] = decision
        for office in others:
            # A refusal names its office; all else is the same.
            again = decision.refusal and decide(period, make_terms(company, office.id, prices), now, ())
            decisions[place, office.id] = again or decision
    return decisions


def _entries(
    look: _Look, catalogue: Catalogue, models: Sequence[CatalogueModel], decisions: _Decisions
) -> list[_Entry]:
    """Return what the rules let out, with its price."""
    allowed: dict[int, tuple[int, ...]] = {}
    prices: dict[int, Price] = {}
    for (place, office_id), decision in decisions.items():
        if decision.allowed and decision.price is not None:
            allowed[place] = (*allowed.get(place, ()), office_id)
            prices[place] = decision.price
    entries = []
    for model in models:
        place = catalogue.class_of[model.list_id]
        if place in prices:
            entries.append(_Entry(prices[place], model.name, model.id, allowed[place]))
    names = {model.id: model.name for model in models} if catalogue.own_lists else {}
    for own in list_own_priced(look.session, look.scope) if names else ():
        place = catalogue.class_of.get(catalogue.own_lists.get(own.vehicle_id or 0), 0)
        if own.model_id in names and own.office_id in allowed.get(place, ()):
            entries.append(_Entry(prices[place], names[own.model_id], own.model_id, (own.office_id,), own.vehicle_id))
    return entries


def _fits(price: Price, query: SearchQuery) -> bool:
    if query.budget_minor is None:
        return True
    return (price.per_day_minor if query.budget_per == "day" else price.total_minor) <= query.budget_minor


def _rank(entry: _Entry, sort: Literal["price", "price_desc"]) -> tuple[int, str, int, int]:
    total_minor = entry.price.total_minor
    return (-total_minor if sort == "price_desc" else total_minor, entry.name, entry.model_id, entry.vehicle_id or 0)


def _walk(look: _Look, entries: Sequence[_Entry], enough: int) -> tuple[list[_Found], bool]:
    """Return free kinds in the order of the entries, and whether these are all; stops after `enough`."""
    candidates = _candidates(entries)
    found: list[_Found] = []
    place, size = 0, _FIRST_LOOK
    while chunk := list(islice(candidates, size)):
        kinds = find_free_kinds(look.session, look.scope, look.asked, [each for each, _ in chunk], place)
        found += [_Found(kind, chunk[kind.place - place][1]) for kind in kinds]
        if len(found) > enough:
            return found[:enough], False
        place, size = place + len(chunk), min(size * 4, _LONGEST_LOOK)
    return found, True


def _candidates(entries: Sequence[_Entry]) -> Iterator[tuple[Candidate, _Entry]]:
    for entry in entries:
        for office_id in entry.office_ids:
            yield Candidate(entry.model_id, office_id, entry.vehicle_id), entry


def _is_any_free(look: _Look, entries: Sequence[_Entry]) -> bool:
    return not _walk(look, entries, 0)[1]


@dataclass(frozen=True, slots=True)
class _Matching:
    """Vehicles that match, free or not."""

    total: int = 0
    taken: tuple[VehicleFacts, ...] = ()


def _matching(
    look: _Look, catalogue: Catalogue, models: Sequence[CatalogueModel], offices: Sequence[OfficeFacts]
) -> _Matching:
    if not models:
        return _Matching()
    model_ids = None if len(models) == len(catalogue.models) else [model.id for model in models]
    office_ids = [office.id for office in offices]
    total = count_matching(look.session, look.scope, look.asked, model_ids, office_ids)
    ids = find_taken(look.session, look.scope, look.asked, model_ids, office_ids, limit=_MAX_TAKEN) if total else []
    taken = list_vehicles(look.session, look.scope, ids)
    return _Matching(total, tuple(sorted(taken, key=lambda vehicle: (vehicle.name, vehicle.id))))


def _cheapest(found: Sequence[_Found], is_all: bool, sort: Literal["price", "price_desc"]) -> int | None:
    """Return the lowest total, or None when it is not known or there is nothing to compare it with."""
    if sum(each.kind.free for each in found) < 2 or (sort == "price_desc" and not is_all):
        return None
    return min(each.entry.price.total_minor for each in found)


def _offers(
    page: Sequence[_Found], vehicles: Sequence[VehicleFacts], wanted: Wanted, cheapest_minor: int | None
) -> tuple[Offer, ...]:
    by_id = {vehicle.id: vehicle for vehicle in vehicles}
    offers: list[Offer] = []
    for each in page:
        price, vehicle = each.entry.price, by_id[each.kind.vehicle_id]
        is_cheapest = price.total_minor == cheapest_minor and not any(offer.is_cheapest for offer in offers)
        is_exact = wanted.fits_model(vehicle.model_id)
        offers.append(Offer(vehicle, price, is_cheapest, is_exact, also_free=each.kind.free - 1))
    return tuple(offers)


def _common_refusal(
    look: _Look,
    company: CompanyFacts,
    offices: Sequence[OfficeFacts],
    catalogue: Catalogue,
    models: Sequence[CatalogueModel],
    decisions: _Decisions,
    period: Period,
    now: datetime,
) -> Refusal | None:
    """Return why no vehicle at all can be rented; a rule of one office does not count while another may."""
    refusals: list[Refusal] = []
    for office in offices:
        by_refusal: dict[str, list[int]] = {}
        first: dict[str, Refusal] = {}
        for model in models:
            refusal = decisions[catalogue.class_of[model.list_id], office.id].refusal
            code: str = refusal.code if refusal else ""
            by_refusal.setdefault(code, []).append(model.id)
            if refusal:
                first.setdefault(code, refusal)
        for code, model_ids in by_refusal.items():
            if count_matching(look.session, look.scope, look.asked, model_ids, [office.id]):
                if not code:
                    return None
                refusals.append(first[code])
    if refusals:
        return refusals[0]
    if not company.offices:
        return None
    by_rule = decide(period, make_terms(company, company.offices[0].id, None), now, ()).refusal
    return by_rule if by_rule and by_rule.code in _PERIOD_RULES else None


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
