"""The door of the protocol: checks the token, and loads the SDK when the first caller with a good one comes.

The SDK costs memory and a second of imports; a shop that does not use it pays neither.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any, Protocol

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from api.mcp.failures import failure
from store.crm.bots import authenticate_bot
from store.errors import StoreUnavailable
from store.sql.unit import Database


class Manager(Protocol):
    """The part of the SDK that speaks streamable HTTP."""

    def run(self) -> AbstractAsyncContextManager[None]:
        """Be ready for requests."""
        ...

    async def handle_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one."""
        ...


class McpDoor:
    """ASGI app. `business` is the app of the REST endpoints: it does the work and gives the answers."""

    def __init__(self, database: Database, clock: Callable[[], datetime], business: ASGIApp) -> None:
        self._database = database
        self._clock = clock
        self._business = business
        self._starting = asyncio.Lock()
        self._manager: Manager | None = None
        self._running: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()

    @property
    def is_loaded(self) -> bool:
        """Whether somebody has used the protocol since the start."""
        return self._manager is not None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a caller with a good token; tell everybody else what the REST endpoints tell them."""
        token = Headers(scope=scope).get("x-bot-token", "")
        try:
            bot = await run_in_threadpool(authenticate_bot, self._database, token, self._clock()) if token else None
        except StoreUnavailable as error:
            await failure("unavailable", error.message)(scope, receive, send)
            return
        if bot is None:
            await failure("unauthorized", "a valid X-Bot-Token is needed")(scope, receive, send)
            return
        manager = await self._ready()
        await manager.handle_request(scope, receive, send)

    async def aclose(self) -> None:
        """End what runs."""
        self._stop.set()
        if self._running is not None:
            await self._running

    async def _ready(self) -> Manager:
        async with self._starting:
            if self._manager is None:
                manager = await run_in_threadpool(_make_manager, self._business)
                is_up = asyncio.Event()
                self._running = asyncio.get_running_loop().create_task(self._run(manager, is_up))
                await is_up.wait()
                self._manager = manager
            return self._manager

    async def _run(self, manager: Manager, is_up: asyncio.Event) -> None:
        # Its scope of tasks has to be entered and left by one task; requests come from many.
        async with manager.run():
            is_up.set()
            await self._stop.wait()


def _make_manager(business: ASGIApp) -> Any:
    from api.mcp_server.sdk import make_manager

    return make_manager(business)
