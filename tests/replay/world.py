"""The whole product in one process for many scenarios: the real HTTP application, Valkey and SQLite, a fixed clock.

One application serves all; the database is put back to the seeded one before each scenario. What an event changed in
the process itself (a clock, a broken tool) costs a new application afterwards.
"""

from __future__ import annotations

import asyncio
import dataclasses
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import httpx
from anyio import to_thread

from api.chat.companies import CompanyDirectory
from api.chat.service import ChatService, Tools
from api.clock import new_call_id, new_ulid
from api.main import build_app
from api.settings import Settings
from api.wiring import Services, build_services
from graph.build import build_graph
from graph.runner import DialogRunner
from graph.tools.attempts import patience_for
from graph.tools.transport import ToolAnswer, ToolRequest, Transport, TransportDown
from store.crm.bots import issue_bot_token
from store.passport import RunningServer
from tests.replay.door import Chat, HttpChat

COMPANIES: Final = ("coral-rentals", "harbour-wheels")
STRANGER: Final = {"first_name": "Stranger", "last_name": "Elsewhere", "phone": "+61400000001"}
_SECRET: Final = b"replay" * 8
_PATHS: Final = {
    "search": "search_available",
    "pricing": "vehicles/pricing",
    "booking": "vehicles/rentals",
    "change": "rentals/",
    "alternatives": "vehicles/alternatives",
    "everything": "",
}


_NO_RULES: Final = "update company set house_rules = '{}'"
_STAFF: Final = {
    "touches": "update rental set version = version + 1 where id = (select max(id) from rental)",
    "cancels": "update rental set version = version + 1, status = 'cancelled' where id = (select max(id) from rental)",
}
_SHOP: Final = {"holds vehicles": "update company set hold_minutes = 10", "says nothing": _NO_RULES}


class Faults:
    """Which tools fail now: `down` before they act, `lost` after they acted."""

    def __init__(self) -> None:
        self.path: str | None = None
        self.lost = False

    async def send(self, inner: Transport, request: ToolRequest) -> ToolAnswer:
        """Send, or fail as told."""
        is_look = request.method == "GET" or bool((request.body or {}).get("preview"))
        fails = self.path is not None and self.path in request.path and not (self.lost and is_look)
        if not fails:
            return await inner.send(request)
        if self.lost:
            await inner.send(request)
        raise TransportDown("as the scenario has it")


class Faulty:
    """A transport that may fail."""

    def __init__(self, inner: Transport, faults: Faults) -> None:
        self._inner, self._faults = inner, faults

    async def send(self, request: ToolRequest) -> ToolAnswer:
        """Send one request."""
        return await self._faults.send(self._inner, request)


class World:
    """An installation that scenarios are played in. Also the door to it."""

    def __init__(self, data_dir: Path, server: RunningServer, now: str) -> None:
        self.data_dir, self.server, self.now = data_dir, server, now
        self.faults = Faults()
        self.services: Services
        self.http: httpx.AsyncClient
        self.others: set[int] = set()
        """Rentals that events made, by id."""
        self._seed = data_dir / "seed.db"
        self._is_dirty = False
        self._opened: list[HttpChat] = []
        self._bot_tokens: dict[str, str] = {}

    # ---- life --------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Build the application and keep the seeded database for later."""
        await self._build(self.now)
        for company in COMPANIES:
            # The agent's own token is made with the first call; it belongs to the seeded state.
            await (await self.open(company)).say("hi", "warm")
            self._bot_tokens[company] = await to_thread.run_sync(
                lambda slug=company: issue_bot_token(  # type: ignore[misc]
                    self.services.database, slug, "another channel", now=self.services.clock()
                )
            )
        await self.services.chat.drain()
        await to_thread.run_sync(_copy, self.database_file, self._seed)

    async def reset(self) -> None:
        """Put the world back to the seeded state."""
        await self.services.chat.drain()
        if self._is_dirty:
            await self._close()
            self.faults = Faults()
            await to_thread.run_sync(_copy, self._seed, self.database_file)
            await self._build(self.now)
            self._is_dirty = False
        else:
            await to_thread.run_sync(_copy, self._seed, self.database_file)
        self.others, self._opened = set(), []

    async def stop(self) -> None:
        """Close everything but the Redis server."""
        await self._close()

    async def _close(self) -> None:
        await self.http.aclose()
        await self.services.stop()

    async def _build(self, now: str) -> None:
        settings = replay_settings(self.data_dir, now)
        built = await to_thread.run_sync(lambda: build_services(settings, self.server))
        self.services = _with_faults(built, self.faults)
        transport = httpx.ASGITransport(build_app(self.services), raise_app_exceptions=False)
        self.http = httpx.AsyncClient(transport=transport, base_url="http://ridepass.test")

    @property
    def database_file(self) -> Path:
        """The database of the application."""
        return self.data_dir / "ridepass.db"

    # ---- the door ----------------------------------------------------------------------------------

    async def open(self, company: str) -> Chat:
        """Open a conversation."""
        response = await self.http.post("/api/chat/sessions", json={"company": company})
        response.raise_for_status()
        chat = HttpChat(self.http, response.json())
        self._opened.append(chat)
        return chat

    # ---- events ------------------------------------------------------------------------------------

    async def event(self, name: str, args: dict[str, Any], company: str) -> None:
        """Let something happen that the customer did not do."""
        events: dict[str, Callable[..., Any]] = {
            "restart": self._restart,
            "later": self._later,
            "passport_lost": self._passport_lost,
            "someone_books": self._someone_books,
            "tool": self._tool,
            "staff": self._staff,
            "shop": self._shop,
        }
        await events[name](company, **args)

    async def _restart(self, _company: str, now: str | None = None) -> None:
        await self.services.chat.drain()
        await self._close()
        await self._build(now or self.now)
        for chat in self._opened:
            chat.moved_to(self.http)

    async def _later(self, company: str, minutes: int) -> None:
        self._is_dirty = True
        later = datetime.fromisoformat(self.now) + timedelta(minutes=minutes)
        await self._restart(company, later.isoformat(timespec="minutes"))

    async def _passport_lost(self, _company: str) -> None:
        for chat in self._opened:
            await self.services.passport.adelete_thread(chat.conversation_id)

    async def _tool(self, _company: str, fails: str | None = None, lost: bool = False) -> None:
        self._is_dirty = True
        self.faults.path = None if fails is None else _PATHS[fails]
        self.faults.lost = lost

    async def _someone_books(self, company: str, vehicle: str, start: str, end: str) -> None:
        """Another channel books the first free vehicle of this name."""
        await self.book(company, vehicle, {"start": str(start), "end": str(end)}, STRANGER)
        self.others.add(await to_thread.run_sync(self._newest_rental))

    async def book(self, company: str, vehicle: str, period: dict[str, str], client: dict[str, str]) -> dict[str, Any]:
        """Book over the business API the first free vehicle of this name; any, when it has none. Return the rental."""
        headers = {"X-Bot-Token": self._bot_tokens[company]}
        transport = httpx.ASGITransport(self.services.mcp)
        async with httpx.AsyncClient(transport=transport, base_url="http://crm.test/", headers=headers) as api:
            asked = {**period, "text": vehicle} if vehicle else period
            found = (await api.get("vehicles/search_available/", params=asked)).raise_for_status().json()["vehicles"]
            one = next(one for one in found if vehicle.casefold() in one["vehicle"]["name"].casefold())
            asked = {**period, "vehicle_uuid": one["vehicle"]["uuid"]}
            quote = (await api.get("vehicles/pricing/", params=asked)).raise_for_status().json()
            body = {"quote_uuid": quote["quote_uuid"], "idempotency_key": new_ulid(), "client": client}
            made: dict[str, Any] = (await api.post("vehicles/rentals/", json=body)).raise_for_status().json()
            return made

    async def _staff(self, _company: str, does: str) -> None:
        """Staff touch the newest rental of the customer."""
        await to_thread.run_sync(self._write, _STAFF[does])

    async def _shop(self, _company: str, does: str) -> None:
        """The shop changes its own rules."""
        self._is_dirty = True
        await to_thread.run_sync(self._write, _SHOP[does])

    def _write(self, statement: str) -> None:
        with closing(sqlite3.connect(self.database_file, timeout=10)) as connection, connection:
            connection.execute(statement)

    def _newest_rental(self) -> int:
        with closing(sqlite3.connect(self.database_file, timeout=10)) as connection:
            return int(connection.execute("select max(id) from rental").fetchone()[0])

    async def waiting(self) -> int:
        """Messages that were ever accepted."""
        return await to_thread.run_sync(self._accepted)

    def _accepted(self) -> int:
        with closing(sqlite3.connect(self.database_file, timeout=10)) as connection:
            return int(connection.execute("select count(*) from inbox_message").fetchone()[0])


class Worlds:
    """One world a clock, made when first asked for."""

    def __init__(self, root: Path, server: RunningServer) -> None:
        self._root, self._server = root, server
        self._made: dict[str, World] = {}

    async def at(self, now: str) -> World:
        """Return the world with this clock, in its seeded state."""
        if now not in self._made:
            data_dir = self._root / f"world{len(self._made)}"
            data_dir.mkdir(parents=True)
            world = World(data_dir, self._server, now)
            await world.start()
            self._made[now] = world
        await self._made[now].reset()
        return self._made[now]

    async def stop(self) -> None:
        """Close all."""
        for world in self._made.values():
            await world.stop()
        await asyncio.to_thread(shutil.rmtree, self._root, ignore_errors=True)


def replay_settings(data_dir: Path, now: str) -> Settings:
    """Settings of an installation with a clock that stands still; nothing of the environment."""
    given: Any = {"now": now, "strict_grounding": True, "crm_deadline_seconds": 15, "_env_file": None}
    return Settings(data_dir=data_dir, secret_key="replay" * 8, **given)


def _with_faults(services: Services, faults: Faults) -> Services:
    made: dict[int, Transport] = {}

    def transport_for(company_id: int) -> Transport:
        return made.setdefault(company_id, Faulty(services.transports(company_id), faults))

    patience = patience_for(services.settings.crm_deadline_seconds, in_process=True)
    companies = CompanyDirectory(transport_for, services.clock, new_call_id, patience)
    tools = Tools(
        database=services.database,
        runner=DialogRunner(build_graph(services.passport), services.passport),
        companies=companies,
        interpreter=services.interpreter,
        clock=services.clock,
        new_turn_id=new_ulid,
        key_secret=_SECRET,
        owner=services.owner,
        strict_grounding=True,
    )
    return dataclasses.replace(services, companies=companies, chat=ChatService(tools), _recovery=None)


def _copy(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source, timeout=10)) as one, closing(sqlite3.connect(target, timeout=10)) as other:
        one.backup(other)
