"""One business API, four ways to it: REST and MCP, each in process and over a loopback port."""

from __future__ import annotations

import asyncio
import importlib.util
import shutil
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
import uvicorn
from fastapi import FastAPI

from api.mcp import create_mcp_app
from api.mcp_server import McpDoor
from graph.tools.attempts import Patience
from graph.tools.gateway import ToolGateway
from graph.tools.mcp_transport import McpTransport
from graph.tools.transport import HttpTransport, Transport
from store.crm.bots import issue_bot_token
from store.sql.engine import make_engine
from store.sql.unit import Database

_SPEC = importlib.util.spec_from_file_location(
    "tests_store_world", Path(__file__).parents[1] / "fixtures" / "store_world.py"
)
assert _SPEC is not None
assert _SPEC.loader is not None
store_world = importlib.util.module_from_spec(_SPEC)
sys.modules[_SPEC.name] = store_world
_SPEC.loader.exec_module(store_world)

WAYS = ("rest in process", "rest over http", "mcp in process", "mcp over http")


@asynccontextmanager
async def listening(app: Any) -> AsyncIterator[str]:
    """Serve an ASGI app on a loopback port; yields its address."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off", ws="none"))
        serving = asyncio.create_task(server.serve(sockets=[sock]))
        try:
            yield f"http://127.0.0.1:{sock.getsockname()[1]}"
        finally:
            server.should_exit = True
            await asyncio.wait_for(serving, 20)


async def rest_transport(stack: AsyncExitStack, base_url: str, token: str, app: Any = None) -> HttpTransport:
    """REST, in process when an app is given."""
    wire = httpx.ASGITransport(app) if app is not None else None
    client = await stack.enter_async_context(httpx.AsyncClient(transport=wire, base_url=base_url))
    return HttpTransport(client, token)


async def mcp_transport(stack: AsyncExitStack, url: str, token: str, app: Any = None) -> McpTransport:
    """The protocol, in process when an app is given."""
    wire: httpx2.AsyncBaseTransport = httpx2.ASGITransport(app) if app is not None else httpx2.AsyncHTTPTransport()
    stack.push_async_callback(wire.aclose)
    return McpTransport(wire, url, token)


@dataclass
class Desk:
    """A business side with real data, and gateways to it."""

    world: Any
    token: str
    connect: Callable[[str], Any]

    def gateway(self, transport: Transport, **more: Any) -> ToolGateway:
        numbers = iter(range(1, 1000))
        given: dict[str, Any] = {"actor": "web:alex", "patience": Patience(deadline_seconds=20, attempt_seconds=20)}
        return ToolGateway(
            transport=transport,
            clock=lambda: self.world.now,
            new_call_id=lambda: f"call_{next(numbers)}",
            **(given | more),
        )


@pytest.fixture(scope="session")
def tokens() -> dict[str, str]:
    """Company -> token; filled when the template is made."""
    return {}


@pytest.fixture(scope="session")
def world_file(tmp_path_factory: pytest.TempPathFactory, tokens: dict[str, str]) -> Path:
    def fill(db: Database) -> None:
        store_world.make_world(db)
        tokens["coral"] = issue_bot_token(db, "coral-rentals", "test", now=store_world.START)

    made: Path = store_world.make_template(tmp_path_factory.mktemp("gateway") / "world.db", fill)
    return made


@pytest.fixture
def world(world_file: Path, tmp_path: Path) -> Iterator[Any]:
    db = Database(make_engine(f"sqlite:///{shutil.copy(world_file, tmp_path / 'ridepass.db')}"))
    yield store_world.open_world(db)
    db.dispose()


@pytest.fixture
async def desk(world: Any, tokens: dict[str, str]) -> AsyncIterator[Desk]:
    """The business side; `connect(way)` gives a transport."""
    business = create_mcp_app(world.db, lambda: world.now)
    door = McpDoor(world.db, lambda: world.now, business)
    app = FastAPI()
    app.mount("/api/mcp", business)
    app.add_route("/mcp", door)
    token = tokens["coral"]
    async with AsyncExitStack() as stack:

        async def connect(way: str, token: str = token) -> Transport:
            if way == "rest in process":
                return await rest_transport(stack, "http://crm.internal/", token, business)
            if way == "mcp in process":
                return await mcp_transport(stack, "http://crm.internal/mcp", token, door)
            url = await stack.enter_async_context(listening(app))
            if way == "rest over http":
                return await rest_transport(stack, f"{url}/api/mcp/", token)
            return await mcp_transport(stack, f"{url}/mcp", token)

        yield Desk(world, token, connect)
        await door.aclose()


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    """Each way in turn."""
    return str(request.param)


@pytest.fixture
async def behind(way: str) -> AsyncIterator[Callable[[Any], Any]]:
    """A transport of each kind in front of an ASGI app that misbehaves: `await behind(app)`."""
    async with AsyncExitStack() as stack:

        async def connect(app: Any) -> Transport:
            if way == "rest in process":
                return await rest_transport(stack, "http://crm.internal/", "t", app)
            if way == "mcp in process":
                return await mcp_transport(stack, "http://crm.internal/mcp", "t", app)
            url = await stack.enter_async_context(listening(app))
            if way == "rest over http":
                return await rest_transport(stack, f"{url}/", "t")
            return await mcp_transport(stack, f"{url}/mcp", "t")

        yield connect


@pytest.fixture(params=["rest", "mcp"])
async def nowhere(request: pytest.FixtureRequest) -> AsyncIterator[Transport]:
    """A transport to a port that nobody listens at."""
    async with AsyncExitStack() as stack:
        make = rest_transport if request.param == "rest" else mcp_transport
        yield await make(stack, "http://127.0.0.1:9/", "t")
