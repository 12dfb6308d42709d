"""The server in the SDK's terms. Imported on first use only: see `door`.

Stateless, one JSON answer a call: any process behind a balancer can answer any call, and a restart loses nothing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote

import httpx
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)
from starlette.requests import Request
from starlette.types import ASGIApp

from graph.tools.catalog import CATALOG
from graph.tools.descriptors import ToolSpec
from graph.tools.wire import ToolError

_ERROR_STATUS: Final = 400
_PASSED_HEADERS: Final = ("x-bot-token", "x-user-id")
_INSTRUCTIONS: Final = (
    "Books vehicles of one rental shop. Search, then price (that opens a quote), then create the rental of the quote "
    "that the customer has confirmed. Facts come from these tools only; a refusal names its reason and a way on."
)


def make_manager(business: ASGIApp) -> StreamableHTTPSessionManager:
    """Return what answers requests of the protocol; `business` is the app of the REST endpoints."""
    client = httpx.AsyncClient(transport=httpx.ASGITransport(business), base_url="http://business.internal/")

    async def list_tools(_context: ServerRequestContext[Any, Any], _params: PaginatedRequestParams | None) -> Any:
        return ListToolsResult(tools=list(_tools()))

    async def call_tool(context: ServerRequestContext[Any, Any], params: CallToolRequestParams) -> Any:
        spec = CATALOG.get(params.name)
        if spec is None:
            raise MCPError(INVALID_PARAMS, f"there is no tool {params.name!r}")
        return await _call(client, spec, params.arguments or {}, _caller(context.request))

    server: Server[Any] = Server(
        "ridepass",
        title="Ridepass",
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    return StreamableHTTPSessionManager(server, stateless=True, json_response=True)


@lru_cache(maxsize=1)
def _tools() -> tuple[Tool, ...]:
    return tuple(Tool.model_validate(spec.descriptor()) for spec in CATALOG.values())


def _caller(request: Any) -> dict[str, str]:
    if not isinstance(request, Request):
        return {}
    return {name: request.headers[name] for name in _PASSED_HEADERS if name in request.headers}


async def _call(
    client: httpx.AsyncClient, spec: ToolSpec, arguments: dict[str, Any], headers: dict[str, str]
) -> CallToolResult:
    left = dict(arguments)
    path = spec.path
    for name in [name for name in spec.arguments.model_fields if f"{{{name}}}" in spec.path]:
        value = left.pop(name, None)
        if not isinstance(value, str) or not value:
            return _result(_ERROR_STATUS, _missing(name))
        # A dot alone would be a step in the address, and lead to another endpoint.
        path = path.replace(f"{{{name}}}", quote(value, safe="").replace(".", "%2E"))
    if spec.method == "GET":
        query = {name: _query_value(value) for name, value in left.items() if value is not None}
        response = await client.get(path, params=query, headers=headers)
    else:
        response = await client.post(path, json=left, headers=headers)
    return _result(response.status_code, response.content)


def _result(status: int, body: bytes) -> CallToolResult:
    text = body.decode()
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=httpx.Response(200, content=body).json(),
        is_error=status >= _ERROR_STATUS,
    )


def _missing(name: str) -> bytes:
    facts = {"fields": [name], "reasons": {name: "missing"}}
    error = ToolError(code="invalid_arguments", message="the arguments do not fit", facts=facts)
    return error.model_dump_json().encode()


def _query_value(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, list) else str(value)
