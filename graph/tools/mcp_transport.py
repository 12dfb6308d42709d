"""The same calls over the Model Context Protocol, by the official SDK. Imported only where the setting asks for it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolRequest, CallToolRequestParams, CallToolResult
from mcp_types.version import LATEST_MODERN_VERSION
from pydantic import ValidationError

from graph.tools.strict_json import loads_strict
from graph.tools.transport import MAX_ANSWER_BYTES, ToolAnswer, ToolRequest, TransportDown, read_seconds

_ERROR_STATUS: Final = 400
_STANDS_FOR_NOTHING: Final = 503


class McpTransport:
    """Speaks the protocol over streamable HTTP with one company's bot token.

    Stateless: each call is one request with its own headers, since the chat user behind it differs. Connections are
    kept by `wire`, which decides where to: `httpx2.ASGITransport` for the embedded server, the network otherwise.
    """

    def __init__(self, wire: httpx2.AsyncBaseTransport, url: str, bot_token: str) -> None:
        self._wire = wire
        self._url = url
        self._bot_token = bot_token

    async def send(self, request: ToolRequest) -> ToolAnswer:
        """Send and wait for the whole answer.

        Raises:
            TransportDown: no complete answer came.
        """
        recorder = _Recorder(self._wire)
        headers = {"X-Bot-Token": self._bot_token, "X-User-Id": request.actor}
        try:
            async with self._connect(recorder, headers) as client:
                result = await _call(client, request)
        except (MCPError, ValidationError) as error:
            return recorder.answer_without_result(error)
        except ExceptionGroup as group:
            # The SDK's tasks wrap what they raise.
            if group.split((MCPError, ValidationError))[1] is not None:
                raise
            return recorder.answer_without_result(group)
        return recorder.answer_with(result)

    @asynccontextmanager
    async def _connect(self, recorder: _Recorder, headers: dict[str, str]) -> AsyncIterator[Client]:
        async with httpx2.AsyncClient(transport=recorder, headers=headers, timeout=None) as http:
            streams = streamable_http_client(self._url, http_client=http, terminate_on_close=False)
            async with Client(streams, mode=LATEST_MODERN_VERSION, cache=None) as client:
                yield client


async def _call(client: Client, request: ToolRequest) -> CallToolResult:
    # Not the SDK's own `call_tool`: that fetches the list of tools first, to check what we check ourselves.
    params = CallToolRequestParams(name=request.tool, arguments=request.arguments)
    return await client.session.send_request(CallToolRequest(params=params), CallToolResult)


class _Recorder(httpx2.AsyncBaseTransport):
    """Sees what really came: the SDK tells neither status nor reset, and reads without a bound."""

    def __init__(self, wire: httpx2.AsyncBaseTransport) -> None:
        self._wire = wire
        self._down = ""
        self._status = 0
        self._body = b""
        self._retry_after: float | None = None
        self._is_cut = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request and read its answer, up to a bound."""
        try:
            response = await self._wire.handle_async_request(request)
            try:
                await self._read(response)
            finally:
                await response.aclose()
        except httpx2.RequestError as error:
            self._down = type(error).__name__
            return httpx2.Response(_STANDS_FOR_NOTHING, request=request)
        if self._is_cut:
            return httpx2.Response(_STANDS_FOR_NOTHING, request=request)
        kept = {"content-type": response.headers.get("content-type", "")}
        return httpx2.Response(response.status_code, headers=kept, content=self._body, request=request)

    async def aclose(self) -> None:
        """Keep the connections: they are shared by all calls."""

    async def _read(self, response: httpx2.Response) -> None:
        self._status = response.status_code
        self._retry_after = read_seconds(response.headers.get("retry-after", ""))
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > MAX_ANSWER_BYTES:
                self._is_cut = True
                break
        self._body = bytes(body[:MAX_ANSWER_BYTES])

    def answer_without_result(self, error: BaseException) -> ToolAnswer:
        """Return what came instead of a result.

        Raises:
            TransportDown: nothing came.
        """
        if self._down or not self._status:
            raise TransportDown(self._down or type(error).__name__) from error
        return ToolAnswer(self._status, self._body, self._retry_after, self._is_cut)

    def answer_with(self, result: CallToolResult) -> ToolAnswer:
        """Return the result in the form of the REST answer."""
        status = _ERROR_STATUS if result.is_error else self._status
        body: Any = result.structured_content
        try:
            loads_strict(self._body)
        except ValueError:
            return ToolAnswer(status, self._body)
        return ToolAnswer(status, json.dumps(body).encode(), self._retry_after)
