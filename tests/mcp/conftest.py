"""The business API in this process, over the world of the fault log."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.mcp import create_mcp_app
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


@dataclass
class Api:
    """A client of the business API, by company."""

    world: Any
    client: httpx.AsyncClient
    tokens: dict[str, str]

    async def get(self, path: str, company: str = "coral-rentals", actor: str = "web:alex", **query: Any) -> Any:
        headers = {"X-Bot-Token": self.tokens[company], "X-User-Id": actor}
        return await self.client.get(path, params=query, headers=headers)

    async def post(self, path: str, body: Any, company: str = "coral-rentals", actor: str = "web:alex") -> Any:
        headers = {"X-Bot-Token": self.tokens[company], "X-User-Id": actor}
        return await self.client.post(path, json=body, headers=headers)

    async def quote(self, plate: str, start: str, end: str, company: str = "coral-rentals") -> Any:
        uuid = self.world.uuid(plate)
        return (await self.get("vehicles/pricing/", company, vehicle_uuid=uuid, start=start, end=end)).json()

    def order(self, quote: Any, key: str = "key-of-one-request", **client: Any) -> dict[str, Any]:
        claim = {"first_name": "Alex", "phone": "+66812345678", **client}
        return {"quote_uuid": quote["quote_uuid"], "idempotency_key": key, "client": claim}


@pytest.fixture(scope="session")
def tokens() -> dict[str, str]:
    """Company -> token; filled when the template is made."""
    return {}


@pytest.fixture(scope="session")
def world_file(tmp_path_factory: pytest.TempPathFactory, tokens: dict[str, str]) -> Path:
    def fill(db: Database) -> None:
        store_world.make_world(db)
        for slug in ("coral-rentals", "harbour-wheels", "sierra-moto"):
            tokens[slug] = issue_bot_token(db, slug, "test", now=store_world.START)

    return store_world.make_template(tmp_path_factory.mktemp("mcp") / "world.db", fill)


@pytest.fixture
def world(world_file: Path, tmp_path: Path) -> Iterator[Any]:
    db = Database(make_engine(f"sqlite:///{shutil.copy(world_file, tmp_path / 'ridepass.db')}"))
    yield store_world.open_world(db)
    db.dispose()


@pytest.fixture
async def api(world: Any, tokens: dict[str, str]) -> AsyncIterator[Api]:
    app = create_mcp_app(world.db, lambda: world.now)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://crm.test/") as client:
        yield Api(world, client, tokens)
