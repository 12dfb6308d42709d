"""The whole product in one process: real Valkey, real SQLite, real HTTP application, a clock that stands still."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import store_world
from anyio import to_thread
from sqlalchemy import text

from api.clock import parse_clock
from api.main import build_app
from api.settings import Settings
from api.wiring import Services, build_services, open_database
from store.crm.bots import issue_bot_token
from store.passport import RunningServer, choose_server
from store.seed import seed

NOW = "2027-05-31T15:30"


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One embedded server for the whole session; conversations never meet in it."""
    server = choose_server(None, tmp_path_factory.mktemp("valkey"))
    yield server
    server.close()


def demo_settings(data_dir: Path) -> Settings:
    """Settings of an installation with the demo's clock; nothing of the environment."""
    # A busy test machine may stall for seconds: what the deadline does is specified in tests/gateway.
    given: Any = {"now": NOW, "strict_grounding": True, "crm_deadline_seconds": 15, "_env_file": None}
    return Settings(data_dir=data_dir, **given)


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory that was migrated and seeded once; tests copy it."""
    data_dir = tmp_path_factory.mktemp("seeded") / "data"
    made = demo_settings(data_dir)
    open_database(made, parse_clock(made.now, made.now_zone)).dispose()
    return data_dir


@pytest.fixture(scope="session")
def postgres_template() -> Iterator[str]:
    """A migrated and seeded database on the test server, to clone for each test."""
    clock = parse_clock(NOW, "Asia/Makassar")
    with store_world.postgres_template(lambda database: seed(database, clock())) as name:
        yield name


@pytest.fixture
def postgres_url(postgres_template: str) -> Iterator[str]:
    """The address of a database of its own."""
    with store_world.postgres_clone(postgres_template) as database:
        yield database.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)


@pytest.fixture
def engine() -> str:
    """Which database the product runs on; a file of tests names both where the cases ask for it."""
    return "sqlite"


@pytest.fixture
def settings(request: pytest.FixtureRequest, tmp_path: Path, seeded: Path, engine: str) -> Settings:
    """Settings of a fresh installation with the demo's clock."""
    shutil.copytree(seeded, tmp_path / "data")
    made = demo_settings(tmp_path / "data")
    if engine == "postgres":
        made.database_url = request.getfixturevalue("postgres_url")
    return made


@pytest.fixture
async def services(settings: Settings, valkey: RunningServer) -> AsyncIterator[Services]:
    """The wired product."""
    built = await to_thread.run_sync(lambda: build_services(settings, valkey))
    yield built
    await built.stop()


@pytest.fixture
async def http(services: Services) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the HTTP application."""
    transport = httpx.ASGITransport(build_app(services), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://ridepass.test") as client:
        yield client


class Chat:
    """A customer in front of the widget, over HTTP."""

    def __init__(self, http: httpx.AsyncClient, opened: dict[str, Any]) -> None:
        self.http = http
        self.conversation_id: str = opened["conversation_id"]
        self.headers = {"Authorization": f"Bearer {opened['token']}"}

    async def raw(self, message: Any, **extra: Any) -> httpx.Response:
        """Post a body as it is."""
        return await self.http.post("/api/chat", json={"message": message, **extra}, headers=self.headers)

    async def say(self, message: str, **extra: Any) -> dict[str, Any]:
        """Say something; return the ChatResponse."""
        response = await self.raw(message, **extra)
        assert response.status_code == 200, response.text
        body: dict[str, Any] = response.json()
        return body

    async def press(self, turn: dict[str, Any], kind: str, nth: int = 0, **extra: Any) -> dict[str, Any]:
        """Press the nth button of a kind on a card."""
        found = [action for action in turn["actions"] if action["kind"] == kind]
        response = await self.press_id(found[nth]["id"], **extra)
        assert response.status_code == 200, response.text
        body: dict[str, Any] = response.json()
        return body

    async def press_id(self, action_id: str, **extra: Any) -> httpx.Response:
        """Press a button by its id."""
        return await self.http.post("/api/chat/actions", json={"action_id": action_id, **extra}, headers=self.headers)

    async def turns(self) -> list[dict[str, Any]]:
        """Read the history."""
        response = await self.http.get("/api/chat/turns", headers=self.headers)
        assert response.status_code == 200, response.text
        found: list[dict[str, Any]] = response.json()["turns"]
        return found


@pytest.fixture
def open_chat(http: httpx.AsyncClient) -> Callable[..., Any]:
    """Open a conversation."""

    async def opened(company: str = "coral-rentals", **extra: Any) -> Chat:
        response = await http.post("/api/chat/sessions", json={"company": company, **extra})
        assert response.status_code == 201, response.text
        return Chat(http, response.json())

    return opened


@pytest.fixture
async def chat(open_chat: Callable[..., Any]) -> Chat:
    """A conversation with Coral Rentals."""
    opened: Chat = await open_chat()
    return opened


class Shop:
    """What the operators see: the business API with a token of its own, and the rentals table."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self._seeded = self._rows("select coalesce(max(id), 0) from rental")[0][0]

    def rentals(self) -> list[Any]:
        """Rentals made since the test began, oldest first: (order_number, status, start, end, source)."""
        return self._rows(
            "select order_number, status, start_date, end_date, source from rental where id > :seeded order by id",
            seeded=self._seeded,
        )

    def _rows(self, query: str, **values: Any) -> list[Any]:
        with self.services.database.read() as session:
            return [tuple(row) for row in session.execute(text(query), values)]

    def client(self, company: str = "coral-rentals") -> httpx.AsyncClient:
        """A client of the business API with a fresh token."""
        token = issue_bot_token(self.services.database, company, "test", now=self.services.clock())
        transport = httpx.ASGITransport(build_app(self.services), raise_app_exceptions=False)
        return httpx.AsyncClient(
            transport=transport, base_url="http://ridepass.test/api/mcp/", headers={"X-Bot-Token": token}
        )


@pytest.fixture
def shop(services: Services) -> Shop:
    """The operators' side."""
    return Shop(services)
