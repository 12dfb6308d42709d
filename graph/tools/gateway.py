"""The one door to business data: allow-list, validation, deadline, evidence, audit.

A failure is a `ToolResult(ok=False)`, absorbed into the conversation. "Nothing found", "not allowed" and
"no answer in time" stay three different things.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter
from typing import Any, Final, Generic, TypeVar, cast

from pydantic import ValidationError

from graph.errors import ToolNotAllowed
from graph.tools.catalog import CATALOG
from graph.tools.descriptors import ToolSpec
from graph.tools.transport import ToolAnswer, ToolRequest, Transport, TransportDown
from graph.tools.wire import ToolError, Wire

T = TypeVar("T", bound=Wire)

DEADLINE_SECONDS: Final = 3.0
_AUDITED_ARGUMENTS: Final = frozenset(
    {
        "start",
        "end",
        "category",
        "brand",
        "model",
        "vehicle_uuid",
        "quote_uuid",
        "rental_uuid",
        "extras",
        "preview",
        "version",
        "include_past",
        "page",
        "limit",
        "sort",
        "gearbox",
    }
)
"""Arguments that hold no personal data; everything else is audited as a digest only."""


@dataclass(frozen=True, slots=True)
class ToolResult(Generic[T]):
    """What a call gave. `value` when `ok`, else `error`."""

    call_id: str
    tool: str
    ok: bool
    value: T | None = None
    error: ToolError | None = None
    observed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ToolCallRecord:
    """The audit of one call: enough to prove what happened, no personal data."""

    call_id: str
    tool: str
    arguments: dict[str, Any]
    """Allow-listed arguments only."""
    arguments_digest: str
    result_digest: str
    ok: bool
    error_code: str
    started_at: datetime
    duration_ms: int
    attempts: int
    idempotency_key_digest: str


@dataclass(slots=True)
class ToolGateway:
    """Calls tools for one run: one chat, one turn's allow-list, one audit."""

    transport: Transport
    actor: str
    clock: Callable[[], datetime]
    new_call_id: Callable[[], str]
    allow_tools: frozenset[str] | None = None
    """None allows every tool of the catalogue."""
    deadline_seconds: float = DEADLINE_SECONDS
    records: list[ToolCallRecord] = field(default_factory=list)

    def __post_init__(self) -> None:
        unknown = (self.allow_tools or frozenset()) - CATALOG.keys()
        if unknown:
            raise ToolNotAllowed(f"unknown tools: {sorted(unknown)}")

    async def call(self, tool: str, arguments: Wire, returns: type[T]) -> ToolResult[T]:
        """Call one tool. Never raises for what the other side does.

        Raises:
            ToolNotAllowed: the tool is not in the catalogue, or does not take or give these types (a bug).
        """
        spec = CATALOG.get(tool)
        if spec is None or not isinstance(arguments, spec.arguments) or returns is not spec.result:
            raise ToolNotAllowed(f"no such tool or wrong types: {tool}")
        started_at, started = self.clock(), perf_counter()
        call_id = self.new_call_id()
        if self.allow_tools is not None and tool not in self.allow_tools:
            outcome: Wire = ToolError(code="not_allowed", message="this tool is not allowed now")
        else:
            outcome = await self._send(spec, arguments)
        elapsed_ms = int((perf_counter() - started) * 1000)
        self.records.append(_record(call_id, spec, arguments, outcome, started_at, elapsed_ms))
        if isinstance(outcome, ToolError):
            return ToolResult(call_id=call_id, tool=tool, ok=False, error=outcome, observed_at=started_at)
        return ToolResult(call_id=call_id, tool=tool, ok=True, value=cast(T, outcome), observed_at=started_at)

    async def _send(self, spec: ToolSpec, arguments: Wire) -> Wire:
        request = build_request(spec, arguments, self.actor)
        try:
            async with asyncio.timeout(self.deadline_seconds):
                answer = await self.transport.send(request)
        except TimeoutError:
            return ToolError(code="timeout", message="no answer in time", retryable=True)
        except TransportDown:
            return ToolError(code="unavailable", message="the booking desk cannot be reached", retryable=True)
        return read_answer(spec, answer)


def build_request(spec: ToolSpec, arguments: Wire, actor: str) -> ToolRequest:
    """Turn validated arguments into a request; path fields leave the query."""
    data = arguments.model_dump(mode="json", exclude_none=True)
    in_path = {name: str(data.pop(name)) for name in list(data) if f"{{{name}}}" in spec.path}
    path = spec.path.format(**in_path)
    if spec.method == "GET":
        return ToolRequest("GET", path, {k: _query_value(v) for k, v in data.items() if v != []}, None, actor)
    return ToolRequest("POST", path, {}, data, actor)


def _query_value(value: Any) -> str | list[str]:
    if isinstance(value, list):
        return [str(part) for part in value]
    return "true" if value is True else "false" if value is False else str(value)


def read_answer(spec: ToolSpec, answer: ToolAnswer) -> Wire:
    """Validate the answer; a shape that was not promised is an error, never half-read facts."""
    model: type[Wire] = spec.result if answer.status < 400 else ToolError
    try:
        return model.model_validate_json(answer.body)
    except ValidationError:
        retryable = answer.status >= 500
        return ToolError(code="internal", message=f"unreadable answer, status {answer.status}", retryable=retryable)


def _record(
    call_id: str, spec: ToolSpec, arguments: Wire, outcome: Wire, started_at: datetime, elapsed_ms: int
) -> ToolCallRecord:
    data = arguments.model_dump(mode="json", exclude_none=True)
    error = outcome if isinstance(outcome, ToolError) else None
    return ToolCallRecord(
        call_id=call_id,
        tool=spec.name,
        arguments={k: v for k, v in data.items() if k in _AUDITED_ARGUMENTS},
        arguments_digest=_digest(json.dumps(data, sort_keys=True, ensure_ascii=False)),
        result_digest=_digest(outcome.model_dump_json()),
        ok=error is None,
        error_code=error.code if error else "",
        started_at=started_at,
        duration_ms=elapsed_ms,
        attempts=0 if error and error.code == "not_allowed" else 1,
        idempotency_key_digest=_digest(data["idempotency_key"]) if "idempotency_key" in data else "",
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
