"""Price lists in the database: everything that a list can say comes back as it was, on both engines."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from itertools import combinations
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from store.migrations import downgrade, upgrade
from store.rules.company_file import CompanyFile
from store.rules.prices import Extra, Package, PriceList, Season, Tier
from store.seed import SEED_DATA, read_company_file, seed_company
from store.sql.companies import company_id_of
from store.sql.prices import add_price_list, load_price_lists
from store.sql.scope import Scope

FULL = PriceList(
    0,
    1,
    10_000,
    deposit_minor=50_000,
    seasons=(
        Season("high", "High", (11, 1), (2, 29), 0, 30_000, None, 2, 40),
        Season("fair", "Fair", (1, 1), (12, 31), 3, None, 150, None, None, date(2027, 6, 2), date(2027, 6, 9)),
        Season("repair", "Repair", (5, 1), (5, 3), 9, is_closed=True),
    ),
    tiers=(Tier(1, 6), Tier(1, None, 5, season_code="high"), Tier(7, None, per_day_minor=8_000)),
    packages=(
        Package(50_000, days=7, name="week", season_code="high"),
        Package(150_000, months=1, weekdays=(0, 4), name="month"),
        Package(7_000, days=0),
    ),
    extras=(Extra("helmet", "helmet", "included"), Extra("gps", "GPS", "chosen", "day", 1_000, 5_000)),
    tier_mode="stepwise",
    package_rest="cheapest",
    stay_by="any_day",
    min_days=1,
    max_days=60,
)


def store(world: Any, scope: Scope, rules: PriceList, **target: Any) -> int:
    with world.db.write() as session:
        return add_price_list(session, scope, rules, {"code": "full", **target})


def test_a_list_comes_back_as_it_was_stored(any_world: Any) -> None:
    list_id = store(any_world, any_world.a, FULL, category="car")
    with any_world.db.read() as session:
        loaded = load_price_lists(session, any_world.a, [list_id])
    assert loaded == {list_id: replace(FULL, id=list_id)}


def test_a_list_of_another_company_is_not_there(any_world: Any) -> None:
    list_id = store(any_world, any_world.a, FULL, category="car")
    with any_world.db.read() as session:
        assert load_price_lists(session, any_world.b, [list_id]) == {}


def test_the_schema_refuses_a_second_list_for_one_category(any_world: Any) -> None:
    """Its vehicles would be offered twice, at two prices."""
    store(any_world, any_world.a, FULL, category="scooter")
    with pytest.raises(IntegrityError):
        store(any_world, any_world.a, FULL, code="second", category="scooter")


def test_the_schema_refuses_a_second_list_for_the_whole_company(any_world: Any) -> None:
    with pytest.raises(IntegrityError):
        store(any_world, any_world.a, FULL, code="second")


def test_two_companies_may_each_have_their_own(any_world: Any) -> None:
    """Negative control."""
    for scope in (any_world.a, any_world.b):
        store(any_world, scope, FULL, category="bicycle")


TARGETS = {
    "vehicle_id": "SELECT id FROM vehicle WHERE plate = 'V1'",
    "model_id": "SELECT model_id FROM vehicle WHERE plate = 'V1'",
    "category": "SELECT 'scooter'",
}


@pytest.mark.parametrize("present", [c for n in range(1, 4) for c in combinations(TARGETS, n)], ids="+".join)
def test_the_most_specific_list_of_any_set_prices_the_vehicle(any_world: Any, present: tuple[str, ...]) -> None:
    """Vehicle before model before category before the company's; stored the least specific first."""
    for base, kind in enumerate(reversed(present), 1):
        target = {kind: any_world.value(TARGETS[kind])}
        store(any_world, any_world.a, PriceList(0, 1, 1000 * base), code=kind, **target)
    assert any_world.quote("V1", "06-20", "06-21").price.total_minor == 1000 * len(present)
    assert any_world.quote("V2", "06-20", "06-21").price.total_minor == (1000 if "category" in present else 200_000)


def test_the_schema_refuses_two_prices_for_one_season(any_world: Any) -> None:
    with pytest.raises(IntegrityError):
        any_world.run("UPDATE price_season SET percent = 120")


def test_lists_of_before_keep_their_prices_through_the_migration(any_world: Any) -> None:
    before = [any_world.quote("V1", "06-20", end).price.total_minor for end in ("06-22", "06-23", "06-27")]
    downgrade(any_world.db.engine, "0003_rentals")
    upgrade(any_world.db.engine)
    after = [any_world.quote("V1", "06-20", end).price.total_minor for end in ("06-22", "06-23", "06-27")]
    assert after == before == [400_000, 540_000, 1_120_000]


@pytest.mark.parametrize(
    ("rest", "total_minor"),
    [("by_day", 1_320_000), ("share", 1_000_000 + 285_714), ("cheapest", 1_320_000)],
)
def test_a_quote_of_nine_days_is_a_week_and_two_days(any_world: Any, rest: Any, total_minor: int) -> None:
    """BL-112 through the use case: weekly price 1,000,000, two days at 200,000 with 20 % off, or their share."""
    rules = PriceList(
        0, 1, 200_000, tiers=(Tier(1, 2), Tier(3, 6, 10), Tier(7, 30, 20)), packages=(Package(1_000_000, days=7),)
    )
    store(any_world, any_world.a, replace(rules, package_rest=rest), category="scooter")
    price = any_world.quote("V1", "06-20", "06-29").price
    assert price.total_minor == total_minor
    stored = json.loads(json.dumps(any_world.value("SELECT lines FROM quote")))
    lines = json.loads(stored) if isinstance(stored, str) else stored
    assert sum(line["amount_minor"] for line in lines) == total_minor
    assert lines[0]["code"] == "package"


def test_the_whole_of_march_is_one_month(any_world: Any) -> None:
    """BL-099."""
    any_world.run("UPDATE company SET max_days = 60")
    store(
        any_world, any_world.a, PriceList(0, 1, 250_000, packages=(Package(3_000_000, months=1),)), category="scooter"
    )
    assert any_world.quote("V1", "2028-03-01", "2028-04-01").price.total_minor == 3_000_000


@pytest.mark.parametrize("path", sorted(SEED_DATA.glob("*.json")), ids=lambda path: path.stem)
def test_the_demo_price_lists_are_sound_and_stored_as_written(world: Any, path: Any) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    data["company"]["slug"] = "demo-again"
    file = CompanyFile.model_validate(data)
    assert file.price_problems() == ()
    seed_company(world.db, file, world.now)
    with world.db.read() as session:
        scope = Scope(company_id_of(session, "demo-again"))
        ids = [
            world.value(
                "SELECT id FROM price_list WHERE company_id = :c AND code = :code", c=scope.company_id, code=e.code
            )
            for e in file.price_lists
        ]
        loaded = load_price_lists(session, scope, ids)
    assert [replace(loaded[n], id=0) for n in ids] == [file.price_list(entry) for entry in file.price_lists]
    assert read_company_file(path)
