"""What is kept of a call to a model: how it went, what it cost, never what was said."""

from __future__ import annotations

from typing import Literal

from graph.understanding.meaning import Meaning

Outcome = Literal[
    "ok",
    "skipped",
    "over_budget",
    "no_model_ready",
    "timeout",
    "connection",
    "unauthorized",
    "rate_limited",
    "bad_request",
    "server_error",
    "refused",
    "truncated",
    "empty",
    "too_large",
    "invalid_json",
    "invalid_shape",
    "error",
]
"""`skipped`: no call was needed. `over_budget`, `no_model_ready` (every breaker open, every bucket empty): none was
made. Everything but `ok` means that the offline interpreter answered."""

Note = Literal[
    "dates_not_said",
    "dates_unread",
    "category_not_said",
    "brand_not_said",
    "model_not_said",
    "description_not_said",
    "budget_not_said",
    "budget_unread",
    "gearbox_not_said",
    "seats_not_said",
    "quantity_not_said",
    "office_not_said",
    "cheapest_not_said",
    "reference_not_said",
    "name_not_said",
    "name_is_other_words",
    "phone_not_said",
    "phone_invalid",
    "email_not_said",
    "confirm_not_said",
    "deny_not_said",
    "reset_not_said",
    "deed_beside_an_answer",
]
"""A claim of the model that was dropped, because the customer's words do not bear it."""


class ModelCallRecord(Meaning):
    """One interpretation: who answered and why. Holds no text of anybody."""

    answered_by: Literal["live", "offline"]
    outcome: Outcome
    """Of the last try."""
    model: str
    """The model of the last try; empty where none was asked."""
    prompt_version: str
    duration_ms: int
    attempts: int = 0
    """Calls made, over all models."""
    cached: bool = False
    input_tokens: int | None = None
    """Of all tries, as the servers counted; None where none said."""
    output_tokens: int | None = None
    cost_micro: int = 0
    """Millionths of the currency in which the model's price is configured."""
    notes: tuple[Note, ...] = ()
