"""The business API in this process, over the world of the fault log."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
import store_world

from api.mcp import create_mcp_app
from store.crm.bots import issue_bot_token
from store.sql.engine import make_engine
from store.sql.unit import Database


@dataclass
class Api:
    """A client of the business API, by company."""

    world: Any
    client: httpx.AsyncClient
    tokens: dict[str, str]
    keys: Any = field(default_factory=count)

    async def get(self, path: str, company: str = "coral-rentals", actor: str = "web:alex", **query: Any) -> Any:
        headers = {"X-Bot-Token": self.tokens[company], "X-User-Id": actor}
        return await self.client.get(path, params=query, headers=headers)

    async def post(self, path: str, body: Any, company: str = "coral-rentals", actor: str = "web:alex") -> Any:
        headers = {"X-Bot-Token": self.tokens[company], "X-User-Id": actor}
        return await self.client.post(path, json=body, headers=headers)

    async def quote(
        self, plate: str, start: str, end: str, company: str = "coral-rentals", actor: str = "web:alex"
    ) -> Any:
        query = {"vehicle_uuid": self.world.uuid(plate), "start": start, "end": end}
        return (await self.get("vehicles/pricing/", company, actor, **query)).json()

    async def book(self, plate: str, start: str, end: str, actor: str = "web:alex", **client: Any) -> Any:
        """Quote and create; the wire's rental."""
        quote = await self.quote(plate, start, end, actor=actor)
        key = f"key-of-quote-{quote['quote_uuid']}"
        answer = await self.post("vehicles/rentals/", self.order(quote, key, **client), actor=actor)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def change(self, rental: Any, kind: str, actor: str = "web:alex", **body: Any) -> Any:
        """The answer to a change; `preview` or a key is given."""
        body = body if body.get("preview") else {"idempotency_key": f"key-of-change-{next(self.keys):04d}", **body}
        return await self.post(f"rentals/{rental['rental_uuid']}/{kind}/", body, actor=actor)

    def order(self, quote: Any, key: str = "key-of-one-request", **client: Any) -> dict[str, Any]:
        claim = {"first_name": "Alex", "phone": "+66812345678", **client}
        return {"quote_uuid": quote["quote_uuid"], "idempotency_key": key, "client": claim}


@pytest.fixture(scope="session")
def tokens() -> dict[str, str]:
    """Company -> token; filled when the template is made."""
    return {}


def fill(db: Database, tokens: dict[str, str]) -> None:
    store_world.make_world(db)
    for slug in ("coral-rentals", "harbour-wheels", "sierra-moto"):
        tokens[slug] = issue_bot_token(db, slug, "test", now=store_world.START)


@pytest.fixture(scope="session")
def world_file(tmp_path_factory: pytest.TempPathFactory, tokens: dict[str, str]) -> Path:
    return store_world.make_template(tmp_path_factory.mktemp("mcp") / "world.db", lambda db: fill(db, tokens))


@pytest.fixture
def world(world_file: Path, tmp_path: Path) -> Iterator[Any]:
    db = Database(make_engine(f"sqlite:///{shutil.copy(world_file, tmp_path / 'ridepass.db')}"))
    yield store_world.open_world(db)
    db.dispose()


@asynccontextmanager
async def serve(world: Any, tokens: dict[str, str]) -> AsyncIterator[Api]:
    app = create_mcp_app(world.db, lambda: world.now)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://crm.test/") as client:
        yield Api(world, client, tokens)


@pytest.fixture
async def api(world: Any, tokens: dict[str, str]) -> AsyncIterator[Api]:
    async with serve(world, tokens) as found:
        yield found


@pytest.fixture(scope="session")
def postgres_template() -> Iterator[tuple[str, dict[str, str]]]:
    tokens: dict[str, str] = {}
    with store_world.postgres_template(lambda db: fill(db, tokens)) as name:
        yield name, tokens


@pytest.fixture
def postgres_world(postgres_template: tuple[str, dict[str, str]]) -> Iterator[Any]:
    with store_world.postgres_clone(postgres_template[0]) as db:
        yield store_world.open_world(db)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def any_api(request: pytest.FixtureRequest) -> AsyncIterator[Api]:
    """The API over each engine; for what the engines may answer differently."""
    if request.param == "sqlite":
        world, tokens = request.getfixturevalue("world"), request.getfixturevalue("tokens")
    else:
        world = request.getfixturevalue("postgres_world")
        tokens = request.getfixturevalue("postgres_template")[1]
    async with serve(world, tokens) as found:
        yield found
