"""Search does bounded work whatever the size of the fleet, and still says exactly what the rules say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError

from store.crm import search_walk
from store.crm.holds import hold_vehicle
from store.crm.search import MOST_KINDS_COUNTED, SearchOutcome, SearchQuery, search_vehicles
from store.rules.matching import search_text
from store.rules.periods import BLOCKING_STATUSES, Block, Period
from store.sql import kinds
from store.sql.kinds import MOST_OF_A_KIND
from store.sql.scope import Scope

FIRST = date(2027, 6, 10)
STATUSES = ("pending", "confirmed", "active", "completed", "cancelled", "rejected")


def search(world: Any, day: Any, start: str = "06-20", end: str = "06-27", **query: Any) -> SearchOutcome:
    scope = query.pop("scope", world.a)
    return search_vehicles(world.db, scope, world.now, SearchQuery(day(start), day(end), **query))


def names(outcome: SearchOutcome) -> list[str]:
    return [offer.vehicle.name for offer in outcome.offers]


def add_vehicle(world: Any, like: str, plate: str, details: str = "", office: str = "") -> None:
    """One more vehicle of the model of another, at the same office unless told."""
    world.run(
        "INSERT INTO vehicle (company_id, uuid, model_id, office_id, plate, colour, year, details, search_text, state)"
        " SELECT company_id, :uuid, model_id,"
        " coalesce((SELECT id FROM office WHERE office.company_id = vehicle.company_id AND slug = :office), office_id),"
        " :plate, 'red', 2026, :details, :words, 'ready' FROM vehicle WHERE plate = :like",
        uuid=str(uuid4()),
        plate=plate,
        details=details,
        words=search_text(details, plate),
        like=like,
        office=office,
    )


def add_models(world: Any, count: int) -> None:
    """So many models like that of V1, one vehicle each."""
    for n in range(count):
        world.run(
            "INSERT INTO vehicle_model (company_id, brand_id, slug, name, display_name, category, drawing, gearbox,"
            " fuel, licence, image_url, aliases, skipper)"
            " SELECT m.company_id, brand_id, :slug, :name, :name, category, drawing, gearbox, fuel, licence, image_url,"
            " '[]', skipper FROM vehicle_model m JOIN vehicle v ON v.model_id = m.id WHERE v.plate = 'V1'",
            slug=f"extra-{n}",
            name=f"Extra {n:03d}",
        )
        add_vehicle(world, "V1", f"E{n:03d}")
        world.run(
            "UPDATE vehicle SET model_id = (SELECT id FROM vehicle_model WHERE slug = :slug) WHERE plate = :plate",
            slug=f"extra-{n}",
            plate=f"E{n:03d}",
        )
    world.run(
        "INSERT INTO price_list (company_id, code, category, base_per_day_minor, version)"
        " VALUES (:company, 'all-scooters', 'scooter', 100000, 1)",
        company=world.a.company_id,
    )


def stamps(world: Any) -> set[str]:
    with world.db.read() as session:
        return set(session.execute(text("SELECT stamp FROM company_stamp")).scalars())


@contextmanager
def counted_statements(world: Any) -> Iterator[list[str]]:
    seen: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        seen.append(statement)

    event.listen(world.db.engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(world.db.engine, "before_cursor_execute", note)


# ---- the database and the rules agree --------------------------------------------------------------


@settings(
    max_examples=40,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    stays=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4), st.sampled_from(STATUSES)), min_size=4, max_size=4),
    start=st.integers(0, 9),
    days=st.integers(0, 4),
)
@example(stays=[(0, 3, "confirmed"), (5, 3, "active"), (3, 2, "pending"), (4, 0, "confirmed")], start=3, days=2)
def test_the_query_and_the_rule_find_the_same_vehicles_free(
    any_world: Any, stays: list[tuple[int, int, str]], start: int, days: int
) -> None:
    """Half-open days on both sides: `Block.overlaps` says what the query has to say, for every status."""
    world = any_world
    world.run("UPDATE rental SET status = 'rejected'")
    plates = ("V1", "V2", "V3", "V4")
    for plate, (first, length, status) in zip(plates, stays, strict=True):
        begin = FIRST + timedelta(days=first)
        world.put_rental(plate, begin.isoformat(), (begin + timedelta(days=length)).isoformat(), status)
    period = Period(FIRST + timedelta(days=start), FIRST + timedelta(days=start + days))
    expected = {
        plate
        for plate, (first, length, status) in zip(plates, stays, strict=True)
        if status not in BLOCKING_STATUSES
        or not period.block(0).overlaps(Block(FIRST + timedelta(first), FIRST + timedelta(first + max(1, length))))
    }
    uuids = {world.uuid(plate): plate for plate in plates}
    found = search_vehicles(world.db, world.a, world.now, SearchQuery(period.start, period.end, page_size=50))
    free = {uuids[offer.vehicle.uuid] for offer in found.offers}
    # Offices may be closed on a day; what is offered is free, and what is free is offered where the rules let it out.
    assert free <= expected
    refused = {uuids[v.uuid] for v in found.taken} & expected
    assert refused == set()
    assert {uuids[vehicle.uuid] for vehicle in found.taken} == set(plates) - expected


def test_a_vehicle_that_another_holds_is_not_offered(any_world: Any, day: Any) -> None:
    any_world.run("UPDATE company SET hold_minutes = 15 WHERE id = :id", id=any_world.a.company_id)
    quote = any_world.quote("V1", "06-20", "06-27")
    hold_vehicle(any_world.db, any_world.a, any_world.now, quote.quote_uuid)
    assert "Honda PCX 160" in names(search(any_world, day))
    other = Scope(any_world.a.company_id, actor="web:other")
    assert "Honda PCX 160" not in names(search(any_world, day, scope=other))
    any_world.now += timedelta(minutes=16)
    assert "Honda PCX 160" in names(search(any_world, day, scope=other))


# ---- kinds -----------------------------------------------------------------------------------------


def test_vehicles_of_one_kind_are_listed_once(any_world: Any, day: Any) -> None:
    before = search(any_world, day)
    add_vehicle(any_world, "V1", "V1B")
    found = search(any_world, day)
    assert names(found) == names(before)
    assert (found.total_found, found.vehicles_found) == (before.total_found, before.vehicles_found + 1)
    assert {offer.vehicle.name: offer.also_free for offer in found.offers}["Honda PCX 160"] == 1
    assert found.matching_total == before.matching_total + 1


def test_the_kind_stands_for_the_one_that_is_free(any_world: Any, day: Any) -> None:
    add_vehicle(any_world, "V1", "V1B")
    any_world.put_rental("V1", "06-21", "06-23")
    (pcx,) = search(any_world, day, text="pcx").offers
    assert (pcx.vehicle.uuid, pcx.also_free) == (any_world.uuid("V1B"), 0)


def test_another_office_is_another_kind(any_world: Any, day: Any) -> None:
    add_vehicle(any_world, "V1", "V1K", office="kuta")
    found = search(any_world, day, "06-21", "06-28", text="pcx")
    assert {offer.vehicle.office_slug for offer in found.offers} >= {"kuta"}
    assert found.total_found == 2


def test_a_vehicle_with_its_own_price_is_a_kind_of_its_own(any_world: Any, day: Any) -> None:
    add_vehicle(any_world, "V1", "V1B")
    any_world.run(
        "INSERT INTO price_list (company_id, code, vehicle_id, base_per_day_minor, version)"
        " SELECT company_id, 'old-one', id, 1000, 1 FROM vehicle WHERE plate = 'V1B'"
    )
    cheap, usual = search(any_world, day, text="pcx").offers
    assert (cheap.vehicle.uuid, cheap.price.total_minor, cheap.also_free) == (any_world.uuid("V1B"), 7000, 0)
    assert (usual.vehicle.uuid, usual.also_free) == (any_world.uuid("V1"), 0)


def test_many_of_a_kind_are_counted_up_to_a_bound_that_is_told(any_world: Any, day: Any) -> None:
    for n in range(MOST_OF_A_KIND):
        add_vehicle(any_world, "V1", f"P{n:03d}")
    found = search(any_world, day, text="pcx")
    assert (found.total_found, found.vehicles_found, found.totals_are_minimum) == (1, MOST_OF_A_KIND, True)
    assert found.offers[0].also_free == MOST_OF_A_KIND - 1
    assert not search(any_world, day, text="nmax").totals_are_minimum


# ---- size ------------------------------------------------------------------------------------------


def test_counting_stops_and_says_so_and_pages_still_join(any_world: Any, day: Any) -> None:
    add_models(any_world, MOST_KINDS_COUNTED + 15)
    pages = [search(any_world, day, category="scooter", page=n) for n in range(1, 8)]
    assert (pages[0].total_found, pages[0].totals_are_minimum) == (MOST_KINDS_COUNTED, True)
    assert not pages[6].totals_are_minimum
    told = [offer.vehicle.uuid for page in pages for offer in page.offers]
    assert len(told) == len(set(told)) == pages[6].total_found == MOST_KINDS_COUNTED + 17
    assert [page.has_more for page in pages] == [True] * 6 + [False]
    totals = [offer.price.total_minor for page in pages for offer in page.offers]
    assert totals == sorted(totals)


def test_more_vehicles_need_no_more_statements(world: Any, day: Any) -> None:
    with counted_statements(world) as before:
        search(world, day)
    for n in range(60):
        add_vehicle(world, "V1", f"P{n:03d}")
    search(world, day)
    with counted_statements(world) as after:
        search(world, day)
    assert len(after) <= len(before)


@pytest.mark.parametrize(
    ("bound", "module", "most"),
    [("_MOST_SPOTS", kinds, 0), ("_MOST_SPOTS", kinds, 1), ("_FIRST_LOOK", search_walk, 1)],
)
@pytest.mark.parametrize(
    "query", [{"text": "rain"}, {"text": "honda rain cape"}, {"text": "rain", "category": "motorcycle"}, {}]
)
def test_bounds_of_the_work_do_not_show(
    any_world: Any, day: Any, monkeypatch: pytest.MonkeyPatch, bound: str, module: Any, most: int, query: dict[str, Any]
) -> None:
    """What is found depends neither on how many vehicles own words name nor on how far one look goes."""
    for n in range(3):
        add_vehicle(any_world, "V2", f"R{n}", "rain cape")
    any_world.put_rental("R0", "06-21", "06-23")
    whole = search(any_world, day, **query)
    monkeypatch.setattr(module, bound, most)
    assert search(any_world, day, **query) == whole


# ---- what is kept between searches -----------------------------------------------------------------


def test_a_changed_price_shows_at_once(any_world: Any, day: Any) -> None:
    before = search(any_world, day, text="pcx").offers[0].price.total_minor
    any_world.run("UPDATE price_season SET per_day_minor = per_day_minor + 1000 WHERE per_day_minor IS NOT NULL")
    any_world.run("UPDATE price_list SET base_per_day_minor = base_per_day_minor + 1000")
    assert search(any_world, day, text="pcx").offers[0].price.total_minor > before


def test_a_new_name_is_found_at_once(any_world: Any, day: Any) -> None:
    assert names(search(any_world, day, text="wobbly")) == []
    any_world.run("""UPDATE vehicle_model SET aliases = '["Wobbly"]' WHERE display_name = 'Honda PCX 160'""")
    assert names(search(any_world, day, text="wobbly")) == ["Honda PCX 160"]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE company SET min_days = 20",
        "UPDATE office SET name = 'Renamed'",
        "UPDATE office SET slug = slug || '-2'",
        "UPDATE office_hours SET closes = '23:59'",
        "DELETE FROM office_hours WHERE weekday = 3",
    ],
)
def test_a_changed_rule_or_office_shows_at_once(any_world: Any, day: Any, change: str) -> None:
    before = search(any_world, day).company
    any_world.run(change)
    assert search(any_world, day).company != before


@pytest.mark.postgres
def test_a_booking_does_not_touch_the_stamp_of_its_company(postgres_world: Any) -> None:
    """It would wait for whoever changes an office, and every search after it would read the company again."""
    before = stamps(postgres_world)
    postgres_world.run("UPDATE company SET next_order_number = next_order_number + 1")
    assert stamps(postgres_world) == before
    postgres_world.run("UPDATE company SET next_order_number = next_order_number + 1, tagline = 'new'")
    assert stamps(postgres_world).isdisjoint(before)


def test_without_the_trigger_an_old_name_would_be_kept(world: Any, day: Any) -> None:
    """Negative control."""
    search(world, day, text="wobbly")
    world.run("DROP TRIGGER vehicle_model_stamp_update")
    world.run("""UPDATE vehicle_model SET aliases = '["Wobbly"]' WHERE display_name = 'Honda PCX 160'""")
    assert names(search(world, day, text="wobbly")) == []


def test_a_change_that_is_rolled_back_leaves_nothing_behind(any_world: Any, day: Any) -> None:
    def rename_and_fail() -> None:
        with any_world.db.write() as session:
            session.connection().execute(text("UPDATE vehicle_model SET display_name = 'Nobody'"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        rename_and_fail()
    assert "Honda PCX 160" in names(search(any_world, day))


# ---- words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("big bike", ["Honda CRF 150"]),
        ("a big bike please", ["Honda CRF 150"]),
        ("honda something automatic", ["Honda PCX 160"]),
        ("มอเตอร์ไซค์", ["Honda CRF 150"]),
        ("v1 honda", ["Honda PCX 160"]),
        ("honda rain cape", ["Honda PCX 160"]),
        ("yamaha pcx", []),
        ("ai", []),  # in "rain", but two letters have to be a word
    ],
)
def test_words_are_read_as_customers_mean_them(any_world: Any, day: Any, words: str, expected: list[str]) -> None:
    assert names(search(any_world, day, "06-21", "06-26", text=words)) == expected


def test_a_shops_own_alias_goes_before_the_general_meaning(world: Any, day: Any) -> None:
    world.run("""UPDATE vehicle_model SET aliases = '["big bike"]' WHERE display_name = 'Yamaha NMAX 155'""")
    assert names(search(world, day, text="big bike")) == ["Yamaha NMAX 155"]


def test_a_plate_is_found_by_its_figures(any_world: Any, day: Any) -> None:
    add_vehicle(any_world, "V1", "DK 4417 XY")
    for words in ("4417", "dk4417", "DK 4417 XY", "honda 4417"):
        found = search(any_world, day, text=words)
        assert [offer.vehicle.uuid for offer in found.offers] == [any_world.uuid("DK 4417 XY")], words


# ---- budget ----------------------------------------------------------------------------------------


def test_what_is_free_above_the_budget_is_hinted_at(any_world: Any, day: Any) -> None:
    found = search(any_world, day, text="pcx", budget_minor=1)
    assert (found.offers, found.total_found, found.refusal) == ((), 0, None)
    assert [hint.code for hint in found.hints] == ["over_budget"]


def test_what_is_taken_above_the_budget_is_not(any_world: Any, day: Any) -> None:
    found = search(any_world, day, "06-10", "06-17", text="pcx", budget_minor=1)
    assert found.hints == ()
    assert [vehicle.name for vehicle in found.taken] == ["Honda PCX 160"]


@pytest.mark.postgres
def test_the_statements_of_a_search_are_planned_once(postgres_world: Any, day: Any) -> None:
    """A read that ended in a rollback would make the driver forget them: negative control of `Database.read`."""
    for _ in range(8):
        search(postgres_world, day)
    with postgres_world.db.read() as session:
        kept = session.execute(text("SELECT statement FROM pg_prepared_statements")).scalars().all()
    assert any("FROM vehicle" in statement for statement in kept)


@pytest.mark.postgres
def test_a_reading_transaction_cannot_write(postgres_world: Any) -> None:
    with pytest.raises(DBAPIError, match="read-only"), postgres_world.db.read() as session:
        session.execute(text("UPDATE company SET name = 'x'"))
