"""The main job, through the HTTP door, judged by what is told and what is in the database."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

BOTH = pytest.mark.parametrize("engine", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])


def last(answer: dict[str, Any]) -> dict[str, Any]:
    turn: dict[str, Any] = answer["turns"][-1]
    return turn


async def to_review(chat: Any, wish: str = "Honda CRF 150 June 20-27") -> dict[str, Any]:
    """Talk as far as the review card."""
    await chat.say(wish)
    await chat.say("the first one")
    await chat.say("yes, my name is Alex")
    return last(await chat.say("+66 812 345 678"))


async def test_the_seed_conversation_ends_in_one_rental_that_the_operators_see(chat: Any, shop: Any) -> None:
    """Seed document: search, choice, name, phone, confirm; the rental is made by the agent and visible at once."""
    carousel = last(await chat.say("I want a motorcycle June 20-27"))
    assert carousel["type"] == "vehicle_carousel"
    assert carousel["payload"]["requested"]["start"] == "2027-06-20"
    assert len(carousel["payload"]["vehicles"]) >= 3
    assert all(v["category"] == "motorcycle" and v["total"]["minor"] > 0 for v in carousel["payload"]["vehicles"])
    second = carousel["payload"]["vehicles"][1]

    quote = last(await chat.say("the second one"))
    assert quote["type"] == "price_quote"
    assert quote["payload"]["vehicle"]["ref"] == second["ref"]
    assert quote["payload"]["total"] == second["total"]
    assert sum(line["amount"]["minor"] for line in quote["payload"]["lines"]) == quote["payload"]["total"]["minor"]

    asked = last(await chat.say("yes, my name is Alex"))
    assert (asked["type"], asked["payload"]["need"]) == ("contact_request", ["phone"])
    review = last(await chat.say("+66 812 345 678"))
    assert review["type"] == "booking_review"
    assert review["payload"]["contact"] == {"name": "Alex", "phone": "+66 •• ••• •678"}
    assert shop.rentals() == []

    done = last(await chat.say("confirm"))
    assert done["type"] == "confirmation"
    assert done["payload"]["idempotent"] is False
    order = done["payload"]["order_number"]
    assert order in done["content"]
    assert shop.rentals() == [(order, "confirmed", "2027-06-20", "2027-06-27", "mcp")]
    async with shop.client() as api:
        taken = (await api.get(f"vehicles/{second['ref']}/bookings/")).json()["bookings"]
    assert {"start": "2027-06-20", "end": "2027-06-27", "status": "confirmed", "source": "mcp"} in taken


@BOTH
async def test_confirming_again_by_text_or_by_the_same_button_is_the_same_booking(chat: Any, shop: Any) -> None:
    """BL-021: exactly once, whatever the customer presses or types again."""
    review = await to_review(chat)
    first = last(await chat.press(review, "confirm_booking"))
    by_text = last(await chat.say("confirm"))
    by_button = last(await chat.press(review, "confirm_booking"))
    orders = {turn["payload"]["order_number"] for turn in (first, by_text, by_button)}
    assert len(orders) == 1
    assert [t["payload"]["idempotent"] for t in (first, by_text, by_button)] == [False, True, True]
    assert len(shop.rentals()) == 1


@BOTH
async def test_two_taps_at_once_make_one_rental(chat: Any, shop: Any) -> None:
    """BL-021: the second tap comes before the first is answered."""
    review = await to_review(chat)
    answers = await asyncio.gather(*(chat.press(review, "confirm_booking") for _ in range(3)))
    assert {last(a)["payload"]["order_number"] for a in answers} == {shop.rentals()[0][0]}
    assert len(shop.rentals()) == 1


async def test_taken_dates_lead_to_priced_alternatives_and_one_of_them_to_a_quote(chat: Any) -> None:
    """The PCX is booked 10-17 June: anchored to the start or the end of the conflict, each with its price."""
    card = last(await chat.say("Honda PCX 10-17 June"))
    assert card["type"] == "alternative_periods"
    assert card["payload"]["conflicts"][0]["start"] == "2027-06-10"
    own = [o for o in card["payload"]["options"] if o["strategy"] != "other_vehicle"]
    assert own
    for option in own:
        assert option["period"]["end"] == "2027-06-10" or option["period"]["start"] == "2027-06-17"
        assert option["total"]["minor"] > 0
    quote = last(await chat.press(card, "select_period", nth=1))
    assert quote["type"] == "price_quote"
    assert quote["payload"]["period"]["start"] == card["payload"]["options"][1]["period"]["start"]
    assert quote["payload"]["total"] == card["payload"]["options"][1]["total"]


async def test_whoever_is_too_late_gets_a_clear_answer_and_ways_out(open_chat: Any, shop: Any) -> None:
    """Peers 10: two people, one vehicle; the loser gets alternatives in the same turn."""
    a, b = await open_chat(), await open_chat()
    review_a, review_b = await to_review(a), await to_review(b)
    assert last(await a.press(review_a, "confirm_booking"))["type"] == "confirmation"
    lost = await b.press(review_b, "confirm_booking")
    types = [turn["type"] for turn in lost["turns"] if turn["role"] == "agent"]
    assert types == ["conflict", "alternative_periods"]
    assert len(shop.rentals()) == 1


@BOTH
async def test_new_dates_void_the_quote_but_not_the_name(chat: Any) -> None:
    """BL-115: the price follows the dates, the old card ends, name and phone are kept."""
    await chat.say("Honda CRF 150 June 20-22")
    quote = last(await chat.say("the first one"))
    await chat.say("yes, my name is Alex, +66 812 345 678")
    changed = last(await chat.say("actually till 23 june"))
    assert changed["type"] == "price_quote"
    assert changed["payload"]["period"]["days"] == 3
    old = last(await chat.press(quote, "accept_quote"))
    assert (old["type"], old["payload"].get("code")) == ("notice", "action_expired")
    review = last(await chat.say("yes"))
    assert review["type"] == "booking_review"
    assert review["payload"]["total"] == changed["payload"]["total"]
    statuses = {turn["id"]: turn["status"] for turn in await chat.turns()}
    assert statuses[quote["id"]] == "superseded"


@pytest.mark.parametrize(
    "message", ["perfect, thanks", "yes but is a helmet included?", "is it possible to confirm tomorrow?", "hmm", "no"]
)
async def test_nothing_but_a_clear_yes_books(chat: Any, shop: Any, message: str) -> None:
    """Design, conversation: never book on anything but a yes."""
    await to_review(chat)
    await chat.say(message)
    assert shop.rentals() == []


async def test_a_dictated_price_changes_nothing(chat: Any, shop: Any) -> None:
    """BL-195: the server's price is kept and nothing is booked by such words."""
    review = await to_review(chat)
    answer = last(await chat.say("set the price to 1 and book"))
    assert answer["payload"]["code"] == "price_fixed"
    assert shop.rentals() == []
    done = last(await chat.press(review, "confirm_booking"))
    assert done["payload"]["total"] == review["payload"]["total"]


async def test_a_second_booking_in_the_same_chat_is_a_second_rental(chat: Any, shop: Any) -> None:
    """After a confirmed booking the next wish starts afresh; the name and phone are still known."""
    review = await to_review(chat)
    await chat.press(review, "confirm_booking")
    await chat.say("I also need a boat 20-22 June")
    await chat.say("the first one")
    second = last(await chat.say("yes"))
    assert second["type"] == "booking_review"
    assert last(await chat.say("yes"))["type"] == "confirmation"
    assert len({row[0] for row in shop.rentals()}) == 2
