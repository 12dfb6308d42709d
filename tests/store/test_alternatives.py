"""A bot that only says "not available" is useless: ways out, anchored and bookable."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from store.crm.alternatives import AlternativesOutcome, find_alternatives
from store.crm.rentals import create_rental
from store.crm.vehicles import check_availability
from store.errors import Refused


def ways_out(world: Any, plate: str, start: date, end: date, limit: int = 5) -> AlternativesOutcome:
    return find_alternatives(world.db, world.a, world.now, world.uuid(plate), start, end, limit)


def periods(outcome: AlternativesOutcome) -> list[tuple[str, str, str]]:
    return [
        (o.strategy, o.period.start.isoformat()[5:], o.period.end.isoformat()[5:])
        for o in outcome.options
        if o.strategy != "other_vehicle"
    ]


def test_the_nearest_periods_come_first_then_another_vehicle(world: Any, day: Any) -> None:
    """The seed's story: 10 to 17 June is taken, 3 to 10 or after the return is offered, at the same rate."""
    found = ways_out(world, "V1", day("06-10"), day("06-17"))
    assert periods(found)[:2] == [("shift_earlier", "06-03", "06-10"), ("shift_later", "06-17", "06-24")]
    assert [o.shift_days for o in found.options[:2]] == [-7, 7]
    assert [o.difference_minor for o in found.options[:2]] == [0, 0]
    last = found.options[-1]
    assert (last.strategy, last.offer.vehicle.name) == ("other_vehicle", "Yamaha NMAX 155")
    assert last.period == found.period


def test_a_wish_that_begins_before_the_booking_may_be_shortened(world: Any, day: Any) -> None:
    found = ways_out(world, "V1", day("06-07"), day("06-14"))
    by_strategy = {o.strategy: o for o in found.options}
    assert periods(found) == [
        ("shift_earlier", "06-03", "06-10"),
        ("shift_later", "06-17", "06-24"),
        ("shorter", "06-07", "06-10"),
    ]
    assert by_strategy["shorter"].difference_minor == 540_000 - found.wish_total_minor


def test_a_gap_between_bookings_is_found(world: Any, day: Any) -> None:
    world.put_rental("V1", "06-20", "06-25")
    world.put_rental("V1", "06-27", "07-20")
    found = ways_out(world, "V1", day("06-15"), day("06-22"), limit=10)
    assert ("gap", "06-17", "06-20") in periods(found)
    assert ("gap", "06-25", "06-27") in periods(found)
    assert ("shift_later", "07-20", "07-27") not in periods(found)  # farther than a month


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("06-10", "06-17"),
        ("06-07", "06-14"),
        ("06-15", "06-22"),
        ("06-10", "06-10"),
        ("05-31", "06-12"),
        ("06-01", "06-30"),
    ],
)
@pytest.mark.parametrize("turnaround_hours", [0, 4])
def test_every_way_out_can_be_booked_and_is_anchored(
    world: Any, day: Any, start: str, end: str, turnaround_hours: int
) -> None:
    world.run("UPDATE company SET turnaround_hours = :hours", hours=turnaround_hours)
    world.put_rental("V1", "06-20", "06-25")
    world.put_rental("V1", "07-01", "07-03")
    if turnaround_hours:
        for last, until in (("17", "18"), ("25", "26")):
            world.run(f"UPDATE rental SET block_end = '2027-06-{until}' WHERE end_date = '2027-06-{last}'")  # noqa: S608
        world.run("UPDATE rental SET block_end = '2027-07-04' WHERE end_date = '2027-07-03'")
    found = ways_out(world, "V1", day(start), day(end), limit=10)
    assert found.options
    gap = timedelta(days=1 if turnaround_hours else 0)
    anchors = {day(start), *(day(d) + gap for d in ("06-17", "06-25", "07-03"))}
    ends = {day(d) - gap for d in ("06-10", "06-20", "07-01")}
    for option in found.options:
        assert option.period.start in anchors or option.period.end in ends
        args = (option.offer.vehicle.uuid, option.period.start, option.period.end)
        checked = check_availability(world.db, world.a, world.now, *args).decision
        assert checked.allowed
        assert checked.price is not None
        assert option.offer.price.total_minor == checked.price.total_minor
        assert option.difference_minor == checked.price.total_minor - found.wish_total_minor


def test_a_chosen_way_out_becomes_a_rental(world: Any, day: Any) -> None:
    option = ways_out(world, "V1", day("06-10"), day("06-17")).options[0]
    quote = world.quote("V1", option.period.start.isoformat(), option.period.end.isoformat())
    assert quote.price.total_minor == option.offer.price.total_minor
    assert create_rental(world.db, world.a, world.now, world.order(quote)).rental.status == "confirmed"


def test_a_wish_that_is_free_needs_no_way_out(world: Any, day: Any) -> None:
    found = ways_out(world, "V1", day("06-20"), day("06-27"))
    assert found.decision.allowed
    assert found.options == ()


def test_a_closed_day_leads_to_open_days_and_other_offices(world: Any, day: Any) -> None:
    """BL-125: Sunday 6 June at Kuta."""
    found = ways_out(world, "V3", day("06-06"), day("06-09"))
    assert found.decision.refusal is not None
    assert periods(found)[0] == ("shift_later", "06-07", "06-10")


def test_a_rule_of_the_company_is_told_instead(world: Any, day: Any) -> None:
    with pytest.raises(Refused) as caught:
        ways_out(world, "V1", day("05-01"), day("05-05"))
    assert caught.value.code == "period_refused"
    assert caught.value.facts["refusal"]["code"] == "period_past"


@pytest.mark.parametrize("limit", [1, 2, 3, 10])
def test_the_limit_is_kept(world: Any, day: Any, limit: int) -> None:
    assert 1 <= len(ways_out(world, "V1", day("06-10"), day("06-17"), limit).options) <= limit


def test_the_strip_shows_the_wish_and_the_nearest_options(world: Any, day: Any) -> None:
    found = ways_out(world, "V1", day("06-10"), day("06-17"))
    assert found.strip_start == day("06-03")
    assert [n for n, is_taken in enumerate(found.strip_taken) if is_taken] == [7, 8, 9, 10, 11, 12, 13]
    assert len(found.strip_taken) == 17
