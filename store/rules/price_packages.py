"""Which days of a stay a package pays for, and which are paid by the day."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from store.rules.money import share_of
from store.rules.periods import Period
from store.rules.price_lists import Package, PriceList, Rate, Season, add_months


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive days `[start, end)` that one package pays for.

    `is_share`: the days after a package, at their share of it. A package may pay for more days than the block has.
    """

    start: date
    end: date
    package: Package
    season: Season | None
    amount_minor: int
    is_share: bool = False

    @property
    def days(self) -> int:
        """Days of the stay in it."""
        return (self.end - self.start).days


def same_day_block(prices: PriceList, period: Period) -> Block | None:
    """Return the package for a return on the day of the pick-up, if the list has one."""
    if period.start != period.end:
        return None
    season = prices.season_on(period.start)
    package = next((p for p in _fitting(prices, season, period.start) if p.days == 0), None)
    if package is None:
        return None
    amount_minor = prices.package_price_minor(package, season)
    return Block(period.start, period.start + timedelta(days=1), package, season, amount_minor)


def plan_blocks(prices: PriceList, period: Period, rates: list[Rate | None]) -> tuple[Block, ...]:
    """Return the packages of a stay in order of days; days in none of them are paid by the day.

    `rates` are the day prices of the stay, one a day.
    """
    if all(package.days == 0 for package in prices.packages):
        return ()
    if prices.package_rest == "cheapest":
        return _cheapest(prices, period, rates)
    return tuple(_longest_first(prices, period))


def _longest_first(prices: PriceList, period: Period) -> Iterator[Block]:
    at, end = period.start, period.start + timedelta(days=period.days)
    anchor, months, last = at, 0, None
    while at < end:
        if at != add_months(anchor, months):
            anchor, months = at, 0
        block = _longest_at(prices, at, end, anchor, months)
        if block is not None:
            months += block.package.months or 0
            last = block
            yield block
        elif last is not None and prices.package_rest == "share":
            yield _share(last, at, end)
            return
        at = block.end if block else at + timedelta(days=1)


def _longest_at(prices: PriceList, at: date, end: date, anchor: date, months: int) -> Block | None:
    season = prices.season_on(at)
    for package in sorted(_fitting(prices, season, at), key=lambda p: -p.about_days):
        until = package.end_from(at) if package.days is not None else package.end_from(anchor, months)
        if at < until <= end:
            return Block(at, until, package, season, prices.package_price_minor(package, season))
    return None


def _share(full: Block, at: date, end: date) -> Block:
    days = (end - at).days
    amount_minor = share_of(full.amount_minor, days, full.days)
    return Block(at, end, full.package, full.season, amount_minor, is_share=True)


def _cheapest(prices: PriceList, period: Period, rates: list[Rate | None]) -> tuple[Block, ...]:
    """Walk back from the last day: the best way to pay from a day on is one day or one block, then the best way on."""
    count = period.days
    end = period.start + timedelta(days=count)
    costs: list[int | None] = [*[None] * count, 0]
    steps: list[tuple[Block, ...]] = [()] * (count + 1)
    for n in range(count - 1, -1, -1):
        rate, after = rates[n], costs[n + 1]
        best = None if rate is None or after is None else rate.hundredths + after
        chosen: tuple[Block, ...] = ()
        for run in _runs(prices, period.start + timedelta(days=n), end):
            after = costs[(run[-1].end - period.start).days]
            cost = None if after is None else 100 * sum(block.amount_minor for block in run) + after
            if cost is not None and (best is None or cost <= best):
                # As cheap as days first: the package goes first, as everywhere.
                best, chosen = cost, run
        costs[n], steps[n] = best, chosen
    return tuple(_walk(period, steps))


def _walk(period: Period, steps: list[tuple[Block, ...]]) -> Iterator[Block]:
    n = 0
    while n < period.days:
        yield from steps[n]
        n = (steps[n][-1].end - period.start).days if steps[n] else n + 1


def _runs(prices: PriceList, at: date, end: date) -> Iterator[tuple[Block, ...]]:
    """Yield what may be bought on a day: one package, or the same number of months in a row. The end cuts the last."""
    season = prices.season_on(at)
    for package in _fitting(prices, season, at):
        amount_minor = prices.package_price_minor(package, season)
        run: tuple[Block, ...] = ()
        start = at
        while start < end and package.about_days:
            until = package.end_from(at, len(run) * (package.months or 0))
            if run and (package.days is not None or package not in _fitting(prices, prices.season_on(start), start)):
                break
            run = (*run, Block(start, min(until, end), package, season, amount_minor))
            yield run
            start = until


def _fitting(prices: PriceList, season: Season | None, at: date) -> list[Package]:
    if season is not None and season.is_closed:
        return []
    return [p for p in prices.packages_of(season) if not p.weekdays or at.weekday() in p.weekdays]
