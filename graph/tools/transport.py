"""The seam between the agent and the business API: one request in, one answer out.

In-process (ASGI) and network calls run the same code. No policy lives here: deadline, retries, keys,
evidence and audit are the gateway's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

import httpx

MAX_ANSWER_BYTES: Final = 512 * 1024
"""Several times the largest answer that the catalogue can give; more than this is no answer of ours."""


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """One call, ready to send: as a tool with arguments, and as the REST request that is the same."""

    method: Literal["GET", "POST"]
    path: str
    query: dict[str, str | list[str]]
    """A list is repeated: extras=helmet:2&extras=gps."""
    body: dict[str, Any] | None
    actor: str
    """Which chat user caused it; opaque."""
    tool: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What came back."""

    status: int
    """HTTP's, or the one that stands for it."""
    body: bytes
    retry_after_seconds: float | None = None
    is_cut: bool = False
    """It was longer than `MAX_ANSWER_BYTES` and the rest was not read."""


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
            async with self._client.stream(
                request.method,
                request.path,
                params=request.query,
                json=request.body,
                headers=headers,
                # A redirect would carry the token to an address that nobody configured.
                follow_redirects=False,
            ) as response:
                body = await _read_bounded(response)
        except httpx.RequestError as error:
            raise TransportDown(type(error).__name__) from error
        return ToolAnswer(
            status=response.status_code,
            body=body[:MAX_ANSWER_BYTES],
            retry_after_seconds=read_seconds(response.headers.get("Retry-After", "")),
            is_cut=len(body) > MAX_ANSWER_BYTES,
        )


async def _read_bounded(response: httpx.Response) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            break
    return bytes(body)


def read_seconds(text: str) -> float | None:
    """Read a Retry-After header in seconds; its other form, a date, would need the other side's clock."""
    return float(text) if text.isascii() and text.isdigit() and len(text) < 7 else None
