"""What was said, and what its buttons do."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Final

from store.errors import InvalidData
from store.sql import chat_actions as actions
from store.sql import chat_turns as turns
from store.sql.chat_values import ActionState, InConversation, StoredTurn, ToolCallRecord
from store.sql.unit import Database

MAX_PAGE_TURNS: Final = 200
_ACTION_ID_BYTES: Final = 16
_MAX_ACTION_ID_LETTERS: Final = 64


def new_action_id() -> str:
    """Return a fresh action id: 22 random URL-safe letters, so that any channel's button can carry it."""
    return secrets.token_urlsafe(_ACTION_ID_BYTES)


def read_turns(
    db: Database, conversation: InConversation, *, before_seq: int | None = None, limit: int = 50
) -> list[StoredTurn]:
    """Return up to `limit` turns with a number below `before_seq`, newest first, with the bytes as sent.

    Raises:
        InvalidData: `limit` is not 1 to 200.
    """
    if not 1 <= limit <= MAX_PAGE_TURNS:
        raise InvalidData(f"limit is 1 to {MAX_PAGE_TURNS}", facts={"field": "limit"})
    with db.read() as session:
        return turns.page_before(session.connection(), conversation, before_seq, limit)


def turns_of_run(db: Database, conversation: InConversation, run_id: str) -> list[StoredTurn]:
    """Return the turns of one run, oldest first; empty while it is not done or when it is not theirs."""
    with db.read() as session:
        return turns.of_run(session.connection(), conversation, run_id)


def tool_calls_of_run(db: Database, conversation: InConversation, run_id: str) -> list[ToolCallRecord]:
    """Return the audited tool calls of one run, oldest first."""
    with db.read() as session:
        return actions.find_tool_calls(session.connection(), conversation, run_id)


def resolve_action(db: Database, conversation: InConversation, action_id: str, *, now: datetime) -> ActionState:
    """Return what the action does and whether it may be used. Used, superseded and expired are answers, not errors.

    Raises:
        NotFound: missing, or another company's or conversation's.
    """
    if not action_id.isascii() or "\x00" in action_id or len(action_id) > _MAX_ACTION_ID_LETTERS:
        raise actions.no_such_action()
    with db.read() as session:
        return actions.find_action(session.connection(), conversation, action_id, now)
