"""Repeats, breaker, identity, raw arguments: what the gateway does when things go wrong. No test waits for a clock."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest

from graph.errors import InvalidArguments
from graph.tools import wire
from graph.tools.attempts import Patience
from graph.tools.breaker import Breakers
from graph.tools.catalog import CATALOG
from graph.tools.gateway import ToolGateway
from graph.tools.transport import ToolAnswer, ToolRequest, TransportDown

NOW = datetime(2027, 5, 31, 7, 30, tzinfo=UTC)
OFFICES = {"offices": [], "observed_at": "2027-05-31T07:30:00Z"}
PERIOD = wire.PricingArgs(vehicle_uuid="v1", start=date(2027, 6, 20), end=date(2027, 6, 27))
CLIENT = wire.ClientClaim(first_name="Alex", phone="+66812345678")
ORDER = wire.CreateRentalArgs(quote_uuid="q1", idempotency_key="ab" * 32, client=CLIENT)


class Script:
    """A transport that plays its answers in order, the last one for ever."""

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)
        self.sent: list[ToolRequest] = []

    async def send(self, request: ToolRequest) -> ToolAnswer:
        self.sent.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        if callable(answer):
            return await answer()
        status, body = answer[:2]
        return ToolAnswer(status, json.dumps(body).encode(), *answer[2:])


class Time:
    """Sleeps are written down, seconds are counted by hand."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self.seconds = 0.0

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def monotonic(self) -> float:
        return self.seconds


def opened(breakers: Breakers) -> dict[str, str]:
    """Tool -> state, of those that are not closed."""
    return {tool: trouble.state for tool, trouble in breakers.troubles().items() if trouble.state != "closed"}


def gateway(transport: Any, time: Time | None = None, **more: Any) -> ToolGateway:
    numbers = iter(range(1, 1000))
    patience = Patience(sleep=(time or Time()).sleep, chance=lambda: 1.0)
    given: dict[str, Any] = {"actor": "web:c1", "patience": patience}
    return ToolGateway(
        transport=transport, clock=lambda: NOW, new_call_id=lambda: f"call_{next(numbers)}", **(given | more)
    )


async def offices(tools: ToolGateway) -> Any:
    return await tools.call("offices", wire.NoArgs(), wire.Offices)


DOWN = TransportDown("refused")
GOOD = (200, OFFICES)
BUSY = (503, {"code": "unavailable", "message": "", "retryable": True})
TAKEN = (409, {"code": "dates_taken", "message": ""})


async def test_reading_is_repeated_twice_with_growing_pauses() -> None:
    time, transport = Time(), Script(DOWN, BUSY, GOOD)
    result = await offices(gateway(transport, time))
    assert (result.ok, result.attempts) == (True, 3)
    assert time.slept == [0.05, 0.15]


async def test_pauses_differ_by_chance_so_that_many_chats_do_not_come_back_at_once() -> None:
    patience = [Patience(chance=lambda c=c: c).pause(1, None) for c in (0.0, 0.5, 1.0)]  # type: ignore[misc]
    assert patience == pytest.approx([0.025, 0.0375, 0.05])
    assert Patience().pause(1, 2.0) == 2.0


async def test_after_two_repeats_it_is_given_up_and_all_attempts_are_audited() -> None:
    tools = gateway(Script(DOWN))
    result = await offices(tools)
    assert (result.error.code, result.error.retryable, result.attempts) == ("unavailable", True, 3)
    assert tools.records[0].attempts == 3


@pytest.mark.parametrize("answer", [TAKEN, (404, {"code": "not_found", "message": ""}), (500, {"oops": 1}), (200, {})])
async def test_an_answer_is_not_asked_for_twice(answer: Any) -> None:
    """A refusal stays one, and a bug does not go away."""
    transport = Script(answer)
    assert not (await offices(gateway(transport))).ok
    assert len(transport.sent) == 1


async def test_what_writes_is_repeated_only_under_a_key() -> None:
    """BL-031: three attempts, one key."""
    transport = Script(DOWN)
    result = await gateway(transport).call("create_rental", ORDER, wire.Rental)
    assert result.attempts == 3
    assert {request.body["idempotency_key"] for request in transport.sent if request.body} == {"ab" * 32}
    without = Script(DOWN)
    assert (await gateway(without).call("pricing", PERIOD, wire.Quote)).attempts == 1
    preview = wire.CancelRentalArgs(rental_uuid="r1", preview=True)
    assert (await gateway(without).call("cancel_rental", preview, wire.RentalChange)).attempts == 1


async def test_the_annotations_alone_decide_what_is_repeated() -> None:
    """Every tool of the catalogue that is neither read-only nor under a key is sent once."""
    free = {name for name, spec in CATALOG.items() if spec.read_only}
    under_a_key = {name for name, spec in CATALOG.items() if "idempotency_key" in spec.arguments.model_fields}
    assert free & under_a_key == set()
    assert {"pricing", "hold_vehicle", "client_update"} == CATALOG.keys() - free - under_a_key


def slow_then(release: asyncio.Event, answer: tuple[int, Any]) -> Callable[[], Awaitable[ToolAnswer]]:
    async def wait() -> ToolAnswer:
        await release.wait()
        return ToolAnswer(answer[0], json.dumps(answer[1]).encode())

    return wait


async def test_a_late_answer_still_counts_when_a_repeat_went_beside_it() -> None:
    """langgraph#7417: the slow first try is not thrown away; one answer, whichever comes first."""
    release = asyncio.Event()
    in_progress = (409, {"code": "in_progress", "message": "", "retryable": True})

    async def second() -> ToolAnswer:
        release.set()
        return ToolAnswer(409, json.dumps(in_progress[1]).encode())

    transport = Script(slow_then(release, GOOD), second)
    patience = Patience(deadline_seconds=5, attempt_seconds=0.01, retries=1)
    result = await offices(gateway(transport, patience=patience))
    assert (result.ok, result.attempts) == (True, 2)


async def test_a_transport_that_ignores_the_end_does_not_hold_the_chat() -> None:
    release = asyncio.Event()

    async def stubborn() -> ToolAnswer:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return ToolAnswer(200, b"{}")

    patience = Patience(deadline_seconds=0.05, attempt_seconds=0.05, retries=0)
    async with asyncio.timeout(5):
        result = await offices(gateway(Script(stubborn), patience=patience))
    release.set()
    assert result.error.code == "timeout"


async def test_a_bug_of_ours_is_no_outage() -> None:
    breakers = Breakers(failures_to_open=1)
    with pytest.raises(RuntimeError):
        await offices(gateway(Script(RuntimeError("a bug")), breakers=breakers))
    assert opened(breakers) == {}


# ---- breaker ------------------------------------------------------------------------------------------------


async def test_a_dead_back_end_is_left_alone_by_all_runs_of_the_process() -> None:
    time = Time()
    breakers = Breakers(time.monotonic, failures_to_open=2, open_seconds=10)
    transport = Script(DOWN)
    for _ in range(2):
        await offices(gateway(transport, breakers=breakers))
    sent = len(transport.sent)
    tools = gateway(transport, breakers=breakers)
    result = await offices(tools)
    assert (result.error.code, result.error.retryable, result.attempts) == ("unavailable", True, 0)
    assert len(transport.sent) == sent
    assert tools.records[0].attempts == 0
    assert opened(breakers) == {"offices": "open"}


async def test_each_tool_has_its_own_breaker_and_a_refusal_is_no_failure() -> None:
    breakers = Breakers(failures_to_open=1)
    await offices(gateway(Script(DOWN), breakers=breakers))
    for _ in range(5):
        result = await gateway(Script(TAKEN), breakers=breakers).call("pricing", PERIOD, wire.Quote)
        assert result.error is not None
        assert result.error.code == "dates_taken"
    assert opened(breakers) == {"offices": "open"}


async def test_one_probe_decides_whether_it_closes() -> None:
    time = Time()
    breakers = Breakers(time.monotonic, failures_to_open=1, open_seconds=10)
    await offices(gateway(Script(DOWN), breakers=breakers))
    time.seconds = 11
    release = asyncio.Event()
    probing = asyncio.create_task(offices(gateway(Script(slow_then(release, GOOD)), breakers=breakers)))
    await asyncio.sleep(0)
    assert (await offices(gateway(Script(GOOD), breakers=breakers))).attempts == 0
    release.set()
    assert (await probing).ok
    assert opened(breakers) == {}


async def test_a_failed_probe_doubles_the_rest_and_a_cancelled_one_decides_nothing() -> None:
    time = Time()
    breakers = Breakers(time.monotonic, failures_to_open=1, open_seconds=10)
    await offices(gateway(Script(DOWN), breakers=breakers))
    time.seconds = 11
    await offices(gateway(Script(DOWN), breakers=breakers))
    time.seconds = 30
    assert opened(breakers) == {"offices": "open"}
    time.seconds = 32
    probing = asyncio.create_task(offices(gateway(Script(slow_then(asyncio.Event(), GOOD)), breakers=breakers)))
    await asyncio.sleep(0)
    probing.cancel()
    await asyncio.wait({probing})
    assert (await offices(gateway(Script(GOOD), breakers=breakers))).ok


# ---- who asks, and with what ------------------------------------------------------------------------------------


@pytest.mark.parametrize("actor", ["", "system:card"])
async def test_nobody_may_only_read(actor: str) -> None:
    transport = Script(GOOD)
    tools = gateway(transport, actor=actor)
    assert (await offices(tools)).ok
    for tool, arguments, returns in (("create_rental", ORDER, wire.Rental), ("pricing", PERIOD, wire.Quote)):
        result: Any = await tools.call(tool, arguments, returns)  # type: ignore[arg-type]
        assert result.error.code == "not_allowed"
    assert len(transport.sent) == 1


@pytest.mark.parametrize("key", ["my-own-idea-of-a-key", "k" * 64, "AB" * 32, "ab" * 31])
async def test_a_key_that_was_not_derived_is_a_bug(key: str) -> None:
    transport = Script(GOOD)
    order = ORDER.model_copy(update={"idempotency_key": key})
    with pytest.raises(InvalidArguments):
        await gateway(transport).call("create_rental", order, wire.Rental)
    assert transport.sent == []


@pytest.mark.parametrize(
    "raw",
    [
        '{"vehicle_uuid": "v1", "start": "2027-06-20", "end": "2027-06-23", "end": "2027-07-20"}',
        '{"vehicle_uuid": "v1", "start": "2027-06-20", "end": "2027-06-23", "company_id": 2}',
        '{"vehicle_uuid": 5, "start": "2027-06-20", "end": "2027-06-23"}',
        '{"vehicle_uuid": "v1"}',
        "[]", "null", "", "{", "NaN", '{"vehicle_uuid": NaN}', "[" * 100_000, b"\xff",
    ],
)  # fmt: skip
async def test_arguments_that_do_not_fit_are_refused_before_any_call(raw: Any) -> None:
    """BL-203: a key that stands twice, scope among the arguments, wrong types."""
    transport = Script(GOOD)
    tools = gateway(transport)
    result = await tools.call_raw("pricing", raw)
    assert result.error is not None
    assert result.error.code == "invalid_arguments"
    assert transport.sent == []
    assert (tools.records[0].ok, tools.records[0].attempts) == (False, 0)


async def test_arguments_that_fit_are_sent_and_what_needs_a_confirm_is_not() -> None:
    transport = Script(GOOD)
    tools = gateway(transport)
    assert (await tools.call_raw("offices", "{}")).ok
    for tool in ("create_rental", "cancel_rental", "drop_tables"):
        result = await tools.call_raw(tool, "{}")
        assert result.error is not None
        assert result.error.code == "not_allowed"
    assert len(transport.sent) == 1


async def test_only_what_a_tool_gave_is_evidence() -> None:
    tools = gateway(Script(GOOD, TAKEN))
    good = await offices(tools)
    await offices(tools)
    (found,) = tools.evidence.values()
    assert (found.call_id, found.tool, found.value, found.observed_at) == (good.call_id, "offices", good.value, NOW)


async def test_an_answer_that_is_too_long_is_no_answer() -> None:
    async def long() -> ToolAnswer:
        return ToolAnswer(200, json.dumps(OFFICES).encode(), is_cut=True)

    assert (await offices(gateway(Script(long)))).error.code == "internal"
