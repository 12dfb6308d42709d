"""Search: which vehicles are free for a period, and for how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from sqlalchemy.orm import Session

from store.crm.terms import asked_period, make_terms
from store.rules.facts import CompanyFacts, VehicleFacts
from store.rules.matching import NOTHING_WANTED, Hint, Wanted, understand
from store.rules.periods import Block, Period
from store.rules.prices import Price
from store.rules.stay import Decision, Refusal, decide
from store.sql.companies import load_company
from store.sql.fleet import (
    Filters,
    Group,
    GroupKey,
    count_groups,
    list_free,
    list_taken,
)
from store.sql.prices import load_price_lists
from store.sql.scope import Scope
from store.sql.unit import Database
from store.sql.words import details_hold, load_vocabulary

_MAX_TAKEN = 5
_PERIOD_RULES = {"period_past", "period_too_short", "period_too_long", "period_too_far"}


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
    """A vehicle that may be rented, with its price."""

    vehicle: VehicleFacts
    price: Price
    is_cheapest: bool = False
    is_exact_match: bool = False


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """What was found; `matching_total` counts free or not, before any budget."""

    company: CompanyFacts
    period: Period
    offers: tuple[Offer, ...]
    total_found: int
    matching_total: int
    taken: tuple[VehicleFacts, ...]
    refusal: Refusal | None
    hints: tuple[Hint, ...]
    has_more: bool


def search_vehicles(database: Database, scope: Scope, now: datetime, query: SearchQuery) -> SearchOutcome:
    """Find free vehicles, cheapest first unless asked otherwise.

    Raises:
        InvalidData: the period runs backwards.
    """
    period = asked_period(query.start, query.end)
    with database.read() as session:
        company = load_company(session, scope)
        wanted = _understand(session, scope, query)
        filters = _filters(query, wanted)
        block = period.block(company.rules.turnaround_hours)
        groups = [] if wanted.matches_nothing else count_groups(session, scope, filters, block)
        decisions = decide_groups(session, scope, company, groups, period, now)
        affordable = {key: price for key, price in _prices(decisions).items() if _fits(price, query)}
        offset = (query.page - 1) * query.page_size
        free = list_free(
            session, scope, filters, block, _order(affordable, query.sort), offset=offset, limit=query.page_size
        )
        is_any_taken = any(group.free < group.matching for group in groups)
        taken = list_taken(session, scope, filters, block, limit=_MAX_TAKEN) if is_any_taken else []
    total_found = sum(g.free for g in groups if (g.price_list_id, g.office_id) in affordable)
    return SearchOutcome(
        company=company,
        period=period,
        offers=_offers(free, affordable, wanted, _cheapest(groups, affordable, total_found)),
        total_found=total_found,
        matching_total=sum(group.matching for group in groups),
        taken=tuple(taken),
        refusal=_common_refusal(decisions, company, period, now),
        hints=wanted.hints,
        has_more=offset + len(free) < total_found,
    )


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


def _understand(session: Session, scope: Scope, query: SearchQuery) -> Wanted:
    texts = (query.brand, query.model, query.text)
    if not any(texts):
        return NOTHING_WANTED
    return understand(texts, load_vocabulary(session, scope), lambda token: details_hold(session, scope, token))


def _filters(query: SearchQuery, wanted: Wanted) -> Filters:
    return Filters(
        wanted=wanted,
        category=query.category,
        office_slug=query.office,
        gearbox=query.gearbox,
        min_seats=query.seats,
    )


def _prices(decisions: Mapping[GroupKey, Decision]) -> dict[GroupKey, Price]:
    return {key: d.price for key, d in decisions.items() if d.allowed and d.price is not None}


def _fits(price: Price, query: SearchQuery) -> bool:
    if query.budget_minor is None:
        return True
    return (price.per_day_minor if query.budget_per == "day" else price.total_minor) <= query.budget_minor


def _order(prices: Mapping[GroupKey, Price], sort: Literal["price", "price_desc"]) -> list[GroupKey]:
    return sorted(prices, key=lambda key: prices[key].total_minor, reverse=sort == "price_desc")


def _cheapest(groups: Sequence[Group], prices: Mapping[GroupKey, Price], total_found: int) -> int | None:
    """Return the lowest total, or None when there is nothing to compare it with."""
    keys = [(g.price_list_id, g.office_id) for g in groups if g.free]
    totals = [prices[key].total_minor for key in keys if key in prices]
    return min(totals) if total_found > 1 else None


def _offers(
    free: Sequence[VehicleFacts], prices: Mapping[GroupKey, Price], wanted: Wanted, cheapest_minor: int | None
) -> tuple[Offer, ...]:
    offers, is_marked = [], False
    for vehicle in free:
        price = prices[vehicle.price_list_id, vehicle.office_id]
        is_cheapest = not is_marked and price.total_minor == cheapest_minor
        is_marked = is_marked or is_cheapest
        offers.append(Offer(vehicle, price, is_cheapest, wanted.fits_model(vehicle.model_id)))
    return tuple(offers)


def _common_refusal(
    decisions: Mapping[GroupKey, Decision], company: CompanyFacts, period: Period, now: datetime
) -> Refusal | None:
    """Return why no vehicle at all can be rented; a rule of one office does not count while another may."""
    if decisions:
        refusals = [decision.refusal for decision in decisions.values()]
        return refusals[0] if all(refusals) else None
    if not company.offices:
        return None
    by_rule = decide(period, make_terms(company, company.offices[0].id, None), now, ()).refusal
    return by_rule if by_rule and by_rule.code in _PERIOD_RULES else None


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
    prices = _prices(decisions)
    order = sorted(prices, key=lambda key: abs(prices[key].total_minor - near_minor))
    free = list_free(session, scope, filters, block, order, offset=0, limit=limit)
    return _offers(free, prices, NOTHING_WANTED, None)
