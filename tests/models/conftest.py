"""Gateways and live interpreters over a scripted server on loopback."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import date, datetime
from pathlib import Path
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
from graph.understanding.meaning import InterpretContext, OptionHint, Vocabulary


@pytest.fixture(scope="session")
def fake_completion() -> Callable[..., dict[str, Any]]:
    """The shape in which the fake server answers."""
    found: Callable[..., dict[str, Any]] = model_server.completion
    return found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def loopback() -> AsyncIterator[Any]:
    async with model_server.fake_server() as fake:
        yield fake


@pytest.fixture
def server(loopback: Any) -> Iterator[Any]:
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


_SPEC = importlib.util.spec_from_file_location(
    "tests_model_server", Path(__file__).parents[1] / "fixtures" / "model_server.py"
)
assert _SPEC is not None
assert _SPEC.loader is not None
model_server = importlib.util.module_from_spec(_SPEC)
sys.modules[_SPEC.name] = model_server
_SPEC.loader.exec_module(model_server)

MakeGateway = Callable[..., ModelGateway]
DAY = date(2027, 5, 31)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def make_gateway(loopback: Any) -> AsyncIterator[MakeGateway]:
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
