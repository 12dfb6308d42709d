"""THE decision: may this vehicle be rented for this period? Search, quote, alternatives and booking all ask here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from store.rules.hours import OpeningHours
from store.rules.periods import Period, Taken, conflicts_with
from store.rules.prices import Price, PriceList, price_stay

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


def decide(period: Period, terms: Terms, now: datetime, taken: Iterable[Taken]) -> Decision:
    """Decide by the company's rules, the office's hours, the price list and the other bookings of the vehicle.

    `now` is any aware instant; what day it is, the office's zone says.
    """
    conflicts = conflicts_with(period.block(terms.rules.turnaround_hours), taken)
    refusal = next(_refusals(period, terms, now.astimezone(ZoneInfo(terms.timezone))), None)
    price = None
    if refusal is None and terms.prices is not None:
        price = price_stay(terms.prices, period)
    if refusal is None and price is None:
        refusal = Refusal("no_price")
    return Decision(refusal, conflicts, price)


def _refusals(period: Period, terms: Terms, now_local: datetime) -> Iterator[Refusal]:
    rules, today = terms.rules, now_local.date()
    min_days = _min_days(period, terms)
    if period.start < today:
        yield Refusal("period_past", {"today": today.isoformat()})
    elif period.days < min_days:
        yield Refusal("period_too_short", {"min_days": min_days})
    elif 0 < rules.max_days < period.days:
        yield Refusal("period_too_long", {"max_days": rules.max_days})
    elif 0 < rules.max_ahead_days < (period.start - today).days:
        latest = today + timedelta(days=rules.max_ahead_days)
        yield Refusal("period_too_far", {"latest_start": latest.isoformat()})
    else:
        yield from _office_refusals(period, terms, now_local)


def _office_refusals(period: Period, terms: Terms, now_local: datetime) -> Iterator[Refusal]:
    hours, today = terms.hours, now_local.date()
    if not hours.is_open(period.start):
        yield _closed("pickup_closed", period.start, terms)
    elif period.start == today and now_local.time() >= hours.on(today)[-1].closes:
        # Facts name the next day on which a pick-up can still be had.
        next_open = hours.next_open(today + timedelta(days=1))
        yield Refusal(
            "lead_time", {"office": terms.office_slug, "next_open": next_open.isoformat() if next_open else None}
        )
    if not hours.is_open(period.end):
        yield _closed("return_closed", period.end, terms)


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


def _min_days(period: Period, terms: Terms) -> int:
    season = terms.prices.season_on(period.start) if terms.prices else None
    return max(terms.rules.min_days, (season.min_days or 0) if season else 0)
