"""What a run leaves behind: turns, actions, audit and the end of the message, all or nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Connection

from store.errors import InvalidData, Refused
from store.sql import chat_actions as actions
from store.sql import chat_conversations as conversations
from store.sql import chat_inbox as inbox_rows
from store.sql import chat_turns as turns
from store.sql.chat_values import (
    MAX_TURN_BYTES,
    Claim,
    InboxRef,
    InConversation,
    RecordedRun,
    RunRecord,
    StaleClaim,
    StoredTurn,
    ToolCallRecord,
    TurnRecord,
    canonical_json,
    check_size,
    check_text,
)
from store.sql.unit import Database

_MAX_ARGUMENT_BYTES: Final = 32 * 1024


def record_run(db: Database, claim: Claim, run: RunRecord, *, now: datetime) -> RecordedRun:
    """Number and store the turns, their actions and the audit, and mark the message done. One transaction.

    Turn numbers are gap-free per conversation and begin at 1. It succeeds once per message: afterwards, and after
    another runner took the message over, the claim is stale.

    Raises:
        StaleClaim: the claim is no longer ours; nothing was written.
        Refused: `action_used`, another message used the single-use action first; nothing was written.
        InvalidData: a turn, its text or arguments cannot be stored; nothing was written.
        NotFound: no such conversation, or the used action is missing or foreign.
    """
    _check(run)
    with db.write() as session:
        connection = session.connection()
        first = conversations.take_numbers(connection, claim.inbox, len(run.turns), run.lang)
        seqs = range(first, first + len(run.turns))
        if not inbox_rows.finish(connection, claim, seqs, now):
            raise _stale(connection, claim)
        stored = tuple(_stored(claim, turn, seq) for seq, turn in zip(seqs, run.turns, strict=True))
        turns.insert_turns(connection, claim.inbox.company_id, stored)
        superseded = _settle_actions(connection, claim.inbox, run, now)
        actions.insert_tool_calls(connection, claim.inbox, claim.run_id, run.tool_calls)
    return RecordedRun(claim.inbox, claim.run_id, stored, superseded)


def record_tool_calls(db: Database, conversation: InConversation, run_id: str, calls: Sequence[ToolCallRecord]) -> None:
    """Append calls to the audit apart from a finished run, for instance those of a run that was given up.

    Raises:
        InvalidData: arguments cannot be stored.
    """
    for call in calls:
        canonical_json(dict(call.arguments), what="arguments", max_bytes=_MAX_ARGUMENT_BYTES)
    with db.write() as session:
        actions.insert_tool_calls(session.connection(), conversation, run_id, calls)


def _settle_actions(connection: Connection, inbox: InboxRef, run: RunRecord, now: datetime) -> tuple[str, ...]:
    actions.insert_actions(connection, inbox, run.actions)
    if run.used_action_id is not None:
        _use(connection, inbox, run.used_action_id, now)
    if not run.superseded_turn_ids:
        return ()
    actions.supersede_actions(connection, inbox, run.superseded_turn_ids, now)
    return turns.supersede_turns(connection, inbox, run.superseded_turn_ids, now)


def _use(connection: Connection, inbox: InboxRef, action_id: str, now: datetime) -> None:
    if actions.use_action(connection, inbox, action_id, now):
        return
    state = actions.find_action(connection, inbox, action_id, now)
    facts = {"used_by_inbox_id": state.used_by_inbox_id}
    raise Refused("the action was used before", code="action_used", facts=facts)


def _stored(claim: Claim, turn: TurnRecord, seq: int) -> StoredTurn:
    raw = turn.encode(seq)
    check_size(raw, what="turn", max_bytes=MAX_TURN_BYTES)
    return StoredTurn(
        conversation_id=claim.inbox.conversation_id,
        seq=seq,
        id=turn.id,
        run_id=claim.run_id,
        inbox_id=claim.inbox.inbox_id,
        role=turn.role,
        agent=turn.agent,
        type=turn.type,
        contract=turn.contract,
        lang=turn.lang,
        status=turn.status,
        status_changed=False,
        content=turn.content,
        raw=raw,
        sha256=hashlib.sha256(raw).hexdigest(),
        created_at=turn.created_at,
    )


def _stale(connection: Connection, claim: Claim) -> StaleClaim:
    standing = inbox_rows.find_standing(connection, claim.inbox)
    return StaleClaim("another runner has this message", facts={"state": standing.state})


def _check(run: RunRecord) -> None:
    ids = {turn.id for turn in run.turns}
    for turn in run.turns:
        check_text(turn.content, what="content")
    for action in run.actions:
        if action.turn_id not in ids:
            raise InvalidData("an action belongs to a turn of the same run", facts={"field": "turn_id"})
        canonical_json(dict(action.arguments), what="arguments", max_bytes=_MAX_ARGUMENT_BYTES)
    for call in run.tool_calls:
        canonical_json(dict(call.arguments), what="arguments", max_bytes=_MAX_ARGUMENT_BYTES)
