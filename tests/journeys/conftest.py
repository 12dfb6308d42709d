"""The whole product in one process: real Valkey, real SQLite, real HTTP application, a clock that stands still."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from anyio import to_thread

from api.main import build_app
from api.settings import Settings
from api.wiring import Services, build_services
from store.passport import RunningServer, choose_server

NOW = "2027-05-31T15:30"


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One embedded server for the whole session; conversations never meet in it."""
    server = choose_server(None, tmp_path_factory.mktemp("valkey"))
    yield server
    server.close()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings of a fresh installation with the demo's clock."""
    return Settings(data_dir=tmp_path / "data", now=NOW, _env_file=None)  # type: ignore[call-arg]


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
        return await self.http.post(
            "/api/chat/actions", json={"action_id": action_id, **extra}, headers=self.headers
        )

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


def last(response: dict[str, Any]) -> dict[str, Any]:
    """The last turn of an answer."""
    turn: dict[str, Any] = response["turns"][-1]
    return turn
