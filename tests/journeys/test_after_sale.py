"""After the sale, in the chat: told first, done on a plain yes, only for whose rental it is."""

from __future__ import annotations

import asyncio
from typing import Any

from sqlalchemy import text


def last(answer: dict[str, Any]) -> dict[str, Any]:
    turn: dict[str, Any] = answer["turns"][-1]
    return turn


async def book(chat: Any, words: str = "Honda CRF 150 June 20-27") -> str:
    """Book the first of the list; return the order number."""
    await chat.say(words)
    await chat.say("the first one")
    answer = last(await chat.say("yes, my name is Alex, +66 812 345 678"))
    if answer["type"] == "price_quote":
        answer = last(await chat.press(answer, "accept_quote"))
    booked = last(await chat.press(answer, "confirm_booking"))
    order: str = booked["payload"]["order_number"]
    return order


def periods(shop: Any) -> list[tuple[str, str, str]]:
    """(status, start, end) of the rentals that were made."""
    return [(str(status), str(start), str(end)) for _, status, start, end, _ in shop.rentals()]


BOOKED = ("confirmed", "2027-06-20", "2027-06-27")


async def test_own_bookings_are_told_with_what_is_recorded(chat: Any) -> None:
    """ "Not recorded" is not "did not happen", and a way to a person stands beside it."""
    order = await book(chat)
    shown = last(await chat.say("where is my booking?"))
    assert order in shown["content"]
    assert "not recorded" in shown["content"]
    assert {"change_rental", "call_operator"} <= {action["kind"] for action in shown["actions"]}


CHANGES = (
    ("move it a week later", ("2027-06-27", "2027-07-04"), "1,540,000"),
    ("change it to 20-27 june", ("2027-06-20", "2027-06-27"), "1,540,000"),
    ("two days longer", ("2027-06-20", "2027-06-29"), "1,980,000"),
    ("can I extend it until 30 june?", ("2027-06-20", "2027-06-30"), "2,200,000"),
)


async def test_a_change_is_told_first_and_done_on_a_yes(chat: Any, shop: Any) -> None:
    """The new total is told before; nothing moves until the yes; each change starts from the one before."""
    await book(chat)
    for words, period, told in CHANGES:
        before = periods(shop)
        preview = last(await chat.say(words))
        assert told in preview["content"], preview["content"]
        assert periods(shop) == before
        done = last(await chat.say("yes"))
        assert (done["type"], periods(shop)) == ("confirmation", [("confirmed", *period)])
        assert (done["payload"]["period"]["start"], done["payload"]["period"]["end"]) == period


async def test_a_cancellation_tells_the_policy_and_never_calls_an_unknown_fee_free(chat: Any, shop: Any) -> None:
    """The shop has stored no steps: it decides, and its own words are told."""
    order = await book(chat)
    preview = last(await chat.say("cancel my booking"))
    assert "shop decides" in preview["content"]
    assert "24 hours" in preview["content"]
    assert periods(shop) == [BOOKED]
    done = last(await chat.press(preview, "confirm_change"))
    assert done["payload"]["rental_status"] == "cancelled"
    assert order in done["content"]
    assert periods(shop)[0][0] == "cancelled"


NEAR_YES = ("ok", "yes?", "yes but next week is better", "hmm", "no", "are you sure", "wait", "is it free?", "cancel?")


async def test_what_is_not_plainly_a_yes_changes_nothing(chat: Any, shop: Any) -> None:
    """The same closed list as for a booking."""
    await book(chat)
    for words in NEAR_YES:
        await chat.say("cancel my booking")
        await chat.say(words)
        assert periods(shop) == [BOOKED], words


async def test_a_no_keeps_the_booking_and_a_later_yes_means_nothing(chat: Any, shop: Any) -> None:
    """The open question is closed."""
    order = await book(chat)
    preview = last(await chat.say("cancel my booking"))
    kept = last(await chat.press(preview, "keep_rental"))
    assert order in kept["content"]
    old = last(await chat.press(preview, "confirm_change"))
    assert (old["type"], periods(shop)) == ("notice", [BOOKED])
    await chat.say("yes")
    assert periods(shop) == [BOOKED]


async def test_a_new_wish_drops_the_change_so_that_no_later_yes_means_it(chat: Any, shop: Any) -> None:
    """A yes under another list is no yes to the cancellation."""
    await book(chat)
    await chat.say("cancel my booking")
    await chat.say("show me boats 1-3 july")
    await chat.say("yes")
    assert periods(shop) == [BOOKED]


async def test_a_digression_is_answered_and_the_same_question_comes_back(chat: Any, shop: Any) -> None:
    """And the yes after it still means the change."""
    await book(chat)
    await chat.say("move it a week later")
    answer = last(await chat.say("do you deliver to my hotel?"))
    assert "Shall I move it?" in answer["content"]
    await chat.say("yes")
    assert periods(shop) == [("confirmed", "2027-06-27", "2027-07-04")]


async def test_other_dates_for_an_open_change_are_told_anew(chat: Any, shop: Any) -> None:
    """A correction of the change, not a new wish."""
    await book(chat)
    await chat.say("move it a week later")
    again = last(await chat.say("no, rather 12-19 july"))
    assert "19 July" in again["content"]
    await chat.say("yes")
    assert periods(shop) == [("confirmed", "2027-07-12", "2027-07-19")]


async def test_dates_that_are_taken_leave_the_booking_as_it_is(chat: Any, open_chat: Any, shop: Any) -> None:
    """The old dates stand; other dates are asked for."""
    await book(chat)
    other = await open_chat()
    await book(other, "Honda CRF 150 July 1-8")
    answer = last(await chat.say("move it to 2-9 july"))
    assert "stands" in answer["content"]
    assert periods(shop)[0] == BOOKED
    await chat.say("10-12 july")
    await chat.say("yes")
    assert periods(shop)[0] == ("confirmed", "2027-07-10", "2027-07-12")


async def test_with_two_bookings_it_is_asked_which_one(chat: Any, shop: Any) -> None:
    """Named by position, or by an order number."""
    first = await book(chat)
    second = await book(chat, "a boat 1-3 july")
    asked = last(await chat.say("cancel my booking"))
    assert asked["type"] == "clarifying_question"
    assert second in asked["content"]
    preview = last(await chat.say("the second one"))
    assert second in preview["content"]
    await chat.say("yes")
    assert [status for status, *_ in periods(shop)] == ["confirmed", "cancelled"]
    await book(chat, "a boat 1-3 july")
    preview = last(await chat.say(f"please cancel booking {first}"))
    assert first in preview["content"]
    await chat.say("yes")
    assert [status for status, *_ in periods(shop)] == ["cancelled", "cancelled", "confirmed"]


async def test_another_chat_can_neither_see_nor_cancel_it(chat: Any, open_chat: Any, shop: Any) -> None:
    """BL-205: an order number and a phone prove nothing, and no hint is given whether it exists."""
    order = await book(chat)
    other = await open_chat()
    real = last(await other.say(f"cancel booking {order} for +66 812 345 678"))
    made_up = last(await other.say("cancel booking CR-9999 for +66 812 345 678"))
    assert real["content"] == made_up["content"]
    await other.say("yes")
    assert periods(shop) == [BOOKED]


async def test_it_works_after_a_lost_passport(services: Any, chat: Any, shop: Any) -> None:
    """The business knows whose rental it is; the passport is only memory."""
    order = await book(chat)
    await services.passport.adelete_thread(chat.conversation_id)
    preview = last(await chat.say("cancel my booking"))
    assert order in preview["content"]
    await chat.say("yes")
    assert periods(shop)[0][0] == "cancelled"


async def test_what_staff_changed_meanwhile_is_told_anew_and_asked_anew(services: Any, chat: Any, shop: Any) -> None:
    """stale_version: nothing is done on a telling that no longer holds."""
    await book(chat)
    await chat.say("move it a week later")

    def staff_touches_it() -> None:
        with services.database.write() as session:
            session.execute(text("update rental set version = version + 1 where id = (select max(id) from rental)"))

    await asyncio.to_thread(staff_touches_it)
    again = last(await chat.say("yes"))
    assert "changed in the meantime" in again["content"]
    assert periods(shop) == [BOOKED]
    await chat.say("yes")
    assert periods(shop) == [("confirmed", "2027-06-27", "2027-07-04")]


async def test_two_presses_are_one_change(chat: Any, shop: Any) -> None:
    """And the second gets the first's answer."""
    await book(chat)
    preview = last(await chat.say("two days longer"))
    first, second = await asyncio.gather(*(chat.press(preview, "confirm_change") for _ in range(2)))
    assert [turn["content"] for turn in first["turns"]] == [turn["content"] for turn in second["turns"]]
    assert periods(shop) == [("confirmed", "2027-06-20", "2027-06-29")]


async def test_the_old_confirm_of_a_cancelled_booking_does_not_say_booked(chat: Any, shop: Any) -> None:
    """It says what is: cancelled; and nothing is booked anew."""
    await chat.say("Honda CRF 150 June 20-27")
    await chat.say("the first one")
    review = last(await chat.say("yes, my name is Alex, +66 812 345 678"))
    await chat.press(review, "confirm_booking")
    await chat.say("cancel my booking")
    await chat.say("yes")
    answer = last(await chat.press(review, "confirm_booking"))
    assert "Already booked" not in answer["content"]
    assert [status for status, *_ in periods(shop)] == ["cancelled"]


async def test_a_cancelled_booking_leaves_no_see_you(chat: Any) -> None:
    """Thanks after a cancellation is not answered with the day of pick-up."""
    await book(chat)
    await chat.say("cancel my booking")
    await chat.say("yes")
    assert "See you" not in last(await chat.say("thanks"))["content"]
