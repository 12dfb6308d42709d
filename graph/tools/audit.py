"""The audit of a tool call: enough to prove what happened, no personal data."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from graph.tools.wire import ToolError, Wire

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
        "page",
        "page_size",
        "limit",
        "sort",
        "gearbox",
        "seats",
        "budget_minor",
        "budget_per",
        "include_past",
        "preview",
        "version",
        "expected_total_minor",
        "expected_fee_minor",
    }
)
"""Arguments whose values the program or a closed list made. What a customer typed freely is kept as a digest."""


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
    """Requests that were sent; 0 when the call was stopped before."""
    idempotency_key_digest: str


def audited(
    call_id: str,
    tool: str,
    arguments: dict[str, Any],
    outcome: Wire,
    *,
    started_at: datetime,
    duration_ms: int,
    attempts: int,
) -> ToolCallRecord:
    """Return the record of one call. `arguments` are JSON values."""
    error = outcome if isinstance(outcome, ToolError) else None
    key = arguments.get("idempotency_key")
    return ToolCallRecord(
        call_id=call_id,
        tool=tool,
        arguments={name: value for name, value in arguments.items() if name in _AUDITED_ARGUMENTS},
        arguments_digest=digest(json.dumps(arguments, sort_keys=True, ensure_ascii=False)),
        result_digest=digest(outcome.model_dump_json()),
        ok=error is None,
        error_code=error.code if error else "",
        started_at=started_at,
        duration_ms=duration_ms,
        attempts=attempts,
        idempotency_key_digest=digest(str(key)) if key else "",
    )


def digest(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
