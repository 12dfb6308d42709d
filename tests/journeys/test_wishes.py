"""How people wish: cheaper, for two, kept while they read, an office; and what is said of it."""

from __future__ import annotations

import asyncio
from typing import Any

from sqlalchemy import text


def last(answer: dict[str, Any]) -> dict[str, Any]:
    turn: dict[str, Any] = answer["turns"][-1]
    return turn


async def change_shop(services: Any, query: str) -> None:
    """Change the shop's own data, as its staff would."""

    def run() -> None:
        with services.database.write() as session:
            session.execute(text(query))

    await asyncio.to_thread(run)


async def test_cheaper_is_cheaper_than_the_offer_and_the_offer_stays_while_there_is_none(chat: Any) -> None:
    """Nothing is lost by asking."""
    await chat.say("show me scooters 20-27 june")
    await chat.say("the second one")
    found = last(await chat.say("anything cheaper?"))
    assert [vehicle["total"]["minor"] for vehicle in found["payload"]["vehicles"]] == [616000]
    quote = last(await chat.say("the first one"))
    assert "Nothing cheaper" in (none := last(await chat.say("anything cheaper?")))["content"]
    assert "Shall I book" in none["content"]
    assert last(await chat.press(quote, "accept_quote"))["type"] == "contact_request"


async def test_a_vehicle_is_told_as_held_only_where_the_shop_holds_it(services: Any, chat: Any) -> None:
    """ "Held until" is the server's word; else only the price is held."""
    await chat.say("Honda CRF 150 June 20-27")
    await chat.say("the first one")
    review = last(await chat.say("yes, my name is Alex, +66 812 345 678"))
    assert "held" not in review["content"]
    await change_shop(services, "update company set hold_minutes = 10")
    held = last(await chat.say("my name is Alexa"))
    assert "held for you until 15:40" in held["content"]


async def test_somebody_elses_hold_at_the_review_leads_to_ways_out(services: Any, chat: Any, open_chat: Any) -> None:
    """The one who is slower learns it before the confirm, not after."""
    await change_shop(services, "update company set hold_minutes = 10")
    other = await open_chat()
    for one in (chat, other):
        await one.say("Honda CRF 150 June 20-27")
        await one.say("the first one")
    assert last(await chat.say("yes, my name is Alex, +66 812 345 678"))["type"] == "booking_review"
    answer = await other.say("yes, my name is Bo, +66 812 345 679")
    assert {"conflict", "alternative_periods"} & {turn["type"] for turn in answer["turns"]}


async def test_for_two_says_one_at_a_time_and_goes_on_to_the_next(chat: Any, shop: Any) -> None:
    """One booking, one confirm; the wish for the second is not forgotten."""
    carousel = last(await chat.say("two scooters 21-24 june"))
    assert "one vehicle at a time" in carousel["content"]
    await chat.press(carousel, "select_vehicle")
    review = last(await chat.say("yes, my name is Alex, +66 812 345 678"))
    answer = await chat.press(review, "confirm_booking")
    assert [turn["type"] for turn in answer["turns"] if turn["role"] == "agent"] == ["confirmation", "vehicle_carousel"]
    await chat.press(last(answer), "select_vehicle")
    review = last(await chat.say("yes"))
    ended = await chat.press(review, "confirm_booking")
    assert last(ended)["type"] == "confirmation"
    assert len(shop.rentals()) == 2


async def test_an_office_in_a_wish_is_where_it_is_looked_for(chat: Any) -> None:
    """Only vehicles of that office, and its own opening days."""
    found = last(await chat.say("scooters in Kuta 21-24 june"))
    assert {vehicle["office"]["name"] for vehicle in found["payload"]["vehicles"]} == {"Kuta"}


async def test_what_the_shop_has_not_told_is_said_so_with_a_person(services: Any, open_chat: Any) -> None:
    """Company facts only, and the open question comes back."""
    await change_shop(services, "update company set house_rules = '{}'")
    chat = await open_chat()
    await chat.say("Honda CRF 150 June 20-27")
    answer = last(await chat.say("do you deliver to my hotel?"))
    assert "has not told me" in answer["content"]
    assert "Which of the vehicles above" in answer["content"]
    assert "call_operator" in {action["kind"] for action in answer["actions"]}
