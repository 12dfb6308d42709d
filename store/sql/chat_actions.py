"""Queries on actions and on the tool-call audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, insert, or_, select, update

from store.errors import NotFound
from store.sql.chat_values import ActionRecord, ActionState, ActionStatus, InboxRef, InConversation, ToolCallRecord
from store.sql.tables.chat import ACTION, TOOL_CALL

_c = ACTION.c


def insert_actions(connection: Connection, where: InConversation, actions: Sequence[ActionRecord]) -> None:
    """Store new actions."""
    scope = {"company_id": where.company_id, "conversation_id": where.conversation_id}
    rows = [{**_shallow(action), **scope} for action in actions]
    if rows:
        connection.execute(insert(ACTION), rows)


def find_action(connection: Connection, where: InConversation, action_id: str, now: datetime) -> ActionState:
    """Return the action and whether it may be used.

    Raises:
        NotFound: missing, or another company's or conversation's.
    """
    query = select(ACTION).where(
        _c.id == action_id,
        _c.company_id == where.company_id,
        _c.conversation_id == where.conversation_id,
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        raise no_such_action()
    return ActionState(row.id, row.turn_id, row.kind, row.arguments, row.once, _status(row, now), row.used_by_inbox_id)


def no_such_action() -> NotFound:
    """The one answer for missing and foreign actions."""
    return NotFound("no such action")


def use_action(connection: Connection, inbox: InboxRef, action_id: str, now: datetime) -> bool:
    """Mark the action as used by this message; False when a single-use action was used before.

    Only use is judged: the run began while the action was valid, and an answer is not lost over a late expiry.
    """
    statement = (
        update(ACTION)
        .where(
            _c.id == action_id,
            _c.company_id == inbox.company_id,
            _c.conversation_id == inbox.conversation_id,
            or_(_c.once.is_(False), _c.used_at.is_(None)),
        )
        .values(used_at=now, used_by_inbox_id=inbox.inbox_id)
    )
    return connection.execute(statement).rowcount == 1


def supersede_actions(connection: Connection, where: InConversation, turn_ids: Sequence[str], now: datetime) -> None:
    """Void the unused actions of superseded turns."""
    connection.execute(
        update(ACTION)
        .where(
            _c.turn_id.in_(turn_ids),
            _c.company_id == where.company_id,
            _c.conversation_id == where.conversation_id,
            _c.superseded_at.is_(None),
            or_(_c.used_at.is_(None), _c.once.is_(False)),
        )
        .values(superseded_at=now)
    )


def insert_tool_calls(
    connection: Connection, where: InConversation, run_id: str, calls: Sequence[ToolCallRecord]
) -> None:
    """Append to the audit."""
    scope = {"company_id": where.company_id, "conversation_id": where.conversation_id, "run_id": run_id}
    rows = [{**_shallow(call), **scope} for call in calls]
    if rows:
        connection.execute(insert(TOOL_CALL), rows)


def find_tool_calls(connection: Connection, where: InConversation, run_id: str) -> list[ToolCallRecord]:
    """Return the audited calls of a run, oldest first."""
    t = TOOL_CALL.c
    columns = [t[name] for name in ToolCallRecord.__dataclass_fields__]
    query = select(*columns).where(
        t.company_id == where.company_id,
        t.conversation_id == where.conversation_id,
        t.run_id == run_id,
    )
    return [ToolCallRecord(*row) for row in connection.execute(query.order_by(t.id))]


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
