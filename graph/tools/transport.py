"""The seam between the agent and the business API: one request in, one answer out.

In-process (ASGI) and network calls run the same code. No policy lives here: deadline, retries, keys,
evidence and audit are the gateway's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import httpx


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """One call, ready to send."""

    method: Literal["GET", "POST"]
    path: str
    query: dict[str, str | list[str]]
    """A list is repeated: extras=helmet:2&extras=gps."""
    body: dict[str, Any] | None
    actor: str
    """Which chat user caused it; opaque."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What came back."""

    status: int
    body: bytes


class TransportDown(Exception):
    """No answer: refused, reset, cut. Nobody knows whether the other side acted."""


class Transport(Protocol):
    """Sends one request."""

    async def send(self, request: ToolRequest) -> ToolAnswer:
        """Send and wait for the whole answer.

        Raises:
            TransportDown: no complete answer came.
        """
        ...


class HttpTransport:
    """Speaks HTTP with one company's bot token.

    `client` decides where to: `httpx.ASGITransport` for the embedded API, a base address for a remote one.
    Its own timeouts are not relied on: the in-process transport ignores them.
    """

    def __init__(self, client: httpx.AsyncClient, bot_token: str) -> None:
        self._client = client
        self._bot_token = bot_token

    async def send(self, request: ToolRequest) -> ToolAnswer:
        """Send and wait for the whole answer."""
        headers = {"X-Bot-Token": self._bot_token, "X-User-Id": request.actor}
        try:
            response = await self._client.request(
                request.method, request.path, params=request.query, json=request.body, headers=headers
            )
        except httpx.TransportError as error:
            raise TransportDown(type(error).__name__) from error
        return ToolAnswer(status=response.status_code, body=response.content)
