"""How a stay is priced: tiers, seasons, packages, extras, limits."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from store.rules.periods import Period
from store.rules.price_lists import StayBy
from store.rules.prices import (
    Extra,
    Package,
    Price,
    PriceList,
    Season,
    Tier,
    day_rows,
    price_stay,
    stay_limits,
)

JUNE = date(2027, 6, 1)


def stay(prices: PriceList, start: date, days: int, **chosen: int) -> Price:
    price = price_stay(prices, Period(start, start + timedelta(days=days)), tuple(chosen.items()))
    assert price is not None
    return price


def facts(price: Price) -> list[tuple[str, int, int]]:
    return [(line.code, line.quantity, line.amount_minor) for line in price.lines]


# ---- tiers ---------------------------------------------------------------------------------------

PERCENT_TIERS = (Tier(1, 2, 0), Tier(3, 6, 10), Tier(7, 30, 20))


def test_whole_and_stepwise_tiers_differ_and_both_add_up() -> None:
    """BL-108: 8 days in June at 200,000: all at the last rate, or each part at its own."""
    whole = stay(PriceList(1, 1, 200_000, tiers=PERCENT_TIERS), JUNE, 8)
    assert whole.total_minor == 8 * 160_000
    assert facts(whole) == [("days", 8, 1_600_000), ("length_discount", 1, -320_000)]

    stepwise = stay(PriceList(1, 1, 200_000, tiers=PERCENT_TIERS, tier_mode="stepwise"), JUNE, 8)
    assert stepwise.total_minor == 2 * 200_000 + 4 * 180_000 + 2 * 160_000
    discounts = [line for line in stepwise.lines if line.code == "length_discount"]
    assert [(line.percent, line.min_days, line.start, line.end, line.amount_minor) for line in discounts] == [
        (10, 3, date(2027, 6, 3), date(2027, 6, 7), -80_000),
        (20, 7, date(2027, 6, 7), date(2027, 6, 9), -80_000),
    ]


@pytest.mark.parametrize(("days", "total_minor"), [(2, 400_000), (3, 540_000), (6, 1_080_000), (7, 1_120_000)])
def test_the_edge_of_a_tier_is_inside_it(days: int, total_minor: int) -> None:
    """BL-106."""
    assert stay(PriceList(1, 1, 200_000, tiers=PERCENT_TIERS), JUNE, days).total_minor == total_minor


def test_a_tier_may_be_a_price_of_the_day() -> None:
    prices = PriceList(1, 1, None, tiers=(Tier(1, 6, per_day_minor=100), Tier(7, None, per_day_minor=80)))
    assert facts(stay(prices, JUNE, 6)) == [("days", 6, 600)]
    assert facts(stay(prices, JUNE, 7)) == [("days", 7, 560)]


def test_a_percentage_season_raises_the_prices_by_length() -> None:
    peak = Season("peak", "Peak", (6, 2), (6, 30), percent=150)
    prices = PriceList(1, 1, None, seasons=(peak,), tiers=(Tier(1, None, per_day_minor=101),))
    assert facts(stay(prices, JUNE, 3)) == [("days", 1, 101), ("days", 2, 2 * 152)]  # 151.5 a day, half up


def test_a_season_may_have_tiers_of_its_own() -> None:
    high = Season("high", "High", (6, 3), (8, 31), per_day_minor=300)
    tiers = (Tier(1, 6), Tier(7, None, 50), Tier(1, None, 10, season_code="high"))
    price = stay(PriceList(1, 1, 100, seasons=(high,), tiers=tiers), date(2027, 5, 30), 8)
    assert facts(price) == [
        ("days", 4, 400),
        ("days", 4, 1200),
        ("length_discount", 1, -200),
        ("length_discount", 1, -120),
    ]


def test_a_length_beyond_the_last_tier_pays_the_plain_price() -> None:
    assert stay(PriceList(1, 1, 10, tiers=(Tier(1, 30, 20),)), JUNE, 31).total_minor == 310


# ---- seasons -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("year", "season_days"), [(2027, 2), (2028, 3)])
def test_29_february_as_an_end_works_in_every_year(year: int, season_days: int) -> None:
    """BL-097: 27 February to 2 March; 1 March is another season's in both years."""
    winter = Season("winter", "Winter", (12, 1), (2, 29), per_day_minor=10)
    spring = Season("spring", "Spring", (3, 1), (11, 30), per_day_minor=1)
    spans = stay(PriceList(1, 1, None, seasons=(winter, spring)), date(year, 2, 27), season_days + 1).spans
    assert [(span.code, span.days) for span in spans] == [("winter", season_days), ("spring", 1)]


def test_a_season_of_29_february_alone_exists_in_leap_years_only() -> None:
    """BL-097."""
    leap = Season("leap", "Leap day", (2, 29), (2, 29), per_day_minor=5)
    prices = PriceList(1, 1, 1, seasons=(leap,))
    assert stay(prices, date(2028, 2, 28), 3).total_minor == 1 + 5 + 1
    assert stay(prices, date(2027, 2, 28), 3).total_minor == 3


def test_a_season_over_the_new_year_prices_both_sides() -> None:
    """BL-101: 5 to 8 January, and a stay over midnight of 31 December."""
    high = Season("high", "High", (11, 1), (3, 31), per_day_minor=250_000)
    prices = PriceList(1, 1, 1, seasons=(high,), tiers=PERCENT_TIERS)
    assert stay(prices, date(2028, 1, 5), 3).total_minor == 675_000
    over = stay(prices, date(2027, 12, 30), 4)
    assert [(span.start, span.end, span.days) for span in over.spans] == [(date(2027, 12, 30), date(2028, 1, 3), 4)]
    assert over.total_minor == 900_000


def test_nested_seasons_are_decided_by_priority_day_by_day() -> None:
    """BL-103: high season and a Christmas rule, 19 to 23 December; the same in every call and order."""
    high = Season("high", "High", (11, 1), (3, 31), per_day_minor=100)
    christmas = Season("christmas", "Christmas", (12, 21), (1, 1), priority=5, per_day_minor=300)
    new_year = Season("new-year", "New Year", (12, 31), (1, 1), priority=9, per_day_minor=900)
    for seasons in ((high, christmas, new_year), (new_year, christmas, high)):
        prices = PriceList(1, 1, None, seasons=seasons)
        assert [(s.code, s.days) for s in stay(prices, date(2027, 12, 19), 4).spans] == [("high", 2), ("christmas", 2)]
        spans = stay(prices, date(2027, 12, 30), 4).spans
        assert [(s.code, s.days) for s in spans] == [("christmas", 1), ("new-year", 2), ("high", 1)]


def test_a_season_between_two_dates_is_over_after_them() -> None:
    once = Season("fair", "Fair", (1, 1), (12, 31), 1, 9, valid_from=date(2027, 6, 2), valid_until=date(2027, 6, 3))
    prices = PriceList(1, 1, 1, seasons=(once,))
    assert stay(prices, JUNE, 4).total_minor == 1 + 9 + 9 + 1
    assert stay(prices, date(2028, 6, 1), 4).total_minor == 4


def test_a_closed_season_has_no_price_on_any_of_its_days() -> None:
    closed = Season("winter", "Winter", (11, 1), (3, 31), is_closed=True)
    for rest in ("by_day", "share", "cheapest"):
        prices = PriceList(1, 1, 5, seasons=(closed,), packages=(Package(1, days=7),), package_rest=rest)
        assert price_stay(prices, Period(date(2027, 10, 30), date(2027, 11, 2))) is None
        assert price_stay(prices, Period(date(2027, 10, 30), date(2027, 11, 1))) is not None


# ---- packages ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rest", "total_minor"),
    [
        ("by_day", 1_000_000 + 2 * 160_000),  # the two days at the tier of the whole stay
        ("share", 1_000_000 + 285_714),  # two sevenths, 285,714.28
        ("cheapest", 1_000_000 + 2 * 160_000),
    ],
)
def test_days_after_a_full_week_are_paid_by_the_companys_rule(rest: Any, total_minor: int) -> None:
    """BL-112: weekly price 1,000,000 and 9 days."""
    week = Package(1_000_000, days=7, name="week")
    prices = PriceList(1, 1, 200_000, tiers=PERCENT_TIERS, packages=(week,), package_rest=rest)
    price = stay(prices, JUNE, 9)
    assert price.total_minor == total_minor == sum(line.amount_minor for line in price.lines)
    assert (price.lines[0].code, price.lines[0].name) == ("package", "week")
    assert sum(row.amount_minor for row in day_rows(prices, Period(JUNE, date(2027, 6, 10)))) == total_minor


def test_cheapest_never_asks_more_than_the_package() -> None:
    prices = PriceList(1, 1, 200, packages=(Package(1_000, days=7),), package_rest="cheapest")
    assert [stay(prices, JUNE, days).total_minor for days in (4, 5, 6, 7, 8, 13)] == [800, 1000, 1000, 1000, 1200, 2000]


def test_the_longest_package_goes_first() -> None:
    prices = PriceList(1, 1, 10, packages=(Package(60, days=7, name="week"), Package(200, days=30, name="month")))
    assert [(line.code, line.name, line.start, line.amount_minor) for line in stay(prices, JUNE, 38).lines] == [
        ("package", "month", date(2027, 6, 1), 200),
        ("package", "week", date(2027, 7, 1), 60),
        ("days", "", date(2027, 7, 8), 10),
    ]


@pytest.mark.parametrize("rest", ["by_day", "share", "cheapest"])
@pytest.mark.parametrize(
    ("start", "end", "months"),
    [
        (date(2028, 3, 1), date(2028, 4, 1), 1),  # the whole of March
        (date(2028, 2, 1), date(2028, 3, 1), 1),  # February of a leap year
        (date(2027, 2, 1), date(2027, 3, 1), 1),
        (date(2028, 1, 31), date(2028, 3, 31), 2),  # the months count from their first day: 31 to 29 to 31
        (date(2027, 12, 15), date(2028, 3, 15), 3),
    ],
)
def test_a_calendar_month_is_one_month_whatever_its_length(rest: Any, start: date, end: date, months: int) -> None:
    """BL-099: the whole of March is one month price, not two and not a month and a day."""
    prices = PriceList(1, 1, 250, packages=(Package(2_000, months=1, name="month"),), package_rest=rest)
    price = price_stay(prices, Period(start, end))
    assert price is not None
    assert facts(price) == [("package", 1, 2_000)] * months


def test_the_whole_of_march_by_a_return_on_its_last_day_is_one_month_too() -> None:
    """BL-099: 30 rental days; the rule "cheapest" asks no more than the month."""
    prices = PriceList(1, 1, 250, packages=(Package(2_000, months=1),), package_rest="cheapest")
    assert stay(prices, date(2028, 3, 1), 30).total_minor == 2_000


def test_a_package_may_begin_only_on_its_weekdays_and_in_its_season() -> None:
    weekend = Package(100, days=3, weekdays=(4,), name="weekend")
    high_week = Package(900, days=7, season_code="high", name="high week")
    high = Season("high", "High", (7, 1), (8, 31), per_day_minor=200)
    prices = PriceList(1, 1, 50, seasons=(high,), packages=(weekend, high_week))
    assert stay(prices, date(2027, 6, 11), 3).total_minor == 100  # a Friday
    assert stay(prices, date(2027, 6, 10), 4).total_minor == 50 + 100
    assert stay(prices, date(2027, 6, 12), 3).total_minor == 150
    assert stay(prices, date(2027, 7, 2), 3).total_minor == 600  # in high season its own packages replace the others
    assert stay(prices, date(2027, 7, 2), 8).total_minor == 900 + 200


def test_a_percentage_season_raises_a_general_package() -> None:
    high = Season("high", "High", (7, 1), (8, 31), percent=150)
    prices = PriceList(1, 1, 50, seasons=(high,), packages=(Package(301, days=7),))
    assert stay(prices, JUNE, 7).total_minor == 301
    assert stay(prices, date(2027, 7, 1), 7).total_minor == 452  # 451.5, half up


# ---- extras and deposit --------------------------------------------------------------------------

EXTRAS = (
    Extra("helmet", "helmet", "included"),
    Extra("seat", "child seat", "chosen", "day", 30, at_most_minor=100),
    Extra("delivery", "delivery", "chosen", "rental", 500),
    Extra("cleaning", "cleaning", "required", "rental", 70),
    Extra("fuel", "fuel", "by_use"),
)


def test_extras_are_named_lines_of_the_price_and_the_deposit_is_not() -> None:
    prices = PriceList(1, 1, 1_000, deposit_minor=9_999, extras=EXTRAS)
    price = stay(prices, JUNE, 3, seat=2, delivery=1)
    assert [(line.code, line.name, line.quantity, line.amount_minor) for line in price.lines] == [
        ("days", "", 3, 3_000),
        ("included", "helmet", 1, 0),
        ("extra", "child seat", 2, 180),
        ("extra", "delivery", 1, 500),
        ("extra", "cleaning", 1, 70),
    ]
    assert (price.total_minor, price.deposit_minor, price.by_use) == (3_750, 9_999, ("fuel",))
    assert all(line.amount_minor == line.quantity * (line.unit_minor or 0) for line in price.lines)


def test_the_cap_of_an_extra_counts_for_each_piece() -> None:
    price = stay(PriceList(1, 1, 0, extras=EXTRAS), JUNE, 10, seat=2)
    assert [(line.name, line.quantity, line.amount_minor) for line in price.lines][2] == ("child seat", 2, 200)


def test_an_extra_is_chosen_once_with_its_pieces() -> None:
    with pytest.raises(ValueError, match="not on offer"):
        price_stay(PriceList(1, 1, 1, extras=EXTRAS), Period(JUNE, JUNE), (("seat", 1), ("seat", 2)))


@pytest.mark.parametrize("chosen", [{"pilot": 1}, {"helmet": 1}, {"fuel": 1}, {"seat": 0}, {"seat": -1}])
def test_only_extras_on_offer_can_be_chosen(chosen: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="not on offer"):
        stay(PriceList(1, 1, 1, extras=EXTRAS), JUNE, 1, **chosen)


# ---- limits of the stay --------------------------------------------------------------------------


def test_limits_come_from_the_list_and_the_season_of_arrival_or_of_any_day() -> None:
    """BL-124's data: peak asks for 3 days; 30 May to 1 June only touches nothing of it on arrival."""
    peak = Season("peak", "Peak", (6, 1), (8, 31), per_day_minor=1, min_days=3, max_days=14)
    arriving = Period(date(2027, 5, 31), date(2027, 6, 2))
    inside = Period(date(2027, 6, 1), date(2027, 6, 2))
    cases: tuple[tuple[StayBy, tuple[int, int]], ...] = (("arrival", (0, 0)), ("any_day", (3, 14)))
    for stay_by, expected in cases:
        prices = PriceList(1, 1, 1, seasons=(peak,), stay_by=stay_by)
        assert stay_limits(prices, arriving) == expected
        assert stay_limits(prices, inside) == (3, 14)
        assert stay_limits(prices, Period(date(2027, 5, 30), date(2027, 6, 1))) == (0, 0)


def test_the_stricter_limit_counts_and_nothing_said_is_no_limit() -> None:
    season = Season("s", "S", (1, 1), (12, 31), per_day_minor=1, min_days=2, max_days=60)
    assert stay_limits(PriceList(1, 1, 1, seasons=(season,), min_days=5, max_days=30), Period(JUNE, JUNE)) == (5, 30)
    assert stay_limits(PriceList(1, 1, 1), Period(JUNE, JUNE)) == (0, 0)
