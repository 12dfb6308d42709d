"""An agent of any maker finds the same tools, arguments and answers at /mcp as at the REST endpoints."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from graph.tools.catalog import CATALOG
from graph.tools.wire import ToolError
from store.rules.prices import Extra, PriceList
from store.sql.prices import add_price_list

DATES = {"start": "2027-06-20", "end": "2027-06-27"}
TAKEN = {"start": "2027-06-10", "end": "2027-06-17"}


async def test_the_list_of_tools_is_the_rest_list_to_the_letter(site: Any) -> None:
    async with site.connect() as client:
        listed = await client.list_tools()
    over_mcp = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]
    over_rest = (await site.get("tools/")).json()["tools"]
    assert over_mcp == over_rest
    assert [tool["name"] for tool in over_mcp] == list(CATALOG)


def calls(world: Any) -> list[tuple[str, dict[str, Any], str, dict[str, Any]]]:
    """(tool, arguments, REST path, query): good ones, refusals and mistakes."""
    v1, foreign = world.uuid("V1"), world.uuid("H1")
    vehicle = {"vehicle_uuid": v1}
    return [
        ("search_available", {**DATES, "category": "motorcycle", "page_size": 2}, "vehicles/search_available/", {}),
        ("search_available", {**DATES, "text": "pcx160"}, "vehicles/search_available/", {}),
        ("search_available", {"start": "2027-06-27", "end": "2027-06-20"}, "vehicles/search_available/", {}),
        ("search_available", {**DATES, "category": "spaceship"}, "vehicles/search_available/", {}),
        ("search_available", {**DATES, "company_id": 2}, "vehicles/search_available/", {}),
        ("search_available", {}, "vehicles/search_available/", {}),
        ("availability", {**vehicle, **TAKEN}, "vehicles/availability/", {}),
        ("availability", {"vehicle_uuid": foreign, **DATES}, "vehicles/availability/", {}),
        ("alternatives", {**vehicle, **TAKEN}, "vehicles/alternatives/", {}),
        ("pricing", {**vehicle, **TAKEN}, "vehicles/pricing/", {}),
        ("pricing", {**vehicle, **DATES, "extras": ["helmet:2", "gps"]}, "vehicles/pricing/", {}),
        ("pricing", {**vehicle, **DATES, "extras": ["helmet:0"]}, "vehicles/pricing/", {}),
        ("pricing", {**vehicle, **DATES, "extras": "helmet"}, "vehicles/pricing/", {}),
        ("pricing", {**vehicle, **DATES, "extras": [{"code": "helmet", "pieces": 2}]}, "vehicles/pricing/", {}),
        ("vehicle_bookings", vehicle, f"vehicles/{v1}/bookings/", {}),
        ("vehicle_bookings", {"vehicle_uuid": "../offices"}, "vehicles/..%2Foffices/bookings/", {}),
        ("company_info", {}, "company_info/", {}),
        ("company_info", {"company_id": 2}, "company_info/", {"company_id": 2}),
        ("offices", {}, "offices/", {}),
        ("client_info", {}, "client/info/", {}),
    ]


async def test_every_answer_is_the_rest_answer(site: Any) -> None:
    seen: set[bool] = set()
    async with site.connect() as client:
        await client.list_tools()
        for tool, arguments, path, query in calls(site.world):
            in_path = "{" in CATALOG[tool].path
            answer = await client.call_tool(tool, arguments)
            rest = await site.get(path, **(query if in_path else {**arguments, **query}))
            assert answer.structured_content == rest.json(), (tool, arguments)
            assert answer.is_error == (rest.status_code >= 400), (tool, arguments)
            assert json.loads(answer.content[0].text) == rest.json()
            if answer.is_error:
                ToolError.model_validate(answer.structured_content)
            seen.add(answer.is_error)
    assert seen == {True, False}


async def test_a_rental_is_made_exactly_once_over_the_protocol(site: Any) -> None:
    async with site.connect() as client:
        quote = (await client.call_tool("pricing", {"vehicle_uuid": site.world.uuid("V2"), **DATES})).structured_content
        order = {
            "quote_uuid": quote["quote_uuid"],
            "idempotency_key": "key-of-one-request",
            "client": {"first_name": "Alex", "phone": "+66812345678"},
        }
        first = await client.call_tool("create_rental", order)
        again = await client.call_tool("create_rental", order)
        other = await client.call_tool("create_rental", {**order, "note": "changed"})
    assert first.structured_content["total"] == quote["total"]
    assert (first.structured_content["idempotent"], again.structured_content["idempotent"]) == (False, True)
    assert first.structured_content["order_number"] == again.structured_content["order_number"]
    assert (other.is_error, other.structured_content["code"]) == (True, "idempotency_key_reused")
    assert site.world.value("SELECT actor FROM rental WHERE source = 'mcp'") == "web:alex"


async def test_extras_are_chosen_over_the_protocol_as_over_rest(site: Any) -> None:
    """One form in both: a list of arguments is a repeated query."""
    with site.world.db.write() as session:
        prices = PriceList(0, 1, 100, extras=(Extra("helmet", "Helmet", "chosen", "rental", 7), Extra("gps", "GPS")))
        add_price_list(session, site.world.a, prices, {"code": "of-this-test", "category": "scooter"})
    wanted = {"vehicle_uuid": site.world.uuid("V2"), **DATES, "extras": ["helmet:2", "gps"]}
    async with site.connect() as client:
        quote = (await client.call_tool("pricing", wanted)).structured_content
        order = {
            "quote_uuid": quote["quote_uuid"],
            "idempotency_key": "key-of-one-request",
            "client": {"first_name": "Alex", "phone": "+66812345678"},
        }
        rental = (await client.call_tool("create_rental", order)).structured_content
    assert quote["total"]["minor"] == 7 * 100 + 2 * 7
    assert [(extra["code"], extra["pieces"]) for extra in rental["extras"]] == [("helmet", 2), ("gps", 1)]


async def test_a_missing_part_of_the_path_is_told_in_the_one_form(site: Any) -> None:
    async with site.connect() as client:
        for arguments in ({}, {"vehicle_uuid": ""}, {"vehicle_uuid": 5}, {"vehicle_uuid": "."}, {"vehicle_uuid": ".."}):
            answer = await client.call_tool("vehicle_bookings", arguments)
            assert ToolError.model_validate(answer.structured_content).code == "invalid_arguments"


async def test_an_unknown_tool_is_an_error_of_the_protocol(site: Any) -> None:
    async with site.connect() as client:
        with pytest.raises(MCPError, match="there is no tool"):
            await client.call_tool("drop_tables", {})


@pytest.mark.parametrize("token", ["", "rp_wrong", "x" * 500])
async def test_without_a_good_token_nothing_is_told_and_nothing_is_loaded(site: Any, token: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    answer = await site.http.post("/mcp", json=body, headers={"X-Bot-Token": token})
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert not site.door.is_loaded


async def test_each_company_sees_its_own(site: Any) -> None:
    async with site.connect() as mine, site.connect("harbour-wheels") as theirs:
        names = [(await c.call_tool("company_info", {})).structured_content["slug"] for c in (mine, theirs)]
        assert names == ["coral-rentals", "harbour-wheels"]
        foreign = await theirs.call_tool("availability", {"vehicle_uuid": site.world.uuid("V1"), **DATES})
        assert foreign.structured_content["code"] == "not_found"


async def test_a_token_that_was_switched_off_opens_nothing_more(site: Any) -> None:
    async with site.connect() as client:
        await client.call_tool("offices", {})
        site.world.run("UPDATE bot SET is_active = false")
        with pytest.raises(MCPError):
            await client.call_tool("offices", {})


async def test_many_callers_at_once_start_it_once(site: Any) -> None:
    async def ask(n: int) -> str:
        async with site.connect(("coral-rentals", "harbour-wheels")[n % 2]) as client:
            return str((await client.call_tool("company_info", {})).structured_content["slug"])

    answers = await asyncio.gather(*(ask(n) for n in range(10)))
    assert sorted(set(answers)) == ["coral-rentals", "harbour-wheels"]
    assert answers.count("coral-rentals") == 5


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}', b"\xff"])
async def test_a_body_that_is_no_message_is_refused_without_a_bug(site: Any, content: bytes) -> None:
    headers = {**site.headers(), "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    answer = await site.http.post("/mcp", content=content, headers=headers)
    assert answer.status_code < 500


def test_the_application_starts_without_the_sdk() -> None:
    """Its memory and its second of imports are paid by its first caller."""
    program = "import sys, api.main, api.serving, api.cli; print(sorted(m for m in sys.modules if m.split('.')[0] in {'mcp', 'mcp_types', 'yaml'}))"  # noqa: E501
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
