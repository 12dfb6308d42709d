"""What search and alternatives offer: a vehicle with its price; and similar ones, nearest in price first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from store.crm.terms import make_terms
from store.rules.facts import CompanyFacts, VehicleFacts
from store.rules.periods import Block, Period
from store.rules.prices import Price
from store.rules.stay import Decision, decide
from store.sql.fleet import Filters, Group, GroupKey, list_free
from store.sql.prices import load_price_lists
from store.sql.scope import Scope


@dataclass(frozen=True, slots=True)
class Offer:
    """A vehicle that may be rented, with its price. It stands for its kind: same model, office and price."""

    vehicle: VehicleFacts
    price: Price
    is_cheapest: bool = False
    is_exact_match: bool = False
    also_free: int = 0
    """How many more of the kind are free; whatever their colour."""


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
