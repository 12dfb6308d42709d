"""What is wrong with a price list, in words that name the place. Used when a list is loaded."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import combinations, pairwise

from store.rules.prices import MonthDay, PriceList, Season, Tier

_LEAP_YEAR = 2028


def price_list_problems(prices: PriceList) -> tuple[str, ...]:
    """Return one sentence for each fault; empty when the list may be used."""
    return (
        *_tier_problems(prices.tiers),
        *(p for season in prices.seasons for p in _season_problems(season, prices)),
        *_priority_problems(prices.seasons),
    )


def _tier_problems(tiers: tuple[Tier, ...]) -> Iterator[str]:
    ordered = sorted(tiers, key=lambda t: t.min_days)
    if ordered and ordered[0].min_days != 1:
        yield f"no tier covers a stay of 1 to {ordered[0].min_days - 1} days"
    for first, second in pairwise(ordered):
        if first.max_days is None or second.min_days <= first.max_days:
            yield f"two tiers cover a stay of {second.min_days} days"
        elif second.min_days > first.max_days + 1:
            yield f"no tier covers a stay of {first.max_days + 1} to {second.min_days - 1} days"
    for tier in ordered:
        if tier.max_days is not None and tier.max_days < tier.min_days:
            yield f"the tier from {tier.min_days} to {tier.max_days} days is empty"
        if not 0 <= tier.percent_off <= 100:
            yield f"the tier from {tier.min_days} days takes {tier.percent_off} % off"


def _season_problems(season: Season, prices: PriceList) -> Iterator[str]:
    for month_day in (season.start, season.end):
        if not _exists(month_day):
            yield f"season {season.code}: {month_day[1]}.{month_day[0]}. is not a day"
    if (season.per_day_minor is None) == (season.percent is None):
        yield f"season {season.code}: give either a price or a percentage"
    if season.percent is not None and prices.base_per_day_minor is None:
        yield f"season {season.code}: a percentage needs a base price"
    if (season.per_day_minor or 0) < 0 or (season.percent or 0) < 0:
        yield f"season {season.code}: a price cannot be negative"


def _priority_problems(seasons: tuple[Season, ...]) -> Iterator[str]:
    year = [date(_LEAP_YEAR, 1, 1) + timedelta(days=n) for n in range(366)]
    for first, second in combinations(seasons, 2):
        shared = next((day for day in year if first.covers(day) and second.covers(day)), None)
        if first.priority == second.priority and shared is not None:
            yield (
                f"seasons {first.code} and {second.code} both cover {shared.day}.{shared.month}."
                f" with the same priority {first.priority}"
            )


def _exists(month_day: MonthDay) -> bool:
    month, day = month_day
    return 1 <= month <= 12 and 1 <= day <= monthrange(_LEAP_YEAR, month)[1]
