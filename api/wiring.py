"""The composition root: builds every object once and hands it in."""

from __future__ import annotations

import asyncio
import base64
import hmac
import logging
import os
import secrets
import socket
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx
from anyio import to_thread
from fastapi import FastAPI

from api.chat.companies import CompanyDirectory
from api.chat.routes import ChatDoors
from api.chat.service import ChatService, Tools
from api.clock import Clock, new_call_id, new_ulid, parse_clock
from api.mcp import create_mcp_app
from api.mcp_server import McpDoor
from api.models import RedisLedger, make_describer, make_gateway, make_interpreter
from api.settings import Settings
from graph.build import build_graph
from graph.models.gateway import ModelGateway
from graph.runner import DialogRunner
from graph.tools.attempts import patience_for
from graph.tools.transport import HttpTransport, ToolAnswer, ToolRequest, Transport
from graph.understanding.meaning import Interpreter
from store.crm import chat
from store.crm.bots import AGENT_TOKEN_PREFIX, ensure_agent_token
from store.crm.companies import get_company
from store.migrations import upgrade
from store.passport import BackendOptions, BlobCodec, PassportSaver, RedisClient, RunningServer
from store.seed import seed
from store.sql.engine import make_engine
from store.sql.scope import Scope
from store.sql.unit import Database

_log = logging.getLogger(__name__)

RECOVERY_EVERY_SECONDS: Final = 3.0
RECOVERY_GRACE_SECONDS: Final = 5.0
"""A message that waits for its turn in a living process is left alone for this long."""


@dataclass(slots=True)
class Services:
    """Everything that runs, and how to start and stop it."""

    settings: Settings
    clock: Clock
    database: Database
    server: RunningServer
    redis: RedisClient
    passport: PassportSaver
    models: ModelGateway
    interpreter: Interpreter
    mcp: FastAPI
    companies: CompanyDirectory
    chat: ChatService
    owner: str
    transports: Transports
    _recovery: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def doors(self) -> ChatDoors:
        """What the chat's routes need."""
        return ChatDoors(self.database, self.chat, self.companies)

    def start(self) -> None:
        """Begin to look after kept messages. Needs a running event loop."""
        self._recovery = asyncio.get_running_loop().create_task(self._recover_for_ever())

    async def stop(self) -> None:
        """Let the runs end, then close connections. The Redis server is the caller's."""
        if self._recovery is not None:
            self._recovery.cancel()
            with suppress(asyncio.CancelledError):
                await self._recovery
        await self.chat.drain()
        await self.transports.aclose()
        with suppress(Exception):
            await self.redis.aclose()
        await self.models.aclose()
        self.database.dispose()

    async def _recover_for_ever(self) -> None:
        while True:
            try:
                answered = await self.chat.recover(grace_seconds=RECOVERY_GRACE_SECONDS)
                if answered:
                    _log.info("%d kept messages were answered", answered)
            except Exception as error:  # noqa: BLE001
                # This loop must outlive anything: without it nobody answers what a crash left.
                _log.warning("kept messages cannot be looked after now: %s", type(error).__name__)
            await asyncio.sleep(RECOVERY_EVERY_SECONDS)


def build_services(
    settings: Settings, server: RunningServer, *, owner: str | None = None, database_type: type[Database] = Database
) -> Services:
    """Build everything: database migrated, demo seeded where asked, nothing running yet. Blocks.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    clock = parse_clock(settings.now, settings.now_zone)
    secret = read_secret(settings)
    database = open_database(settings, clock, database_type)
    redis = server.connect()
    passport = PassportSaver(
        redis,
        options=BackendOptions(ttl_seconds=int(settings.passport_ttl_hours * 3600), keep=2),
        codec=BlobCodec(seal_keys=[_derive(secret, "passport seal")]),
    )
    # Embedded, budgets are counted in the process: there is only one.
    models = make_gateway(settings, RedisLedger(redis) if settings.redis_url else None)
    interpreter = make_interpreter(settings, models)
    mcp = create_mcp_app(database, clock)
    transports = Transports(settings, database, mcp, secret, clock)
    patience = patience_for(settings.crm_deadline_seconds, in_process=not settings.crm_url)
    companies = CompanyDirectory(transports, clock, new_call_id, patience)
    owner = owner or f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
    chat_service = ChatService(
        Tools(
            database=database,
            runner=DialogRunner(build_graph(passport), passport),
            companies=companies,
            interpreter=interpreter,
            clock=clock,
            new_turn_id=new_ulid,
            key_secret=_derive(secret, "idempotency keys"),
            owner=owner,
            describer=make_describer(models),
            strict_grounding=settings.strict_grounding,
        )
    )
    chat.release_owner(database, owner)
    return Services(
        settings,
        clock,
        database,
        server,
        redis,
        passport,
        models,
        interpreter,
        mcp,
        companies,
        chat_service,
        owner,
        transports,
    )


def open_database(settings: Settings, clock: Clock, database_type: type[Database] = Database) -> Database:
    """Open the database, bring it to the newest schema, and seed the demo where asked."""
    if not settings.database_url:
        # Names and phone numbers lie in it: for its owner alone.
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = make_engine(settings.sql_url)
    upgrade(engine)
    database = database_type(engine)
    if settings.seed_demo:
        seed(database, clock())
    return database


# ---- secrets -----------------------------------------------------------------------------------------


def read_secret(settings: Settings) -> bytes:
    """Return the installation's secret; made once, readable by its owner alone."""
    configured = settings.secret_key.get_secret_value()
    if configured:
        return configured.encode()
    path = settings.data_dir / "secret.key"
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        _write_secret(path)
    return path.read_bytes()


def _write_secret(path: Path) -> None:
    """Write a whole new secret under another name first: two processes that start at once agree on one."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(6)}")
    descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(48))
    try:
        os.link(draft, path)
    finally:
        draft.unlink()


def _derive(secret: bytes, purpose: str) -> bytes:
    return hmac.digest(secret, f"ridepass {purpose}".encode(), "sha256")


def _agent_token(secret: bytes, slug: str) -> str:
    """Derive the agent's own bot token: the same in every process, kept nowhere in the clear."""
    return AGENT_TOKEN_PREFIX + base64.urlsafe_b64encode(_derive(secret, f"agent token {slug}")).decode().rstrip("=")


# ---- transports ----------------------------------------------------------------------------------------


MakeTransport = Callable[[str], Transport]
"""Bot token -> a transport that speaks with it."""


class EmbeddedTransport:
    """The agent's way to our own business API in this process; registers its token on first use."""

    def __init__(self, database: Database, make: MakeTransport, company_id: int, secret: bytes, clock: Clock) -> None:
        self._database = database
        self._make = make
        self._company_id = company_id
        self._secret = secret
        self._clock = clock
        self._transport: Transport | None = None
        self._preparing = asyncio.Lock()

    async def send(self, request: ToolRequest) -> ToolAnswer:
        """Send and wait for the whole answer."""
        async with self._preparing:
            if self._transport is None:
                self._transport = self._make(await to_thread.run_sync(self._register))
        return await self._transport.send(request)

    def _register(self) -> str:
        slug = get_company(self._database, Scope(self._company_id)).slug
        token = _agent_token(self._secret, slug)
        ensure_agent_token(self._database, slug, token, now=self._clock())
        return token


class Transports:
    """One transport a company, made when first asked for."""

    def __init__(self, settings: Settings, database: Database, business: FastAPI, secret: bytes, clock: Clock) -> None:
        self._parts = (database, secret, clock)
        self._remote_token = settings.crm_token.get_secret_value() if settings.crm_url else ""
        self._closing = AsyncExitStack()
        speak = _mcp_maker if settings.crm_transport == "mcp" else _rest_maker
        self._make_for = speak(settings, database, business, clock, self._closing)
        self._made: dict[int, Transport] = {}

    def __call__(self, company_id: int) -> Transport:
        """Return the transport of one company."""
        if company_id not in self._made:
            self._made[company_id] = self._make(company_id)
        return self._made[company_id]

    async def aclose(self) -> None:
        """Close connections."""
        await self._closing.aclose()

    def _make(self, company_id: int) -> Transport:
        if self._remote_token:
            return self._make_for(self._remote_token)
        database, secret, clock = self._parts
        return EmbeddedTransport(database, self._make_for, company_id, secret, clock)


def _rest_maker(
    settings: Settings, _database: Database, business: FastAPI, _clock: Clock, closing: AsyncExitStack
) -> MakeTransport:
    client = (
        httpx.AsyncClient(base_url=settings.crm_url, timeout=5.0)
        if settings.crm_url
        else httpx.AsyncClient(transport=httpx.ASGITransport(business), base_url="http://crm.internal/")
    )
    closing.push_async_callback(client.aclose)
    return lambda token: HttpTransport(client, token)


def _mcp_maker(
    settings: Settings, database: Database, business: FastAPI, clock: Clock, closing: AsyncExitStack
) -> MakeTransport:
    # Only who asks for the protocol pays for its SDK.
    import httpx2

    from graph.tools.mcp_transport import McpTransport

    wire: httpx2.AsyncBaseTransport = httpx2.AsyncHTTPTransport()
    if not settings.crm_url:
        door = McpDoor(database, clock, business)
        closing.push_async_callback(door.aclose)
        wire = httpx2.ASGITransport(door)
    closing.push_async_callback(wire.aclose)
    url = settings.crm_url or "http://crm.internal/mcp"
    return lambda token: McpTransport(wire, url, token)
