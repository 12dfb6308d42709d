"""`make bench`: what a turn costs, beside the floor of the framework. One table; exits 1 when a target is missed.

Loopback and local files only; bounded in count and time.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TypedDict

import httpx
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph

from api.chat.companies import CompanyDirectory
from api.clock import new_call_id, new_ulid, system_now
from api.settings import Settings
from api.wiring import Services, build_services
from frontend_contract.actions import MessageRequest
from graph.build import build_graph
from graph.runner import DialogRunner
from store.crm import chat
from store.crm.companies import find_company
from store.passport import PassportSaver, RunningServer, choose_server

ROUNDS = 60
CONVERSATIONS = 100
SCRIPT = ("I want a motorcycle June 20-27", "the second one", "yes, my name is Alex", "+66 812 345 678")


class Counting:
    """A Redis client that counts round trips: one a command or pipeline that is waited for."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.count = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        self.count += 1
        return await self._client.execute_command(*args, **options)


def milliseconds(samples: list[float]) -> tuple[float, float]:
    ordered = sorted(samples)
    return statistics.median(ordered), ordered[int(len(ordered) * 0.95) - 1]


async def timed(rounds: int, call: Callable[[int], Awaitable[Any]]) -> tuple[float, float]:
    samples = []
    for n in range(rounds):
        started = time.perf_counter()
        await call(n)
        samples.append((time.perf_counter() - started) * 1000)
    return milliseconds(samples)


def open_chat(services: Services) -> chat.ConversationRef:
    company = find_company(services.database, "coral-rentals")
    return chat.open_conversation(services.database, company.id, channel="web", now=system_now()).conversation


async def turns(services: Services, rounds: int) -> dict[str, tuple[float, float]]:
    """Each line of the script on a fresh conversation, `rounds` times."""
    samples: dict[str, list[float]] = {words: [] for words in SCRIPT}
    for _ in range(rounds):
        conversation = open_chat(services)
        for words in SCRIPT:
            started = time.perf_counter()
            answer = await services.chat.send(conversation, MessageRequest(message=words))
            samples[words].append((time.perf_counter() - started) * 1000)
            assert answer.turns
    return {words: milliseconds(found) for words, found in samples.items()}


class Floor(TypedDict, total=False):
    n: int


async def framework_floor(rounds: int) -> tuple[float, float]:
    """Four empty nodes, in-memory saver, the framework's defaults."""

    def empty(_state: Floor) -> Floor:
        return {}

    builder = StateGraph(Floor)
    names = ["a", "b", "c", "d"]
    for name in names:
        builder.add_node(name, empty)
    for before, after in zip([START, *names], names, strict=False):
        builder.add_edge(before, after)
    compiled = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "floor"}}
    return await timed(rounds, lambda n: compiled.ainvoke({"n": n}, config))


class NoPassport:
    """For the framework's own savers, which have no lock to take."""

    def open(self, _thread_id: str) -> Any:
        return _Nothing()


class _Nothing(nullcontext[None]):
    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, *_: object) -> None:
        return None


async def graph_only(services: Services, runner: DialogRunner, rounds: int) -> tuple[float, float]:
    """The search turn of our graph alone: no inbox, no turn store."""
    from graph.context import RunContext
    from graph.runner import Inbound

    directory: CompanyDirectory = services.companies
    company_id = find_company(services.database, "coral-rentals").id

    async def once(_n: int) -> None:
        gateway = directory.gateway(company_id, "web:bench")
        facts = await directory.facts(company_id, gateway)
        context = RunContext(
            conversation_id=new_ulid(),
            company=facts.info,
            offices=facts.offices,
            company_call_id=new_call_id(),
            gateway=gateway,
            interpreter=services.interpreter,
            clock=services.clock,
            new_turn_id=new_ulid,
            key_secret=b"bench",
            on_status=lambda _code, _node: None,
        )
        await runner.run(Inbound(inbox_id=new_ulid(), text=SCRIPT[0]), context)

    await timed(5, once)
    return await timed(rounds, once)


async def measure(settings: Settings, server: RunningServer) -> list[tuple[str, str, bool | None]]:
    services = build_services(settings, server)
    rows: list[tuple[str, str, bool | None]] = []
    await turns(services, 3)
    whole = await turns(services, ROUNDS)
    search = whole[SCRIPT[0]]
    rows.append(("search turn, whole", show(search), search[0] <= 25 and search[1] <= 40))
    rows.extend((f'"{words}"', show(whole[words]), None) for words in SCRIPT[1:])

    floor = await framework_floor(ROUNDS)
    rows.append(("framework floor (4 empty nodes, memory, defaults)", show(floor), None))
    ours = await graph_only(services, DialogRunner(build_graph(services.passport), services.passport), ROUNDS)
    rows.append(("search turn, graph with passport, exit", show(ours), None))
    memory = DialogRunner(build_graph(InMemorySaver()), NoPassport(), durability="async")
    defaults = await graph_only(services, memory, ROUNDS)
    rows.append(("search turn, graph with memory saver, async (defaults)", show(defaults), None))
    slow = PassportSaver(services.redis)
    through = DialogRunner(build_graph(slow), NoPassport(), durability="async")
    passport_async = await graph_only(services, through, ROUNDS)
    rows.append(("search turn, graph with passport, async", show(passport_async), None))
    rows.append(("whole search turn / framework floor", f"{search[0] / floor[0]:.1f} x", None))
    rows.append(("exit / async, same saver", f"{ours[0] / passport_async[0]:.2f} x", None))

    rows.append(await round_trips(settings, server))
    rows.append(await redis_bytes(services))
    await services.stop()
    return rows


async def round_trips(settings: Settings, server: RunningServer) -> tuple[str, str, bool]:
    counting = Counting(server.connect())
    counted = RunningServer(server.url, server.kind, server.durable, lambda: counting, server.close)
    services = build_services(settings, counted)
    conversation = open_chat(services)
    await services.chat.send(conversation, MessageRequest(message="hi"))
    seen = []
    for words in SCRIPT:
        before = counting.count
        await services.chat.send(conversation, MessageRequest(message=words))
        seen.append(counting.count - before)
    await services.stop()
    return "Redis round trips a turn", ", ".join(map(str, seen)), max(seen) <= 2


async def redis_bytes(services: Services) -> tuple[str, str, bool]:
    """Memory of the server per conversation that got a carousel and went idle, by INFO before and after."""

    async def used() -> int:
        info = await services.redis.execute_command("INFO", "memory")
        value = info["used_memory"] if isinstance(info, dict) else re.search(rb"used_memory:(\d+)", info).group(1)  # type: ignore[union-attr]
        return int(value)

    before = await used()
    for _ in range(CONVERSATIONS):
        conversation = open_chat(services)
        await services.chat.send(conversation, MessageRequest(message="hi"))
        await services.chat.send(conversation, MessageRequest(message=SCRIPT[0]))
    each = (await used() - before) / CONVERSATIONS
    return "Redis bytes an idle conversation", f"{each:,.0f}", each <= 5 * 1024


def process(data_dir: Path) -> list[tuple[str, str, bool]]:
    """Start to ready, and memory after 100 conversations, of a real server process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = {**os.environ, "RIDEPASS_DATA_DIR": str(data_dir), "RIDEPASS_NOW": "2027-05-31T15:30"}
    command = [str(Path(sys.executable).with_name("ridepass")), "serve", "--port", str(port)]
    rows = []
    starts = []
    for last in (False, False, True):
        started = time.perf_counter()
        server = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=10) as http:
                wait_ready(http)
                starts.append(time.perf_counter() - started)
                if last:
                    talk(http)
                    rows.append(resident(server.pid))
        finally:
            server.terminate()
            server.wait(20)
    best = statistics.median(starts[1:])
    return [("process start to ready", f"{best:.2f} s", best < 3), *rows]


def wait_ready(http: httpx.Client) -> None:
    deadline = time.perf_counter() + 60
    while time.perf_counter() < deadline:
        try:
            if http.get("/health/ready").status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.02)
    raise SystemExit("the server did not become ready")


def talk(http: httpx.Client) -> None:
    for _ in range(CONVERSATIONS):
        opened = http.post("/api/chat/sessions", json={"company": "coral-rentals"}).json()
        headers = {"Authorization": f"Bearer {opened['token']}"}
        for words in SCRIPT[:2]:
            http.post("/api/chat", json={"message": words}, headers=headers).raise_for_status()


def resident(pid: int) -> tuple[str, str, bool]:
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return "worker memory after 100 conversations", "not measured here (no /proc)", True
    kilobytes = int(re.search(r"VmRSS:\s+(\d+)", status.read_text(encoding="ascii")).group(1))  # type: ignore[union-attr]
    return "worker memory after 100 conversations", f"{kilobytes / 1024:.0f} MB", kilobytes < 160 * 1024


def show(found: tuple[float, float]) -> str:
    return f"{found[0]:6.1f} ms median {found[1]:6.1f} ms p95"


def report(rows: list[tuple[str, str, bool | None]] | list[tuple[str, str, bool]]) -> None:
    for name, value, met in rows:
        mark = {True: "met", False: "MISSED", None: ""}[met]
        print(f"{name:<56} {value:<36} {mark}".rstrip(), flush=True)  # noqa: T201 - the command's own output


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        data_dir = Path(place) / "data"
        settings = Settings(data_dir=data_dir, now="2027-05-31T15:30", _env_file=None)  # type: ignore[call-arg]
        server = choose_server(None, data_dir)
        try:
            rows = asyncio.run(measure(settings, server))
        finally:
            server.close()
        report(rows)
        started = process(data_dir)
        report(started)
    sys.exit(1 if any(met is False for _, _, met in [*rows, *started]) else 0)


if __name__ == "__main__":
    main()
