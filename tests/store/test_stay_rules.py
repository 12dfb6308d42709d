"""The rules of a stay: lead time, holidays, limits by season, pending requests, two of a kind; the same everywhere."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from store.crm.alternatives import find_alternatives
from store.crm.rentals import create_rental
from store.crm.search import SearchQuery, search_vehicles
from store.crm.vehicles import check_availability
from store.errors import Refused
from store.rules.stay import Refusal
from store.sql.rentals import is_overlap


def refusal(world: Any, plate: str, start: date, end: date) -> Refusal | None:
    return check_availability(world.db, world.a, world.now, world.uuid(plate), start, end).decision.refusal


def verdicts(world: Any, plate: str, start: date, end: date) -> set[bool]:
    """What search, availability, alternatives, quote and create say."""
    uuid = world.uuid(plate)
    category = world.value(
        "SELECT category FROM vehicle_model m JOIN vehicle v ON v.model_id = m.id WHERE plate = :plate", plate=plate
    )
    query = SearchQuery(start, end, category=category, page_size=50)
    found = search_vehicles(world.db, world.a, world.now, query).offers
    said = {
        uuid in {offer.vehicle.uuid for offer in found},
        check_availability(world.db, world.a, world.now, uuid, start, end).decision.allowed,
    }
    try:
        said.add(find_alternatives(world.db, world.a, world.now, uuid, start, end, 5).decision.allowed)
    except Refused:
        said.add(False)
    try:
        quote = world.quote(plate, start.isoformat(), end.isoformat())
        create_rental(world.db, world.a, world.now, world.order(quote))
        said.add(True)
    except Refused:
        said.add(False)
    return said


# ---- lead time -----------------------------------------------------------------------------------


def test_a_lead_time_refuses_what_cannot_be_prepared_and_names_the_next_day(world: Any, day: Any) -> None:
    """15:30 and three hours are after 18:00, when Sanur closes; tomorrow will do."""
    world.run("UPDATE company SET lead_minutes = 180")
    found = refusal(world, "V2", day("05-31"), day("06-02"))
    assert found == Refusal("lead_time", {"office": "sanur", "next_open": "2027-06-01", "lead_minutes": 180})
    assert verdicts(world, "V2", day("05-31"), day("06-02")) == {False}
    assert verdicts(world, "V2", day("06-01"), day("06-02")) == {True}


def test_a_lead_time_of_two_days_skips_the_closed_sunday(world: Any, day: Any) -> None:
    world.run("UPDATE company SET lead_minutes = 2880")
    world.now = datetime(2027, 6, 4, 11, 0, tzinfo=UTC)  # Friday 19:00; in two days Kuta is closed
    found = refusal(world, "V3", day("06-05"), day("06-08"))
    assert found is not None
    assert found.facts["next_open"] == "2027-06-07"


def test_a_pick_up_on_the_first_day_is_not_before_the_lead_time(world: Any) -> None:
    world.run("UPDATE company SET lead_minutes = 120")
    assert world.quote("V2", "05-31", "06-01").pickup_at.isoformat() == "2027-05-31T17:30:00+08:00"


def test_today_is_the_offices_today(world: Any, day: Any) -> None:
    """BL-089: 07:30 in Makassar is yesterday in UTC."""
    world.now = datetime(2027, 6, 9, 23, 30, tzinfo=UTC)
    world.run("UPDATE rental SET status = 'cancelled'")
    assert verdicts(world, "V1", day("06-10"), day("06-12")) == {True}


# ---- holidays ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("holiday", "is_open_next_year"), [("2027-08-17", True), ("08-17", False)])
def test_a_holiday_closes_the_office_for_pick_up_and_return(
    world: Any, day: Any, holiday: str, is_open_next_year: bool
) -> None:
    world.run("UPDATE office SET closed_days = :days", days=f'["{holiday}", "2027-08-18"]')
    found = refusal(world, "V2", day("08-17"), day("08-20"))
    assert found == Refusal("pickup_closed", {"office": "sanur", "day": "2027-08-17", "next_open": "2027-08-19"})
    back = refusal(world, "V2", day("08-15"), day("08-18"))
    assert back == Refusal("return_closed", {"office": "sanur", "day": "2027-08-18", "next_open": "2027-08-19"})
    assert verdicts(world, "V2", day("08-16"), day("08-19")) == {True}
    world.now = datetime(2028, 8, 1, tzinfo=UTC)
    assert (refusal(world, "V4", day("2028-08-17"), day("2028-08-19")) is None) == is_open_next_year


def test_ways_out_of_a_holiday_are_open_days(world: Any, day: Any) -> None:
    world.run('UPDATE office SET closed_days = \'["2027-08-17", "2027-08-18"]\'')
    found = find_alternatives(world.db, world.a, world.now, world.uuid("V2"), day("08-17"), day("08-24"), 5)
    assert [(o.period.start, o.reason.code, o.reason.day) for o in found.options[:2]] == [
        (day("08-19"), "office_open", day("08-19")),
        (day("08-19"), "office_open", day("08-19")),
    ]
    assert {o.strategy for o in found.options} >= {"shift_later", "gap"}


# ---- limits by season ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stay_by", "start", "end", "is_free"),
    [
        ("arrival", "05-31", "06-02", True),
        ("any_day", "05-31", "06-02", False),
        ("any_day", "05-31", "06-01", True),  # the day of return is no rental day
        ("any_day", "05-31", "06-03", True),
        ("arrival", "06-05", "06-07", False),
        ("any_day", "08-30", "09-01", False),
    ],
)
def test_which_seasons_minimum_counts_is_a_setting(
    world: Any, day: Any, stay_by: str, start: str, end: str, is_free: bool
) -> None:
    """BL-124: the season of arrival or each that is touched; one verdict everywhere."""
    world.run("UPDATE price_list SET stay_by = :by", by=stay_by)
    world.run("UPDATE price_season SET min_days = 3 WHERE code = 'high'")
    assert verdicts(world, "V2", day(start), day(end)) == {is_free}


def test_a_seasons_maximum_is_told_with_the_rule(world: Any, day: Any) -> None:
    world.run("UPDATE price_season SET max_days = 5 WHERE code = 'high'")
    assert refusal(world, "V2", day("06-20"), day("06-26")) == Refusal("period_too_long", {"max_days": 5})
    assert verdicts(world, "V2", day("06-20"), day("06-25")) == {True}


# ---- requests that wait for staff ----------------------------------------------------------------


@pytest.mark.parametrize("blocks", [True, False])
def test_whether_a_pending_request_blocks_is_one_setting_for_every_path(any_world: Any, day: Any, blocks: bool) -> None:
    """BL-004."""
    any_world.run("UPDATE company SET pending_blocks = :blocks", blocks=blocks)
    any_world.put_rental("V2", "07-01", "07-04", "pending")
    assert verdicts(any_world, "V2", day("07-02"), day("07-03")) == {not blocks}


def test_pending_requests_may_share_days_only_where_they_do_not_block(any_world: Any) -> None:
    any_world.put_rental("V2", "07-01", "07-04", "pending")
    with pytest.raises(IntegrityError) as caught:
        any_world.put_rental("V2", "07-02", "07-05", "pending")
    assert is_overlap(caught.value)
    any_world.run("UPDATE company SET pending_blocks = :off", off=False)
    any_world.put_rental("V2", "07-02", "07-05", "pending")
    # The first one is confirmed; the schema lets no second one follow.
    any_world.run("UPDATE rental SET status = 'confirmed' WHERE start_date = '2027-07-01'")
    with pytest.raises(IntegrityError) as caught:
        any_world.run("UPDATE rental SET status = 'confirmed' WHERE start_date = '2027-07-02'")
    assert is_overlap(caught.value)


def test_a_writer_cannot_claim_another_setting_than_the_companys(any_world: Any) -> None:
    """The copy on the rental is not believed: neither at the insert nor later."""
    any_world.put_rental("V2", "07-01", "07-04", "pending")
    any_world.run("UPDATE rental SET pending_blocks = :off", off=False)
    with pytest.raises(IntegrityError) as caught:
        any_world.put_rental("V2", "07-02", "07-05", "pending")
    assert is_overlap(caught.value)


def test_the_setting_cannot_be_turned_on_over_requests_that_overlap(any_world: Any) -> None:
    any_world.run("UPDATE company SET pending_blocks = :off", off=False)
    any_world.put_rental("V2", "07-01", "07-04", "pending")
    any_world.put_rental("V2", "07-02", "07-05", "pending")
    with pytest.raises(IntegrityError) as caught:
        any_world.run("UPDATE company SET pending_blocks = :on", on=True)
    assert is_overlap(caught.value)
    any_world.run("UPDATE rental SET status = 'rejected' WHERE start_date = '2027-07-02'")
    any_world.run("UPDATE company SET pending_blocks = :on", on=True)


def test_one_companys_setting_does_not_reach_another(any_world: Any) -> None:
    any_world.run("UPDATE company SET pending_blocks = :off WHERE slug = 'coral-rentals'", off=False)
    any_world.put_rental("H1", "07-01", "07-04", "pending")
    with pytest.raises(IntegrityError):
        any_world.put_rental("H1", "07-02", "07-05", "pending")


# ---- two of one kind -----------------------------------------------------------------------------


def add_twin(world: Any, plate: str = "V1b") -> None:
    world.run(
        "INSERT INTO vehicle (company_id, uuid, model_id, office_id, plate, colour, details, search_text, state)"
        " SELECT company_id, :uuid, model_id, office_id, :plate, colour, '', '', 'ready' FROM vehicle"
        " WHERE plate = 'V1'",
        uuid=f"twin-{plate}",
        plate=plate,
    )


def test_the_second_of_a_kind_is_offered_first_when_the_first_is_taken(any_world: Any, day: Any) -> None:
    add_twin(any_world)
    first, last = day("06-10"), day("06-17")
    found = find_alternatives(any_world.db, any_world.a, any_world.now, any_world.uuid("V1"), first, last, 5)
    others = [o for o in found.options if o.strategy == "other_vehicle"]
    assert (others[0].offer.vehicle.uuid, others[0].difference_minor) == ("twin-V1b", 0)
    assert [o.reason.code for o in others] == ["same_model", "similar_vehicle"]


def test_a_kind_is_taken_when_all_of_it_are(any_world: Any, day: Any) -> None:
    add_twin(any_world)
    query = SearchQuery(day("06-20"), day("06-22"), category="scooter")

    def count() -> int:
        offers = search_vehicles(any_world.db, any_world.a, any_world.now, query).offers
        return sum(1 + o.also_free for o in offers if o.vehicle.model == "PCX 160")

    assert count() == 2
    any_world.book("V1", "06-20", "06-22")
    assert count() == 1
    any_world.book("V1b", "06-20", "06-22")
    assert count() == 0
