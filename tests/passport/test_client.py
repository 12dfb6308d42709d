"""A server that is gone, frozen, full or closed: a clear answer within two seconds, and back to work afterwards."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from store.passport import BackendOptions, EmbeddedServer, PassportError, PassportUnavailable, connect, probe

Fixture = Callable[..., Any]
PATIENCE_SECONDS = 2.0
# The product's own patience, not the tests'.
QUICK = {"deadline_seconds": BackendOptions().deadline_seconds}


@pytest.fixture
def own_server(valkey_binary: Path, tmp_path: Path) -> Iterator[EmbeddedServer]:
    """A server that only this test maltreats."""
    with EmbeddedServer(valkey_binary, tmp_path / "own") as server:
        yield server


@pytest.fixture
async def own_client(own_server: EmbeddedServer) -> AsyncIterator[Any]:
    client: Any = connect(own_server.url)
    yield client
    await client.aclose()


@contextmanager
def frozen(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


async def seconds_until_unavailable(action: Any) -> float:
    clock = asyncio.get_running_loop().time
    started = clock()
    with pytest.raises(PassportUnavailable) as refused:
        await action
    assert refused.value.retryable
    return clock() - started


def free_port() -> int:
    with socket.socket() as probe_socket:
        probe_socket.bind(("127.0.0.1", 0))
        return int(probe_socket.getsockname()[1])


async def test_a_server_that_is_gone_is_told_at_once(
    make_saver: Fixture, build_graph: Fixture, turn: Fixture, tmp_path: Path
) -> None:
    for url in (f"redis://127.0.0.1:{free_port()}", f"unix://{tmp_path}/nothing.sock"):
        saver = make_saver(connect(url), **QUICK)
        spent = await seconds_until_unavailable(turn(saver, build_graph(saver), "t", "one"))
        assert spent < PATIENCE_SECONDS


async def test_a_frozen_server_costs_a_turn_less_than_two_seconds_and_the_next_turn_works(
    own_client: Any, make_saver: Fixture, build_graph: Fixture, turn: Fixture, log_of: Fixture
) -> None:
    saver = make_saver(own_client, **QUICK)
    graph = build_graph(saver)
    await turn(saver, graph, "t", "one")
    pid = (await own_client.info())["process_id"]
    with frozen(pid):
        opening = await seconds_until_unavailable(turn(saver, graph, "t", "two", lease_seconds=0.5))
        health = await probe(own_client)
    assert opening < PATIENCE_SECONDS
    assert (health.ok, health.reason) == (False, "timeout")

    # The frozen server still executes what reached it, so the lock of the failed turn may have to run out first.
    await turn(saver, graph, "t", "three", wait_seconds=20)
    assert await log_of(graph, "t") == ["one", "three"]


async def test_a_server_that_freezes_during_the_turn_costs_less_than_two_seconds_at_its_end(
    own_client: Any, make_saver: Fixture, build_graph: Fixture, config: Fixture, log_of: Fixture
) -> None:
    saver = make_saver(own_client, **QUICK)
    graph = build_graph(saver)
    pid = (await own_client.info())["process_id"]
    session = saver.open("t")
    await session.__aenter__()
    await graph.ainvoke({"text": "one"}, config("t"), durability="exit")
    with frozen(pid):
        assert await seconds_until_unavailable(session.commit()) < PATIENCE_SECONDS
    # The commit may have been executed after the thaw or not; sent again it is stored exactly once.
    await session.__aexit__(None, None, None)
    assert await log_of(graph, "t") == ["one"]


async def test_a_full_server_refuses_the_turn_whole_and_works_again_with_room(
    own_client: Any, make_saver: Fixture, build_graph: Fixture, turn: Fixture, log_of: Fixture, keys_of: Fixture
) -> None:
    saver = make_saver(own_client, **QUICK)
    graph = build_graph(saver)
    await turn(saver, graph, "t", "one")
    await own_client.set("ballast", b"x" * 3_000_000)
    await own_client.config_set("maxmemory", "1mb")
    assert await seconds_until_unavailable(turn(saver, graph, "t", "two")) < PATIENCE_SECONDS
    assert await log_of(graph, "t") == ["one"]

    await own_client.config_set("maxmemory", "64mb")
    await turn(saver, graph, "t", "three")
    assert await log_of(graph, "t") == ["one", "three"]


async def test_a_server_that_fills_up_during_the_turn_stores_nothing_of_it(
    own_client: Any, make_saver: Fixture, build_graph: Fixture, turn: Fixture, log_of: Fixture
) -> None:
    saver = make_saver(own_client, **QUICK)
    await turn(saver, build_graph(saver), "t", "one")
    await own_client.set("ballast", b"x" * 3_000_000)

    async def fill(state: Any) -> None:
        await own_client.config_set("maxmemory", "1mb")

    await seconds_until_unavailable(turn(saver, build_graph(saver, fill), "t", "two"))
    assert await log_of(build_graph(saver), "t") == ["one"]


async def test_the_probe_names_the_server_and_says_whether_it_is_durable(own_client: Any, client: Any) -> None:
    health = await probe(own_client)
    assert (health.ok, health.kind, health.durable) == (True, "valkey", True)
    assert health.version
    assert 0 < health.latency_ms < 1000
    await own_client.config_set("appendonly", "no")
    assert (await probe(own_client)).durable is False
    assert (await probe(client.client)).ok


async def test_the_probe_says_that_memory_is_not_durable() -> None:
    import fakeredis

    health = await probe(fakeredis.FakeAsyncRedis())
    assert (health.ok, health.kind, health.durable) == (True, "fakeredis", False)


async def test_the_probe_of_a_dead_server_answers_quickly_without_raising(tmp_path: Path) -> None:
    health = await probe(connect(f"unix://{tmp_path}/nothing.sock"))
    assert (health.ok, health.reason) == (False, "connection")


@pytest.mark.parametrize("url", ["http://localhost", "localhost:6379", "", "file:///etc/passwd"])
def test_an_address_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(PassportError):
        connect(url)


async def test_more_turns_than_connections_wait_for_one(
    own_server: EmbeddedServer, make_saver: Fixture, build_graph: Fixture, turn: Fixture, log_of: Fixture
) -> None:
    client: Any = connect(own_server.url, max_connections=4, timeout_seconds=20)
    saver = make_saver(client)
    graph = build_graph(saver)
    await asyncio.gather(*[turn(saver, graph, f"t{n}", "one") for n in range(40)])
    assert [await log_of(graph, f"t{n}") for n in range(40)] == [["one"]] * 40
    await client.aclose()
