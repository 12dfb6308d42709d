"""The door of a chat, as a customer's screen sees it. The product and the null agents are behind the same one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx

Turn = dict[str, Any]


@dataclass(slots=True)
class Answer:
    """What came back for one message or press."""

    status: int
    turns: list[Turn] = field(default_factory=list)
    raw: str = ""
    idempotent: bool = False

    @property
    def said(self) -> list[Turn]:
        """The agent's turns."""
        return [turn for turn in self.turns if turn["role"] != "user"]


class Chat(Protocol):
    """One conversation."""

    async def say(self, words: str, key: str) -> Answer: ...

    async def press(self, action_id: str, key: str, given: dict[str, Any] | None) -> Answer: ...


class Door(Protocol):
    """Opens conversations."""

    async def open(self, company: str) -> Chat: ...


class HttpChat:
    """A conversation over HTTP."""

    def __init__(self, http: httpx.AsyncClient, opened: dict[str, Any]) -> None:
        self._http = http
        self.conversation_id: str = opened["conversation_id"]
        self._headers = {"Authorization": f"Bearer {opened['token']}"}

    async def say(self, words: str, key: str) -> Answer:
        """Send a message."""
        return await self._post("/api/chat", {"message": words, "client_key": key})

    async def press(self, action_id: str, key: str, given: dict[str, Any] | None) -> Answer:
        """Press a button."""
        extra = {"input": given} if given else {}
        return await self._post("/api/chat/actions", {"action_id": action_id, "client_key": key, **extra})

    def moved_to(self, http: httpx.AsyncClient) -> None:
        """Go on with another process of the same installation."""
        self._http = http

    async def _post(self, path: str, body: dict[str, Any]) -> Answer:
        response = await self._http.post(path, json=body, headers=self._headers)
        if response.status_code != 200:
            return Answer(response.status_code, raw=response.text)
        found = response.json()
        return Answer(200, found["turns"], response.text, bool(found.get("idempotent")))
