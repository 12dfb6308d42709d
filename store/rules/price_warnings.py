"""What a shop may want to know about a sound price list. Nothing here refuses it: public price lists are like that."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from store.rules.periods import Period
from store.rules.prices import PriceList, price_stay

_YEAR = 2027
_MOST_DAYS = 60
"""Longer stays are too rare to be worth the time that a look at each takes."""


def price_list_warnings(prices: PriceList, longest_days: int = 40) -> tuple[str, ...]:
    """Return one sentence for each place where a longer stay costs less, named with its days and season.

    `longest_days` is the longest stay that the company rents, 0 without limit.
    """
    return tuple(
        sentence
        for name, start in _starts(prices)
        for sentence in _cheaper_when_longer(prices, name, start, longest_days)
    )


def _starts(prices: PriceList) -> Iterator[tuple[str, date]]:
    if not prices.seasons:
        yield "", date(_YEAR, 1, 1)
    for season in prices.seasons:
        first = season.valid_from or next(d for d in _days() if (d.month, d.day) >= season.start)
        yield f" in season {season.code}", first


def _days() -> Iterator[date]:
    return (date(_YEAR, 1, 1) + timedelta(days=n) for n in range(366))


def _cheaper_when_longer(prices: PriceList, name: str, start: date, longest_days: int) -> Iterator[str]:
    before: int | None = None
    for days in range(1, min(longest_days or _MOST_DAYS, _MOST_DAYS) + 1):
        price = price_stay(prices, Period(start, start + timedelta(days=days)))
        total_minor = price.total_minor if price else None
        if before is not None and total_minor is not None and total_minor < before:
            yield f"{days} days cost less than {days - 1} days{name} ({total_minor} < {before} minor units)"
        before = total_minor
