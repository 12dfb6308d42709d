"""The one door to business data: allow-list, identity, validation, deadline, retries, breaker, evidence, audit.

A failure is a `ToolResult(ok=False)`, absorbed into the conversation. "Nothing found", "not allowed" and
"no answer in time" stay three different things.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter
from typing import Any, Final, Generic, TypeVar, cast

from graph.errors import InvalidArguments, ToolNotAllowed
from graph.tools.attempts import Patience, Reply, first_answer
from graph.tools.audit import ToolCallRecord, audited
from graph.tools.breaker import Breakers
from graph.tools.catalog import CATALOG
from graph.tools.descriptors import ToolSpec
from graph.tools.exchange import build_request, parse_arguments, read_answer
from graph.tools.transport import Transport
from graph.tools.wire import ToolError, Wire

_log = logging.getLogger(__name__)
T = TypeVar("T", bound=Wire)

_DERIVED_KEY: Final = re.compile(r"[0-9a-f]{64}")
_OUTAGES: Final = frozenset({"timeout", "unavailable", "rate_limited"})
_NOBODY: Final = "system:"
"""Calls of the program itself act for no chat user."""


@dataclass(frozen=True, slots=True)
class ToolResult(Generic[T]):
    """What a call gave. `value` when `ok`, else `error`."""

    call_id: str
    tool: str
    ok: bool
    value: T | None = None
    error: ToolError | None = None
    observed_at: datetime | None = None
    attempts: int = 1
    """More than one: an answer that says "done before" may speak of our own first try."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A fact that a tool gave in this run: what a sentence may rest on."""

    call_id: str
    tool: str
    value: Wire
    observed_at: datetime


@dataclass(slots=True)
class ToolGateway:
    """Calls tools for one run: one chat, one turn's allow-list, one audit."""

    transport: Transport
    actor: str
    """The chat user, as `<channel>:<conversation>`. Empty or `system:...` is nobody and may only read."""
    clock: Callable[[], datetime]
    new_call_id: Callable[[], str]
    allow_tools: frozenset[str] | None = None
    """None allows every tool of the catalogue."""
    patience: Patience = field(default_factory=Patience)
    breakers: Breakers = field(default_factory=Breakers)
    """Handed in by whoever makes gateways, so that all runs of a process share them."""
    records: list[ToolCallRecord] = field(default_factory=list)
    evidence: dict[str, Evidence] = field(default_factory=dict)
    """Call id -> what it gave."""

    def __post_init__(self) -> None:
        unknown = (self.allow_tools or frozenset()) - CATALOG.keys()
        if unknown:
            raise ToolNotAllowed(f"unknown tools: {sorted(unknown)}")

    async def call(self, tool: str, arguments: Wire, returns: type[T]) -> ToolResult[T]:
        """Call one tool. Never raises for what the other side does.

        Raises:
            ToolNotAllowed: the tool is not in the catalogue, or does not take or give these types (a bug).
            InvalidArguments: the idempotency key was not derived by the program (a bug).
        """
        spec = CATALOG.get(tool)
        if spec is None or not isinstance(arguments, spec.arguments) or returns is not spec.result:
            raise ToolNotAllowed(f"no such tool or wrong types: {tool}")
        key = getattr(arguments, "idempotency_key", None)
        if key is not None and not _DERIVED_KEY.fullmatch(key):
            raise InvalidArguments("an idempotency key is derived from what the customer confirmed")
        return await self._call(spec, arguments)

    async def call_raw(self, tool: str, raw: str | bytes) -> ToolResult[Wire]:
        """Call one tool with arguments that somebody else wrote as JSON, such as a model.

        What does not fit is refused before anything is sent. A key of its own is not theirs to choose, so that tools
        which take one cannot be called like this.
        """
        spec = CATALOG.get(tool)
        if spec is None:
            return self._refused(tool, "not_allowed", "there is no such tool")
        if takes_key(spec):
            return self._refused(tool, "not_allowed", "this tool acts on a confirm of the customer only")
        try:
            arguments = parse_arguments(spec, raw)
        except InvalidArguments as error:
            return self._refused(tool, "invalid_arguments", str(error))
        return await self._call(spec, arguments)

    async def _call(self, spec: ToolSpec, arguments: Wire) -> ToolResult[Any]:
        started_at, started = self.clock(), perf_counter()
        stopped = self._stop(spec)
        outcome, attempts = (stopped, 0) if stopped else await self._send(spec, arguments)
        data = arguments.model_dump(mode="json", exclude_none=True)
        elapsed_ms = int((perf_counter() - started) * 1000)
        return self._keep(spec.name, data, outcome, started_at=started_at, duration_ms=elapsed_ms, attempts=attempts)

    def _stop(self, spec: ToolSpec) -> ToolError | None:
        if self.allow_tools is not None and spec.name not in self.allow_tools:
            return ToolError(code="not_allowed", message="this tool is not allowed now")
        if not spec.read_only and (not self.actor or self.actor.startswith(_NOBODY)):
            return ToolError(code="not_allowed", message="nobody is behind this call: it may only read")
        return None

    async def _send(self, spec: ToolSpec, arguments: Wire) -> tuple[Wire, int]:
        breaker = self.breakers.of(spec.name)
        if not breaker.enter():
            return ToolError(code="unavailable", message="the booking desk does not answer now", retryable=True), 0
        request = build_request(spec, arguments, self.actor)

        async def attempt() -> Reply:
            answer = await self.transport.send(request)
            return Reply(read_answer(spec, answer), answer.retry_after_seconds)

        try:
            outcome, attempts = await first_answer(attempt, self.patience, may_repeat=_may_repeat(spec, arguments))
        except BaseException:
            breaker.left()
            raise
        if isinstance(outcome, ToolError) and outcome.code in _OUTAGES:
            breaker.failed(outcome.code)
        else:
            breaker.succeeded()
        return outcome, attempts

    def _refused(self, tool: str, code: str, message: str) -> ToolResult[Wire]:
        error = ToolError.model_validate({"code": code, "message": message})
        known = tool if tool in CATALOG else "unknown"
        return self._keep(known, {}, error, started_at=self.clock(), duration_ms=0, attempts=0)

    def _keep(
        self,
        tool: str,
        arguments: dict[str, Any],
        outcome: Wire,
        *,
        started_at: datetime,
        duration_ms: int,
        attempts: int,
    ) -> ToolResult[Any]:
        """Put the call into the audit, and what it gave into the evidence."""
        call_id = self.new_call_id()
        self.records.append(
            audited(
                call_id,
                tool,
                arguments,
                outcome,
                started_at=started_at,
                duration_ms=duration_ms,
                attempts=attempts,
            )
        )
        if isinstance(outcome, ToolError) and outcome.code in _OUTAGES:
            _log.warning("%s: %s after %d attempts in %d ms", tool, outcome.code, attempts, duration_ms)
        if isinstance(outcome, ToolError):
            return ToolResult(call_id, tool, ok=False, error=outcome, observed_at=started_at, attempts=attempts)
        self.evidence[call_id] = Evidence(call_id, tool, outcome, started_at)
        value = cast(Any, outcome)
        return ToolResult(call_id, tool, ok=True, value=value, observed_at=started_at, attempts=attempts)


def takes_key(spec: ToolSpec) -> bool:
    """Whether the tool does something once for each idempotency key."""
    return "idempotency_key" in spec.arguments.model_fields


def _may_repeat(spec: ToolSpec, arguments: Wire) -> bool:
    """Reading is free to repeat; anything else only under a key, which makes the repeat the same act."""
    return spec.read_only or (spec.idempotent and getattr(arguments, "idempotency_key", None) is not None)
