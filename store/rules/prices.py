"""Price lists and the price of a stay. Amounts are minor units of the company's currency."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from itertools import groupby
from typing import Literal

from store.rules.money import average_per_day, percent_of
from store.rules.periods import Period

MonthDay = tuple[int, int]
"""(month, day). 29 February is a legal end in every year: days are compared, never constructed."""


@dataclass(frozen=True, slots=True)
class Season:
    """A yearly span, both ends inclusive; `start > end` crosses the new year. Absolute price or percent of the base."""

    code: str
    name: str
    start: MonthDay
    end: MonthDay
    priority: int = 0
    per_day_minor: int | None = None
    percent: int | None = None
    min_days: int | None = None

    def covers(self, day: date) -> bool:
        """Whether the day is in the season."""
        month_day = (day.month, day.day)
        if self.start <= self.end:
            return self.start <= month_day <= self.end
        return month_day >= self.start or month_day <= self.end


@dataclass(frozen=True, slots=True)
class Tier:
    """A discount on the whole stay by its length; `max_days` is inclusive, None is without end."""

    min_days: int
    max_days: int | None
    percent_off: int

    def covers(self, days: int) -> bool:
        """Whether a stay of so many days is in the tier."""
        return self.min_days <= days and (self.max_days is None or days <= self.max_days)


@dataclass(frozen=True, slots=True)
class PriceList:
    """One list: a base price outside seasons, seasons, tiers, deposit."""

    id: int
    version: int
    base_per_day_minor: int | None
    deposit_minor: int | None = None
    seasons: tuple[Season, ...] = ()
    tiers: tuple[Tier, ...] = ()

    def season_on(self, day: date) -> Season | None:
        """Return the season that prices the day: highest priority, then the code that sorts first."""
        covering = [s for s in self.seasons if s.covers(day)]
        return min(covering, key=lambda s: (-s.priority, s.code)) if covering else None

    def day_price_minor(self, season: Season | None) -> int | None:
        """Return the price of a day of that season, before any discount; None when it has none."""
        if season is None:
            return self.base_per_day_minor
        if season.per_day_minor is not None:
            return season.per_day_minor
        if self.base_per_day_minor is None or season.percent is None:
            return None
        return percent_of(self.base_per_day_minor, season.percent)

    def tier_for(self, days: int) -> Tier | None:
        """Return the tier of a stay of so many days."""
        return next((t for t in self.tiers if t.covers(days)), None)


@dataclass(frozen=True, slots=True)
class Span:
    """Consecutive days of a stay in one season; `end` is exclusive."""

    code: str
    name: str
    start: date
    end: date
    days: int
    per_day_minor: int

    @property
    def amount_minor(self) -> int:
        """Price of all its days, before any discount."""
        return self.days * self.per_day_minor


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a price; the amounts of all lines add up to the total."""

    code: Literal["days", "length_discount"]
    amount_minor: int
    quantity: int = 1
    unit_minor: int | None = None
    season_code: str = ""
    season_name: str = ""
    start: date | None = None
    end: date | None = None
    percent: int | None = None
    min_days: int | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """The price of one stay."""

    total_minor: int
    per_day_minor: int
    """Average, rounded down."""
    deposit_minor: int | None
    lines: tuple[Line, ...]
    spans: tuple[Span, ...]


@lru_cache(maxsize=2048)
def price_stay(prices: PriceList, period: Period) -> Price | None:
    """Price each day by its season and the whole stay by its tier; None when a day has no price.

    Remembered, since it depends on nothing but its arguments: a conversation asks again and again for the same days.
    """
    spans = tuple(_spans(prices, period))
    if sum(span.days for span in spans) != period.days:
        return None
    lines = tuple(_day_line(span) for span in spans)
    subtotal_minor = sum(line.amount_minor for line in lines)
    lines += _discount_lines(prices.tier_for(period.days), subtotal_minor)
    total_minor = sum(line.amount_minor for line in lines)
    return Price(
        total_minor=total_minor,
        per_day_minor=average_per_day(total_minor, period.days),
        deposit_minor=prices.deposit_minor,
        lines=lines,
        spans=spans,
    )


def _spans(prices: PriceList, period: Period) -> Iterator[Span]:
    days = [period.start + timedelta(days=n) for n in range(period.days)]
    for season, group in groupby(days, key=prices.season_on):
        span = list(group)
        per_day_minor = prices.day_price_minor(season)
        if per_day_minor is not None:
            code, name = (season.code, season.name) if season else ("base", "")
            yield Span(code, name, span[0], span[-1] + timedelta(days=1), len(span), per_day_minor)


def _day_line(span: Span) -> Line:
    return Line(
        code="days",
        amount_minor=span.amount_minor,
        quantity=span.days,
        unit_minor=span.per_day_minor,
        season_code=span.code,
        season_name=span.name,
        start=span.start,
        end=span.end,
    )


def _discount_lines(tier: Tier | None, subtotal_minor: int) -> tuple[Line, ...]:
    if tier is None or tier.percent_off == 0:
        return ()
    discount_minor = percent_of(subtotal_minor, tier.percent_off)
    return (
        Line(code="length_discount", amount_minor=-discount_minor, percent=tier.percent_off, min_days=tier.min_days),
    )
