"""What holds for every price list, however it is made up."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from store.rules.money import percent_of, share_of, spread
from store.rules.periods import Period
from store.rules.price_file import PriceListEntry, most_specific
from store.rules.prices import Extra, Package, Price, PriceList, Season, Tier, day_rows, price_stay, stay_limits

amounts = st.integers(0, 10**9)
starts = st.dates(date(2026, 12, 1), date(2029, 3, 1))
periods = st.builds(lambda start, days: Period(start, start + timedelta(days=days)), starts, st.integers(0, 75))
month_days = st.dates(date(2028, 1, 1), date(2028, 12, 31)).map(lambda d: (d.month, d.day))
season_prices: st.SearchStrategy[dict[str, Any]] = st.one_of(
    amounts.map(lambda minor: {"per_day_minor": minor}),
    st.integers(0, 300).map(lambda percent: {"percent": percent}),
    st.just({}),
    st.just({"is_closed": True}),
)


@st.composite
def seasons(draw: st.DrawFn) -> tuple[Season, ...]:
    codes = draw(st.lists(st.sampled_from("abcd"), max_size=4, unique=True))
    return tuple(
        Season(code, code.upper(), draw(month_days), draw(month_days), priority, **draw(season_prices))
        for priority, code in enumerate(codes)
    )


@st.composite
def tiers(draw: st.DrawFn, codes: tuple[str, ...]) -> tuple[Tier, ...]:
    found: list[Tier] = []
    for code in codes:
        edges = sorted(draw(st.sets(st.integers(2, 40), max_size=3)))
        for first, after in zip([1, *edges], [*edges, None], strict=True):
            is_price = draw(st.booleans())
            percent = 0 if is_price else draw(st.integers(0, 100))
            per_day_minor = draw(amounts) if is_price else None
            found.append(Tier(first, after and after - 1, percent, per_day_minor, code))
    return tuple(found)


packages = st.builds(
    lambda amount, length, weekdays: Package(amount, **length, weekdays=weekdays),
    amounts,
    st.sampled_from([{"days": 0}, {"days": 3}, {"days": 7}, {"days": 30}, {"months": 1}, {"months": 2}]),
    st.sampled_from([(), (), (4,), (0, 5)]),
)
extras = st.builds(
    Extra,
    code=st.sampled_from("xyz"),
    name=st.just("thing"),
    mode=st.just("required"),
    per=st.sampled_from(["day", "rental"]),
    amount_minor=amounts,
    at_most_minor=st.none() | amounts,
)


@st.composite
def price_lists(draw: st.DrawFn) -> PriceList:
    made = draw(seasons())
    codes = tuple(draw(st.sets(st.sampled_from(["", *(season.code for season in made)]))))
    return PriceList(
        1,
        1,
        draw(st.none() | amounts),
        seasons=made,
        tiers=draw(tiers(codes)),
        packages=tuple(draw(st.lists(packages, max_size=3))),
        extras=tuple(draw(st.lists(extras, max_size=2))),
        tier_mode=draw(st.sampled_from(["whole", "stepwise"])),
        package_rest=draw(st.sampled_from(["by_day", "share", "cheapest"])),
        stay_by=draw(st.sampled_from(["arrival", "any_day"])),
    )


@settings(max_examples=100, deadline=None)
@given(prices=price_lists(), period=periods)
def test_rows_and_lines_add_up_to_the_total_in_whole_minor_units(prices: PriceList, period: Period) -> None:
    """BL-110."""
    price = price_stay(prices, period)
    rows = day_rows(prices, period)
    if price is None:
        assert rows == ()
        return
    extra_minor = sum(line.amount_minor for line in price.lines if line.code == "extra")
    assert sum(line.amount_minor for line in price.lines) == price.total_minor
    assert sum(row.amount_minor for row in rows) == price.total_minor - extra_minor
    assert [row.day for row in rows] == [period.start + timedelta(days=n) for n in range(period.days)]
    assert all(type(line.amount_minor) is int for line in price.lines)
    assert all(type(row.amount_minor) is int and row.amount_minor >= 0 for row in rows)
    assert price.per_day_minor * period.days <= price.total_minor < (price.per_day_minor + 1) * period.days


offers = st.lists(
    st.builds(
        Extra,
        code=st.sampled_from("pqrstu"),
        name=st.just("thing"),
        mode=st.sampled_from(["chosen", "chosen", "required"]),
        per=st.sampled_from(["day", "rental"]),
        amount_minor=amounts,
        at_most_minor=st.none() | amounts,
    ),
    max_size=4,
    unique_by=lambda extra: extra.code,
)


@settings(max_examples=100, deadline=None)
@given(prices=price_lists(), period=periods, on_offer=offers, data=st.data())
def test_chosen_extras_add_what_each_says_and_change_nothing_else(
    prices: PriceList, period: Period, on_offer: list[Extra], data: st.DataObject
) -> None:
    """Each piece costs its amount per day or rental, at most its cap; rent and rows stay; the order makes no odds."""
    prices = replace(prices, extras=tuple(on_offer))
    wanted = (
        data.draw(st.sets(st.sampled_from([e for e in on_offer if e.mode == "chosen"])))
        if any(e.mode == "chosen" for e in on_offer)
        else set()
    )
    chosen = tuple((extra.code, data.draw(st.integers(1, 20))) for extra in wanted)
    without, found = price_stay(prices, period), price_stay(prices, period, chosen)
    if without is None or found is None:
        assert without is found
        return
    assert sum(line.amount_minor for line in found.lines) == found.total_minor
    assert found.total_minor - without.total_minor == sum(
        pieces * _piece_minor(next(e for e in on_offer if e.code == code), period.days) for code, pieces in chosen
    )
    assert {(extra.code, extra.pieces) for extra in found.extras} == set(chosen)
    assert (found.spans, found.deposit_minor) == (without.spans, without.deposit_minor)
    assert price_stay(prices, period, chosen[::-1]) == found


def _piece_minor(extra: Extra, days: int) -> int:
    amount_minor = extra.amount_minor * (days if extra.per == "day" else 1)
    return amount_minor if extra.at_most_minor is None else min(amount_minor, extra.at_most_minor)


@settings(max_examples=60, deadline=None)
@given(prices=price_lists(), period=periods)
def test_each_day_is_paid_once_by_a_span_or_a_package(prices: PriceList, period: Period) -> None:
    price = price_stay(prices, period)
    if price is not None:
        assert _days_paid(price) == [period.start + timedelta(days=n) for n in range(period.days)]


def _days_paid(price: Price) -> list[date]:
    spans = [(line.start, line.end) for line in price.lines if line.code in {"days", "package"}]
    return [start + timedelta(days=n) for start, end in spans if start and end for n in range((end - start).days)]


@settings(max_examples=60, deadline=None)
@given(start=month_days, end=month_days, day=st.dates(date(2026, 1, 1), date(2029, 1, 1)))
def test_a_season_and_its_complement_share_the_year(start: tuple[int, int], end: tuple[int, int], day: date) -> None:
    """Wraparound symmetry: what a season leaves of the year, the season turned round covers, except the two ends."""
    season = Season("s", "S", start, end)
    turned = Season("t", "T", end, start)
    month_day = (day.month, day.day)
    if start == end:
        assert season.covers(day) == (month_day == start)
    elif month_day in {start, end}:
        assert season.covers(day)
        assert turned.covers(day)
    else:
        assert season.covers(day) != turned.covers(day)


@settings(max_examples=60, deadline=None)
@given(split=month_days, rates=st.tuples(amounts, amounts), period=periods)
def test_cutting_a_year_in_two_equal_seasons_changes_no_total(
    split: tuple[int, int], rates: tuple[int, int], period: Period
) -> None:
    """A season that crosses the new year costs the same as its two halves."""
    base, price_minor = rates
    crossing = (Season("w", "W", (10, 1), (3, 31), per_day_minor=price_minor),)
    halves = (
        Season("w1", "W", (10, 1), (12, 31), per_day_minor=price_minor),
        Season("w2", "W", (1, 1), (3, 31), per_day_minor=price_minor),
    )
    assert _total(PriceList(1, 1, base, seasons=crossing), period) == _total(
        PriceList(1, 1, base, seasons=halves), period
    )


@settings(max_examples=60, deadline=None)
@given(prices=price_lists(), period=periods, order=st.randoms(use_true_random=False))
def test_the_order_of_a_list_decides_nothing(prices: PriceList, period: Period, order: random.Random) -> None:
    """BL-103: the same in every call; priorities differ, so no order is left to decide."""
    shuffled = list(prices.seasons)
    order.shuffle(shuffled)
    turned = replace(prices, seasons=tuple(shuffled))
    assert _total(turned, period) == _total(prices, period)
    assert stay_limits(turned, period) == stay_limits(prices, period)


@settings(max_examples=60, deadline=None)
@given(
    base=amounts,
    steps=st.lists(amounts, max_size=4),
    packs=st.lists(packages.filter(lambda p: p.days != 0), max_size=3),
    seasons=seasons(),
    start=starts,
)
def test_where_days_have_steps_and_packages_are_cheapest_longer_never_costs_less(
    base: int, steps: list[int], packs: list[Package], seasons: tuple[Season, ...], start: date
) -> None:
    tiers = tuple(Tier(n, n, per_day_minor=minor) for n, minor in enumerate(steps, 1))
    prices = PriceList(
        1, 1, base, seasons=seasons, tiers=tiers, packages=tuple(packs), tier_mode="stepwise", package_rest="cheapest"
    )
    totals = [_total(prices, Period(start, start + timedelta(days=days))) for days in range(1, 41)]
    known = [total for total in totals if total is not None]
    assert totals == known + [None] * (len(totals) - len(known))
    assert all(shorter <= longer for shorter, longer in pairwise(known))


@settings(max_examples=60, deadline=None)
@given(prices=price_lists(), period=periods)
def test_cheapest_is_never_dearer_than_the_other_rules(prices: PriceList, period: Period) -> None:
    exact = replace(prices, tiers=tuple(replace(t, percent_off=0) for t in prices.tiers))
    cheapest = _total(replace(exact, package_rest="cheapest"), period)
    by_day = _total(replace(exact, package_rest="by_day"), period)
    assert by_day is None or (cheapest is not None and cheapest <= by_day)


TARGETS: dict[str, dict[str, str]] = {
    "plate": {"plate": "V1"},
    "model": {"model": "pcx"},
    "category": {"category": "scooter"},
    "company": {},
}
others = st.sampled_from([{"plate": "V2"}, {"model": "nmax"}, {"category": "car"}])


@given(present=st.sets(st.sampled_from(list(TARGETS))), strange=st.lists(others, max_size=3), order=st.randoms())
def test_the_most_specific_list_wins(present: set[str], strange: list[dict[str, str]], order: random.Random) -> None:
    """Vehicle before model before category before company; lists of other things never count."""
    entries = [PriceListEntry(code=kind, base=1, **TARGETS[kind]) for kind in present]
    entries += [PriceListEntry(code="other", base=1, **target) for target in strange]
    order.shuffle(entries)
    found = most_specific(entries, "V1", "pcx", "scooter")
    assert (found.code if found else None) == next((kind for kind in TARGETS if kind in present), None)


@given(amounts, st.integers(0, 300), st.integers(1, 400), st.integers(1, 400))
def test_rounding_is_half_up_and_off_by_at_most_half(amount: int, percent: int, part: int, whole: int) -> None:
    assert 0 <= 100 * percent_of(amount, percent) - amount * percent + 50 <= 100
    assert 0 <= 2 * (whole * share_of(amount, part, whole) - amount * part) + whole <= 2 * whole


@given(amounts, st.lists(amounts, min_size=1, max_size=60))
def test_spreading_loses_nothing(amount: int, weights: list[int]) -> None:
    parts = spread(amount, weights)
    assert sum(parts) == amount
    assert len(parts) == len(weights)
    assert all(part >= 0 for part in parts)


def _total(prices: PriceList, period: Period) -> int | None:
    price = price_stay(prices, period)
    return price.total_minor if price else None
