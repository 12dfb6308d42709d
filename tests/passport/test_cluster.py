"""A cluster of three masters: the keys of a conversation share a slot, and the cluster client works."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import redis
from langgraph.checkpoint.conformance import checkpointer_test, validate

from store.passport import PassportSaver, StaleRun, connect

pytestmark = pytest.mark.slow
Fixture = Callable[..., Any]


def free_ports(count: int) -> list[int]:
    """Ports whose cluster bus port (10,000 higher) exists too."""
    sockets = [socket.socket() for _ in range(count)]
    ports = []
    for number, one in enumerate(sockets):
        for port in range(20_000 + 500 * number, 55_000):
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
            ports.append(port)
            break
    for one in sockets:
        one.close()
    return ports


def start_node(binary: Path, directory: Path, port: int) -> subprocess.Popen[bytes]:
    directory.mkdir()
    words = f"--port {port} --bind 127.0.0.1 --cluster-enabled yes --save --appendonly no --dir {directory}".split()
    return subprocess.Popen([str(binary), *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def form_cluster(ports: list[int]) -> None:
    size = 16384 // len(ports)
    for number, port in enumerate(ports):
        last = 16383 if number == len(ports) - 1 else size * (number + 1) - 1
        with closing(redis.Redis(port=port)) as node:
            node.execute_command("CLUSTER", "ADDSLOTSRANGE", size * number, last)
            if number:
                node.execute_command("CLUSTER", "MEET", "127.0.0.1", ports[0])


def is_formed(port: int, size: int) -> bool:
    try:
        with closing(redis.Redis(port=port)) as node:
            facts = bytes(node.execute_command("CLUSTER", "INFO"))
    except redis.RedisError:
        return False
    return b"cluster_state:ok" in facts and f"cluster_known_nodes:{size}".encode() in facts


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline, "the cluster did not form"
        time.sleep(0.05)


def is_up(port: int) -> bool:
    with closing(socket.socket()) as link:
        return link.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def cluster_url(valkey_binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    ports = free_ports(3)
    root = tmp_path_factory.mktemp("cluster")
    nodes = [start_node(valkey_binary, root / str(port), port) for port in ports]
    try:
        wait_until(lambda: all(is_up(port) for port in ports))
        form_cluster(ports)
        wait_until(lambda: all(is_formed(port, 3) for port in ports))
        yield f"redis://127.0.0.1:{ports[0]}"
    finally:
        for node in nodes:
            node.terminate()
            node.wait(10)


@pytest.fixture
async def cluster(cluster_url: str) -> AsyncIterator[Any]:
    client: Any = connect(cluster_url, cluster=True, timeout_seconds=20)
    yield client
    await client.aclose()


async def test_the_conformance_suite_passes_on_three_masters(cluster: Any, make_saver: Fixture) -> None:
    @checkpointer_test(name="passport on a cluster")
    async def passport() -> AsyncIterator[PassportSaver]:
        yield make_saver(cluster, keep=None, compare_and_set=False, indexed=True)

    report = await validate(passport)
    assert sum(result.tests_passed for result in report.results.values()) == 81


async def test_turns_locks_and_refusals_work_on_three_masters(
    cluster: Any, make_saver: Fixture, build_graph: Fixture, turn: Fixture, log_of: Fixture
) -> None:
    saver = make_saver(cluster)
    graph = build_graph(saver)
    chats = ["a:b", "x}{y", "}", "Привет", *(f"chat {n}" for n in range(8))]
    await asyncio.gather(*[turn(saver, graph, chat, f"m{n}") for chat in chats for n in range(3)])
    for chat in chats:
        assert sorted(await log_of(graph, chat)) == ["m0", "m1", "m2"]

    deleting = build_graph(saver, lambda state: saver.adelete_thread("}"))
    with pytest.raises(StaleRun):
        await turn(saver, deleting, "}", "late")
    assert await log_of(graph, "}") == []
