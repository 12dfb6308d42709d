"""Whichever transport is set: the same answers, the same errors, the same audit, the same patience."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from graph.tools import wire
from graph.tools.attempts import Patience
from graph.tools.catalog import CATALOG
from graph.tools.gateway import ToolGateway, ToolResult
from graph.tools.transport import MAX_ANSWER_BYTES

JUNE = {"start": "2027-06-20", "end": "2027-06-27"}
TAKEN = {"start": "2027-06-10", "end": "2027-06-17"}
KEY = "ab" * 32
QUICK = Patience(deadline_seconds=0.5, attempt_seconds=0.5, retries=0)


async def call(tools: ToolGateway, tool: str, **arguments: Any) -> ToolResult[Any]:
    spec = CATALOG[tool]
    return await tools.call(tool, spec.arguments.model_validate(arguments), spec.result)


async def conversation(tools: ToolGateway, world: Any) -> list[ToolResult[Any]]:
    """Reading, refusals, and a rental with its changes: every kind of answer that the business API has."""
    v1, v2, foreign = world.uuid("V1"), world.uuid("V2"), world.uuid("H1")
    results = [
        await call(tools, "company_info"),
        await call(tools, "offices"),
        await call(tools, "search_available", **JUNE, category="motorcycle", page_size=2),
        await call(tools, "search_available", **JUNE, text="pcx160"),
        await call(tools, "search_available", start="2027-06-27", end="2027-06-20"),
        await call(tools, "availability", vehicle_uuid=v1, **TAKEN),
        await call(tools, "availability", vehicle_uuid=foreign, **JUNE),
        await call(tools, "alternatives", vehicle_uuid=v1, **TAKEN),
        await call(tools, "vehicle_bookings", vehicle_uuid=v1),
        await call(tools, "vehicle_bookings", vehicle_uuid="no-such-vehicle"),
        await call(tools, "pricing", vehicle_uuid=v1, **TAKEN),
        await call(tools, "client_info"),
        await call(tools, "client_update", first_name="Siobhán 🛵", phone="+66812345678"),
        await call(tools, "list_rentals"),
        await call(tools, "get_rental", rental_uuid="nobody-has-this"),
        await call(tools, "create_rental", quote_uuid="gone", idempotency_key=KEY, client=CLAIM),
    ]
    quote = await call(tools, "pricing", vehicle_uuid=v2, **JUNE)
    order = {"quote_uuid": quote.value.quote_uuid, "idempotency_key": "cd" * 32, "client": CLAIM}
    rental = await call(tools, "create_rental", **order)
    again = await call(tools, "create_rental", **order)
    other = await call(tools, "create_rental", **{**order, "note": "changed"})
    uuid = rental.value.rental_uuid
    preview = await call(tools, "cancel_rental", rental_uuid=uuid, preview=True)
    return [*results, quote, rental, again, other, await call(tools, "get_rental", rental_uuid=uuid), preview]


CLAIM = {"first_name": "Alex", "phone": "+66812345678"}
MADE_BY_CHANCE = {"quote_uuid", "rental_uuid", "client_uuid", "created_at", "order_number"}


def plain(value: Any) -> Any:
    """Without what differs between two runs of anything."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key not in MADE_BY_CHANCE}
    return [plain(item) for item in value] if isinstance(value, list) else value


def told(result: ToolResult[Any]) -> Any:
    body = result.error if result.value is None else result.value
    return (result.tool, result.ok, result.attempts, plain(body.model_dump(mode="json")))


@pytest.fixture(scope="session")
def heard() -> dict[str, Any]:
    """What the first way gave; the others are compared with it."""
    return {}


async def test_every_way_gives_the_same_answers_errors_and_audit(desk: Any, way: str, heard: dict[str, Any]) -> None:
    tools = desk.gateway(await desk.connect(way))
    answers = [told(result) for result in await conversation(tools, desk.world)]
    codes = {code for _, ok, _, body in answers if not ok for code in [body["code"]]}
    assert codes >= {"not_found", "dates_taken", "idempotency_key_reused", "invalid_arguments"}
    audit = [(r.tool, plain(r.arguments), r.ok, r.error_code, r.attempts) for r in tools.records]
    first = heard.setdefault("all", (way, answers, audit))
    assert (answers, audit) == first[1:], f"{way} differs from {first[0]}"
    assert set(tools.evidence) == {r.call_id for r in tools.records if r.ok}


@pytest.mark.parametrize("step", ["../offices", ".", "a/b", "a%2Fb"])
async def test_an_id_is_never_a_step_in_an_address(desk: Any, step: str) -> None:
    """It stands in the path of a request, so it is refused before one is made."""
    tools = desk.gateway(await desk.connect("rest in process"))
    with pytest.raises(ValidationError):
        await call(tools, "vehicle_bookings", vehicle_uuid=step)


async def test_a_bad_token_is_the_same_error_everywhere(desk: Any, way: str) -> None:
    tools = desk.gateway(await desk.connect(way, "rp_wrong"))
    result = await call(tools, "offices")
    assert result.error == wire.ToolError(code="unauthorized", message="a valid X-Bot-Token is needed")


async def test_the_chat_user_behind_a_call_is_told_with_each_call(desk: Any, way: str) -> None:
    """One transport serves all chats of a company: whose call it is must not stick to the connection."""
    transport = await desk.connect(way)
    alex, kim = desk.gateway(transport), desk.gateway(transport, actor="web:kim")
    quote = await call(alex, "pricing", vehicle_uuid=desk.world.uuid("V2"), **JUNE)
    order = {"quote_uuid": quote.value.quote_uuid, "idempotency_key": KEY, "client": CLAIM}
    assert (await call(kim, "create_rental", **order)).error.code == "not_found"
    assert (await call(alex, "create_rental", **order)).ok
    mine, theirs = await asyncio.gather(call(alex, "list_rentals"), call(kim, "list_rentals"))
    assert (len(mine.value.rentals), len(theirs.value.rentals)) == (1, 0)


# ---- a back end that misbehaves ---------------------------------------------------------------------------


def always(status: int, body: bytes, content_type: str = "application/json", **headers: str) -> Any:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await Response(body, status, headers=headers, media_type=content_type)(scope, receive, send)

    return app


BAD = {
    "a proxy's page": (always(502, b"<html>bad gateway</html>", "text/html"), "unavailable", True),
    "a page with 200": (always(200, b"<html>log in</html>", "text/html"), "internal", False),
    "no body": (always(200, b""), "internal", False),
    "no JSON": (always(200, b"{"), "internal", False),
    "not UTF-8": (always(200, b"\xff\xfe"), "internal", False),
    "another shape": (always(200, b'{"surprise": true}'), "internal", False),
    "a megabyte": (always(200, b'"' + b"x" * 2**20 + b'"'), "internal", False),
    "a redirect": (always(302, b"", location="http://elsewhere.invalid/"), "internal", False),
    "a foreign 404": (always(404, b"<h1>Not Found</h1>", "text/html"), "internal", False),
    "an odd status": (always(418, b"teapot", "text/plain"), "internal", False),
    "too many requests": (always(429, b"slow down", "text/plain", **{"retry-after": "1"}), "rate_limited", True),
    "a gateway that gave up": (always(504, b""), "timeout", True),
    "forbidden": (always(403, b"no", "text/plain"), "unauthorized", False),
    "deeply nested": (always(200, b"[" * 100_000), "internal", False),
}


@pytest.mark.parametrize("fault", BAD)
async def test_a_bad_answer_is_typed_and_never_half_read(desk: Any, behind: Any, fault: str) -> None:
    app, code, retryable = BAD[fault]
    tools = desk.gateway(await behind(app), patience=replace(QUICK, deadline_seconds=10, attempt_seconds=10))
    result = await call(tools, "offices")
    assert (result.error.code, result.error.retryable) == (code, retryable)
    assert tools.evidence == {}


async def gone(receive: Receive) -> None:
    """The caller has hung up."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def test_a_back_end_that_never_answers_holds_nobody_longer_than_the_deadline(desk: Any, behind: Any) -> None:
    async def hang(_scope: Scope, receive: Receive, _send: Send) -> None:
        await gone(receive)

    tools = desk.gateway(await behind(hang), patience=QUICK)
    async with asyncio.timeout(10):
        result = await call(tools, "offices")
    assert result.error.code == "timeout"


async def test_an_answer_that_drips_is_cut_off_at_the_deadline(desk: Any, behind: Any) -> None:
    """Each byte comes in time, the whole never does."""

    async def drip(_scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        leaving = asyncio.create_task(gone(receive))
        while not leaving.done():
            await send({"type": "http.response.body", "body": b" ", "more_body": True})
            await asyncio.wait({leaving}, timeout=0.01)

    tools = desk.gateway(await behind(drip), patience=QUICK)
    async with asyncio.timeout(10):
        result = await call(tools, "offices")
    assert result.error.code == "timeout"


async def test_nobody_listening_is_unavailable_after_all_tries(desk: Any, nowhere: Any) -> None:
    result = await call(desk.gateway(nowhere), "offices")
    assert (result.error.code, result.error.retryable, result.attempts) == ("unavailable", True, 3)


async def test_a_key_that_stands_twice_in_an_answer_makes_it_no_answer(desk: Any, behind: Any) -> None:
    """Whoever checks may read the first value and whoever acts the second."""
    once = {"offices": [], "observed_at": "2027-05-31T07:30:00Z"}
    twice = json.dumps(once)[:-1] + ', "offices": []}'

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        body = twice
        if scope["path"] == "/mcp":
            asked = json.loads((await receive())["body"])
            result = f'{{"resultType":"complete","content":[],"structuredContent":{twice}}}'
            body = f'{{"jsonrpc":"2.0","id":{json.dumps(asked["id"])},"result":{result}}}'
        await Response(body, media_type="application/json")(scope, receive, send)

    result = await call(desk.gateway(await behind(app)), "offices")
    assert result.error.code == "internal"


def test_the_bound_is_far_above_what_the_catalogue_can_say() -> None:
    """50 vehicles with their longest texts fit several times."""
    assert MAX_ANSWER_BYTES > 4 * 50 * 2_500
