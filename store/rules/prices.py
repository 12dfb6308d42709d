"""The price of a stay, explained as facts. Amounts are minor units of the company's currency.

Each rental day is priced by its season and by the tier of the whole stay (or of its own number, where the list is
stepwise). Packages pay for blocks of days, before which nothing is taken off. Rounding: see `store.rules.money`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from itertools import groupby
from typing import Literal

from store.rules.extras import Chosen, ChosenExtra, chosen_extras, not_offered
from store.rules.money import average_per_day, percent_of, spread
from store.rules.periods import Period
from store.rules.price_lists import BASE, Extra, MonthDay, Package, PriceList, Rate, Season, Tier, stay_limits
from store.rules.price_packages import Block, plan_blocks, same_day_block

__all__ = [
    "Block",
    "Chosen",
    "DayRow",
    "Extra",
    "Line",
    "MonthDay",
    "Package",
    "Price",
    "PriceList",
    "Season",
    "Span",
    "Tier",
    "day_rows",
    "price_stay",
    "stay_limits",
]


@dataclass(frozen=True, slots=True)
class Span:
    """Consecutive days of a stay in one season at one price; `end` is exclusive. Days of packages are in none."""

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

    code: Literal["days", "length_discount", "package", "extra", "included"]
    amount_minor: int
    quantity: int = 1
    """Days of `days`, pieces of an `extra`."""
    unit_minor: int | None = None
    """What one of them costs; a piece for the whole stay."""
    season_code: str = ""
    season_name: str = ""
    start: date | None = None
    end: date | None = None
    percent: int | None = None
    min_days: int | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Price:
    """The price of one stay."""

    total_minor: int
    per_day_minor: int
    """Average, rounded down."""
    deposit_minor: int | None
    """Not in the total."""
    lines: tuple[Line, ...]
    spans: tuple[Span, ...]
    by_use: tuple[str, ...] = ()
    """Names of what comes on top, known only after the rental: fuel."""
    extras: tuple[ChosenExtra, ...] = ()
    """What of it was chosen."""


@dataclass(frozen=True, slots=True)
class DayRow:
    """What one rental day costs, without extras; the rows of a stay add up to its rent."""

    day: date
    season_code: str
    amount_minor: int


@dataclass(frozen=True, slots=True)
class _Day:
    day: date
    season: Season | None
    rate: Rate


@dataclass(frozen=True, slots=True)
class _Rent:
    """All days of a stay: in blocks, or one by one."""

    blocks: tuple[Block, ...]
    days: tuple[_Day, ...]


@lru_cache(maxsize=2048)
def price_stay(prices: PriceList, period: Period, chosen: Chosen = ()) -> Price | None:
    """Price each day by its season, the stay by its length, then the extras; None when a day has no price.

    Remembered, since it depends on nothing but its arguments: a conversation asks again and again for the same days.

    Raises:
        ValueError: `chosen` names an extra that the list does not offer, one twice, or less than one piece.
    """
    rent = _rent(prices, period)
    if rent is None:
        return None
    spans = tuple(_spans(rent.days))
    lines = (
        *sorted(_rent_lines(rent.blocks, spans), key=lambda line: line.start or period.start),
        *_discount_lines(rent.days, is_stepwise=prices.tier_mode == "stepwise"),
        *_extra_lines(prices, period.days, chosen),
    )
    total_minor = sum(line.amount_minor for line in lines)
    return Price(
        total_minor=total_minor,
        per_day_minor=average_per_day(total_minor, period.days),
        deposit_minor=prices.deposit_minor,
        lines=lines,
        spans=spans,
        by_use=tuple(extra.name for extra in prices.extras if extra.mode == "by_use"),
        extras=chosen_extras(prices, chosen),
    )


def day_rows(prices: PriceList, period: Period) -> tuple[DayRow, ...]:
    """Return the rent day by day; discounts and packages are spread so that the rows add up to it. Empty: no price."""
    rent = _rent(prices, period)
    if rent is None:
        return ()
    rows = [row for block in rent.blocks for row in _block_rows(block)]
    for (percent_off, _), days in _by_discount(rent.days).items():
        prices_minor = [day.rate.per_day_minor for day in days]
        off = spread(percent_of(sum(prices_minor), percent_off), prices_minor)
        rows += [DayRow(d.day, _code(d.season), d.rate.per_day_minor - o) for d, o in zip(days, off, strict=True)]
    return tuple(sorted(rows, key=lambda row: row.day))


def _rent(prices: PriceList, period: Period) -> _Rent | None:
    days = [period.start + timedelta(days=n) for n in range(period.days)]
    seasons = [prices.season_on(day) for day in days]
    if any(season is not None and season.is_closed for season in seasons):
        return None
    one_day = same_day_block(prices, period)
    if one_day is not None:
        return _Rent((one_day,), ())
    rates = _rates(prices, seasons)
    blocks = plan_blocks(prices, period, rates)
    in_blocks = {block.start + timedelta(days=n) for block in blocks for n in range(block.days)}
    single = [(d, s, r) for d, s, r in zip(days, seasons, rates, strict=True) if d not in in_blocks]
    priced = tuple(_Day(day, season, rate) for day, season, rate in single if rate is not None)
    return _Rent(blocks, priced) if len(priced) == len(single) else None


def _rates(prices: PriceList, seasons: list[Season | None]) -> list[Rate | None]:
    """Return what each day of a stay costs by the day; the seasons are those of its days."""
    if prices.tier_mode == "stepwise":
        return [prices.rate(season, number) for number, season in enumerate(seasons, 1)]
    known: dict[str, Rate | None] = {}
    for season in seasons:
        if _code(season) not in known:
            known[_code(season)] = prices.rate(season, len(seasons))
    return [known[_code(season)] for season in seasons]


def _spans(days: tuple[_Day, ...]) -> Iterator[Span]:
    first = days[0].day if days else date.min
    # Days after a package start a span of their own: the difference between day and place is the same in a run.
    places = ((n, day) for n, day in enumerate(days))
    for (_, _, per_day_minor), group in groupby(
        places, key=lambda p: ((p[1].day - first).days - p[0], _code(p[1].season), p[1].rate.per_day_minor)
    ):
        span = [day for _, day in group]
        season = span[0].season
        name = season.name if season else ""
        end = span[-1].day + timedelta(days=1)
        yield Span(_code(season), name, span[0].day, end, len(span), per_day_minor)


def _rent_lines(blocks: tuple[Block, ...], spans: tuple[Span, ...]) -> Iterator[Line]:
    for span in spans:
        yield Line(
            code="days",
            amount_minor=span.amount_minor,
            quantity=span.days,
            unit_minor=span.per_day_minor,
            season_code=span.code,
            season_name=span.name,
            start=span.start,
            end=span.end,
        )
    for block in blocks:
        yield Line(
            code="package",
            amount_minor=block.amount_minor,
            unit_minor=None if block.is_share else block.amount_minor,
            season_code=_code(block.season),
            season_name=block.season.name if block.season else "",
            start=block.start,
            end=block.end,
            name=block.package.name,
        )


def _discount_lines(days: tuple[_Day, ...], *, is_stepwise: bool) -> Iterator[Line]:
    for (percent_off, min_days), group in _by_discount(days).items():
        if percent_off == 0:
            continue
        subtotal_minor = sum(day.rate.per_day_minor for day in group)
        yield Line(
            code="length_discount",
            amount_minor=-percent_of(subtotal_minor, percent_off),
            percent=percent_off,
            min_days=min_days,
            start=group[0].day if is_stepwise else None,
            end=group[-1].day + timedelta(days=1) if is_stepwise else None,
        )


def _by_discount(days: tuple[_Day, ...]) -> dict[tuple[int, int], list[_Day]]:
    groups: dict[tuple[int, int], list[_Day]] = {}
    for day in days:
        groups.setdefault((day.rate.percent_off, day.rate.min_days), []).append(day)
    return groups


def _block_rows(block: Block) -> Iterator[DayRow]:
    for n, amount_minor in enumerate(spread(block.amount_minor, [1] * block.days)):
        yield DayRow(block.start + timedelta(days=n), _code(block.season), amount_minor)


def _extra_lines(prices: PriceList, days: int, chosen: Chosen) -> Iterator[Line]:
    pieces = dict(chosen)
    if len(pieces) < len(chosen) or not_offered(prices, pieces) or any(count < 1 for count in pieces.values()):
        raise ValueError(f"extras {sorted(pieces.items())} are not on offer")
    for extra in prices.extras:
        if extra.mode == "included":
            yield Line(code="included", amount_minor=0, name=extra.name)
        elif extra.mode == "required" or extra.code in pieces:
            yield _extra_line(extra, days, pieces.get(extra.code, 1))


def _extra_line(extra: Extra, days: int, pieces: int) -> Line:
    # Counted in pieces: "6 helmets" would be no way to say two for three days.
    unit_minor = extra.amount_minor * (days if extra.per == "day" else 1)
    if extra.at_most_minor is not None:
        unit_minor = min(unit_minor, extra.at_most_minor)
    return Line(code="extra", amount_minor=unit_minor * pieces, quantity=pieces, unit_minor=unit_minor, name=extra.name)


def _code(season: Season | None) -> str:
    return season.code if season else BASE
