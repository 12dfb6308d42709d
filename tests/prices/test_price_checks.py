"""A price list that contradicts itself is refused, with the day or season named."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from babel.numbers import get_currency_precision
from pydantic import ValidationError

from store.rules.price_checks import price_list_problems
from store.rules.price_file import (
    HousePrices,
    PriceListEntry,
    SeasonEntry,
    from_minor,
    read_price_list,
    target_problems,
    to_minor,
)
from store.rules.prices import Extra, Package, PriceList, Season, Tier

HIGH = Season("high", "High", (11, 1), (3, 31), per_day_minor=300)
SOUND = PriceList(
    1,
    1,
    100,
    deposit_minor=5,
    seasons=(HIGH, Season("xmas", "Christmas", (12, 21), (1, 1), priority=1, percent=200)),
    tiers=(Tier(1, 6), Tier(7, None, 10), Tier(1, 2, season_code="high"), Tier(3, None, 5, season_code="high")),
    packages=(Package(500, days=7), Package(1500, months=1), Package(250, days=3, weekdays=(4,))),
    extras=(Extra("helmet", "helmet", "included"), Extra("gps", "GPS", "chosen", "day", 10, 50)),
)
ONCE = Season(
    "fair", "Fair", (1, 1), (12, 31), per_day_minor=9, valid_from=date(2027, 6, 2), valid_until=date(2027, 6, 9)
)
NOT_REACHED = (
    "season high has a price of its own, so the prices by length are never reached in it:"
    " give it tiers of its own, or a percentage"
)


def changed(**values: Any) -> PriceList:
    return replace(SOUND, **values)


def test_a_sound_list_has_no_problems() -> None:
    """Negative control of all below."""
    assert price_list_problems(SOUND) == ()
    assert price_list_problems(SOUND, longest_days=60) == ()


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        (changed(tiers=(Tier(1, 3), Tier(3, 6, 10))), "two tiers cover a stay of 3 days"),  # BL-105
        (changed(tiers=(Tier(1, 22), Tier(30, None, 10))), "no tier covers a stay of 23 to 29 days"),
        (changed(tiers=(Tier(3, None),)), "no tier covers a stay of 1 to 2 days"),
        (changed(tiers=(Tier(1, None), Tier(7, None, 20))), "two tiers cover a stay of 7 days"),
        (
            changed(tiers=(Tier(1, 2, season_code="high"), Tier(2, None, season_code="high"))),
            "two tiers cover a stay of 2 days in season high",
        ),
        (changed(tiers=(Tier(1, None, season_code="low"),)), "tiers are for season low, which the list does not have"),
        (
            changed(tiers=(Tier(1, None, 5, per_day_minor=7),)),
            "the tier from 1 days: give either a price or a percentage",
        ),
        (changed(tiers=(Tier(1, None, 101),)), "the tier from 1 days takes 101 % off"),
        (changed(tiers=(Tier(1, None, per_day_minor=-1),)), "the tier from 1 days: a price cannot be negative"),
        (
            changed(tiers=(Tier(1, None, per_day_minor=7),)),
            NOT_REACHED,
        ),
        (
            changed(tiers=(Tier(1, 6), Tier(7, None, 10)), package_rest="share"),
            "the tier from 7 days is never reached: days after the package of 7 days cost their share of it",
        ),
        (
            changed(seasons=(HIGH, replace(HIGH, code="x", name="X"))),
            "seasons high and x both cover 1.1. with the same priority 0",
        ),
        (
            changed(seasons=(HIGH, Season("x", "X", (3, 31), (4, 9), per_day_minor=1))),
            "seasons high and x both cover 31.3. with the same priority 0",
        ),
        (
            changed(seasons=(HIGH, Season("x", "X", (5, 1), (6, 2), per_day_minor=1), ONCE)),
            "seasons x and fair both cover 2.6.2027 with the same priority 0",
        ),
        (changed(seasons=(HIGH, replace(HIGH, priority=2))), "two seasons have the code high"),
        (
            changed(seasons=(HIGH, Season("x", "X", (10, 1), (4, 30), priority=1, percent=90))),
            "season high is never reached: x with a higher priority covers all of it",
        ),
        (
            changed(seasons=(HIGH, replace(HIGH, code="leap", start=(2, 30), priority=1))),
            "season leap: 30.2. is not a day",
        ),
        (
            changed(seasons=(HIGH, Season("base", "B", (5, 1), (5, 2), percent=1))),
            "season base: this word means the days outside every season, choose another",
        ),
        (changed(seasons=(HIGH, Season("x", "X", (5, 1), (5, 2)))), "season x: give either a price or a percentage"),
        (
            changed(seasons=(HIGH, Season("x", "X", (5, 1), (5, 2), per_day_minor=1, percent=1))),
            "season x: give either a price or a percentage",
        ),
        (
            changed(seasons=(HIGH, Season("x", "X", (5, 1), (5, 2), per_day_minor=-1))),
            "season x: a price cannot be negative",
        ),
        (
            changed(seasons=(HIGH, replace(ONCE, valid_until=date(2027, 6, 1)))),
            "season fair: ends on 2027-06-01 before it begins on 2027-06-02",
        ),
        (
            changed(seasons=(replace(HIGH, min_days=5, max_days=4),)),
            "season high: no stay is at least 5 and at most 4 days long",
        ),
        (
            changed(seasons=(replace(HIGH, per_day_minor=None, is_closed=True),)),
            "season high: it is closed, so its tiers and packages are never reached",
        ),
        (
            PriceList(1, 1, None, seasons=(HIGH, Season("x", "X", (4, 1), (10, 30), per_day_minor=1))),
            "no season covers 31.10. to 31.10., and there is no base price",
        ),
        (
            PriceList(1, 1, None, seasons=(replace(HIGH, per_day_minor=None, percent=120),)),
            "season high: a percentage needs a base price",
        ),
        (PriceList(1, 1, None), "the list has no price at all"),
        (changed(packages=(Package(1, days=7), Package(2, days=7))), "two packages of 7 days begin on the same day"),
        (
            changed(packages=(Package(1, days=3, weekdays=(4, 5)), Package(2, days=3, weekdays=(5,)))),
            "two packages of 3 days begin on the same day",
        ),
        (changed(packages=(Package(1, days=7, months=1),)), "the package of 7 days: give either days or months"),
        (changed(packages=(Package(-1, days=7),)), "the package of 7 days: a price cannot be negative"),
        (
            changed(packages=(Package(1, days=7, season_code="low"),)),
            "the package of 7 days is for season low, which the list does not have",
        ),
        (changed(extras=(Extra("gps", "GPS"), Extra("gps", "GPS"))), "two extras have the code gps"),
        (
            changed(extras=(Extra("gps", "GPS", amount_minor=9, at_most_minor=5),)),
            "extra gps: it costs more than its own cap",
        ),
        (changed(extras=(Extra("fuel", "fuel", "by_use", amount_minor=9),)), "extra fuel: what is by_use has no price"),
        (changed(min_days=7, max_days=3), "the list: no stay is at least 7 and at most 3 days long"),
    ],
)
def test_a_fault_is_named(prices: PriceList, said: str) -> None:
    assert said in price_list_problems(prices)


def test_prices_beyond_the_longest_stay_are_never_reached() -> None:
    assert price_list_problems(
        changed(tiers=(Tier(1, 30), Tier(31, None, 50)), packages=(Package(1, days=45),)), 30
    ) == (
        "the tier from 31 days is never reached: the longest stay is 30 days",
        "the package of 45 days is never reached: the longest stay is 30 days",
    )


def test_two_lists_for_the_same_thing_are_refused_by_name() -> None:
    """Neither would be more specific than the other."""
    entries = [
        PriceListEntry(code="one", model="pcx", base=1),
        PriceListEntry(code="two", model="pcx", base=2),
        PriceListEntry(code="three", base=2),
        PriceListEntry(code="four", base=2),
        PriceListEntry(code="five", category="scooter", base=2),
    ]
    assert list(target_problems(entries)) == [
        "price lists one and two are both for the model pcx",
        "price lists three and four are both for the whole company",
    ]


# ---- the file's form -----------------------------------------------------------------------------


def test_a_range_is_not_a_price() -> None:
    """P11: a haggled range must never be told to a customer as a price."""
    with pytest.raises(ValidationError, match="a range is not a price"):
        PriceListEntry.model_validate({"code": "goa", "seasons": {"high": [200, 600]}})


@pytest.mark.parametrize(
    ("currency", "written", "minor"),
    [
        ("JPY", 12_000, 12_000),  # BL-117
        ("VND", 150_000, 150_000),  # BL-120
        ("IDR", "200000", 200_000),
        ("EUR", 99.99, 9_999),  # as YAML reads 99.99
        ("EUR", 0.1, 10),
        ("EUR", "99.9", 9_990),
        ("JOD", "12.345", 12_345),
        ("JOD", 12.5, 12_500),
    ],
)
def test_an_amount_is_read_exactly_in_the_currencys_own_decimals(currency: str, written: Any, minor: int) -> None:
    """BL-117, BL-120."""
    exponent = get_currency_precision(currency)
    entry = PriceListEntry.model_validate({"code": "x", "base": written})
    prices = read_price_list(entry, HousePrices(), exponent)
    assert prices.base_per_day_minor == minor
    assert to_minor(from_minor(minor, exponent), exponent) == minor


@pytest.mark.parametrize(
    ("currency", "written"),
    [
        ("JPY", 0.5),
        ("EUR", 9.999),
        ("JOD", "0.0001"),
        ("EUR", -1),
        ("EUR", "1.200"),
        ("IDR", "150.000"),
        ("EUR", "1e6"),
        ("EUR", "1_000"),
        ("EUR", "\uff11\uff12"),
        ("EUR", "9" * 13),
        ("EUR", "1e400000"),
        ("EUR", "NaN"),
    ],
)
def test_an_amount_is_never_rounded_or_guessed_when_it_is_read(currency: str, written: Any) -> None:
    """A thousands' point is not a decimal one, whatever zeros stand behind it."""
    entry = PriceListEntry.model_validate({"code": "x", "base": written})
    with pytest.raises(ValueError, match=r"decimals|not an amount"):
        read_price_list(entry, HousePrices(), get_currency_precision(currency))


@pytest.mark.parametrize(
    ("season", "said"),
    [
        ({"first": "2027-06-01", "last": "06-30"}, "write the year at both ends"),
        ({"first": "2027-02-29", "last": "2027-03-01"}, "day"),
        ({"first": "1 June", "last": "06-30"}, "pattern"),
    ],
)
def test_a_season_that_cannot_be_read_is_refused(season: dict[str, str], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        SeasonEntry.model_validate({"code": "x", "name": "X", **season})


def test_a_season_named_by_the_house_alone_is_refused() -> None:
    with pytest.raises(ValidationError, match="name seasons that are not there: hihg"):
        HousePrices.model_validate({"tiers": [{"min_days": 1, "season": "hihg"}]})


def test_a_list_prices_one_thing() -> None:
    with pytest.raises(ValidationError, match="one plate, one model or one category"):
        PriceListEntry(code="x", plate="V1", model="pcx", base=1)
