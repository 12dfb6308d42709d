"""Prices of the fault log through the public door: what a quote says, over HTTP, on both engines."""

from __future__ import annotations

from typing import Any

import pytest

from store.rules.prices import Extra, Package, PriceList, Season, Tier
from store.sql.prices import add_price_list

TIERS = (Tier(1, 2, 0), Tier(3, 6, 10), Tier(7, 30, 20))


def put(api: Any, prices: PriceList, scope: Any = None) -> None:
    """Give the scooters of a company this list; nothing else is booked."""
    api.world.run("UPDATE rental SET status = 'cancelled'")
    with api.world.db.write() as session:
        add_price_list(session, scope or api.world.a, prices, {"code": "of-this-test", "category": "scooter"})


async def quote(api: Any, start: str, end: str) -> dict[str, Any]:
    found: dict[str, Any] = await api.quote("V1", start, end)
    assert sum(line["amount"]["minor"] for line in found["lines"]) == found["total"]["minor"]
    return found


@pytest.mark.parametrize(
    ("start", "end", "total"),
    [
        ("2028-01-05", "2028-01-08", 675_000),  # BL-101: 3 x 250,000 x 0.9, after the new year
        ("2027-12-31", "2028-01-02", 500_000),  # BL-101: over it
        ("2027-06-20", "2027-06-22", 400_000),  # BL-106: exactly 2, 3, 6 and 7 days in June
        ("2027-06-20", "2027-06-23", 540_000),
        ("2027-06-20", "2027-06-26", 1_080_000),
        ("2027-06-20", "2027-06-27", 1_120_000),
        ("2027-06-20", "2027-06-28", 1_280_000),  # BL-108: 8 x 160,000 for the whole period
    ],
)
async def test_the_price_of_the_log(any_api: Any, start: str, end: str, total: int) -> None:
    """BL-101, BL-106, BL-108."""
    any_api.world.run("UPDATE rental SET status = 'cancelled'")
    assert (await quote(any_api, start, end))["total"] == {"minor": total, "currency": "IDR", "exponent": 0}


async def test_stepwise_tiers_price_each_part_at_its_own_rate(any_api: Any) -> None:
    """BL-108: 8 days in June: 2 x 200,000 + 4 x 180,000 + 2 x 160,000; the lines say which days."""
    put(any_api, PriceList(0, 1, 200_000, tiers=TIERS, tier_mode="stepwise"))
    found = await quote(any_api, "2027-06-20", "2027-06-28")
    assert found["total"]["minor"] == 1_440_000
    assert [(line["code"], line["amount"]["minor"], line.get("percent")) for line in found["lines"]] == [
        ("days", 1_600_000, None),
        ("length_discount", -80_000, 10),
        ("length_discount", -80_000, 20),
    ]


@pytest.mark.parametrize(("year", "winter_days"), [(2027, 2), (2028, 3)])
async def test_29_february_in_a_season_works_in_every_year(any_api: Any, year: int, winter_days: int) -> None:
    """BL-097: 1 December to 29 February; 27 February to 2 March."""
    winter = Season("winter", "Winter", (12, 1), (2, 29), per_day_minor=9)
    put(any_api, PriceList(0, 1, 5, seasons=(winter,)))
    any_api.world.now = any_api.world.now.replace(year=year, month=1)
    found = await quote(any_api, f"{year}-02-27", f"{year}-03-02")
    assert [(span["code"], span["days"]) for span in found["seasons"]] == [("winter", winter_days), ("base", 1)]


async def test_the_whole_of_march_is_one_month(any_api: Any) -> None:
    """BL-099."""
    any_api.world.run("UPDATE company SET max_days = 60")
    put(any_api, PriceList(0, 1, 250_000, packages=(Package(3_000_000, months=1),)))
    found = await quote(any_api, "2028-03-01", "2028-04-01")
    assert [(line["code"], line["amount"]["minor"]) for line in found["lines"]] == [("package", 3_000_000)]


async def test_priority_decides_each_day_and_every_call_says_the_same(any_api: Any) -> None:
    """BL-103: high season and a Christmas rule of 21 December to 1 January; 19 to 23 December."""
    high = Season("high", "High", (11, 1), (3, 31), per_day_minor=250_000)
    christmas = Season("christmas", "Christmas", (12, 21), (1, 1), priority=1, per_day_minor=400_000)
    put(any_api, PriceList(0, 1, None, seasons=(high, christmas)))
    answers = [await quote(any_api, "2027-12-19", "2027-12-23") for _ in range(3)]
    assert [[(s["code"], s["days"]) for s in a["seasons"]] for a in answers] == [[("high", 2), ("christmas", 2)]] * 3
    assert {a["total"]["minor"] for a in answers} == {1_300_000}


async def test_lines_and_total_agree_to_the_cent(any_api: Any) -> None:
    """BL-110: 3 days at 99.99 EUR, 10 % off."""
    found = await any_api.quote("H1", "2027-06-20", "2027-06-23", company="harbour-wheels")
    assert [line["amount"]["minor"] for line in found["lines"]] == [29_997, -3_000]
    assert found["total"] == {"minor": 26_997, "currency": "EUR", "exponent": 2}


@pytest.mark.parametrize(("rest", "total"), [("by_day", 1_320_000), ("share", 1_285_714), ("cheapest", 1_320_000)])
async def test_days_after_a_week_are_paid_by_the_companys_rule(any_api: Any, rest: Any, total: int) -> None:
    """BL-112: weekly price 1,000,000; 9 days."""
    week = Package(1_000_000, days=7, name="week")
    put(any_api, PriceList(0, 1, 200_000, tiers=TIERS, packages=(week,), package_rest=rest))
    found = await quote(any_api, "2027-06-20", "2027-06-29")
    assert found["total"]["minor"] == total
    assert found["lines"][0]["code"] == "package"


@pytest.mark.parametrize(
    ("currency", "exponent", "per_day", "end", "total"),
    [
        ("JPY", 0, 12_000, "2027-06-23", 36_000),  # BL-117
        ("VND", 0, 150_000, "2027-06-22", 300_000),  # BL-120
        ("JOD", 3, 12_345, "2027-06-22", 24_690),
    ],
)
async def test_money_is_neither_divided_nor_multiplied_by_a_hundred(
    any_api: Any, currency: str, exponent: int, per_day: int, end: str, total: int
) -> None:
    """BL-117, BL-120: quote and rental say the same whole number of minor units."""
    any_api.world.run("UPDATE company SET currency = :c, currency_exponent = :e", c=currency, e=exponent)
    put(any_api, PriceList(0, 1, per_day))
    found = await quote(any_api, "2027-06-20", end)
    expected = {"minor": total, "currency": currency, "exponent": exponent}
    assert found["total"] == expected
    rental = await any_api.post("vehicles/rentals/", any_api.order(found))
    assert rental.json()["total"] == expected


async def test_what_is_required_is_a_line_and_the_deposit_is_not(any_api: Any) -> None:
    extras = (Extra("helmet", "helmet", "included"), Extra("cleaning", "cleaning", "required", amount_minor=70_000))
    put(any_api, PriceList(0, 1, 200_000, deposit_minor=500_000, extras=extras))
    found = await quote(any_api, "2027-06-20", "2027-06-22")
    assert [(line["code"], line["amount"]["minor"]) for line in found["lines"]] == [
        ("days", 400_000),
        ("included", 0),
        ("extra", 70_000),
    ]
    assert (found["total"]["minor"], found["deposit"]["minor"]) == (470_000, 500_000)


async def test_a_closed_season_is_refused_and_not_free(any_api: Any) -> None:
    closed = Season("winter", "Winter", (11, 1), (3, 31), is_closed=True)
    put(any_api, PriceList(0, 1, 200_000, seasons=(closed,)))
    query = {"vehicle_uuid": any_api.world.uuid("V1"), "start": "2027-12-01", "end": "2027-12-03"}
    answer = await any_api.get("vehicles/pricing/", **query)
    assert answer.status_code == 409
    assert answer.json()["facts"]["refusal"]["code"] == "no_price"
