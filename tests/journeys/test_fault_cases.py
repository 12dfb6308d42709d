"""Cases of the fault log that are about the chat, each on both engines."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import text

from api.settings import Settings

BOTH = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
pytestmark = pytest.mark.parametrize("engine", BOTH)


def last(answer: dict[str, Any]) -> dict[str, Any]:
    turn: dict[str, Any] = answer["turns"][-1]
    return turn


async def to_quote(chat: Any, wish: str = "Honda PCX 160 20-23 June") -> dict[str, Any]:
    await chat.say(wish)
    return last(await chat.say("the first one"))


async def to_review(chat: Any, contact: str = "yes, my name is Alex, +66 812 345 678") -> dict[str, Any]:
    await to_quote(chat)
    return last(await chat.say(contact))


def stored(services: Any, column: str) -> Any:
    """A column of the newest rental."""
    with services.database.read() as session:
        return session.execute(text(f"SELECT {column} FROM rental ORDER BY id DESC LIMIT 1")).scalar()  # noqa: S608


# ---- idempotency -----------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["perfect, thanks", "ok, perfect"])
async def test_thanks_after_a_booking_books_nothing_more(chat: Any, shop: Any, words: str) -> None:
    """BL-027: no second rental, and a short friendly word; never a question that a thank-you could answer."""
    await chat.press(await to_review(chat), "confirm_booking")
    (order, *_), *_ = shop.rentals()
    answer = last(await chat.say(words))
    assert len(shop.rentals()) == 1
    assert answer["type"] in {"text", "confirmation"}
    assert answer["type"] == "text" or answer["payload"]["order_number"] == order
    assert "?" not in answer["content"]
    assert len(answer["content"]) < 120


async def test_a_question_right_behind_the_yes_is_answered_after_it_and_books_nothing(chat: Any, shop: Any) -> None:
    """BL-028: at most one booking, and both messages have their answer, in the order in which they came."""
    await to_review(chat)
    before = len(await chat.turns())
    count = "select count(*) from inbox_message"
    taken = shop._rows(count)[0][0]
    yes = asyncio.create_task(chat.say("yes"))
    async with asyncio.timeout(10):
        while (await asyncio.to_thread(shop._rows, count))[0][0] == taken:
            pass
    await asyncio.gather(yes, chat.say("wait, is a helmet included?"))
    assert len(shop.rentals()) == 1
    turns = (await chat.turns())[before:]
    assert [turn["type"] for turn in turns].count("confirmation") == 1
    asked = next(turn for turn in turns if "helmet" in turn["content"] and turn["role"] == "user")
    answers = [turn for turn in turns if turn["role"] == "agent" and turn["run_id"] == asked["run_id"]]
    assert [turn["type"] for turn in answers] in (["text"], ["vehicle_detail"])
    assert "did not understand" not in answers[0]["content"]
    runs = [turn["run_id"] for turn in turns]
    assert runs == sorted(runs, key=runs.index), "answers of two messages are never mixed"


# ---- time zones --------------------------------------------------------------------------------------


async def test_tomorrow_is_the_shops_tomorrow_and_is_told_with_its_weekday_and_date(chat: Any) -> None:
    """BL-091: Honolulu has 30 May, the shop Monday 31 May. No channel tells the customer's clock, so that every
    answer says which day it means, and nothing is booked before a review that shows it again."""
    card = last(await chat.say("a scooter tomorrow for 3 days"))
    assert card["payload"]["requested"] == {
        "start": "2027-06-01",
        "end": "2027-06-04",
        "days": 3,
        "tz": "Asia/Makassar",
    }
    assert "Tuesday 1 June" in card["content"]
    quote = last(await chat.say("the first one"))
    assert "Tuesday 1 June" in quote["content"]
    assert quote["content"].endswith("Shall I book it?")
    review = last(await chat.say("yes, my name is Alex, +66 812 345 678"))
    assert (review["type"], review["payload"]["period"]["start"]) == ("booking_review", "2027-06-01")


async def test_whoever_asks_learns_the_shops_date(chat: Any) -> None:
    """BL-091: the way to find out that the clocks differ."""
    assert last(await chat.say("what day is it?"))["content"] == "Today is Monday 31 May 2027."


# ---- currency ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "budget",
    ["my budget is 1.500.000 for the week", "my budget is 1,5 jt", "Rp 1.500.000,-"],
)
async def test_a_budget_is_millions_however_it_is_written(chat: Any, services: Any, budget: str) -> None:
    """BL-119: 1,500,000 rupiah; what costs more is not shown, what costs less is."""
    asked = (await chat.say("a scooter 20-27 june"))["turns"][-1]
    everything = {v["total"]["minor"] for v in asked["payload"]["vehicles"]}
    assert any(total > 1_500_000 for total in everything), "else the limit would prove nothing"
    card = last(await chat.say(budget))
    assert card["type"] == "vehicle_carousel"
    totals = {v["total"]["minor"] for v in card["payload"]["vehicles"]}
    assert totals == {total for total in everything if total <= 1_500_000}


@pytest.mark.parametrize("budget", ["budget 1,5", "max 1.500 rb"])
async def test_a_budget_that_reads_in_two_ways_is_asked(chat: Any, budget: str) -> None:
    """BL-119: or asks. Nothing is searched by a guess."""
    await chat.say("a scooter 20-27 june")
    answer = last(await chat.say(budget))
    assert (answer["type"], answer["payload"]) == ("text", None)
    assert "IDR 150,000" in answer["content"]


async def test_a_limit_in_dollars_is_not_taken_for_rupiah(chat: Any) -> None:
    """BL-121's other half: 50 dollars are not 50 rupiah; it is said, and nothing is called out of budget."""
    answer = await chat.say("a scooter under $50 a day from 20 to 27 june")
    told, card = answer["turns"][-2:]
    assert "no exchange rate" in told["content"]
    assert card["type"] == "vehicle_carousel"
    assert "budget" not in card["content"]


@pytest.mark.parametrize("words", ["how much is that in dollars, and in yen?", "in usd?"])
async def test_a_price_is_repeated_in_the_shops_currency_and_never_reckoned(chat: Any, words: str) -> None:
    """BL-121: no tool gives a rate, so that there is no other amount; the offer stays as it was."""
    quote = await to_quote(chat)
    total = f"IDR {quote['payload']['total']['minor']:,}"
    answer = last(await chat.say(words))
    assert answer["content"].startswith(f"The price is {total}.")
    assert digits(answer["content"]) <= digits(quote["content"])
    for sign in ("$", "USD", "EUR", "JPY", "€", "¥"):
        assert sign not in answer["content"]
    assert last(await chat.say("yes"))["type"] == "contact_request"


async def test_the_price_of_a_booking_is_repeated_too_and_nothing_is_booked_by_asking(chat: Any, shop: Any) -> None:
    """BL-121, in the review and after it."""
    words = "what is it in euros?"
    review = await to_review(chat)
    total = f"IDR {review['payload']['total']['minor']:,}"
    assert total in last(await chat.say(words))["content"]
    assert shop.rentals() == []
    await chat.say("confirm")
    assert total in last(await chat.say(words))["content"]
    assert len(shop.rentals()) == 1


@pytest.mark.parametrize(("currency", "per_day", "days"), [("JPY", 12_000, 3), ("VND", 150_000, 2)])
async def test_money_without_small_units_is_the_same_in_card_text_and_notice(
    chat: Any, services: Any, currency: str, per_day: int, days: int
) -> None:
    """BL-117, BL-120: 36,000 JPY and 300,000 VND, nowhere divided or multiplied by a hundred."""
    with services.database.write() as session:
        session.execute(text("UPDATE company SET currency = :c, currency_exponent = 0"), {"c": currency})
        session.execute(text("DELETE FROM price_tier"))
        session.execute(text("UPDATE price_season SET percent = NULL, per_day_minor = :price"), {"price": per_day})
    total = {"minor": per_day * days, "currency": currency, "exponent": 0}
    words = f"{currency} {per_day * days:,}"
    quote = await to_quote(chat, f"Honda PCX 160 from 20 June for {days} days")
    assert quote["payload"]["total"] == total
    assert words in quote["content"]
    review = last(await chat.say("yes, my name is Alex, +66 812 345 678"))
    assert review["payload"]["total"] == total
    done = last(await chat.press(review, "confirm_booking"))
    assert done["payload"]["total"] == total
    assert stored(services, "total_minor") == per_day * days
    assert words in last(await chat.say("show my booking"))["content"]


async def test_without_a_price_the_shops_currency_is_told(chat: Any) -> None:
    """BL-121: nothing to repeat, nothing invented."""
    answer = last(await chat.say("how much is it in dollars?"))
    assert answer["content"].startswith("The shop's prices are in IDR")
    assert digits(answer["content"]) == set()


async def test_a_vehicle_and_dates_in_the_same_breath_are_priced(chat: Any) -> None:
    """BL-121: the question about dollars does not swallow the wish."""
    answer = await chat.say("how much is the Honda PCX 160 from 20 to 23 june in dollars?")
    assert "no exchange rate" in answer["turns"][1]["content"]
    assert last(answer)["type"] in {"price_quote", "vehicle_carousel"}


def digits(content: str) -> set[str]:
    return {word.strip(".,?") for word in content.split() if any(sign.isdigit() for sign in word)}


async def test_a_price_that_moved_before_the_confirm_is_shown_and_asked_again(
    chat: Any, shop: Any, services: Any
) -> None:
    """BL-113: a new card with both amounts; BL-116: confirming what did not change says nothing of a change."""
    review = await to_review(chat)
    with services.database.write() as session:
        session.execute(text("UPDATE price_season SET per_day_minor = per_day_minor + 10000"))
    again = last(await chat.press(review, "confirm_booking"))
    assert (again["type"], shop.rentals()) == ("price_quote", [])
    assert f"IDR {review['payload']['total']['minor']:,}" in again["content"]
    assert f"IDR {again['payload']['total']['minor']:,}" in again["content"]
    assert again["payload"]["total"]["minor"] > review["payload"]["total"]["minor"]
    done = [last(await chat.say(words)) for words in ("yes", "confirm")][-1]
    assert done["payload"]["total"] == again["payload"]["total"]
    assert "changed" not in done["content"]


# ---- customers and names ----------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["6281234567890", "+62 0812 3456 7890", "my number is 0812 3456 7890 thanks"])
async def test_a_phone_number_is_stored_in_its_one_form(chat: Any, services: Any, typed: str) -> None:
    """BL-127, BL-128, BL-131: typed into the chat, asked back masked, kept as E.164."""
    await to_quote(chat)
    await chat.say("yes, my name is Alex")
    review = last(await chat.say(typed))
    assert review["type"] == "booking_review", review["content"]
    assert review["payload"]["contact"]["phone"] == "+62 •••-••••-•890"
    await chat.say("confirm")
    assert stored(services, "customer_phone") == "+6281234567890"


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Siobhán O'Neil", "Siobhán O'Neil"),
        ("Маша 🛵 Иванова", "Маша 🛵 Иванова"),
        ("נועה לוי", "נועה לוי"),
        ("Ali\u202egnp.exe", "Alignp.exe"),
    ],
)
async def test_a_name_is_booked_and_shown_as_it_was_typed(chat: Any, services: Any, typed: str, kept: str) -> None:
    """BL-138, BL-139, BL-141: in the card, in the rental, and without signs that turn the rest of a line."""
    review = await to_review(chat, f"yes, my name is {typed}, +66 812 345 678")
    assert review["payload"]["contact"]["name"] == kept
    done = last(await chat.press(review, "confirm_booking"))
    assert done["payload"]["contact"]["name"] == kept
    said_by_us = [turn["content"] for turn in await chat.turns() if turn["role"] == "agent"]
    assert not any("\u202e" in content for content in said_by_us)
    assert f"{stored(services, 'customer_first_name')} {stored(services, 'customer_last_name')}".strip() == kept


# ---- the engine is the one that was named -------------------------------------------------------------


async def test_each_case_ran_on_the_engine_that_it_names(services: Any, settings: Settings, engine: str) -> None:
    """Negative control of this file's parametrisation."""
    assert services.database.is_sqlite is (engine == "sqlite")
    assert bool(settings.database_url) is (engine == "postgres")
