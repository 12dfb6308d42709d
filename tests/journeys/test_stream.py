"""Server-sent events, from a real server on loopback: the in-process transport would buffer them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import uvicorn

from api.main import build_app
from frontend_contract.compat import read_event
from frontend_contract.stream_check import check_stream


@pytest.fixture
async def live(services: Any) -> AsyncIterator[httpx.AsyncClient]:
    """The application on a port of its own."""
    app = build_app(services)
    config = uvicorn.Config(app, host="127.0.0.1", port=0, lifespan="off", log_level="error", ws="none")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn offers no event for it
        await asyncio.sleep(0)
    port = server.servers[0].sockets[0].getsockname()[1]
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
        yield client
    server.should_exit = True
    await serving


async def session(live: httpx.AsyncClient) -> dict[str, str]:
    opened = (await live.post("/api/chat/sessions", json={"company": "coral-rentals"})).json()
    return {"Authorization": f"Bearer {opened['token']}"}


async def events_of(response: httpx.Response) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) async for line in response.aiter_lines() if line.startswith("data: ")]


async def stream(live: httpx.AsyncClient, headers: dict[str, str], message: str, **extra: Any) -> list[dict[str, Any]]:
    body = {"message": message, **extra}
    async with live.stream("POST", "/api/chat/stream", json=body, headers=headers) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        return await events_of(response)


async def test_a_stream_keeps_the_invariants_and_its_turns_are_the_stored_ones(live: httpx.AsyncClient) -> None:
    """Contract 3.6; BL-157: what is streamed is what is stored."""
    headers = await session(live)
    for message in ("hi", "I want a motorcycle June 20-27", "the second one"):
        seen = await stream(live, headers, message)
        assert check_stream([read_event(json.dumps(event)) for event in seen]) == []
        assert seen[0]["event"] == "run_started"
        assert seen[-1]["event"] == "done"
        sent = [event["turn"] for event in seen if event["event"] in {"card", "text_end"}]
        stored = (await live.get("/api/chat/turns", headers=headers)).json()["turns"]
        assert sent == stored[-len(sent) :]
    assert any(event["event"] == "status" and event["code"] == "pricing" for event in seen)


async def test_text_deltas_add_up_to_the_content(live: httpx.AsyncClient) -> None:
    """Offsets in UTF-16 units."""
    seen = await stream(live, await session(live), "hi")
    text = "".join(event["delta"] for event in seen if event["event"] == "text_delta")
    end = next(event for event in seen if event["event"] == "text_end")
    assert text == end["content"] == end["turn"]["content"]


async def test_closing_the_page_does_not_lose_the_answer(live: httpx.AsyncClient, services: Any) -> None:
    """BL-148: the turn finishes on the server; reopening shows it with its card."""
    headers = await session(live)
    body = {"message": "I want a motorcycle June 20-27"}
    async with live.stream("POST", "/api/chat/stream", json=body, headers=headers) as response:
        async for line in response.aiter_lines():
            if "run_started" in line:
                break
    await services.chat.drain()
    turns = (await live.get("/api/chat/turns", headers=headers)).json()["turns"]
    assert [turn["type"] for turn in turns] == ["text", "vehicle_carousel"]


async def test_a_repeat_streams_the_stored_answer(live: httpx.AsyncClient) -> None:
    """Same client key: same turns, told as repeated."""
    headers = await session(live)
    first = await stream(live, headers, "a boat 20-22 june", client_key="k")
    again = await stream(live, headers, "a boat 20-22 june", client_key="k")
    cards = [[event["turn"] for event in seen if event["event"] == "card"] for seen in (first, again)]
    assert cards[0] == cards[1]
    assert again[-1]["idempotent"] is True


async def test_a_press_streams_too_and_tells_which_cards_ended(live: httpx.AsyncClient) -> None:
    """`Accept: text/event-stream` on actions; older offers get a turn_update."""
    headers = await session(live)
    seen = await stream(live, headers, "I want a motorcycle June 20-27")
    card = next(event["turn"] for event in seen if event["event"] == "card" and event["turn"]["role"] == "agent")
    action = card["actions"][0]["id"]
    sse = {**headers, "Accept": "text/event-stream"}
    async with live.stream("POST", "/api/chat/actions", json={"action_id": action}, headers=sse) as response:
        quoted = await events_of(response)
    assert (
        next(e["turn"]["type"] for e in quoted if e["event"] == "card" and e["turn"]["role"] == "agent")
        == "price_quote"
    )
    seen = await stream(live, headers, "show me boats")
    assert any(event["event"] == "turn_update" and event["status"] == "superseded" for event in seen)


async def test_refusals_come_before_the_stream_begins(live: httpx.AsyncClient) -> None:
    """Trap 7: an error before the first event would be 200 with an empty body."""
    headers = await session(live)
    sse = {**headers, "Accept": "text/event-stream"}
    missing = await live.post("/api/chat/actions", json={"action_id": "A" * 22}, headers=sse)
    assert missing.status_code == 404
    assert (await live.post("/api/chat/stream", json={"message": 5}, headers=headers)).status_code == 422
    assert (await live.post("/api/chat/stream", json={"message": "hi"})).status_code == 401


async def test_fifty_cut_streams_leave_no_connection_behind(live: httpx.AsyncClient, services: Any) -> None:
    """BL-155: aborted streams, then ordinary requests; the pool is as before."""
    headers = await session(live)
    before = services.database.engine.pool.checkedout()
    for n in range(50):
        async with live.stream("POST", "/api/chat/stream", json={"message": f"hi {n}"}, headers=headers) as response:
            async for _ in response.aiter_lines():
                break
    await services.chat.drain()
    assert (await live.get("/api/chat/turns", headers=headers)).status_code == 200
    assert services.database.engine.pool.checkedout() == before
