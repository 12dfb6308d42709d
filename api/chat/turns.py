"""From the graph's drafts to turns and actions ready to store: validated, numbered at the last moment."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from frontend_contract.base import CONTRACT_VERSION
from frontend_contract.compat import fit
from frontend_contract.gate import ContractViolation, check_turn, render_error_turn
from frontend_contract.turns import Turn
from graph.state import Json
from store.crm.chat import ActionRecord, TurnRecord

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Writing:
    """What all turns of one run share."""

    conversation_id: str
    run_id: str
    created_at: datetime
    accepts: frozenset[str] | None
    new_action_id: Callable[[], str]


def user_turn(writing: Writing, turn_id: str, content: str, lang: str, meta: Json) -> TurnRecord:
    """The customer's own words, or what they tapped."""
    turn = {**_envelope(writing, turn_id, lang), "role": "user", "agent": "coordinator", "type": "text"}
    return _record(check_turn({**turn, "content": content, "payload": None, "meta": meta}))


def agent_turn(writing: Writing, draft: Json) -> tuple[TurnRecord, list[ActionRecord]]:
    """One draft of the graph as a turn with its actions.

    A draft that does not fit the contract becomes a readable notice; the customer always gets an answer.
    """
    minted = [(writing.new_action_id(), action) for action in draft["actions"]]
    envelope = _envelope(writing, draft["id"], draft["lang"])
    data = {
        **envelope,
        "role": "agent",
        "agent": draft["agent"],
        "type": draft["type"],
        "content": draft["content"],
        "payload": draft["payload"],
        "actions": [_action_ref(action_id, action) for action_id, action in minted],
        "supersedes": draft.get("supersedes"),
        "observed_at": draft.get("observed_at"),
        "evidence": draft["evidence"],
    }
    try:
        turn = fit(check_turn(data), writing.accepts)
    except ContractViolation as error:
        _log.error("a turn broke the contract and was replaced: %s", error)
        return _record(_broken(writing, draft)), []
    return _record(turn), [_action_record(action_id, turn.id, action) for action_id, action in minted]


def _broken(writing: Writing, draft: Json) -> Turn:
    return render_error_turn(
        id=draft["id"],
        seq=1,
        conversation_id=writing.conversation_id,
        run_id=writing.run_id,
        agent=draft["agent"],
        lang=draft["lang"],
        created_at=writing.created_at,
        content=draft["content"] or "",
    )


def _envelope(writing: Writing, turn_id: str, lang: str) -> Json:
    return {
        "id": turn_id,
        "seq": 1,
        "conversation_id": writing.conversation_id,
        "run_id": writing.run_id,
        "lang": lang,
        "contract": CONTRACT_VERSION,
        "created_at": writing.created_at,
    }


def _action_ref(action_id: str, action: Json) -> Json:
    keys = ("kind", "target", "style", "input", "once", "url", "label", "expires_at")
    return {"id": action_id, **{key: action[key] for key in keys if action.get(key) is not None}}


def _action_record(action_id: str, turn_id: str, action: Json) -> ActionRecord:
    return ActionRecord(
        id=action_id,
        turn_id=turn_id,
        kind=action["kind"],
        arguments=action["arguments"],
        once=action["once"],
        expires_at=datetime.fromisoformat(action["expires_at"]),
    )


def _record(turn: Turn) -> TurnRecord:
    def encode(seq: int) -> bytes:
        return turn.model_copy(update={"seq": seq}).model_dump_json().encode()

    return TurnRecord(
        id=turn.id,
        role=turn.role,
        agent=turn.agent,
        type=turn.type,
        contract=turn.contract,
        lang=turn.lang,
        status=turn.status,
        content=turn.content,
        created_at=turn.created_at,
        encode=encode,
    )


__all__ = ["Writing", "agent_turn", "user_turn"]
