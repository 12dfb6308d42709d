"""The model gateway over a scripted server: who is asked, when, how often, and who pays."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest

from graph.models.budget import Budgets, Limits, MemoryLedger, Payer, Spend, TokenPrice
from graph.models.cache import ResponseCache, cache_key
from graph.models.gateway import FAILURES_TO_OPEN, OPEN_SECONDS, Completion, ModelGateway
from graph.models.providers import Prompt
from graph.models.wire import WireError

pytestmark = pytest.mark.asyncio(loop_scope="session")

MakeGateway = Callable[..., ModelGateway]
FIRST, SECOND, THIRD = {"model": "first"}, {"model": "second"}, {"model": "third"}
PAYER = Payer("1", "chat-a")
SCHEMA = {"name": "word", "strict": True, "schema": {"type": "object"}}
ERROR = json.dumps({"error": {"message": "no", "type": "x", "param": None, "code": None}}).encode()


def parse(text: str) -> str:
    if not text.startswith("good"):
        raise WireError("invalid_json")
    return text


async def ask(gateway: ModelGateway, message: str = "hi", payer: Payer = PAYER, seconds: float = 10) -> Completion[str]:
    prompt = Prompt("read it", message, SCHEMA)
    return await asyncio.wait_for(gateway.complete(prompt, parse, payer, deadline_seconds=seconds), 20)


def asked(server: Any) -> list[str]:
    return [request["model"] for request in server.requests]


def fail(server: Any, times: int, status: int = 500) -> None:
    for _ in range(times):
        server.say_raw(ERROR, status)


# ---- the chain ---------------------------------------------------------------------------------------------


async def test_the_common_question_costs_one_call_of_the_first_model(make_gateway: MakeGateway, server: Any) -> None:
    server.say_text("good")
    answer = await ask(make_gateway(FIRST, SECOND))
    assert (answer.value, answer.outcome, answer.model, answer.attempts) == ("good", "ok", "first", 1)
    assert asked(server) == ["first"]


@pytest.mark.parametrize("status", [401, 404, 429, 500, 503])
async def test_the_next_model_is_asked_at_once_when_the_first_fails(
    make_gateway: MakeGateway, server: Any, clock: Any, status: int
) -> None:
    fail(server, 1, status)
    server.say_text("good")
    answer = await ask(make_gateway(FIRST, SECOND, clock=clock))
    assert (answer.value, answer.model, answer.attempts) == ("good", "second", 2)
    assert asked(server) == ["first", "second"]
    assert clock.pauses == []


async def test_the_next_model_is_asked_when_the_first_answers_nonsense(make_gateway: MakeGateway, server: Any) -> None:
    server.say_text('{"cut": ')
    server.say_text("good")
    assert (await ask(make_gateway(FIRST, SECOND))).model == "second"


async def test_two_calls_are_the_most_for_one_question(make_gateway: MakeGateway, server: Any) -> None:
    fail(server, 3)
    answer = await ask(make_gateway(FIRST, SECOND, THIRD))
    assert (answer.value, answer.outcome, answer.attempts) == (None, "server_error", 2)
    assert asked(server) == ["first", "second"]


async def test_without_a_model_there_is_no_answer_and_no_error(make_gateway: MakeGateway, clock: Any) -> None:
    gateway = make_gateway(FIRST, clock=clock, max_calls=0)
    assert (await ask(gateway)).outcome == "no_model_ready"


# ---- trying again ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 500, 502])
async def test_a_lone_model_is_asked_once_more_after_a_short_pause(
    make_gateway: MakeGateway, server: Any, clock: Any, status: int
) -> None:
    fail(server, 1, status)
    server.say_text("good")
    answer = await ask(make_gateway(FIRST, clock=clock))
    assert (answer.value, answer.attempts) == ("good", 2)
    assert clock.pauses == [0.25]


async def test_the_pause_is_as_long_as_the_server_asks(make_gateway: MakeGateway, server: Any, clock: Any) -> None:
    server.say_raw(ERROR, 429, "retry-after: 2")
    server.say_text("good")
    assert (await ask(make_gateway(FIRST, clock=clock))).value == "good"
    assert clock.pauses == [2.0]


async def test_a_pause_that_outlasts_the_turn_is_not_waited_for_and_kept_for_later_turns(
    make_gateway: MakeGateway, server: Any, clock: Any
) -> None:
    gateway = make_gateway(FIRST, clock=clock)
    server.say_raw(ERROR, 429, "retry-after: 60")
    server.say_text("good")
    assert (await ask(gateway)).outcome == "rate_limited"
    assert (await ask(gateway)).outcome == "no_model_ready"
    clock.now += 59
    assert (await ask(gateway)).outcome == "no_model_ready"
    assert (clock.pauses, len(server.requests)) == ([], 1)
    clock.now += 2
    assert (await ask(gateway)).value == "good"


@pytest.mark.parametrize("value", ["soon", "-5", "inf", "nan", "Wed, 21 Oct 2099 07:28:00 GMT", "9" * 400])
async def test_a_pause_that_is_no_number_of_seconds_is_our_own_back_off(
    make_gateway: MakeGateway, server: Any, clock: Any, value: str
) -> None:
    server.say_raw(ERROR, 429, f"retry-after: {value}")
    server.say_text("good")
    answer = await ask(make_gateway(FIRST, clock=clock))
    assert (answer.value, clock.pauses) == ("good", [0.25])


@pytest.mark.parametrize(("status", "outcome"), [(400, "bad_request"), (401, "unauthorized"), (422, "bad_request")])
async def test_what_would_fail_again_is_not_tried_again(
    make_gateway: MakeGateway, server: Any, status: int, outcome: str
) -> None:
    fail(server, 2, status)
    answer = await ask(make_gateway(FIRST))
    assert (answer.outcome, answer.attempts) == (outcome, 1)


async def test_a_time_out_is_not_tried_again_on_the_same_model(make_gateway: MakeGateway, server: Any) -> None:
    server.say_text("good")
    server.scripts[0].hang = True
    answer = await ask(make_gateway(FIRST | {"timeout_seconds": 0.2}))
    assert (answer.outcome, answer.attempts) == ("timeout", 1)


async def test_the_turns_deadline_binds_however_patient_a_model_is(make_gateway: MakeGateway, server: Any) -> None:
    server.say_text("good")
    server.scripts[0].hang = True
    answer = await ask(make_gateway(FIRST, SECOND), seconds=0.4)
    assert (answer.outcome, asked(server)) == ("timeout", ["first"])
    assert answer.duration_ms < 2000


async def test_no_call_is_begun_when_no_time_is_left(make_gateway: MakeGateway, server: Any, clock: Any) -> None:
    assert (await ask(make_gateway(FIRST, clock=clock), seconds=0.1)).attempts == 0
    assert server.requests == []


# ---- breaker and rate --------------------------------------------------------------------------------------


async def broken(make_gateway: MakeGateway, server: Any, clock: Any, *choices: dict[str, Any]) -> ModelGateway:
    """A gateway whose first model has just failed so often that it is left alone."""
    gateway = make_gateway(*choices, clock=clock, max_calls=1)
    fail(server, FAILURES_TO_OPEN)
    for turn in range(FAILURES_TO_OPEN):
        await ask(gateway, f"turn {turn}")
    server.requests.clear()
    return gateway


async def test_a_model_that_fails_again_and_again_is_left_alone(
    make_gateway: MakeGateway, server: Any, clock: Any
) -> None:
    gateway = await broken(make_gateway, server, clock, FIRST)
    assert (await ask(gateway)).outcome == "no_model_ready"
    assert server.requests == []
    status = gateway.status()[0]
    assert (status.breaker, status.last_error, status.failures) == ("open", "server_error", FAILURES_TO_OPEN)


async def test_the_others_are_asked_meanwhile(make_gateway: MakeGateway, server: Any, clock: Any) -> None:
    gateway = await broken(make_gateway, server, clock, FIRST, SECOND)
    server.say_text("good")
    assert (await ask(gateway)).model == "second"
    assert asked(server) == ["second"]


async def test_one_probe_closes_the_breaker_when_the_model_answers_again(
    make_gateway: MakeGateway, server: Any, clock: Any
) -> None:
    gateway = await broken(make_gateway, server, clock, FIRST)
    clock.now += OPEN_SECONDS
    server.say_text("good")
    server.say_text("good")
    assert gateway.status()[0].breaker == "half_open"
    assert (await ask(gateway)).value == "good"
    assert gateway.status()[0].breaker == "closed"


async def test_a_failed_probe_doubles_the_rest(make_gateway: MakeGateway, server: Any, clock: Any) -> None:
    gateway = await broken(make_gateway, server, clock, FIRST)
    clock.now += OPEN_SECONDS
    fail(server, 1)
    await ask(gateway)
    clock.now += OPEN_SECONDS + 1
    assert gateway.status()[0].breaker == "open"
    clock.now += OPEN_SECONDS
    assert gateway.status()[0].breaker == "half_open"


async def test_of_many_turns_one_probes(make_gateway: MakeGateway, server: Any, clock: Any) -> None:
    gateway = await broken(make_gateway, server, clock, FIRST)
    clock.now += OPEN_SECONDS
    server.say_text("good")
    answers = await asyncio.gather(*(ask(gateway, f"at once {n}") for n in range(5)))
    assert sorted(answer.outcome for answer in answers) == ["no_model_ready"] * 4 + ["ok"]


async def test_a_probe_that_is_cancelled_leaves_room_for_the_next(
    make_gateway: MakeGateway, server: Any, clock: Any
) -> None:
    gateway = await broken(make_gateway, server, clock, FIRST)
    clock.now += OPEN_SECONDS
    server.asked.clear()
    server.say_text("good")
    server.scripts[0].hang = True
    probe = asyncio.create_task(ask(gateway))
    await asyncio.wait_for(server.asked.wait(), 5)
    probe.cancel()
    await asyncio.gather(probe, return_exceptions=True)
    server.say_text("good")
    assert (await ask(gateway)).value == "good"


async def test_a_question_that_is_at_fault_itself_does_not_open_the_breaker(
    make_gateway: MakeGateway, server: Any, clock: Any
) -> None:
    gateway = make_gateway(FIRST, clock=clock)
    fail(server, 5, 400)
    for turn in range(5):
        await ask(gateway, f"too long {turn}")
    assert gateway.status()[0].breaker == "closed"


async def test_a_rate_is_kept_by_asking_the_next_model_or_none(
    make_gateway: MakeGateway, server: Any, clock: Any
) -> None:
    gateway = make_gateway(FIRST | {"calls_per_minute": 4}, clock=clock)
    server.say_text("good")
    server.say_text("good")
    assert (await ask(gateway, "one")).value == "good"
    assert (await ask(gateway, "two")).outcome == "no_model_ready"
    clock.now += 15
    assert (await ask(gateway, "two")).value == "good"
    assert gateway.status()[0].breaker == "closed"


# ---- cache -------------------------------------------------------------------------------------------------


async def test_the_same_question_of_the_same_conversation_is_answered_from_memory(
    make_gateway: MakeGateway, server: Any
) -> None:
    gateway = make_gateway(FIRST)
    server.say_text("good one")
    first, again = await ask(gateway), await ask(gateway)
    assert (again.value, again.cached, again.attempts, again.cost_micro) == (first.value, True, 0, 0)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("message", "payer"),
    [("hi!", PAYER), ("hi", Payer("1", "chat-b")), ("hi", Payer("2", "chat-a"))],
    ids=["other words", "other conversation", "other company"],
)
async def test_no_answer_crosses_to_other_words_conversations_or_companies(
    make_gateway: MakeGateway, server: Any, message: str, payer: Payer
) -> None:
    gateway = make_gateway(FIRST)
    server.say_text("good for a")
    server.say_text("good for b")
    await ask(gateway)
    answer = await ask(gateway, message, payer)
    assert (answer.value, answer.cached) == ("good for b", False)


async def test_memory_ends_and_faulty_answers_are_not_remembered(
    make_gateway: MakeGateway, server: Any, clock: Any
) -> None:
    gateway = make_gateway(FIRST, clock=clock)
    for content in ("nonsense", "good", "good again"):
        server.say_text(content)
    assert (await ask(gateway)).value is None
    assert (await ask(gateway)).value == "good"
    clock.now += 301
    assert (await ask(gateway)).value == "good again"


async def test_memory_is_bounded_and_keys_do_not_run_together(clock: Any) -> None:
    cache = ResponseCache(clock, max_entries=2)
    for name in ("a", "b", "c"):
        cache.put(cache_key(name), name)
    assert [cache.get(cache_key(name)) for name in ("a", "b", "c")] == [None, "b", "c"]
    assert cache_key("ab", "c") != cache_key("a", "bc")


# ---- money -------------------------------------------------------------------------------------------------

PRICED = FIRST | {"price": TokenPrice(input_micro=2_000_000, output_micro=8_000_000)}
# The fake server counts 321 tokens in and 45 out.
USED, COST = 366, 321 * 2 + 45 * 8


async def test_a_call_costs_what_the_server_counts(make_gateway: MakeGateway, server: Any) -> None:
    server.say_text("good")
    answer = await ask(make_gateway(PRICED))
    assert (answer.input_tokens, answer.output_tokens, answer.cost_micro) == (321, 45, COST)


async def test_a_conversation_that_used_up_its_budget_makes_no_more_calls(
    make_gateway: MakeGateway, server: Any
) -> None:
    gateway = make_gateway(FIRST, limits=Limits(conversation_tokens=600))
    server.say_text("good")
    server.say_text("good")
    assert (await ask(gateway, "one")).outcome == "ok"
    over = await ask(gateway, "two")
    assert (over.outcome, over.attempts, len(server.requests)) == ("over_budget", 0, 1)
    assert (await ask(gateway, "two", Payer("1", "chat-b"))).outcome == "ok"


async def test_what_was_reserved_and_not_used_is_given_back(make_gateway: MakeGateway, server: Any) -> None:
    """A call is reserved at its longest (427 tokens here) and costs what was counted (366)."""
    gateway = make_gateway(FIRST, limits=Limits(conversation_tokens=820))
    server.say_text("good")
    server.say_text("good")
    assert [(await ask(gateway, message)).outcome for message in ("one", "two")] == ["ok", "ok"]


@pytest.mark.parametrize("limits", [Limits(company_day_tokens=700), Limits(company_day_cost_micro=COST * 4)])
async def test_a_companys_day_has_an_end(make_gateway: MakeGateway, server: Any, limits: Limits) -> None:
    gateway = make_gateway(PRICED, limits=limits)
    for _ in range(3):
        server.say_text("good")
    assert (await ask(gateway, "one")).outcome == "ok"
    assert (await ask(gateway, "two", Payer("1", "chat-b"))).outcome == "over_budget"
    assert (await ask(gateway, "two", Payer("2", "chat-b"))).outcome == "ok"


async def test_a_refused_reservation_leaves_the_budget_as_it_was(clock: Any) -> None:
    budgets = Budgets(MemoryLedger(clock), Limits(company_day_tokens=100), lambda: date(2027, 5, 31))
    asked = [await budgets.reserve(PAYER, Spend(tokens)) for tokens in (80, 80, 20, 1)]
    assert asked == [True, False, True, False]


async def test_a_new_day_has_a_new_budget(clock: Any) -> None:
    days = [date(2027, 5, 31)]
    budgets = Budgets(MemoryLedger(clock), Limits(company_day_tokens=100), lambda: days[0])
    assert await budgets.reserve(PAYER, Spend(80))
    assert not await budgets.reserve(PAYER, Spend(80))
    days[0] += timedelta(days=1)
    assert await budgets.reserve(PAYER, Spend(80))


async def test_turns_at_once_cannot_pass_the_budget_together(make_gateway: MakeGateway, server: Any) -> None:
    gateway = make_gateway(FIRST, limits=Limits(conversation_tokens=600))
    for _ in range(4):
        server.say_text("good")
    answers = await asyncio.gather(*(ask(gateway, f"at once {n}") for n in range(4)))
    assert sorted(answer.outcome for answer in answers) == ["ok", *["over_budget"] * 3]


async def test_a_server_that_does_not_count_is_paid_by_estimate_and_a_refused_call_costs_nothing(
    make_gateway: MakeGateway, server: Any
) -> None:
    gateway = make_gateway(PRICED, max_calls=1)
    uncounted = json.loads(json.dumps({"id": "1", "object": "chat.completion", "created": 1, "model": "m"}))
    uncounted["choices"] = [{"index": 0, "message": {"role": "assistant", "content": "good"}, "finish_reason": "stop"}]
    fail(server, 1)
    server.say_raw(json.dumps(uncounted).encode())
    assert (await ask(gateway)).cost_micro == 0
    answer = await ask(gateway)
    assert (answer.value, answer.input_tokens) == ("good", None)
    assert answer.cost_micro >= 400 * 8  # as long as an answer can be


async def test_prices_are_whole_millionths_rounded_up() -> None:
    assert TokenPrice(150_000, 600_000).spend(1, 0) == Spend(1, 1)
    assert TokenPrice(150_000, 600_000).spend(1_000_000, 0) == Spend(1_000_000, 150_000)
