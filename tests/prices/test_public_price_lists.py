"""Fourteen public price lists as data: loaded, checked, priced for every length and over the new year.

The right values are checked twice: by hand (the table: the arithmetic stands beside each value), and for every length
against a second calculation that reads the page's own numbers and shares no code with the product.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest

from store.rules.periods import Period
from store.rules.price_checks import price_list_problems
from store.rules.price_warnings import price_list_warnings
from store.rules.prices import Price, PriceList, day_rows, price_stay

IDS = tuple(f"P{n:02d}" for n in range(1, 15))
LENGTHS = range(1, 41)
STARTS = (
    date(2027, 6, 7),  # a Monday in summer
    date(2027, 12, 5),  # over the new year from 28 days on
    date(2027, 12, 31),  # over it at once
    date(2028, 2, 20),  # over 29 February
    date(2019, 9, 20),  # over the day on which P09's prices changed
)


def stay(prices: PriceList, start: date, days: int) -> Price | None:
    return price_stay(prices, Period(start, start + timedelta(days=days)))


def total(prices: PriceList, start: date, days: int) -> int | None:
    price = stay(prices, start, days)
    return price.total_minor if price else None


def test_all_fourteen_are_there(public_lists: dict[str, Any]) -> None:
    assert tuple(public_lists) == IDS
    assert sum(len(file.lists) for file in public_lists.values()) == 50


@pytest.mark.parametrize("name", IDS)
def test_each_list_is_sound(public_lists: dict[str, Any], name: str) -> None:
    problems = {code: price_list_problems(prices) for code, prices in public_lists[name].lists.items()}
    assert not any(problems.values()), problems


@pytest.mark.parametrize("name", [n for n in IDS if n in {"P01", "P05", "P07", "P08", "P11"}])
def test_what_a_page_says_against_itself_is_refused_by_name(public_lists: dict[str, Any], name: str) -> None:
    """BL-103, BL-105. The same list as read above, before its faults were put right."""
    problems = [problem for prices in public_lists[name].as_published for problem in price_list_problems(prices)]
    assert problems == list(public_lists[name].refused_for)


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("start", STARTS, ids=str)
def test_every_length_has_a_price_whose_rows_add_up(public_lists: dict[str, Any], name: str, start: date) -> None:
    for prices in public_lists[name].lists.values():
        for days in LENGTHS:
            price = stay(prices, start, days)
            rows = day_rows(prices, Period(start, start + timedelta(days=days)))
            if price is None:
                assert name == "P05", f"{days} days from {start}"
                assert rows == ()
                continue
            extras = sum(line.amount_minor for line in price.lines if line.code == "extra")
            assert sum(line.amount_minor for line in price.lines) == price.total_minor
            assert sum(row.amount_minor for row in rows) == price.total_minor - extras
            assert [row.day for row in rows] == [start + timedelta(days=n) for n in range(days)]


# ---- checked by hand -----------------------------------------------------------------------------

JUNE, MONDAY, FRIDAY = date(2027, 6, 1), date(2027, 6, 7), date(2027, 6, 11)

BY_HAND = (
    # P01: whole-rental day rates; day 3 is in the second tier, a month is flat, further days by day
    ("P01", "150 cc scooter", JUNE, 2, 2 * 400),
    ("P01", "150 cc scooter", JUNE, 3, 3 * 250),
    ("P01", "150 cc scooter", JUNE, 22, 22 * 200),
    ("P01", "150 cc scooter", JUNE, 29, 29 * 200),
    ("P01", "150 cc scooter", JUNE, 30, 4000),
    ("P01", "150 cc scooter", JUNE, 31, 4000 + 200),
    ("P01", "300 cc maxi-scooter with ABS", JUNE, 37, 9000 + 7 * 640),
    # P02: twenty days cost a month, so no stay of 20 to 30 days costs more
    ("P02", "Yamaha Fino 2023", JUNE, 19, 19 * 250),
    ("P02", "Yamaha Fino 2023", JUNE, 20, 5000),
    ("P02", "Yamaha Fino 2023", JUNE, 21, 5000),
    ("P02", "Yamaha Fino 2022", JUNE, 21, 4800),
    ("P02", "Yamaha Fino 2023", JUNE, 40, 5000 + 10 * 250),
    # P03: six days cost more than seven, as the page says
    ("P03", "cruiser", JUNE, 6, 1560),
    ("P03", "cruiser", JUNE, 7, 1540),
    # P04: marginal; the page's own totals
    ("P04", "50 cc Honda", JUNE, 1, 90),
    ("P04", "50 cc Honda", JUNE, 2, 170),
    ("P04", "50 cc Honda", JUNE, 3, 240),
    ("P04", "50 cc Honda", JUNE, 4, 300),
    ("P04", "50 cc Honda", JUNE, 5, 350),
    ("P04", "50 cc Honda", JUNE, 10, 350 + 5 * 50),
    # P05: the change-over day belongs to the next season; a day after a week is a seventh of it, winter is closed
    ("P05", "catamaran", date(2027, 5, 20), 7, 8625),
    ("P05", "catamaran", date(2027, 5, 27), 7, 10292),
    ("P05", "catamaran", date(2027, 7, 15), 14, 11442 + 13138),
    ("P05", "catamaran", date(2027, 5, 1), 8, 8625 + 1232.14),  # 8625 / 7 = 1232.142...
    ("P05", "catamaran", date(2027, 10, 21), 7, 8625),
    ("P05", "catamaran", date(2027, 10, 22), 7, None),
    ("P05", "catamaran", date(2027, 12, 28), 7, None),
    ("P05", "catamaran", date(2027, 6, 1), 6, None),
    # P06: three days are a weekend only from Friday; five days never cost more than a week
    ("P06", "650-900 cc", FRIDAY, 3, 239),
    ("P06", "650-900 cc", MONDAY, 2, 2 * 89),
    ("P06", "650-900 cc", MONDAY, 4, 239),
    ("P06", "650-900 cc", MONDAY, 5, 239 + 89),
    ("P06", "650-900 cc", date(2027, 6, 9), 5, 2 * 89 + 239),  # Wednesday: two days, then the weekend
    ("P06", "650-900 cc", date(2027, 6, 8), 5, 419),  # Tuesday: 3 x 89 and a part of the weekend, 445
    ("P06", "650-900 cc", date(2027, 6, 12), 5, 2 * 89 + 239),  # Saturday: two days, then a part of the short week
    ("P06", "1000 cc tourer", FRIDAY, 10, 429 + 279),
    # P07: day 10 is in the last tier
    ("P07", "Toyota Camry", JUNE, 9, 9 * 4800),
    ("P07", "Toyota Camry", JUNE, 10, 10 * 4600),
    ("P07", "Lada Granta automatic", JUNE, 14, 14 * 1600),
    # P08: each day by its season, the whole by its length; peak lies inside high
    ("P08", "car", date(2027, 12, 19), 2, 2 * 1000),
    ("P08", "car", date(2027, 12, 19), 4, (2 * 1000 + 2 * 1400) * 0.97),
    ("P08", "car", date(2028, 1, 30), 4, (2 * 1400 + 2 * 1000) * 0.97),
    ("P08", "car", date(2028, 4, 29), 40, (2 * 1000 + 38 * 800) * 0.80),
    ("P08", "car", date(2027, 12, 31), 1, 1400),
    # P09: the first day costs more, and a rental over the change pays each day by its own list
    ("P09", "Japan", date(2019, 9, 29), 1, 9180),
    ("P09", "Japan", date(2019, 9, 29), 4, 9180 + 7560 + 7700 + 7700),
    ("P09", "Japan", date(2019, 9, 30), 2, 9180 + 7700),
    ("P09", "Japan", date(2019, 10, 1), 2, 9350 + 7700),
    ("P09", "Hokkaido", date(2019, 8, 31), 2, 11880 + 7560),
    ("P09", "Hokkaido", date(2020, 8, 30), 3, 12100 + 10450 + 7700),
    ("P09", "Japan", date(2020, 8, 30), 0, 7700),
    ("P09", "Hokkaido", date(2020, 8, 30), 0, 9900),
    # P10: the page's own table by nights
    ("P10", "compact", JUNE, 0, 6500),
    ("P10", "compact", JUNE, 1, 9750),
    ("P10", "compact", JUNE, 2, 15750),
    ("P10", "compact", JUNE, 3, 21250),
    ("P10", "compact", JUNE, 7, 41250),
    ("P10", "compact", JUNE, 9, 41250 + 2 * 5000),
    # P11: high season ends with February, in a leap year on the 29th
    ("P11", "scooter", date(2027, 2, 27), 3, 2 * 600 + 200),
    ("P11", "scooter", date(2028, 2, 27), 3, 3 * 600),
    ("P11", "scooter", date(2027, 12, 31), 2, 2 * 600),
    # P12: nine days by the day would cost more than a month
    ("P12", "115 cc", JUNE, 7, 7 * 250),
    ("P12", "115 cc", JUNE, 8, 2000),
    ("P12", "115 cc", JUNE, 9, 2000),
    ("P12", "115 cc", date(2028, 3, 1), 31, 2000),  # the whole of March
    ("P12", "125 cc", date(2028, 3, 1), 40, 2 * 2500),  # nine days after it: a second month, 2500 < 2700
    # P13, P14
    ("P13", "125 cc", JUNE, 0, 500),
    ("P13", "125 cc", JUNE, 40, 40 * 600),
    ("P14", "licence-free boat", JUNE, 2, 2 * 250),
    ("P14", "inland cruiser", JUNE, 2, 2 * 400 + 2 * 150 + 70),
)


@pytest.mark.parametrize(("name", "code", "start", "days", "amount"), BY_HAND)
def test_the_price_is_the_one_reckoned_by_hand(
    public_lists: dict[str, Any], name: str, code: str, start: date, days: int, amount: float | None
) -> None:
    file = public_lists[name]
    expected = None if amount is None else round(amount * 10**file.exponent)
    assert total(file.lists[code], start, days) == expected


# ---- a second calculation, from the page's own numbers ---------------------------------------------


def by_tiers(tiers: list[list[Any]], days: int) -> float:
    """Where a day stands in two tiers, the later one; where in none, the last one before it."""
    return float(days * [rate for first, _, rate in tiers if first <= days][-1])


def p01(page: Any, index: int, _: date, days: int) -> float:
    entry = page["lists"][index]
    months, rest = divmod(days, 30)
    rate = by_tiers(entry["per_day"], days) / days
    return float(months * entry["flat"][0][2] + rest * rate)


def by_day_or_month(page: Any, index: int, _: date, days: int) -> Any:
    entry = page["lists"][index]
    return float(min(k * entry["month"] + max(0, days - 30 * k) * entry["day"] for k in range(3)))


def p04(page: Any, index: int, _: date, days: int) -> float:
    steps = page["lists"][index]["marginal"]
    return float(sum((steps + [steps[-1]] * days)[:days]))


def p05(page: Any, _index: int, start: date, days: int) -> float | None:
    def week(day: date) -> float | None:
        return next((p for first, last, p in page["weekly"] if first <= day.strftime("%m-%d") < last), None)

    weeks = [week(start + timedelta(days=7 * n)) for n in range(days // 7)]
    if not weeks or any(week(start + timedelta(days=n)) is None for n in range(days)):
        return None
    return round(sum(w or 0 for w in weeks) + (weeks[-1] or 0) * (days % 7) / 7, 2)


def p06(page: Any, index: int, start: date, days: int) -> Any:
    entry = page["lists"][index]
    if days <= 0:
        return 0
    ways = {1: entry["day"], 7: entry["week"]}
    if start.weekday() == 4:
        ways[3] = entry["weekend_fri16_mon10"]
    if start.weekday() == 0:
        ways[4] = entry["mon16_fri13"]
    return min(
        price + p06(page, index, start + timedelta(days=n), days - n) for n, price in ways.items() if n < days + 7
    )


def p08(page: Any, _index: int, start: date, days: int) -> Any:
    def rate(day: date) -> int:
        month_day = day.strftime("%m-%d")
        peak, high, low = (season[3] for season in page["seasons"])
        if month_day >= "12-21" or month_day <= "01-31":
            return int(peak)
        return int(high) if month_day >= "11-01" or month_day <= "04-30" else int(low)

    factor = [c for first, _, c in page["coefficients"] if first <= days][-1]
    return round(sum(rate(start + timedelta(days=n)) for n in range(days)) * factor, 2)


def p09(page: Any, index: int, start: date, days: int) -> float:
    def rates(day: date) -> Any:
        summer = [r for r in page["regional"] if r["year"] == day.year and day.month in {7, 8}]
        return (summer if index else []) + [page["lists"][day >= date(2019, 10, 1)]]

    steps = ["h24"] + ["extra_day"] * days
    return float(sum(rates(start + timedelta(days=n))[0][steps[n]] for n in range(days)))


def p10(page: Any, _index: int, _start: date, days: int) -> float:
    table = dict(page["table_nights"])
    return float(table[min(days, 7)] + max(0, days - 7) * page["further_night"])


def p11(page: Any, _index: int, start: date, days: int) -> float:
    high, low = (season[3][1] for season in page["seasons"])
    return float(sum(high if (start + timedelta(days=n)).month in {11, 12, 1, 2} else low for n in range(days)))


Second = Callable[[Any, int, date, int], float | None]
SECOND: dict[str, Second] = {
    "P01": p01,
    "P02": by_day_or_month,
    "P03": lambda page, index, _, days: by_tiers(page["lists"][index]["per_day"], days),
    "P04": p04,
    "P05": p05,
    "P06": p06,
    "P07": lambda page, index, _, days: by_tiers(page["lists"][index]["per_day"], days),
    "P08": p08,
    "P09": p09,
    "P10": p10,
    "P11": p11,
    "P13": lambda page, index, _, days: days * page["lists"][index]["h24"],
}
"""P12 counts calendar months and P14's rents are ours: both are in the table only."""


@pytest.mark.parametrize("name", SECOND)
@pytest.mark.parametrize("start", STARTS, ids=str)
def test_every_length_agrees_with_a_second_calculation(
    public_lists: dict[str, Any], pages: dict[str, Any], name: str, start: date
) -> None:
    file = public_lists[name]
    lengths = [days for days in LENGTHS if name != "P06" or days <= 15]  # the second calculation tries all ways
    for index, prices in enumerate(file.lists.values()):
        for days in lengths:
            expected = SECOND[name](pages[name], index, start, days)
            minor = None if expected is None else round(expected * 10**file.exponent)
            assert total(prices, start, days) == minor, f"{days} days from {start}"


# ---- what the pages are known for ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("P01", "150 cc scooter", "30 days cost less than 29 days"),
        ("P01", "150 cc scooter", "3 days cost less than 2 days"),
        ("P03", "cruiser", "7 days cost less than 6 days"),
    ],
)
def test_a_longer_stay_that_costs_less_is_told_to_the_shop(
    public_lists: dict[str, Any], name: str, code: str, said: str
) -> None:
    assert any(warning.startswith(said) for warning in price_list_warnings(public_lists[name].lists[code]))


@pytest.mark.parametrize("name", ["P02", "P04", "P06", "P10", "P12", "P13"])
def test_lists_that_promise_it_never_get_cheaper_by_staying_longer(public_lists: dict[str, Any], name: str) -> None:
    for prices in public_lists[name].lists.values():
        assert price_list_warnings(prices) == ()


def test_an_extra_by_the_day_stops_at_its_cap(public_lists: dict[str, Any]) -> None:
    """P03: 10 a day, at most 50 a rental."""
    cruiser = public_lists["P03"].lists["cruiser"]
    amounts = {}
    for days in (1, 5, 6, 40):
        price = price_stay(cruiser, Period(JUNE, JUNE + timedelta(days=days)), (("gps", 1),))
        assert price is not None
        amounts[days] = sum(line.amount_minor for line in price.lines if line.code == "extra")
    assert amounts == {1: 1000, 5: 5000, 6: 5000, 40: 5000}


def test_what_is_used_is_named_and_not_in_the_total(public_lists: dict[str, Any]) -> None:
    """P14: the total is not known in advance, so the rent is quoted, and the fuel is named."""
    price = stay(public_lists["P14"].lists["6.7 m motorboat"], JUNE, 1)
    assert price is not None
    assert (price.total_minor, price.by_use) == (30_000, ("fuel",))
    assert [line.code for line in price.lines] == ["days"]
