"""What the live model may return: words copied from the message and names of kinds, never a resolved fact."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graph.understanding.meaning import Category, CompanyTopic, Intent

MAX_REPLY_CHARS = 20_000
MAX_FIELD_CHARS = 200
MAX_INTENTS = 6


class WireUnderstanding(BaseModel):
    """The model's reading of one message. Every field is required, null where nothing was said."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    intents: Annotated[list[Intent], Field(max_length=MAX_INTENTS)]
    date_words: str | None
    category: Category | None
    category_words: str | None
    brand: str | None
    model: str | None
    vehicle_words: str | None
    description: str | None
    budget_words: str | None
    gearbox: Literal["automatic", "manual"] | None
    gearbox_words: str | None
    seats: int | None
    seats_words: str | None
    quantity: int | None
    quantity_words: str | None
    office: str | None
    cheapest_words: str | None
    reference_words: str | None
    name: str | None
    phone: str | None
    email: str | None
    topic: CompanyTopic | None
    language: str | None


class WireError(Exception):
    """The reply cannot be used; `outcome` says how it failed."""

    def __init__(self, outcome: Literal["empty", "too_large", "invalid_json", "invalid_shape"]) -> None:
        super().__init__(outcome)
        self.outcome = outcome


def wire_schema() -> dict[str, Any]:
    """The JSON schema that is sent with the request, all fields required and no others allowed."""
    return {"name": "understanding", "strict": True, "schema": _slim(WireUnderstanding.model_json_schema())}


def _slim(schema: dict[str, Any]) -> dict[str, Any]:
    """Without titles and descriptions of the schema itself: they are paid for with every call."""
    kept = {key: value for key, value in schema.items() if key not in {"title", "description"}}
    kept["properties"] = {
        name: {key: value for key, value in field.items() if key != "title"}
        for name, field in schema["properties"].items()
    }
    return kept


def parse_reply(text: str) -> WireUnderstanding:
    """Read a reply strictly. Raises WireError for anything that is not exactly the schema."""
    if not text.strip():
        raise WireError("empty")
    if len(text) > MAX_REPLY_CHARS:
        raise WireError("too_large")
    try:
        data = json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError):
        raise WireError("invalid_json") from None
    try:
        wire = WireUnderstanding.model_validate(data)
    except ValidationError:
        raise WireError("invalid_shape") from None
    fields = (value for value in wire.__dict__.values() if isinstance(value, str))
    if any(len(value) > MAX_FIELD_CHARS for value in fields):
        raise WireError("invalid_shape")
    return wire


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are said once: with a repeated key, readers disagree on which value counts."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("repeated key")
    return found
