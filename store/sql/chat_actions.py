"""Queries on actions and on the tool-call audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam, insert, or_, select, update

from store.errors import NotFound
from store.sql.chat_conversations import here
from store.sql.chat_values import ActionRecord, ActionState, ActionStatus, InboxRef, InConversation, ToolCallRecord
from store.sql.tables.chat import ACTION, TOOL_CALL

_c = ACTION.c
_t = TOOL_CALL.c
_HERE: Final = (_c.company_id == bindparam("the_company"), _c.conversation_id == bindparam("the_conversation"))
_INSERT: Final = insert(ACTION)
_BY_ID: Final = select(ACTION).where(*_HERE, _c.id == bindparam("the_id"))
_USE: Final = (
    update(ACTION)
    .where(*_HERE, _c.id == bindparam("the_id"), or_(_c.once.is_(False), _c.used_at.is_(None)))
    .values(used_at=bindparam("now"), used_by_inbox_id=bindparam("new_inbox_id"))
)
_SUPERSEDE: Final = (
    update(ACTION)
    .where(
        *_HERE,
        _c.turn_id.in_(bindparam("the_turns", expanding=True)),
        _c.superseded_at.is_(None),
        or_(_c.once.is_(False), _c.used_at.is_(None)),
    )
    .values(superseded_at=bindparam("now"))
)
_INSERT_TOOL_CALL: Final = insert(TOOL_CALL)
_TOOL_CALLS_OF_RUN: Final = (
    select(*(_t[column.name] for column in fields(ToolCallRecord)))
    .where(
        _t.company_id == bindparam("the_company"),
        _t.conversation_id == bindparam("the_conversation"),
        _t.run_id == bindparam("the_run"),
    )
    .order_by(_t.id)
)


def insert_actions(connection: Connection, where: InConversation, actions: Sequence[ActionRecord]) -> None:
    """Store new actions."""
    scope = {"company_id": where.company_id, "conversation_id": where.conversation_id}
    rows = [{**_shallow(action), **scope} for action in actions]
    if rows:
        connection.execute(_INSERT, rows)


def find_action(connection: Connection, where: InConversation, action_id: str, now: datetime) -> ActionState:
    """Return the action and whether it may be used.

    Raises:
        NotFound: missing, or another company's or conversation's.
    """
    row = connection.execute(_BY_ID, {**here(where), "the_id": action_id}).one_or_none()
    if row is None:
        raise no_such_action()
    status = _status(row, now)
    return ActionState(row.id, row.turn_id, row.kind, row.arguments, row.once, status, row.used_by_inbox_id)


def no_such_action() -> NotFound:
    """The one answer for missing and foreign actions."""
    return NotFound("no such action")


def use_action(connection: Connection, inbox: InboxRef, action_id: str, now: datetime) -> bool:
    """Mark the action as used by this message; False when a single-use action was used before.

    Only use is judged: the run began while the action was valid, and an answer is not lost over a late expiry.
    """
    given = {**here(inbox), "the_id": action_id, "new_inbox_id": inbox.inbox_id, "now": now}
    return connection.execute(_USE, given).rowcount == 1


def supersede_actions(connection: Connection, where: InConversation, turn_ids: Sequence[str], now: datetime) -> None:
    """Void the unused actions of superseded turns."""
    connection.execute(_SUPERSEDE, {**here(where), "the_turns": list(turn_ids), "now": now})


def insert_tool_calls(
    connection: Connection, where: InConversation, run_id: str, calls: Sequence[ToolCallRecord]
) -> None:
    """Append to the audit."""
    scope = {"company_id": where.company_id, "conversation_id": where.conversation_id, "run_id": run_id}
    rows = [{**_shallow(call), **scope} for call in calls]
    if rows:
        connection.execute(_INSERT_TOOL_CALL, rows)


def find_tool_calls(connection: Connection, where: InConversation, run_id: str) -> list[ToolCallRecord]:
    """Return the audited calls of a run, oldest first."""
    rows = connection.execute(_TOOL_CALLS_OF_RUN, {**here(where), "the_run": run_id})
    return [ToolCallRecord(**row._asdict()) for row in rows]


def _status(row: Row[*tuple[Any, ...]], now: datetime) -> ActionStatus:
    if row.once and row.used_at is not None:
        return "used"
    if row.superseded_at is not None:
        return "superseded"
    if row.expires_at is not None and row.expires_at <= now:
        return "expired"
    return "usable"


def _shallow(record: ActionRecord | ToolCallRecord) -> dict[str, Any]:
    values = {column.name: getattr(record, column.name) for column in fields(record)}
    return {**values, "arguments": dict(record.arguments)}
