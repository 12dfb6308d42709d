"""THE decision: may this vehicle be rented for this period?

Search, availability, alternatives, quote, hold, create, move and extend all ask here. What the vehicle's calendar
holds (rentals that block, holds of others) is read by the caller and handed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from store.rules.extras import Chosen
from store.rules.hours import OpeningHours
from store.rules.periods import Period, Taken, conflicts_with, local_instant
from store.rules.prices import Price, PriceList, price_stay, stay_limits

RefusalCode = Literal[
    "period_past",
    "period_too_short",
    "period_too_long",
    "period_too_far",
    "pickup_closed",
    "return_closed",
    "lead_time",
    "no_price",
]


@dataclass(frozen=True, slots=True)
class StayRules:
    """A company's limits. 0 means no limit."""

    min_days: int = 1
    max_days: int = 0
    max_ahead_days: int = 0
    turnaround_hours: int = 0
    lead_minutes: int = 0


@dataclass(frozen=True, slots=True)
class Terms:
    """What decides about one vehicle, apart from its bookings."""

    rules: StayRules
    office_slug: str
    timezone: str
    hours: OpeningHours
    prices: PriceList | None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a rule says no; facts are plain JSON values."""

    code: RefusalCode
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer. `price` is there whenever the rules allow the period, taken or not."""

    refusal: Refusal | None
    conflicts: tuple[Taken, ...]
    price: Price | None

    @property
    def allowed(self) -> bool:
        """Whether a rental may be made."""
        return self.refusal is None and not self.conflicts


def decide(
    period: Period,
    terms: Terms,
    now: datetime,
    taken: Iterable[Taken],
    current: Period | None = None,
    chosen: Chosen = (),
) -> Decision:
    """Decide by the company's rules, the office's hours, the price list and what the vehicle's calendar holds.

    `now` is any aware instant; what day it is, the office's zone says. `current` is the period of a rental that is
    being changed, whose own block is not in `taken`: an end that stays as it was agreed is not judged again.
    `chosen` are extras, each of them on offer; they are in the price.
    """
    conflicts = conflicts_with(period.block(terms.rules.turnaround_hours), taken)
    refusal = next(_refusals(period, terms, now, current), None)
    price = None
    if refusal is None and terms.prices is not None:
        price = price_stay(terms.prices, period, chosen)
    if refusal is None and price is None:
        refusal = Refusal("no_price")
    return Decision(refusal, conflicts, price)


def _refusals(period: Period, terms: Terms, now: datetime, current: Period | None) -> Iterator[Refusal]:
    starts_anew = current is None or current.start != period.start
    ends_anew = current is None or current.end != period.end
    today = now.astimezone(ZoneInfo(terms.timezone)).date()
    if (starts_anew and period.start < today) or (ends_anew and period.end < today):
        yield Refusal("period_past", {"today": today.isoformat()})
    yield from _length_refusals(period, terms)
    if starts_anew:
        yield from _pickup_refusals(period.start, terms, now, today)
    if ends_anew and not terms.hours.is_open(period.end):
        yield _closed("return_closed", period.end, terms)


def _length_refusals(period: Period, terms: Terms) -> Iterator[Refusal]:
    by_season = stay_limits(terms.prices, period) if terms.prices else (0, 0)
    min_days = max(terms.rules.min_days, by_season[0])
    max_days = min([limit for limit in (terms.rules.max_days, by_season[1]) if limit], default=0)
    if period.days < min_days:
        yield Refusal("period_too_short", {"min_days": min_days})
    if 0 < max_days < period.days:
        yield Refusal("period_too_long", {"max_days": max_days})


def _pickup_refusals(start: date, terms: Terms, now: datetime, today: date) -> Iterator[Refusal]:
    most = terms.rules.max_ahead_days
    if 0 < most < (start - today).days:
        yield Refusal("period_too_far", {"latest_start": (today + timedelta(days=most)).isoformat()})
    if not terms.hours.is_open(start):
        yield _closed("pickup_closed", start, terms)
    elif not _is_in_time(start, terms, now):
        yield Refusal("lead_time", _lead_facts(start, terms, now))


def _is_in_time(start: date, terms: Terms, now: datetime) -> bool:
    """Whether a vehicle can still be handed over on that day after the lead time."""
    closes = local_instant(start, terms.hours.on(start)[-1].closes, terms.timezone)
    return now + timedelta(minutes=terms.rules.lead_minutes) < closes


def _lead_facts(start: date, terms: Terms, now: datetime) -> dict[str, Any]:
    # Facts name the next day on which a pick-up can still be had.
    day = terms.hours.next_open(start + timedelta(days=1))
    while day is not None and not _is_in_time(day, terms, now):
        day = terms.hours.next_open(day + timedelta(days=1))
    facts: dict[str, Any] = {"office": terms.office_slug, "next_open": day.isoformat() if day else None}
    return facts | ({"lead_minutes": terms.rules.lead_minutes} if terms.rules.lead_minutes else {})


def _closed(code: RefusalCode, day: date, terms: Terms) -> Refusal:
    next_open = terms.hours.next_open(day)
    return Refusal(
        code,
        {
            "office": terms.office_slug,
            "day": day.isoformat(),
            "next_open": next_open.isoformat() if next_open else None,
        },
    )
