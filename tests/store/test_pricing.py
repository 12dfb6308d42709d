"""The price of a stay, by the rules of the fault log's fixture."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from babel.numbers import get_currency_precision
from hypothesis import given
from hypothesis import strategies as st

from store.rules.company_file import to_minor
from store.rules.money import average_per_day, percent_of
from store.rules.periods import Period
from store.rules.price_checks import price_list_problems
from store.rules.prices import PriceList, Season, Tier, price_stay

TIERS = (Tier(1, 2, 0), Tier(3, 6, 10), Tier(7, 30, 20))


@pytest.mark.parametrize(
    ("start", "end", "total_minor"),
    [
        ("2027-06-20", "2027-06-22", 400_000),  # BL-106: exactly 2 days
        ("2027-06-20", "2027-06-23", 540_000),  # 3
        ("2027-06-20", "2027-06-26", 1_080_000),  # 6
        ("2027-06-20", "2027-06-27", 1_120_000),  # 7
        ("2028-01-05", "2028-01-08", 675_000),  # BL-101: a season over the new year
        ("2027-10-31", "2027-11-02", 150_000 + 250_000),  # each day by its own season
        ("2027-12-31", "2028-01-02", 500_000),
        ("2028-02-28", "2028-03-01", 500_000),  # 29 February is a day like any other
        ("2027-06-10", "2027-06-10", 200_000),  # BL-fixture: a same-day return is one day
    ],
)
def test_a_stay_costs_what_the_price_list_says(world: Any, start: str, end: str, total_minor: int) -> None:
    world.run("UPDATE rental SET status = 'cancelled'")
    price = world.quote("V1", start, end).price
    assert price.total_minor == total_minor
    assert sum(line.amount_minor for line in price.lines) == total_minor


def test_lines_agree_with_the_total_to_the_cent(world: Any) -> None:
    """BL-110: 3 days at 99.99 EUR with 10 % off."""
    price = world.quote("H1", "06-20", "06-23", world.b).price
    assert [line.amount_minor for line in price.lines] == [29_997, -3_000]
    assert price.total_minor == 26_997


@pytest.mark.parametrize(
    ("currency", "per_day", "days", "total_minor"),
    [
        ("JPY", "12000", 3, 36_000),
        ("VND", "150000", 2, 300_000),
        ("JOD", "12.500", 2, 25_000),
        ("EUR", "10.5", 2, 2100),
    ],
)
def test_money_has_the_currencys_own_decimals(currency: str, per_day: str, days: int, total_minor: int) -> None:
    """BL-117, BL-120: no division or multiplication by 100 for money without small units."""
    base = to_minor(per_day, get_currency_precision(currency))
    price = price_stay(PriceList(1, 1, base), Period(date(2027, 6, 1), date(2027, 6, 1) + timedelta(days=days)))
    assert price is not None
    assert price.total_minor == total_minor


@pytest.mark.parametrize("amount", ["1.5", "0.01", "-3", "ten", "1e-1", "NaN", "Infinity"])
def test_an_amount_with_decimals_that_the_currency_lacks_is_refused(amount: str) -> None:
    with pytest.raises(ValueError, match=r"amount|decimals"):
        to_minor(amount, 0)


@pytest.mark.parametrize(
    ("year", "season_days"),
    [(2027, 2), (2028, 3)],
)
def test_a_season_that_ends_on_29_february_works_in_every_year(year: int, season_days: int) -> None:
    """BL-097: 27 February to 2 March; the season covers to the 28th in 2027, to the 29th in 2028."""
    winter = Season("winter", "Winter", (12, 1), (2, 29), per_day_minor=10)
    price = price_stay(PriceList(1, 1, 1, seasons=(winter,)), Period(date(year, 2, 27), date(year, 3, 2)))
    assert price is not None
    assert [(s.code, s.days) for s in price.spans] == [("winter", season_days), ("base", 1)]


def test_priority_decides_where_seasons_overlap() -> None:
    """BL-103: high season and a Christmas rule, 19 to 23 December."""
    high = Season("high", "High", (11, 1), (3, 31), priority=0, per_day_minor=100)
    christmas = Season("christmas", "Christmas", (12, 21), (1, 1), priority=5, per_day_minor=300)
    for seasons in ((high, christmas), (christmas, high)):
        prices = PriceList(1, 1, None, seasons=seasons)
        price = price_stay(prices, Period(date(2027, 12, 19), date(2027, 12, 23)))
        assert price is not None
        assert [(s.code, s.days) for s in price.spans] == [("high", 2), ("christmas", 2)]
        assert price.total_minor == 800


def test_a_percentage_season_is_of_the_base_price() -> None:
    peak = Season("peak", "Peak", (7, 1), (7, 31), percent=150)
    price = price_stay(PriceList(1, 1, 333, seasons=(peak,)), Period(date(2027, 7, 1), date(2027, 7, 2)))
    assert price is not None
    assert price.total_minor == 500  # 499.5, half up


def test_a_day_without_a_price_has_none() -> None:
    summer = Season("summer", "Summer", (6, 1), (8, 31), per_day_minor=5)
    prices = PriceList(1, 1, None, seasons=(summer,))
    assert price_stay(prices, Period(date(2027, 8, 30), date(2027, 9, 2))) is None


def test_the_most_specific_list_wins(world: Any) -> None:
    """Vehicle before model before category before company."""
    columns = "(company_id, code, {target}, base_per_day_minor, version)"
    expected = [200_000]
    assert world.quote("V1", "06-20", "06-21").price.total_minor == expected[0]
    for target, value, base in (
        ("category", "'scooter'", 30),
        ("model_id", "(SELECT model_id FROM vehicle WHERE plate = 'V1')", 20),
        ("vehicle_id", "(SELECT id FROM vehicle WHERE plate = 'V1')", 10),
    ):
        world.run(
            f"INSERT INTO price_list {columns.format(target=target)} VALUES ({world.a.company_id}, '{target}', {value}, {base}, 1)"  # noqa: S608, E501
        )
        assert world.quote("V1", "06-20", "06-21").price.total_minor == base


@pytest.mark.parametrize(
    ("tiers", "named"),
    [
        ((Tier(1, 3, 0), Tier(3, 6, 10)), "two tiers cover a stay of 3 days"),  # BL-105
        ((Tier(1, 2, 0), Tier(5, None, 10)), "no tier covers a stay of 3 to 4 days"),
        ((Tier(2, None, 0),), "no tier covers a stay of 1 to 1 days"),
        ((Tier(1, None, 0), Tier(7, None, 20)), "two tiers cover a stay of 7 days"),
        ((Tier(1, None, 120),), "120 % off"),
    ],
)
def test_faulty_tiers_are_refused_by_name(tiers: tuple[Tier, ...], named: str) -> None:
    assert any(named in problem for problem in price_list_problems(PriceList(1, 1, 1, tiers=tiers)))


@pytest.mark.parametrize(
    ("seasons", "named"),
    [
        ((Season("s", "S", (2, 30), (3, 1), per_day_minor=1),), "is not a day"),
        ((Season("s", "S", (2, 1), (3, 1)),), "either a price or a percentage"),
        ((Season("s", "S", (2, 1), (3, 1), per_day_minor=-1),), "negative"),
        (
            (Season("s", "S", (11, 1), (3, 31), per_day_minor=1), Season("t", "T", (3, 31), (4, 2), per_day_minor=1)),
            "both cover 31.3.",
        ),
    ],
)
def test_faulty_seasons_are_refused_by_name(seasons: tuple[Season, ...], named: str) -> None:
    assert any(named in problem for problem in price_list_problems(PriceList(1, 1, 1, seasons=seasons)))


def test_a_sound_price_list_has_no_problems() -> None:
    winter = Season("winter", "Winter", (12, 1), (2, 29), per_day_minor=10)
    assert price_list_problems(PriceList(1, 1, 1, seasons=(winter,), tiers=TIERS)) == ()


amounts = st.integers(0, 10**10)
month_days = st.dates(date(2028, 1, 1), date(2028, 12, 31)).map(lambda d: (d.month, d.day))
season_lists = st.lists(
    st.builds(
        Season,
        code=st.text("abcdef", min_size=1, max_size=3),
        name=st.just(""),
        start=month_days,
        end=month_days,
        priority=st.integers(0, 3),
        per_day_minor=amounts,
    ),
    max_size=4,
).map(tuple)
periods = st.builds(
    lambda start, days: Period(start, start + timedelta(days=days)),
    st.dates(date(2027, 1, 1), date(2030, 1, 1)),
    st.integers(0, 90),
)


@given(base=amounts, seasons=season_lists, percent_off=st.integers(0, 100), period=periods)
def test_rows_always_add_up_to_the_total(
    base: int, seasons: tuple[Season, ...], percent_off: int, period: Period
) -> None:
    price = price_stay(PriceList(1, 1, base, seasons=seasons, tiers=(Tier(1, None, percent_off),)), period)
    assert price is not None
    day_lines = [line for line in price.lines if line.code == "days"]
    assert sum(line.amount_minor for line in price.lines) == price.total_minor
    assert all(line.amount_minor == line.quantity * (line.unit_minor or 0) for line in day_lines)
    assert sum(line.quantity for line in day_lines) == period.days == sum(span.days for span in price.spans)
    assert 0 <= price.total_minor <= sum(line.amount_minor for line in day_lines)
    assert price.per_day_minor * period.days <= price.total_minor < (price.per_day_minor + 1) * period.days


@given(amounts, st.integers(0, 100))
def test_percentages_round_half_up_and_never_leave_the_amount(amount_minor: int, percent: int) -> None:
    part = percent_of(amount_minor, percent)
    assert 0 <= part <= amount_minor
    assert abs(part * 100 - amount_minor * percent) <= 50
    assert average_per_day(amount_minor, 7) * 7 <= amount_minor
