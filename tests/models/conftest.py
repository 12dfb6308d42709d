"""A small OpenAI-compatible server on loopback, scripted per test; message shapes as a real server sends them."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import pytest_asyncio

from graph.models.budget import Budgets, Limits, MemoryLedger
from graph.models.cache import ResponseCache
from graph.models.gateway import ModelGateway, Timing, make_provider
from graph.models.live import LiveInterpreter
from graph.models.offline import OfflineInterpreter
from graph.models.providers import ModelChoice, OpenAIChat
from graph.models.records import ModelCallRecord
from graph.models.wire import WireUnderstanding
from graph.understanding.meaning import InterpretContext, OptionHint, Vocabulary

NOTHING: dict[str, Any] = {
    **dict.fromkeys(WireUnderstanding.model_fields),
    "intents": ["unclear"],
    "language": "en",
}


def completion(
    content: str | None, *, finish: str = "stop", refusal: str | None = None, tool: str = ""
) -> dict[str, Any]:
    """One chat completion as the server's JSON."""
    message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": refusal}
    if tool:
        called = {"name": tool, "arguments": '{"price": 1}'}
        message["tool_calls"] = [{"id": "call-1", "type": "function", "function": called}]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1812345678,
        "model": "small",
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": {"prompt_tokens": 321, "completion_tokens": 45, "total_tokens": 366},
    }


@pytest.fixture(scope="session")
def fake_completion() -> Callable[..., dict[str, Any]]:
    """The shape in which the fake server answers."""
    return completion


@dataclass
class Script:
    """One scripted answer: a status and a body, or silence until the test ends."""

    body: bytes = b""
    status: int = 200
    headers: tuple[str, ...] = ()
    content_type: str = "application/json"
    endless: bool = False
    """Send letters as fast as they are taken, for ever."""
    hang: bool = False
    trickle: bool = False
    """Send a byte now and then for ever, so that no read ever times out."""
    drop: bool = False
    """Close the connection in the middle of the body."""


@dataclass
class FakeServer:
    """Answers requests with its scripts in order and keeps what was asked."""

    url: str = ""
    scripts: list[Script] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    def say(self, **fields: Any) -> None:
        """Script a well-formed understanding with these fields."""
        self.say_text(json.dumps(NOTHING | fields, ensure_ascii=False))

    def say_text(self, content: str | None, **shape: Any) -> None:
        """Script a completion with this content."""
        self.scripts.append(Script(json.dumps(completion(content, **shape)).encode()))

    def say_raw(self, body: bytes, status: int = 200, *headers: str, content_type: str = "application/json") -> None:
        """Script a body as it is."""
        self.scripts.append(Script(body, status, headers, content_type))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Handle one connection."""
        try:
            while await self._answer_one(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = next(int(line[15:]) for line in head.split("\r\n") if line.lower().startswith("content-length:"))
        self.requests.append({"head": head, **json.loads(await reader.readexactly(length))})
        self.asked.set()
        script = self.scripts.pop(0)
        if script.hang:
            await self.closing.wait()
            return False
        lines = [f"HTTP/1.1 {script.status} X", f"content-type: {script.content_type}"]
        lines += [f"content-length: {len(script.body)}", *script.headers]
        if script.trickle:
            return await self._trickle(writer)
        if script.endless:
            return await self._flood(writer)
        body = script.body[: len(script.body) // 2] if script.drop else script.body
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        await writer.drain()
        return not script.drop

    async def _flood(self, writer: asyncio.StreamWriter) -> bool:
        writer.write(b"HTTP/1.1 200 X\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n")
        while not self.closing.is_set():
            writer.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")
            await writer.drain()
        return False

    async def _trickle(self, writer: asyncio.StreamWriter) -> bool:
        writer.write(b"HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n")
        while not self.closing.is_set():
            writer.write(b" ")
            await writer.drain()
            with suppress(TimeoutError):
                await asyncio.wait_for(self.closing.wait(), 0.05)
        return False


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def loopback() -> AsyncIterator[FakeServer]:
    fake = FakeServer()
    listener = await asyncio.start_server(fake.serve, "127.0.0.1", 0, limit=4_000_000)
    fake.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"
    yield fake
    listener.close()


@pytest.fixture
def server(loopback: FakeServer) -> Iterator[FakeServer]:
    """The server with nothing scripted and nothing asked."""
    loopback.scripts.clear()
    loopback.requests.clear()
    loopback.asked, loopback.closing = asyncio.Event(), asyncio.Event()
    yield loopback
    loopback.closing.set()


@pytest.fixture(scope="session")
def offline() -> OfflineInterpreter:
    return OfflineInterpreter()


@pytest.fixture(scope="session")
def all_records() -> list[ModelCallRecord]:
    return []


@pytest.fixture
def records(all_records: list[ModelCallRecord]) -> list[ModelCallRecord]:
    """The records of this test."""
    all_records.clear()
    return all_records


class Time:
    """A clock that tests turn, and pauses that only turn it."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.pauses: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def pause(self, seconds: float) -> None:
        """Note the pause and go on at once."""
        self.pauses.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> Time:
    return Time()


MakeGateway = Callable[..., ModelGateway]
DAY = date(2027, 5, 31)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def make_gateway(loopback: FakeServer) -> AsyncIterator[MakeGateway]:
    """Makes gateways over the fake server and closes them.

    The vendor's client takes longer to make than a test: one is made for each choice and shared.
    """
    chats: dict[ModelChoice, OpenAIChat] = {}

    def make(
        *choices: dict[str, Any], clock: Time | None = None, limits: Limits | None = None, **changes: Any
    ) -> ModelGateway:
        turned = clock or Time()
        monotonic = turned if clock else time.monotonic
        providers = []
        for values in choices or ({},):
            usual: dict[str, Any] = {"model": "small", "base_url": loopback.url, "api_key": "key-for-tests"}
            choice = ModelChoice(**({**usual, "timeout_seconds": 5.0} | values))
            chat = chats.setdefault(choice, OpenAIChat(choice))
            providers.append(make_provider(choice, chat, monotonic))
        budgets = Budgets(MemoryLedger(monotonic), limits or Limits(), lambda: DAY)
        timing = Timing(monotonic, turned.pause, lambda: 0.5)
        return ModelGateway(providers, budgets=budgets, cache=ResponseCache(monotonic), timing=timing, **changes)

    yield make
    for chat in chats.values():
        await chat.aclose()


@pytest.fixture(scope="session")
def make_live(
    make_gateway: MakeGateway, offline: OfflineInterpreter, all_records: list[ModelCallRecord]
) -> Callable[..., LiveInterpreter]:
    """Makes live interpreters over one model; a call that fails is not tried again."""

    def make(**changes: Any) -> LiveInterpreter:
        deadline_seconds = changes.pop("deadline_seconds", 12.0)
        gateway = make_gateway(changes, max_calls=1)
        return LiveInterpreter(
            gateway, fallback=offline, observer=all_records.append, deadline_seconds=deadline_seconds
        )

    return make


@pytest.fixture
def live(make_live: Callable[..., LiveInterpreter]) -> LiveInterpreter:
    """An instance with a breaker and a cache of its own."""
    return make_live()


@pytest.fixture(scope="session")
def context() -> Callable[..., InterpretContext]:
    def make(**changes: Any) -> InterpretContext:
        values: dict[str, Any] = {
            "now": datetime(2027, 5, 31, 15, 30, tzinfo=ZoneInfo("Asia/Makassar")),
            "vocabulary": Vocabulary(
                brands=("Honda", "Yamaha"),
                models=("PCX 160", "NMAX"),
                categories=("scooter", "motorcycle", "car"),
                offices=("Canggu",),
            ),
            "options": (
                OptionHint(position=1, brand="Honda", model="PCX 160", colour="red"),
                OptionHint(position=2, brand="Yamaha", model="NMAX", colour="blue"),
            ),
        }
        return InterpretContext(**(values | changes))

    return make
