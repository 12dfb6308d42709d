"""Ways out when the wished vehicle is taken: its own other periods, then similar vehicles for the same dates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Literal

from sqlalchemy.orm import Session

from store.crm.offers import Offer, decide_groups, nearest_offers
from store.crm.terms import asked_period, period_refused, terms_of
from store.rules.alternatives import (
    LOOK_AHEAD_DAYS,
    LOOK_BACK_DAYS,
    STRIP_DAYS,
    Proposal,
    Reason,
    propose,
    strip,
)
from store.rules.facts import CompanyFacts, VehicleFacts
from store.rules.periods import Block, Period
from store.rules.prices import Price, price_stay
from store.rules.stay import Decision, Refusal, Terms, decide
from store.sql.companies import load_company
from store.sql.fleet import Filters, count_groups, get_vehicle
from store.sql.rentals import list_in_the_way
from store.sql.scope import Scope
from store.sql.twins import list_twins
from store.sql.unit import Database

_OTHER_VEHICLES: Final = 2
"""Places kept for similar vehicles when there are enough of both kinds."""

_CLOSED: Final = {"pickup_closed", "return_closed"}
"""Refusals that another day or another office gets around."""

Strategy = Literal["shorter", "shift_earlier", "shift_later", "gap", "other_vehicle"]


@dataclass(frozen=True, slots=True)
class AlternativeOption:
    """One bookable way out."""

    strategy: Strategy
    period: Period
    offer: Offer
    difference_minor: int
    shift_days: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class AlternativesOutcome:
    """Ways out, best first."""

    company: CompanyFacts
    vehicle: VehicleFacts
    period: Period
    wish_total_minor: int
    decision: Decision
    options: tuple[AlternativeOption, ...]
    strip_start: date
    strip_taken: tuple[bool, ...]


def find_alternatives(
    database: Database, scope: Scope, now: datetime, vehicle_uuid: str, start: date, end: date, limit: int
) -> AlternativesOutcome:
    """Find up to `limit` bookable ways out; none when the wish itself is free.

    Raises:
        NotFound: no such vehicle in this company.
        InvalidData: the period runs backwards.
        Refused: `period_refused`, a rule forbids the period whatever the vehicle.
    """
    wish = asked_period(start, end)
    with database.read() as session:
        company = load_company(session, scope)
        vehicle = get_vehicle(session, scope, vehicle_uuid)
        terms = terms_of(session, scope, company, vehicle)
        _check_rules(wish, terms, now)
        wish_price = _wish_price(wish, terms)
        taken = list_in_the_way(session, scope, vehicle.id, _window(wish), now)
        decision = decide(wish, terms, now, taken)
        options: tuple[AlternativeOption, ...] = ()
        if not decision.allowed:
            proposals = propose(wish, terms, now, taken, limit)
            others = _other_vehicles(session, scope, company, vehicle, wish, now, wish_price.total_minor, limit)
            options = _combine(proposals, others, vehicle, wish, wish_price.total_minor, limit)
    strip_start = _strip_start(wish, options)
    return AlternativesOutcome(
        company=company,
        vehicle=vehicle,
        period=wish,
        wish_total_minor=wish_price.total_minor,
        decision=decision,
        options=options,
        strip_start=strip_start,
        strip_taken=strip(strip_start, taken),
    )


def _check_rules(wish: Period, terms: Terms, now: datetime) -> None:
    refusal = decide(wish, terms, now, ()).refusal
    if refusal is not None and refusal.code not in _CLOSED:
        raise period_refused(refusal)


def _wish_price(wish: Period, terms: Terms) -> Price:
    price = price_stay(terms.prices, wish) if terms.prices else None
    if price is None:
        raise period_refused(Refusal("no_price"))
    return price


def _window(wish: Period) -> Block:
    return Block(wish.start - timedelta(days=LOOK_BACK_DAYS), wish.end + timedelta(days=LOOK_AHEAD_DAYS))


def _other_vehicles(
    session: Session,
    scope: Scope,
    company: CompanyFacts,
    vehicle: VehicleFacts,
    wish: Period,
    now: datetime,
    near_minor: int,
    limit: int,
) -> tuple[tuple[Offer, Reason], ...]:
    """Return free vehicles for the same dates: of the same model, then similar ones. Each passed the one decision."""
    block = wish.block(company.rules.turnaround_hours)
    twins = [get_vehicle(session, scope, uuid) for uuid in list_twins(session, scope, vehicle, block, now, limit)]
    filters = Filters(category=vehicle.category, not_vehicle_id=vehicle.id, now=now)
    groups = count_groups(session, scope, filters, block)
    decisions = decide_groups(session, scope, company, groups, wish, now)
    near = nearest_offers(session, scope, filters, block, decisions, near_minor, limit + len(twins))
    vehicles = dict.fromkeys((*twins, *(offer.vehicle for offer in near)))
    found: list[tuple[Offer, Reason]] = []
    for other in vehicles:
        price = _price_if_free(session, scope, company, other, wish, now)
        if price is not None and len(found) < limit:
            is_same = other.model_id == vehicle.model_id
            found.append((Offer(other, price), Reason("same_model" if is_same else "similar_vehicle")))
    return tuple(found)


def _price_if_free(
    session: Session, scope: Scope, company: CompanyFacts, vehicle: VehicleFacts, wish: Period, now: datetime
) -> Price | None:
    in_the_way = list_in_the_way(session, scope, vehicle.id, wish.block(company.rules.turnaround_hours), now)
    decision = decide(wish, terms_of(session, scope, company, vehicle), now, in_the_way)
    return decision.price if decision.allowed else None


def _combine(
    proposals: tuple[Proposal, ...],
    others: tuple[tuple[Offer, Reason], ...],
    vehicle: VehicleFacts,
    wish: Period,
    wish_minor: int,
    limit: int,
) -> tuple[AlternativeOption, ...]:
    kept_for_others = min(len(others), _OTHER_VEHICLES, limit - 1)
    own = [
        AlternativeOption(
            p.strategy, p.period, Offer(vehicle, p.price), p.price.total_minor - wish_minor, p.shift_days, p.reason
        )
        for p in proposals[: limit - kept_for_others]
    ]
    similar = [
        AlternativeOption("other_vehicle", wish, offer, offer.price.total_minor - wish_minor, 0, reason)
        for offer, reason in others[: limit - len(own)]
    ]
    return (*own, *similar)


def _strip_start(wish: Period, options: tuple[AlternativeOption, ...]) -> date:
    """Start where the earliest option starts, but never so early that the wish runs out of the strip."""
    earliest = min([wish.start, *(option.period.start for option in options)])
    return max(earliest, wish.start - timedelta(days=max(0, STRIP_DAYS - wish.days)))
