"""Nothing lost, nothing doubled, in order: several messages at once, restarts, repeats."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
from anyio import to_thread

from api.clock import system_now
from api.main import build_app
from api.settings import Settings
from api.wiring import build_services
from store.crm import chat as store_chat


async def test_three_messages_at_once_get_three_answers_in_order(chat: Any) -> None:
    """BL-171: one writer a conversation, order of arrival."""
    answers = await asyncio.gather(*(chat.say(text) for text in ("hi", "I want a motorcycle June 20-27", "thanks")))
    assert all(answer["turns"] for answer in answers)
    turns = await chat.turns()
    assert [turn["seq"] for turn in turns] == list(range(1, len(turns) + 1))
    said = [turn["content"] for turn in turns if turn["role"] == "user"]
    assert sorted(said) == ["I want a motorcycle June 20-27", "hi", "thanks"]
    assert len([turn for turn in turns if turn["role"] == "agent"]) == 3
    for mine, answered in zip(turns[::2], turns[1::2], strict=True):
        assert (mine["role"], answered["role"]) == ("user", "agent")
        assert mine["run_id"] == answered["run_id"]


async def test_a_reload_shows_the_same_cards(chat: Any) -> None:
    """BL-157: byte for byte what was sent."""
    sent = (await chat.say("I want a motorcycle June 20-27"))["turns"]
    assert await chat.turns() == sent


async def test_a_restart_in_mid_conversation_continues_it(settings: Settings, valkey: Any) -> None:
    """BL-160: a new process, the same conversation."""
    before = await to_thread.run_sync(lambda: build_services(settings, valkey))
    transport = httpx.ASGITransport(build_app(before))
    async with httpx.AsyncClient(transport=transport, base_url="http://t") as http:
        opened = (await http.post("/api/chat/sessions", json={"company": "coral-rentals"})).json()
        headers = {"Authorization": f"Bearer {opened['token']}"}
        await http.post("/api/chat", json={"message": "I want a motorcycle June 20-27"}, headers=headers)
        shown = (await http.get("/api/chat/turns", headers=headers)).content
    await before.stop()

    after = await to_thread.run_sync(lambda: build_services(settings, valkey))
    transport = httpx.ASGITransport(build_app(after))
    async with httpx.AsyncClient(transport=transport, base_url="http://t") as http:
        assert (await http.get("/api/chat/turns", headers=headers)).content == shown
        answer = await http.post("/api/chat", json={"message": "the second one"}, headers=headers)
        assert answer.json()["turns"][-1]["type"] == "price_quote"
    await after.stop()


async def test_a_message_that_a_crash_left_is_answered_once_by_recovery(services: Any, chat: Any) -> None:
    """BL-046: accepted, then the process died; the next one answers it."""
    conversation = await to_thread.run_sync(
        lambda: store_chat.authenticate(services.database, chat.headers["Authorization"].split()[1])
    )
    await to_thread.run_sync(
        lambda: store_chat.accept_message(
            services.database,
            conversation,
            kind="message",
            body={"text": "I want a motorcycle June 20-27"},
            dedupe_key="before the crash",
            now=system_now(),
            owner="a process that died",
            lease_seconds=-1,
        )
    )
    assert await services.chat.recover(grace_seconds=0) == 1
    assert await services.chat.recover(grace_seconds=0) == 0
    turns = await chat.turns()
    assert [turn["type"] for turn in turns] == ["text", "vehicle_carousel"]
    # The client that never saw the answer asks again with its own key, and gets the stored one.
    again = await chat.say("I want a motorcycle June 20-27", client_key="before the crash")
    assert again["idempotent"] is True
    assert again["turns"] == turns


async def test_a_lost_passport_starts_afresh_politely(services: Any, chat: Any, shop: Any) -> None:
    """Past the time limit, or lost: the chat says so and goes on; what was seen and what was booked stays."""
    shown = (await chat.say("I want a motorcycle June 20-27"))["turns"]
    await services.passport.adelete_thread(chat.conversation_id)
    answer = await chat.say("a boat 20-22 June")
    assert [turn["payload"].get("code") for turn in answer["turns"] if turn["type"] == "notice"] == ["fresh_start"]
    assert answer["turns"][-1]["type"] == "vehicle_carousel"
    assert (await chat.turns())[: len(shown)] == shown
    again = await chat.say("hi")
    assert "notice" not in [turn["type"] for turn in again["turns"]]


async def test_two_conversations_never_share_a_passport(open_chat: Any) -> None:
    """State is per conversation."""
    a, b = await open_chat(), await open_chat()
    await a.say("I want a motorcycle June 20-27")
    answer = await b.say("the second one")
    assert answer["turns"][-1]["type"] != "price_quote"


async def test_companies_do_not_mix(open_chat: Any) -> None:
    """The second company has its own zone, currency and fleet."""
    greek = await open_chat("harbour-wheels")
    card = (await greek.say("I want a scooter 20-27 June"))["turns"][-1]
    assert card["payload"]["requested"]["tz"] == "Europe/Athens"
    assert {v["total"]["currency"] for v in card["payload"]["vehicles"]} == {"EUR"}


def test_the_secret_is_made_once_and_is_private(tmp_path: Path) -> None:
    """Everything derived from it has to stay the same after a restart."""
    from api.wiring import read_secret

    settings = Settings(data_dir=tmp_path, _env_file=None)
    first = read_secret(settings)
    assert read_secret(settings) == first
    assert len(first) >= 32
    assert ((tmp_path / "secret.key").stat().st_mode & 0o077) == 0
