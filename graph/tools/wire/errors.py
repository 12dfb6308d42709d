"""The one error form of the business API and of the gateway."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from graph.tools.wire.facts import Wire

ErrorCode = Literal[
    "dates_taken",  # 409, facts.conflicting_rentals: periods only
    "quote_expired",  # 409
    "price_changed",  # 409, facts.old_total, facts.new_total
    "extra_gone",  # 409, facts.gone, facts.offered, facts.not_to_choose: the list has lost an extra of quote or rental
    "period_refused",  # 409, facts.refusal: RuleRefusal
    "not_changeable",  # 409, facts.status, facts.reason: status, pickup_passed, return_passed, same_dates
    "stale_version",  # 409, facts.version, facts.status, facts.start, facts.end: what the rental is now
    "idempotency_key_reused",  # 422
    "in_progress",  # 409, retryable
    "unknown_extra",  # 422, facts.unknown, facts.offered, facts.not_to_choose: those that come without being asked for
    "not_found",  # 404, the same body for foreign and missing ids
    "invalid_arguments",  # 422, facts.fields
    "unauthorized",  # 401
    "rate_limited",  # 429
    "unavailable",  # 503, retryable
    "internal",  # 500, a bug
    "timeout",  # made by the gateway: no answer in time
    "not_allowed",  # made by the gateway: tool not on this turn's list
]


class ToolError(Wire):
    """The one error form of the business API and of the gateway."""

    code: ErrorCode
    message: str
    retryable: bool = False
    facts: dict[str, Any] = Field(default_factory=dict)
