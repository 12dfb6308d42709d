"""Protocol, 135M model: our client against a real OpenAI-compatible server.

Such a model understands next to nothing and invents what it likes. So these tests ask for invariants only: a valid
answer or the rules; nothing kept that was not said. They prove nothing about the quality of a good model.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from datetime import date
from typing import Any

import httpx
import pytest
import pytest_asyncio

from graph.models.live import LiveInterpreter
from graph.models.offline import OfflineInterpreter
from graph.models.prompt import fill_prompt, load_prompt
from graph.models.providers import ModelChoice, OpenAIChat, Prompt, outcome_of, read_reply
from graph.models.records import ModelCallRecord
from graph.models.wire import wire_schema
from graph.understanding.meaning import InterpretContext

pytestmark = [pytest.mark.small_model, pytest.mark.asyncio(loop_scope="session")]

Make = Callable[..., InterpretContext]
PATIENT_SECONDS = 120.0  # two cores, shared: nothing here measures speed


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def small(small_model_url: str) -> AsyncIterator[OpenAIChat]:
    chat = OpenAIChat(ModelChoice("small", small_model_url, timeout_seconds=PATIENT_SECONDS, max_output_tokens=250))
    yield chat
    await chat.aclose()


async def test_protocol_135m_model_a_structured_question_gets_a_counted_answer(
    small: OpenAIChat, context: Make
) -> None:
    """The server enforces the schema by grammar; the client's own checks stay on."""
    reply = await small.ask(Prompt(fill_prompt(load_prompt(), context()), "two scooters please", wire_schema()))
    assert reply.text.lstrip().startswith("{")
    assert reply.input_tokens is not None
    assert 150 < reply.input_tokens < 700, "the prompt is compact"
    assert reply.output_tokens is not None
    assert reply.output_tokens <= 250


INVENTIVE = ["I want a motorcycle June 20-27", "можно скутер?", "hm"]


@pytest.mark.parametrize("message", INVENTIVE)
async def test_protocol_135m_model_nothing_is_kept_that_was_not_said(
    small_model_url: str,
    make_gateway: Callable[..., Any],
    offline: OfflineInterpreter,
    context: Make,
    message: str,
) -> None:
    choice = {"base_url": small_model_url, "timeout_seconds": PATIENT_SECONDS, "max_output_tokens": 250}
    records: list[ModelCallRecord] = []
    live = LiveInterpreter(
        make_gateway(choice), fallback=offline, observer=records.append, deadline_seconds=PATIENT_SECONDS
    )
    understanding = await live.interpret(message, context(open_question="confirm_booking", phase="confirming"))
    assert records[0].outcome in {"ok", "truncated", "invalid_json", "invalid_shape"}
    assert records[0].attempts == 1
    assert "confirm" not in understanding.intents
    assert (understanding.name, understanding.phone, understanding.email, understanding.budget) == (None,) * 4
    if understanding.dates is not None and understanding.dates.start is not None:
        assert (understanding.dates.start, understanding.dates.end) == (date(2027, 6, 20), date(2027, 6, 27))


async def test_protocol_135m_model_a_required_tool_is_called_from_the_list_and_is_no_answer(
    small_model_url: str,
) -> None:
    """We offer no tools; a server that makes the model call one must not be taken for an answer."""
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    tools = [
        {"type": "function", "function": {"name": name, "description": name, "parameters": {"type": "object"}}}
        for name in ("search", "cancel")
    ]
    chat = ChatOpenAI(
        model="small",
        base_url=small_model_url,
        api_key=SecretStr("none"),
        timeout=PATIENT_SECONDS,
        max_completion_tokens=60,
    )
    try:
        message = await chat.bind_tools(tools, tool_choice="required").ainvoke("a scooter please")
    finally:
        await chat.root_async_client.close()
        chat.root_client.close()
    assert {call["name"] for call in message.tool_calls + message.invalid_tool_calls} <= {"search", "cancel"}
    assert message.tool_calls or message.invalid_tool_calls
    assert read_reply(message).text == ""


async def test_protocol_135m_model_a_prompt_that_is_too_long_is_a_bad_request(small: OpenAIChat) -> None:
    with pytest.raises(Exception, match=r".") as caught:
        await small.ask(Prompt("read", "word " * 12_000, wire_schema()))
    assert outcome_of(caught.value) == "bad_request"


def shape(value: Any) -> Any:
    """Keys and kinds of a JSON value; numbers are one kind."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value[:1]]
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


def missing(fake: Any, real: Any, path: str = "") -> list[str]:
    """What the fake sends and the real server does not, or otherwise; null stands for anything."""
    if isinstance(fake, dict) and isinstance(real, dict):
        absent = [f"{path}.{key}" for key in fake.keys() - real.keys() if fake[key] != "NoneType"]
        return absent + [
            gap for key in fake.keys() & real.keys() for gap in missing(fake[key], real[key], f"{path}.{key}")
        ]
    if isinstance(fake, list) and isinstance(real, list):
        return missing(fake[0], real[0], f"{path}[]") if fake and real else []
    return [] if fake == real or "NoneType" in (fake, real) else [path]


async def test_protocol_135m_model_the_fake_server_answers_in_the_shape_of_the_real_one(
    small_model_url: str, fake_completion: Callable[..., dict[str, Any]]
) -> None:
    asked = {"model": "small", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 8}
    async with httpx.AsyncClient(timeout=PATIENT_SECONDS) as client:
        real = (await client.post(f"{small_model_url}/chat/completions", json=asked)).json()
        wrong = await client.post(f"{small_model_url}/chat/completions", json={"messages": 1})
    assert missing(shape(fake_completion("hello")), shape(real)) == []
    assert wrong.status_code >= 400
    assert missing(shape({"error": {"message": "no", "type": "x"}}), shape(wrong.json())) == []


def planted() -> list[tuple[Any, Any]]:
    return [({"a": 1}, {"b": 1}), ({"a": {"b": 1}}, {"a": {"b": "1"}}), ({"a": [{"b": 1}]}, {"a": [{}]})]


@pytest.mark.parametrize(("fake", "real"), planted())
async def test_protocol_135m_model_a_drift_of_the_fake_would_be_seen(fake: Any, real: Any) -> None:
    """Negative control of the comparison."""
    assert missing(shape(fake), shape(json.loads(json.dumps(real))))
