"""The one door to business data. The transport is a fake at its seam."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime
from typing import Any

import httpx
import pytest

from graph.errors import ToolNotAllowed
from graph.tools import wire
from graph.tools.attempts import Patience
from graph.tools.catalog import CATALOG
from graph.tools.gateway import ToolGateway
from graph.tools.transport import ToolAnswer, ToolRequest, TransportDown

NOW = datetime(2027, 5, 31, 7, 30, tzinfo=UTC)
ARGS = wire.PricingArgs(vehicle_uuid="v1", start=date(2027, 6, 20), end=date(2027, 6, 27))


class FakeTransport:
    """Answers as told and remembers what was sent."""

    def __init__(self, answer: Callable[[ToolRequest], Awaitable[ToolAnswer]]) -> None:
        self._answer = answer
        self.sent: list[ToolRequest] = []

    async def send(self, request: ToolRequest) -> ToolAnswer:
        self.sent.append(request)
        return await self._answer(request)


def answering(status: int, body: Any) -> FakeTransport:
    async def answer(_request: ToolRequest) -> ToolAnswer:
        return ToolAnswer(status, body if isinstance(body, bytes) else json.dumps(body).encode())

    return FakeTransport(answer)


def gateway(transport: FakeTransport, **more: Any) -> ToolGateway:
    numbers = iter(range(1, 100))
    return ToolGateway(
        transport=transport, actor="web:c1", clock=lambda: NOW, new_call_id=lambda: f"call_{next(numbers)}", **more
    )


async def test_a_good_answer_is_evidence_with_an_id_and_a_time() -> None:
    """Design: value, tool call id, observed_at."""
    body = {"vehicle_uuid": "v1", "bookings": [], "observed_at": "2027-05-31T07:30:00Z"}
    tools = gateway(answering(200, body))
    result = await tools.call("vehicle_bookings", wire.VehicleArgs(vehicle_uuid="v1"), wire.Bookings)
    assert result.ok
    assert result.value is not None
    assert (result.call_id, result.observed_at) == ("call_1", NOW)
    assert tools.records[0].ok


async def test_path_arguments_leave_the_query() -> None:
    """`{vehicle_uuid}` is filled from validated arguments."""
    transport = answering(500, {})
    await gateway(transport).call("vehicle_bookings", wire.VehicleArgs(vehicle_uuid="v1"), wire.Bookings)
    assert transport.sent[0].path == "vehicles/v1/bookings/"
    assert transport.sent[0].query == {}


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (409, {"code": "dates_taken", "message": "taken", "retryable": False, "facts": {}}, "dates_taken"),
        (404, {"code": "not_found", "message": "", "retryable": False, "facts": {}}, "not_found"),
        (200, {"surprise": True}, "internal"),
        (200, b"not json", "internal"),
        (200, b"", "internal"),
        (502, b"<html>bad gateway</html>", "unavailable"),
    ],
)
async def test_a_failure_is_a_result_never_an_exception(status: int, body: Any, code: str) -> None:
    """A shape that was not promised is an error, never half-read facts."""
    result = await gateway(answering(status, body)).call("pricing", ARGS, wire.Quote)
    assert not result.ok
    assert result.error is not None
    assert result.error.code == code


async def test_no_answer_in_time_is_a_timeout_and_not_nothing_found() -> None:
    """The in-process transport ignores its client's timeout, so the deadline is the gateway's."""
    never = asyncio.Event()

    async def hang(_request: ToolRequest) -> ToolAnswer:
        await never.wait()
        raise AssertionError

    result = await gateway(FakeTransport(hang), patience=Patience(deadline_seconds=0.01)).call(
        "pricing", ARGS, wire.Quote
    )
    assert result.error is not None
    assert (result.error.code, result.error.retryable) == ("timeout", True)


async def test_a_cut_connection_is_unavailable() -> None:
    """Nobody knows whether the other side acted."""

    async def cut(_request: ToolRequest) -> ToolAnswer:
        raise TransportDown("ReadError")

    result = await gateway(FakeTransport(cut)).call("pricing", ARGS, wire.Quote)
    assert result.error is not None
    assert result.error.code == "unavailable"


async def test_a_tool_off_the_list_is_not_sent() -> None:
    """Allow-list per turn; audited all the same."""
    transport = answering(200, {})
    tools = gateway(transport, allow_tools=frozenset({"pricing"}))
    result = await tools.call("vehicle_bookings", wire.VehicleArgs(vehicle_uuid="v1"), wire.Bookings)
    assert result.error is not None
    assert result.error.code == "not_allowed"
    assert transport.sent == []
    assert tools.records[0].error_code == "not_allowed"


def test_an_allow_list_with_an_unknown_name_is_refused() -> None:
    """A spelling mistake must not silently allow nothing."""
    with pytest.raises(ToolNotAllowed):
        gateway(answering(200, {}), allow_tools=frozenset({"delete_everything"}))


async def test_wrong_types_never_leave() -> None:
    """Arguments of another tool are a bug of ours."""
    with pytest.raises(ToolNotAllowed):
        await gateway(answering(200, {})).call("pricing", wire.VehicleArgs(vehicle_uuid="v1"), wire.Quote)


async def test_the_audit_holds_no_personal_data() -> None:
    """Names, phones and keys are audited as digests."""
    tools = gateway(answering(500, {}))
    client = wire.ClientClaim(first_name="Siobhán", last_name="O'Neil", phone="+66812345678")
    args = wire.CreateRentalArgs(quote_uuid="q1", idempotency_key="a" * 64, client=client)
    await tools.call("create_rental", args, wire.Rental)
    text = repr(tools.records[0])
    assert not any(secret in text for secret in ("Siobhán", "O'Neil", "812345678", "a" * 64))
    assert tools.records[0].arguments == {"quote_uuid": "q1"}


@pytest.mark.parametrize(
    ("tool", "arguments", "returns", "audited"),
    [
        ("get_rental", wire.RentalArgs(rental_uuid="r1"), wire.Rental, {"rental_uuid": "r1"}),
        ("list_rentals", wire.ListRentalsArgs(include_past=True), wire.OwnRentals, {"include_past": True, "limit": 20}),
        (
            "extend_rental",
            wire.ExtendRentalArgs(rental_uuid="r1", end=date(2027, 6, 29), idempotency_key="a" * 64, version=3),
            wire.RentalChange,
            {"rental_uuid": "r1", "end": "2027-06-29", "preview": False, "version": 3},
        ),
        (
            "pricing",
            ARGS.model_copy(update={"extras": ("helmet:2",)}),
            wire.Quote,
            {"vehicle_uuid": "v1", "start": "2027-06-20", "end": "2027-06-27", "extras": ["helmet:2"]},
        ),
    ],
)
async def test_the_audit_tells_which_rental_and_what_was_asked(
    tool: str, arguments: wire.Wire, returns: type[wire.Wire], audited: dict[str, Any]
) -> None:
    tools = gateway(answering(500, {}))
    await tools.call(tool, arguments, returns)
    assert tools.records[0].arguments == audited


async def test_a_list_is_a_repeated_query_and_an_empty_one_is_none() -> None:
    """As the endpoint reads it; through the real transport's encoding."""
    transport = answering(500, {})
    tools = gateway(transport)
    await tools.call("pricing", ARGS.model_copy(update={"extras": ("helmet:2", "gps")}), wire.Quote)
    await tools.call("pricing", ARGS, wire.Quote)
    asked, plain = (httpx.QueryParams(request.query) for request in transport.sent)
    assert asked.get_list("extras") == ["helmet:2", "gps"]
    assert "extras" not in plain


def test_every_tool_publishes_its_schemas_and_no_scope() -> None:
    """The model never supplies the company."""
    for tool in CATALOG.values():
        published = tool.descriptor()
        assert published["inputSchema"]["additionalProperties"] is False
        assert not {"company", "company_id", "price", "total"} & set(published["inputSchema"].get("properties", {}))
        assert len(published["description"]) > 40
