"""The producer's gate: a turn is checked once, before it is stored and sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from frontend_contract.payloads import NoticePayload, PriceQuotePayload, VehicleCarouselPayload
from frontend_contract.turns import TURN, AgentName, NoticeTurn, TextTurn, Turn, TurnBase

RENDER_ERROR_CONTENT: Final = "Something went wrong while I was preparing this answer. Please ask again."

_TARGETED: Final = frozenset({"select_vehicle", "select_period", "select_option"})


class ContractViolation(Exception):
    """A producer made a turn that breaks the contract: a bug of ours, never the customer's."""

    code = "render_error"
    status = 500
    retryable = False

    def __init__(self, turn_type: str, problems: list[str]) -> None:
        super().__init__(f"{turn_type or 'turn'}: {'; '.join(problems)}")
        self.facts: dict[str, Any] = {"type": turn_type, "problems": problems}
        """Places and kinds of fault, never values."""


def check_turn(turn: Turn | Mapping[str, Any]) -> Turn:
    """Return the turn as its strict model, or raise `ContractViolation` with every problem found.

    Checked as JSON, so that a model which was changed behind its back is caught as well.
    """
    try:
        body = turn if isinstance(turn, Mapping) else turn.model_dump(mode="json", warnings="error")
        checked = TURN.validate_json(to_json(body), strict=True)
    except ValidationError as problem:
        found = problem.errors(include_url=False, include_context=False, include_input=False)
        raise ContractViolation(
            _type_of(turn), [f"{'.'.join(map(str, e['loc']))}: {e['type']}" for e in found]
        ) from None
    except (PydanticSerializationError, ValueError, TypeError, RecursionError) as problem:
        raise ContractViolation(_type_of(turn), [f"not JSON: {type(problem).__name__}"]) from None
    if problems := list(_incoherences(checked)):
        raise ContractViolation(checked.type, problems)
    return checked


def render_error_turn(
    *,
    id: str,  # noqa: A002 - the name on the wire
    seq: int,
    conversation_id: str,
    run_id: str,
    agent: AgentName,
    lang: str,
    created_at: datetime,
    content: str = RENDER_ERROR_CONTENT,
) -> NoticeTurn:
    """Return what is stored and sent in the place of a turn that did not pass: the customer always gets an answer."""
    return NoticeTurn(
        id=id,
        seq=seq,
        conversation_id=conversation_id,
        run_id=run_id,
        agent=agent,
        lang=lang,
        created_at=created_at,
        content=content if content.strip() else RENDER_ERROR_CONTENT,
        payload=NoticePayload(code="render_error", severity="problem", retryable=True),
    )


def _type_of(turn: Turn | Mapping[str, Any]) -> str:
    value = turn.get("type") if isinstance(turn, Mapping) else turn.type
    return value if isinstance(value, str) else ""


def _incoherences(turn: Turn) -> Iterator[str]:
    """Yield what no single field can tell."""
    yield from _foreign_meta(turn)
    if isinstance(turn, TextTurn):
        return
    yield from _lost_targets(turn, turn.payload)
    if isinstance(turn.payload, PriceQuotePayload):
        yield from _wrong_sum(turn.payload)
    if isinstance(turn.payload, VehicleCarouselPayload) and turn.payload.total_found < len(turn.payload.vehicles):
        yield "payload.total_found: fewer than shown"


def _foreign_meta(turn: TurnBase) -> Iterator[str]:
    if any(not key.startswith("x-") for key in turn.meta):
        yield "meta: a key that does not begin with x-"


def _lost_targets(turn: TurnBase, payload: BaseModel) -> Iterator[str]:
    refs = set(_refs(payload.model_dump()))
    for index, action in enumerate(turn.actions):
        if action.kind in _TARGETED and action.target not in refs:
            yield f"actions.{index}.target: names nothing in the payload"


def _refs(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "ref":
                yield value
            yield from _refs(value)
    elif isinstance(node, list):
        for item in node:
            yield from _refs(item)


def _wrong_sum(quote: PriceQuotePayload) -> Iterator[str]:
    total = quote.total
    if any((line.amount.currency, line.amount.exponent) != (total.currency, total.exponent) for line in quote.lines):
        yield "payload.lines: another currency than the total"
    elif sum(line.amount.minor for line in quote.lines) != total.minor:
        yield "payload.lines: do not add up to the total"
