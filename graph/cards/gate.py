"""The one gate of the graph: every turn that a node writes passes it before anybody remembers or sees it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Iterable, Iterator, Mapping
from functools import wraps
from typing import Any, Final, Protocol

from langgraph.runtime import Runtime
from langgraph.types import Command

from graph.context import RunContext
from graph.errors import Ungrounded
from graph.state import HISTORY_TEXT_LIMIT, DialogState, Json
from graph.tools.audit import ToolCallRecord, digest
from graph.tools.wire import (
    Alternatives,
    Availability,
    Hold,
    OwnRentals,
    Quote,
    Rental,
    RentalChange,
    SearchResult,
    Wire,
)
from graph.writing.grounding import Claim, Situation, cut, unbacked
from graph.writing.known import Known
from graph.writing.phrases import Phrases

_log = logging.getLogger(__name__)


class Node(Protocol):
    """A node of the graph."""

    def __call__(self, state: DialogState, runtime: Runtime[RunContext]) -> Awaitable[Command[str]]:
        """Go one step."""
        ...


_NO_FACTS: Final = frozenset(
    {"history", "shown", "drafts", "live_cards", "inbound", "done_inbox_id", "search", "version", "failures", "lang"}
)
"""Channels that back no sentence: what was said before, and what is only on the screen."""
_ENDED: Final = frozenset({"cancelled", "rejected"})
_MAY_BE_PERSONAL: Final = frozenset({"number", "name"})


def gated(node: Node) -> Node:
    """Return the node with its turns checked. Nothing that it says is stored or shown unchecked."""

    @wraps(node)
    async def checked(state: DialogState, runtime: Runtime[RunContext]) -> Command[str]:
        command = await node(state, runtime)
        update = command.update
        if not isinstance(update, dict) or not update.get("drafts"):
            return command
        return Command(goto=command.goto, update=check_update(state, update, runtime.context))

    return checked


def check_update(state: DialogState, update: Json, context: RunContext) -> Json:
    """Return what a node changes, with every new turn checked and its working facts left out.

    Raises:
        Ungrounded: in development, a claim that nothing backs.
    """
    old = {draft["id"] for draft in state.get("drafts", [])}
    channels: Mapping[str, Any] = {**state, **update}
    said: dict[str, str] = {}
    drafts = []
    for draft in update["drafts"]:
        if draft["id"] in old and "facts" not in draft:
            drafts.append(draft)
            continue
        content = _check(draft, channels, state, context)
        said[draft["content"][:HISTORY_TEXT_LIMIT]] = content[:HISTORY_TEXT_LIMIT]
        drafts.append({key: value for key, value in draft.items() if key != "facts"} | {"content": content})
    history = [{**line, "text": said.get(line["text"], line["text"])} for line in update.get("history", [])]
    return {**update, "drafts": drafts, **({"history": history} if "history" in update else {})}


def _check(draft: Json, channels: Mapping[str, Any], before: DialogState, context: RunContext) -> str:
    content: str = draft["content"]
    evidence = [found.value for found in context.gateway.evidence.values()]
    claims = unbacked(
        content,
        _known(draft, channels, before, context),
        draft["lang"],
        situation=_situation([channels, before], evidence),
        names=(*context.company.words.brands, *context.company.words.models),
    )
    if not claims:
        return content
    _audit(draft, claims, context)
    if context.strict_grounding:
        raise Ungrounded(f"{draft['agent']} said {content!r} without a fact behind {claims}")
    phrases = Phrases(draft["lang"])
    return cut(content, claims) or phrases.say("safe" if draft.get("payload") else "help")


def _known(draft: Json, channels: Mapping[str, Any], before: DialogState, context: RunContext) -> Known:
    """Collect what this turn may say."""
    payload = draft.get("payload") or {}
    firm = list(_firm_facts(draft, channels, before, context))
    cited = [
        found.value.model_dump(mode="json", exclude={"words"})
        for call_id, found in context.gateway.evidence.items()
        if call_id in draft.get("evidence", ()) or not draft.get("evidence")
    ]
    known = Known().learn(payload, *firm, *cited)
    if "vehicle" in payload:
        # The card is about one vehicle: others that a tool also named are not what its sentence is about.
        subject = Known().learn({k: v for k, v in payload.items() if k not in {"options", "suggested"}}, *firm)
        known.texts, known.vehicles = subject.texts, subject.vehicles
        known.subject = str(payload["vehicle"].get("name", ""))
    return known


def _firm_facts(draft: Json, channels: Mapping[str, Any], before: DialogState, context: RunContext) -> Iterator[Any]:
    yield from (fact for fact in draft.get("facts", ()) if fact != draft["content"])
    for name, value in channels.items():
        if name not in _NO_FACTS:
            yield {name: value}
            # What was open until now may be spoken of too: "it was ... and is now ...".
            if before.get(name) is not value:
                yield {name: before.get(name)}
    yield context.now_local()
    yield context.company.model_dump(mode="json", exclude={"words", "observed_at"})
    yield context.offices.model_dump(mode="json", exclude={"observed_at"})


def _situation(states: Iterable[Mapping[str, Any]], evidence: list[Wire]) -> Situation:
    """What tools of this run and the passport say is the case."""
    channels = list(states)
    quoted = any(state.get("quote") for state in channels) or any(isinstance(value, Quote) for value in evidence)
    changes = [value for value in evidence if isinstance(value, RentalChange)]
    return Situation(
        booked=any((state.get("booking") or {}).get("order_number") for state in channels)
        or any(_shows_a_rental(value) for value in evidence),
        held=any(isinstance(value, Hold) and value.held for value in evidence)
        or any((state.get("quote") or {}).get("held_until") for state in channels),
        free=quoted or any(_shows_free(value) for value in evidence),
        changed=any(not change.preview for change in changes) or any(_is_changed(r) for r in _rentals(evidence)),
        cancelled=any(rental.status in _ENDED for rental in _rentals(evidence)),
        quoted=quoted or bool(changes),
    )


def _shows_a_rental(value: Wire) -> bool:
    return isinstance(value, Rental | RentalChange) or (isinstance(value, OwnRentals) and bool(value.rentals))


def _rentals(evidence: list[Wire]) -> Iterator[Rental]:
    for value in evidence:
        match value:
            case Rental():
                yield value
            case RentalChange():
                yield value.rental
            case OwnRentals():
                yield from value.rentals


def _is_changed(rental: Rental) -> bool:
    return rental.version > 1


def _shows_free(value: Wire) -> bool:
    match value:
        case SearchResult():
            return bool(value.vehicles)
        case Availability():
            return value.available
        case Alternatives():
            return value.available or bool(value.options)
        case _:
            return False


def _audit(draft: Json, claims: list[Claim], context: RunContext) -> None:
    """What was cut goes where the tool calls go; a number or a name may be a person's and is kept as a digest."""
    cuts = [
        {"kind": claim.kind, "text": digest(claim.text) if claim.kind in _MAY_BE_PERSONAL else claim.text}
        for claim in claims
    ]
    _log.error("a sentence of %s was cut: %s", draft["agent"], [claim.kind for claim in claims])
    context.gateway.records.append(
        ToolCallRecord(
            call_id=context.gateway.new_call_id(),
            tool="grounding",
            arguments={"turn": draft["id"], "agent": draft["agent"], "card": draft["type"], "cut": cuts},
            arguments_digest=digest(draft["content"]),
            result_digest="",
            ok=False,
            error_code="ungrounded",
            started_at=context.clock(),
            duration_ms=0,
            attempts=0,
            idempotency_key_digest="",
        )
    )
