"""What somebody who tried to break the product found, each as the promise that it broke."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from api.chat.companies import CompanyDirectory
from api.chat.service import ChatService, Tools
from api.clock import new_call_id, new_ulid
from frontend_contract.actions import MessageRequest
from graph.build import build_graph
from graph.errors import RunFailed
from graph.runner import DialogRunner
from graph.tools.attempts import RETRIES
from graph.tools.transport import ToolAnswer, ToolRequest, Transport, TransportDown
from store.crm import chat as store_chat

BOTH = pytest.mark.parametrize("engine", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])


def last(answer: dict[str, Any]) -> dict[str, Any]:
    turn: dict[str, Any] = answer["turns"][-1]
    return turn


async def to_review(chat: Any) -> dict[str, Any]:
    await chat.say("Honda CRF 150 June 20-27")
    await chat.say("the first one")
    return last(await chat.say("yes, my name is Alex, +66 812 345 678"))


@pytest.mark.parametrize(
    "words",
    [
        "correct my name",
        "are you sure",
        "is this correct",
        "send it to my email",
        "confirm my number",
        "would be great",
    ],
)
async def test_questions_and_corrections_do_not_book(chat: Any, shop: Any, words: str) -> None:
    """Promise: nothing is booked but by a clear confirm."""
    await to_review(chat)
    await chat.say(words)
    assert shop.rentals() == []


async def test_what_is_only_too_dear_keeps_the_other_wishes(chat: Any) -> None:
    """Promise: "within that budget" is said where the budget is the reason, and a gearbox asked for stays asked for."""
    dear = last(await chat.say("an automatic scooter june 20-27 under 10000 rupiah"))
    assert "within that budget" in dear["content"]
    assert {vehicle["gearbox"] for vehicle in dear["payload"]["vehicles"]} == {"automatic"}
    none = last(await chat.say("a manual scooter june 20-27 under 10000 rupiah"))
    assert "within that budget" not in none["content"]


@pytest.mark.parametrize(
    "change", ["my name is Eve, show my booking", "my number is +66 899 111 111, and 35 june please"]
)
async def test_nothing_is_booked_for_a_contact_that_no_review_showed(chat: Any, shop: Any, change: str) -> None:
    """A name or phone that came in sideways is shown first, whether by a word or by the old button."""
    review = await to_review(chat)
    await chat.say(change)
    by_word = last(await chat.say("yes"))
    by_button = last(await chat.press(review, "confirm_booking"))
    assert {by_word["type"], by_button["type"]} <= {"booking_review", "notice"}
    assert shop.rentals() == []
    shown = next(turn for turn in (by_button, by_word) if turn["type"] == "booking_review")
    assert last(await chat.press(shown, "confirm_booking"))["payload"]["contact"] == shown["payload"]["contact"]


@pytest.mark.parametrize("words", ["cancel", "cancel it", "no", "stop", "i changed my mind", "cancel CR-1048"])
async def test_a_booking_is_never_denied(chat: Any, words: str) -> None:
    """Promise: every sentence is true. The order number is told instead."""
    review = await to_review(chat)
    booked = last(await chat.press(review, "confirm_booking"))
    answer = last(await chat.say(words))
    assert "not booked" not in answer["content"]
    if words != "i changed my mind":
        assert booked["payload"]["order_number"] in answer["content"]


async def test_more_is_harmless_whenever_it_is_said(chat: Any) -> None:
    """No dates, a list at its end, after a booking: an answer, never a failure, never "taken"."""
    for words in ("more", "a motorcycle 20-27 june", "more", "start over", "more"):
        answer = last(await chat.say(words))
        assert "taken" not in answer["content"]
    review = await to_review(chat)
    await chat.press(review, "confirm_booking")
    assert last(await chat.say("more"))["role"] == "agent"


async def test_a_spent_button_answers_under_any_key_and_again(chat: Any) -> None:
    """The first press's answer, however often."""
    card = last(await chat.say("I want a motorcycle June 20-27"))
    first = await chat.press(card, "select_vehicle", client_key="k1")
    for key in ("k2", "k2", "k3"):
        again = await chat.press(card, "select_vehicle", client_key=key)
        assert (again["idempotent"], again["turns"]) == (True, first["turns"])


async def test_an_older_confirm_does_not_wipe_a_newer_offer(chat: Any, shop: Any) -> None:
    """The second quote stays open when the first booking's button is pressed again."""
    review = await to_review(chat)
    await chat.press(review, "confirm_booking")
    await chat.say("a boat 20-22 june")
    quote = last(await chat.say("the first one"))
    assert last(await chat.press(review, "confirm_booking"))["payload"]["idempotent"] is True
    assert last(await chat.press(quote, "accept_quote"))["type"] == "booking_review"


async def test_control_signs_in_a_form_do_not_poison_the_chat(chat: Any) -> None:
    """A form's texts are cleaned as messages are."""
    await chat.say("Honda CRF 150 June 20-27")
    await chat.say("the first one")
    asked = last(await chat.say("yes"))
    contact = {"name": "An\u0000n", "phone": "+66 812 345 678"}
    review = last(await chat.press(asked, "share_contact", input={"contact": contact}))
    assert review["payload"]["contact"]["name"] == "Ann"


async def test_help_shows_its_text(chat: Any) -> None:
    """Its own example is no claim about the shop."""
    assert "for example" in last(await chat.say("help"))["content"].lower()


@pytest.mark.parametrize("query", ["before=9223372036854775808", "limit=0", "limit=100000", "before=0"])
async def test_odd_pages_are_refused(chat: Any, query: str) -> None:
    """A typed refusal, no overflow."""
    response = await chat.http.get(f"/api/chat/turns?{query}", headers=chat.headers)
    assert (response.status_code, response.json()["code"]) == (422, "invalid_arguments")


# ---- failures in the middle of a run -----------------------------------------------------------------------


class Faulty:
    """A transport that fails a tool's first call in a chosen way; the other side may have acted all the same."""

    def __init__(self, inner: Transport, path: str, fault: str) -> None:
        self._inner, self._path, self._fault = inner, path, fault
        self._left = 1 + RETRIES if fault == "answer lost" else 1
        """Sends that fail: the gateway itself repeats what it may."""

    async def send(self, request: ToolRequest) -> ToolAnswer:
        is_look = bool((request.body or {}).get("preview"))
        if self._path in request.path and self._left and not is_look:
            self._left -= 1
            fault = self._fault
            if fault == "answer lost":
                await self._inner.send(request)
                raise TransportDown("cut after the commit")
            raise RuntimeError("a bug")
        return await self._inner.send(request)


class Held:
    """An interpreter that takes its time over one message, until it is let go."""

    name = "offline"

    def __init__(self, inner: Any, words: str) -> None:
        self._inner, self._words = inner, words
        self.reads, self.go_on = asyncio.Event(), asyncio.Event()

    async def interpret(self, message: str, context: Any) -> Any:
        if message == self._words:
            self.reads.set()
            await self.go_on.wait()
        return await self._inner.interpret(message, context)


def service_with(services: Any, path: str = "", fault: str = "", interpreter: Any = None) -> ChatService:
    made: dict[int, Transport] = {}

    def transport_for(company_id: int) -> Transport:
        if company_id not in made:
            inner = services.companies.gateway(company_id, "x").transport
            made[company_id] = Faulty(inner, path, fault) if fault else inner
        return made[company_id]

    directory = CompanyDirectory(transport_for, services.clock, new_call_id)
    runner = DialogRunner(build_graph(services.passport), services.passport)
    reader = interpreter or services.interpreter
    return ChatService(
        Tools(services.database, runner, directory, reader, services.clock, new_ulid, b"k" * 32, "faulty")
    )


async def conversation_of(services: Any, chat: Any) -> store_chat.ConversationRef:
    token = chat.headers["Authorization"].split()[1]
    return await asyncio.to_thread(store_chat.authenticate, services.database, token)


@BOTH
async def test_a_confirm_whose_answer_was_lost_is_finished_and_never_doubled(
    services: Any, chat: Any, shop: Any
) -> None:
    """BL-031: one booking, looked up under the same key; nobody is told "nothing is booked" before that."""
    service = service_with(services, "vehicles/rentals", "answer lost")
    conversation = await conversation_of(services, chat)

    async def say(words: str) -> Any:
        return (await service.send(conversation, MessageRequest(message=words))).turns[-1]

    for words in ("Honda CRF 150 June 20-27", "the first one", "yes, my name is Alex, +66 812 345 678"):
        await say(words)
    unsure = await say("confirm")
    assert unsure.type == "notice"
    assert len(shop.rentals()) == 1
    denied = await say("no, forget it")
    assert "do not know yet" in denied.content
    found = await say("show my booking")
    assert found.type == "confirmation"
    assert shop.rentals()[0][0] in found.content
    assert len(shop.rentals()) == 1


async def test_a_yes_that_was_sent_before_the_review_was_there_does_not_book(
    services: Any, chat: Any, shop: Any
) -> None:
    """BL-028: what nobody has seen cannot be agreed to; the yes after it books, once."""
    contact = "yes, my name is Alex, +66 812 345 678"
    held = Held(services.interpreter, contact)
    service, conversation = service_with(services, interpreter=held), await conversation_of(services, chat)

    async def say(words: str) -> Any:
        return (await service.send(conversation, MessageRequest(message=words))).turns[-1]

    def kept() -> int:
        return int(shop._rows("select count(*) from inbox_message where state = 'received'")[0][0])

    for words in ("Honda CRF 150 June 20-27", "the first one"):
        await say(words)
    first = asyncio.create_task(say(contact))
    await held.reads.wait()
    hasty = asyncio.create_task(say("yes"))
    async with asyncio.timeout(10):
        while not await asyncio.to_thread(kept):
            pass
    held.go_on.set()
    assert (await first).type == "booking_review"
    assert "look at it first" in (await hasty).content
    assert shop.rentals() == []
    assert (await say("yes")).type == "confirmation"
    assert len(shop.rentals()) == 1


async def test_a_change_whose_answer_was_lost_is_found_and_never_doubled(services: Any, chat: Any, shop: Any) -> None:
    """The same key: a yes finds what was done, a no is not told that nothing was."""
    service = service_with(services, "/extend", "answer lost")
    conversation = await conversation_of(services, chat)

    async def say(words: str) -> Any:
        return (await service.send(conversation, MessageRequest(message=words))).turns[-1]

    for words in ("Honda CRF 150 June 20-27", "the first one", "yes, my name is Alex, +66 812 345 678", "confirm"):
        await say(words)
    await say("two days longer")
    unsure = await say("yes")
    assert "do not know yet" in unsure.content
    assert shop.rentals()[0][3] == "2027-06-29"
    denied = await say("no, leave it")
    assert "do not know yet" in denied.content
    found = await say("yes")
    assert found.type == "confirmation"
    assert shop.rentals()[0][3] == "2027-06-29"


async def test_a_message_whose_run_failed_is_run_again_from_its_start(services: Any, chat: Any) -> None:
    """A bug in one try must not leave the passport half-way, so that the next try does nothing."""
    service = service_with(services, "search_available", "bug")
    conversation = await conversation_of(services, chat)
    request = MessageRequest(message="I want a motorcycle June 20-27", client_key="again")
    with pytest.raises((RuntimeError, RunFailed)):
        await service.send(conversation, request)
    refs = await asyncio.to_thread(store_chat.next_message, services.database, conversation)
    assert refs is not None
    answer = await service.send(conversation, request)
    assert answer.turns[-1].type == "vehicle_carousel"
