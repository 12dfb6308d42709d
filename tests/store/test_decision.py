"""May this vehicle be rented for this period? One decision, asked by every path."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.crm.alternatives import find_alternatives
from store.crm.rentals import create_rental
from store.crm.search import SearchQuery, search_vehicles
from store.crm.vehicles import check_availability
from store.errors import InvalidData, Refused
from store.rules.hours import Interval, OpeningHours
from store.rules.periods import Block, Period, Taken
from store.rules.prices import PriceList
from store.rules.stay import StayRules, Terms, decide

ALWAYS_OPEN = OpeningHours(tuple(Interval(n, time(8), time(18)) for n in range(7)))
NOW = datetime(2027, 5, 31, 7, 30, tzinfo=UTC)


def terms(**rules: int) -> Terms:
    return Terms(StayRules(**rules), "sanur", "Asia/Makassar", ALWAYS_OPEN, PriceList(1, 1, 100))


def taken(start: date, end: date, turnaround_hours: int = 0) -> Taken:
    period = Period(start, end)
    return Taken(period, period.block(turnaround_hours), "confirmed", "admin")


def verdicts(world: Any, plate: str, start: str, end: str, day: Any) -> dict[str, bool]:
    """What each path says about one vehicle and period."""
    first, last, uuid = day(start), day(end), world.uuid(plate)
    found = search_vehicles(world.db, world.a, world.now, SearchQuery(first, last, text=plate))
    verdict = {
        "search": found.total_found == 1,
        "availability": check_availability(world.db, world.a, world.now, uuid, first, last).decision.allowed,
    }
    try:
        verdict["alternatives"] = find_alternatives(world.db, world.a, world.now, uuid, first, last, 5).decision.allowed
    except Refused:
        verdict["alternatives"] = False
    try:
        quote = world.quote(plate, start, end)
        create_rental(world.db, world.a, world.now, world.order(quote))
        verdict["quote and create"] = True
    except Refused:
        verdict["quote and create"] = False
    return verdict


@pytest.mark.parametrize(
    ("plate", "start", "end", "is_free"),
    [
        ("V1", "06-12", "06-14", False),  # BL-005: wholly inside
        ("V1", "06-10", "06-12", False),  # BL-006: inside, sharing the start
        ("V1", "06-15", "06-17", False),  # sharing the end
        ("V1", "06-10", "06-17", False),  # the same
        ("V1", "06-09", "06-18", False),  # around it
        ("V1", "06-07", "06-10", True),  # BL-007: touching before
        ("V1", "06-17", "06-20", True),  # BL-008: touching after
        ("V1", "06-10", "06-10", False),  # a same-day rental inside
        ("V1", "06-17", "06-17", True),  # a same-day rental on the day of return
        ("V1", "05-30", "06-02", False),  # in the past
        ("V1", "06-20", "07-21", False),  # longer than 30 days
        ("V3", "06-06", "06-08", False),  # BL-125: pick-up on a Sunday with blank hours
        ("V3", "06-04", "06-06", False),  # return on it
        ("V3", "06-05", "06-07", True),  # over it
    ],
)
def test_every_path_gives_the_same_verdict(
    any_world: Any, day: Any, plate: str, start: str, end: str, is_free: bool
) -> None:
    """BL-005, BL-006, BL-007, BL-008, BL-125."""
    found = verdicts(any_world, plate, start, end, day)
    assert found == dict.fromkeys(found, is_free)


@pytest.mark.parametrize("status", ["pending", "confirmed", "active"])
def test_a_rental_that_waits_or_runs_blocks_everywhere(world: Any, day: Any, status: str) -> None:
    """BL-004: never "free" in search and "taken" in create."""
    world.put_rental("V2", "07-01", "07-04", status)
    found = verdicts(world, "V2", "07-02", "07-03", day)
    assert found == dict.fromkeys(found, False)


@pytest.mark.parametrize("status", ["rejected", "cancelled", "completed"])
def test_a_rental_that_is_over_blocks_nowhere(world: Any, day: Any, status: str) -> None:
    """BL-011, BL-013."""
    world.put_rental("V2", "09-01", "09-05", status)
    found = verdicts(world, "V2", "09-01", "09-05", day)
    assert found == dict.fromkeys(found, True)


def test_turnaround_keeps_a_gap_after_and_before(world: Any, day: Any) -> None:
    """BL-007, BL-008 with preparation time: hours count as whole days, in every path."""
    world.run("UPDATE company SET turnaround_hours = 4")
    world.run("UPDATE rental SET block_end = '2027-06-18'")
    assert set(verdicts(world, "V1", "06-17", "06-20", day).values()) == {False}
    assert set(verdicts(world, "V1", "06-07", "06-10", day).values()) == {False}
    assert set(verdicts(world, "V1", "06-18", "06-20", day).values()) == {True}
    assert set(verdicts(world, "V1", "06-06", "06-09", day).values()) == {True}


@pytest.mark.parametrize(("min_days", "max_days", "days", "is_free"), [(2, 30, 1, False), (0, 0, 5, True)])
def test_minimum_is_enforced_and_zero_is_no_limit(
    world: Any, day: Any, min_days: int, max_days: int, days: int, is_free: bool
) -> None:
    """BL-122."""
    world.run("UPDATE company SET min_days = :low, max_days = :high", low=min_days, high=max_days)
    found = verdicts(world, "V2", "06-20", f"06-{20 + days}", day)
    assert found == dict.fromkeys(found, is_free)


def test_a_seasons_minimum_counts_for_arrivals_in_it(world: Any, day: Any) -> None:
    """BL-124: the day of arrival decides, in every path alike."""
    world.run("UPDATE price_season SET min_days = 3 WHERE code = 'high'")
    assert set(verdicts(world, "V2", "05-31", "06-02", day).values()) == {True}
    assert set(verdicts(world, "V2", "06-05", "06-07", day).values()) == {False}
    assert set(verdicts(world, "V2", "06-05", "06-08", day).values()) == {True}


@pytest.mark.parametrize(
    ("start", "end", "code", "fact"),
    [
        ("2027-05-30", "2027-06-02", "period_past", {"today": "2027-05-31"}),
        ("2027-06-01", "2027-07-05", "period_too_long", {"max_days": 30}),
        ("2029-01-01", "2029-01-05", "period_too_far", {"latest_start": "2028-07-04"}),
        ("2027-06-06", "2027-06-08", "pickup_closed", {"next_open": "2027-06-07", "office": "kuta"}),
        ("2027-06-05", "2027-06-06", "return_closed", {"day": "2027-06-06"}),
    ],
)
def test_a_refusal_says_which_rule_and_what_would_do(
    world: Any, start: str, end: str, code: str, fact: dict[str, Any]
) -> None:
    period = (date.fromisoformat(start), date.fromisoformat(end))
    refusal = check_availability(world.db, world.a, world.now, world.uuid("V3"), *period).decision.refusal
    assert refusal is not None
    assert refusal.code == code
    assert fact.items() <= refusal.facts.items()


def test_the_office_decides_what_day_it_is(world: Any, day: Any) -> None:
    """At 23:30 UTC it is tomorrow in Makassar and still today in Los Angeles."""
    world.now = datetime(2027, 6, 1, 23, 30, tzinfo=UTC)
    first, last = day("06-01"), day("06-03")
    makassar = check_availability(world.db, world.a, world.now, world.uuid("V2"), first, last)
    angeles = check_availability(world.db, world.c, world.now, world.uuid("S1"), first, last)
    assert makassar.decision.refusal is not None
    assert makassar.decision.refusal.code == "period_past"
    assert angeles.decision.refusal is None


def test_today_ends_when_the_office_closes(world: Any, day: Any) -> None:
    world.now = datetime(2027, 5, 31, 10, 0, tzinfo=UTC)  # 18:00 in Makassar
    found = check_availability(world.db, world.a, world.now, world.uuid("V2"), day("05-31"), day("06-02"))
    assert found.decision.refusal is not None
    assert found.decision.refusal.code == "lead_time"
    assert found.decision.refusal.facts["next_open"] == "2027-06-01"


@pytest.mark.parametrize(("start", "end"), [("2027-06-20", "2027-06-19"), ("2027-06-20", "3500-01-01")])
def test_a_period_that_cannot_be_is_invalid_not_refused(world: Any, start: str, end: str) -> None:
    with pytest.raises(InvalidData) as caught:
        search_vehicles(world.db, world.a, world.now, SearchQuery(date.fromisoformat(start), date.fromisoformat(end)))
    assert caught.value.facts == {"fields": ["end"]}


def test_pick_up_keeps_its_wall_clock_over_a_clock_change(world: Any) -> None:
    """BL-094: Athens leaves summer time on 31 October 2027; 30 October to 1 November is two days, both at 10:00."""
    quote = world.quote("H1", "10-30", "11-01", world.b)
    assert quote.period.days == 2
    assert quote.pickup_at.isoformat() == "2027-10-30T10:00:00+03:00"
    assert quote.return_at.isoformat() == "2027-11-01T10:00:00+02:00"


def test_a_pick_up_today_is_not_in_the_past(world: Any) -> None:
    quote = world.quote("V2", "05-31", "06-01")
    assert quote.pickup_at.isoformat() == "2027-05-31T15:30:00+08:00"
    assert quote.return_at.isoformat() == "2027-06-01T15:30:00+08:00"


days_of_year = st.dates(date(2027, 6, 1), date(2027, 8, 1))
stays = st.builds(lambda s, n: Period(s, s + timedelta(days=n)), days_of_year, st.integers(0, 12))


@given(stays, stays, st.sampled_from([0, 4, 24, 25]))
def test_whether_two_stays_collide_does_not_depend_on_which_came_first(
    one: Period, other: Period, turnaround_hours: int
) -> None:
    rules = terms(turnaround_hours=turnaround_hours)
    second = decide(other, rules, NOW, [taken(one.start, one.end, turnaround_hours)])
    first = decide(one, rules, NOW, [taken(other.start, other.end, turnaround_hours)])
    assert first.allowed == second.allowed
    shared = {one.start + timedelta(n) for n in range(one.days)} & {
        other.start + timedelta(n) for n in range(other.days)
    }
    if shared:
        assert not first.allowed
    if turnaround_hours == 0:
        assert first.allowed == (not shared)


@given(stays, st.integers(1, 10))
def test_stays_that_only_touch_are_both_allowed(stay: Period, days: int) -> None:
    end = stay.start + timedelta(days=stay.days)
    neighbour = Period(end, end + timedelta(days=days))
    assert decide(neighbour, terms(), NOW, [taken(stay.start, stay.end)]).allowed
    assert decide(stay, terms(), NOW, [taken(neighbour.start, neighbour.end)]).allowed


@given(stays)
def test_a_block_holds_each_paid_day(stay: Period) -> None:
    block = stay.block()
    assert block == Block(stay.start, stay.start + timedelta(days=stay.days))
    assert block.overlaps(block)
