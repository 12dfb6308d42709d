"""A review may keep the vehicle for its customer; whether it still does is judged when somebody asks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from graph.tools import wire

DATES = {"start": "2027-06-20", "end": "2027-06-22"}
X, Y = "web:x", "web:y"


@pytest.fixture
def holding(any_api: Any) -> Any:
    """A company that keeps a vehicle for ten minutes."""
    any_api.world.run("UPDATE company SET hold_minutes = 10")
    return any_api


async def hold(api: Any, plate: str, actor: str, start: str = DATES["start"], end: str = DATES["end"]) -> Any:
    quote = await api.quote(plate, start, end, actor=actor)
    return await api.post("vehicles/holds/", {"quote_uuid": quote["quote_uuid"]}, actor=actor)


async def offers(api: Any, actor: str) -> dict[str, bool]:
    """Whether each path offers V2 for the dates to this chat."""
    query = {"vehicle_uuid": api.world.uuid("V2"), **DATES}
    found = await api.get("vehicles/search_available/", actor=actor, text="nmax", **DATES)
    quote = await api.get("vehicles/pricing/", actor=actor, **query)
    return {
        "search": found.json()["total_found"] == 1,
        "availability": (await api.get("vehicles/availability/", actor=actor, **query)).json()["available"],
        "alternatives": (await api.get("vehicles/alternatives/", actor=actor, **query)).json()["available"],
        "quote": quote.status_code == 200,
        "hold": quote.status_code == 200
        and (await api.post("vehicles/holds/", {"quote_uuid": quote.json()["quote_uuid"]}, actor=actor)).json()["held"],
    }


async def test_a_review_keeps_the_vehicle_for_its_customer_alone(holding: Any) -> None:
    """BL-018: X goes back and finds it again; Y does not, until the hold ends."""
    kept = wire.Hold.model_validate_json((await hold(holding, "V2", X)).content)
    assert kept.held
    assert kept.held_until == holding.world.now + timedelta(minutes=10)
    assert set((await offers(holding, Y)).values()) == {False}
    assert set((await offers(holding, X)).values()) == {True}


async def test_a_hold_ends_by_itself_and_for_every_path_at_once(holding: Any) -> None:
    """BL-019: no background job has run."""
    kept = wire.Hold.model_validate_json((await hold(holding, "V2", X)).content)
    assert kept.held_until is not None
    holding.world.now = kept.held_until - timedelta(microseconds=1)
    assert set((await offers(holding, Y)).values()) == {False}
    holding.world.now = kept.held_until
    assert holding.world.count("vehicle_hold") == 1
    assert set((await offers(holding, Y)).values()) == {True}


async def test_only_a_hold_that_lives_hides_a_similar_vehicle(holding: Any) -> None:
    """V1 is taken. Two others hold the two that would be offered first; the third is offered, then the first again."""
    world = holding.world
    for plate in ("V2b", "V2c"):
        world.run(
            "INSERT INTO vehicle (company_id, uuid, model_id, office_id, plate, colour, details, search_text, state)"
            " SELECT company_id, :uuid, model_id, office_id, :plate, '', '', '', 'ready' FROM vehicle"
            " WHERE plate = 'V2'",
            uuid=f"00000000-0000-4000-8000-{plate:0>12}",
            plate=plate,
        )
    taken = {"start": "2027-06-10", "end": "2027-06-17"}
    for plate, actor in (("V2", X), ("V2b", "web:z")):
        assert (await hold(holding, plate, actor, **taken)).json()["held"]

    async def similar(actor: str) -> list[str]:
        query = {"vehicle_uuid": world.uuid("V1"), **taken, "limit": 2}
        options = (await holding.get("vehicles/alternatives/", actor=actor, **query)).json()["options"]
        return [o["offer"]["vehicle"]["uuid"] for o in options if o["strategy"] == "other_vehicle"]

    assert await similar(Y) == [world.uuid("V2c")]
    assert await similar(X) == [world.uuid("V2")]
    world.now += timedelta(minutes=10)
    assert world.count("vehicle_hold") == 2
    assert await similar(Y) == [world.uuid("V2")]


async def test_the_holder_books_and_the_hold_is_gone(holding: Any) -> None:
    await hold(holding, "V2", X)
    await holding.book("V2", actor=X, **DATES)
    assert holding.world.count("vehicle_hold") == 0


async def test_somebody_elses_hold_refuses_a_booking_that_was_quoted_before(holding: Any) -> None:
    quote = await holding.quote("V2", actor=Y, **DATES)
    await hold(holding, "V2", X)
    answer = await holding.post("vehicles/rentals/", holding.order(quote), actor=Y)
    assert (answer.status_code, answer.json()["code"]) == (409, "dates_taken")
    (conflict,) = answer.json()["facts"]["conflicting_rentals"]
    assert conflict == {"start": "2027-06-20", "end": "2027-06-22", "days": 2, "status": "held"}


async def test_somebody_elses_hold_is_in_the_way_of_a_move(holding: Any) -> None:
    rental = await holding.book("V2", "2027-06-25", "2027-06-27", Y)
    await hold(holding, "V2", X)
    answer = await holding.change(rental, "move", Y, start="2027-06-21", end="2027-06-23")
    assert answer.json()["code"] == "dates_taken"


async def test_a_company_keeps_nothing_unless_it_says_so(any_api: Any) -> None:
    """The setting is 0: the answer says that the vehicle is not kept, and it is not."""
    kept = wire.Hold.model_validate_json((await hold(any_api, "V2", X)).content)
    assert (kept.held, kept.held_until) == (False, None)
    found = await offers(any_api, Y)
    assert found == {**dict.fromkeys(found, True), "hold": False}


async def test_a_repeat_does_not_prolong_a_hold(holding: Any) -> None:
    quote = await holding.quote("V2", actor=X, **DATES)
    first = await holding.post("vehicles/holds/", {"quote_uuid": quote["quote_uuid"]}, actor=X)
    holding.world.now += timedelta(minutes=5)
    again = await holding.post("vehicles/holds/", {"quote_uuid": quote["quote_uuid"]}, actor=X)
    assert again.json()["held_until"] == first.json()["held_until"]


async def test_another_quote_of_the_same_vehicle_does_not_prolong_a_hold(holding: Any) -> None:
    first = (await hold(holding, "V2", X)).json()
    holding.world.now += timedelta(minutes=5)
    again = (await hold(holding, "V2", X)).json()
    assert again["held_until"] == first["held_until"]
    assert again["quote_uuid"] != first["quote_uuid"]


async def test_a_hold_never_outlives_its_quote(holding: Any) -> None:
    holding.world.run("UPDATE company SET hold_minutes = 600")
    quote = await holding.quote("V2", actor=X, **DATES)
    kept = (await holding.post("vehicles/holds/", {"quote_uuid": quote["quote_uuid"]}, actor=X)).json()
    assert kept["held_until"] == quote["expires_at"]
    holding.world.now += timedelta(minutes=15)
    late = await holding.post("vehicles/holds/", {"quote_uuid": quote["quote_uuid"]}, actor=X)
    assert (late.status_code, late.json()["code"]) == (409, "quote_expired")


async def test_one_chat_keeps_one_vehicle(holding: Any) -> None:
    """Nobody keeps the whole fleet: the last review counts."""
    await hold(holding, "V2", X)
    await hold(holding, "V4", X)
    assert holding.world.count("vehicle_hold") == 1
    assert set((await offers(holding, Y)).values()) == {True}


async def test_a_call_without_a_chat_user_keeps_nothing(holding: Any) -> None:
    assert (await hold(holding, "V2", "")).json()["held"] is False


async def test_a_hold_of_another_chats_quote_is_a_missing_quote(holding: Any) -> None:
    quote = await holding.quote("V2", actor=X, **DATES)
    answers = [
        await holding.post("vehicles/holds/", {"quote_uuid": uuid}, actor=Y)
        for uuid in (quote["quote_uuid"], "00000000-0000-4000-8000-000000000000")
    ]
    assert [a.status_code for a in answers] == [404, 404]
    assert answers[0].content == answers[1].content
