"""The whole application on a loopback port, and the SDK's own client in front of it."""

from __future__ import annotations

import asyncio
import shutil
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
import store_world
import uvicorn
from fastapi import FastAPI
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from api.body_limit import BodyLimit
from api.mcp import create_mcp_app
from api.mcp_server import McpDoor
from store.crm.bots import issue_bot_token
from store.sql.engine import make_engine
from store.sql.unit import Database


@dataclass
class Site:
    """A server that listens, and both ways to its tools."""

    world: Any
    url: str
    tokens: dict[str, str]
    door: McpDoor
    http: httpx.AsyncClient

    def headers(self, company: str = "coral-rentals", actor: str = "web:alex") -> dict[str, str]:
        return {"X-Bot-Token": self.tokens[company], "X-User-Id": actor}

    @asynccontextmanager
    async def connect(self, company: str = "coral-rentals", actor: str = "web:alex") -> AsyncIterator[Client]:
        """The SDK's client, connected over the network."""
        async with httpx2.AsyncClient(headers=self.headers(company, actor)) as http:
            transport = streamable_http_client(f"{self.url}/mcp", http_client=http)
            async with Client(transport, read_timeout_seconds=20) as client:
                yield client

    async def get(self, path: str, **query: Any) -> httpx.Response:
        """The REST way."""
        return await self.http.get(f"/api/mcp/{path}", params=query, headers=self.headers())


Connect = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture(scope="session")
def tokens() -> dict[str, str]:
    """Company -> token; filled when the template is made."""
    return {}


@pytest.fixture(scope="session")
def world_file(tmp_path_factory: pytest.TempPathFactory, tokens: dict[str, str]) -> Path:
    def fill(db: Database) -> None:
        store_world.make_world(db)
        for slug in ("coral-rentals", "harbour-wheels"):
            tokens[slug] = issue_bot_token(db, slug, "test", now=store_world.START)

    return store_world.make_template(tmp_path_factory.mktemp("mcp_server") / "world.db", fill)


@pytest.fixture
def world(world_file: Path, tmp_path: Path) -> Iterator[Any]:
    db = Database(make_engine(f"sqlite:///{shutil.copy(world_file, tmp_path / 'ridepass.db')}"))
    yield store_world.open_world(db)
    db.dispose()


@pytest.fixture
async def site(world: Any, tokens: dict[str, str]) -> AsyncIterator[Site]:
    business = create_mcp_app(world.db, lambda: world.now)
    door = McpDoor(world.db, lambda: world.now, business)
    app = FastAPI()
    app.mount("/api/mcp", business)
    app.add_route("/mcp", door)
    app.add_middleware(BodyLimit, max_bytes=512 * 1024)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off", ws="none"))
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        async with httpx.AsyncClient(base_url=url) as http:
            yield Site(world, url, tokens, door, http)
        await door.aclose()
        server.should_exit = True
        await asyncio.wait_for(serving, 20)
