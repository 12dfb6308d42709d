"""The conversation side of the store: the one door for the rest of the product.

    opened = open_conversation(db, company_id, channel="web", now=now)
    conversation = authenticate(db, opened.token)
    match accept_message(db, conversation, kind="message", body={...}, dedupe_key=key, now=now, owner=me, ...):
        case Claimed(claim):      ... run it, then record_run(db, claim, RunRecord(turns=...), now=now)
        case Queued(inbox):       ... claim(db, inbox, ...) when the earlier ones are done
        case InProgress(inbox):   ... wait until get_message(db, inbox).state == "done"
        case AlreadyDone():       ... turns_of_run(db, conversation, run_id)

All functions block. Each is one transaction.
"""

from __future__ import annotations

from store.crm.chat_history import (
    MAX_PAGE_TURNS,
    new_action_id,
    read_turns,
    resolve_action,
    tool_calls_of_run,
    turns_of_run,
)
from store.crm.chat_intake import (
    abandon,
    accept_message,
    claim,
    get_message,
    next_message,
    pending,
    release_owner,
    renew,
)
from store.crm.chat_recording import record_run, record_tool_calls
from store.crm.chat_sessions import authenticate, close_conversation, get_conversation, open_conversation
from store.sql.chat_values import (
    MAX_BODY_BYTES,
    MAX_TURN_BYTES,
    Accepted,
    ActionRecord,
    ActionState,
    AlreadyDone,
    Claim,
    Claimed,
    ConversationRef,
    InboxMessage,
    InboxRef,
    InConversation,
    InProgress,
    OpenedConversation,
    Queued,
    RecordedRun,
    RunRecord,
    StaleClaim,
    StoredTurn,
    ToolCallRecord,
    TurnRecord,
)

__all__ = [
    "MAX_BODY_BYTES",
    "MAX_PAGE_TURNS",
    "MAX_TURN_BYTES",
    "Accepted",
    "ActionRecord",
    "ActionState",
    "AlreadyDone",
    "Claim",
    "Claimed",
    "ConversationRef",
    "InConversation",
    "InProgress",
    "InboxMessage",
    "InboxRef",
    "OpenedConversation",
    "Queued",
    "RecordedRun",
    "RunRecord",
    "StaleClaim",
    "StoredTurn",
    "ToolCallRecord",
    "TurnRecord",
    "abandon",
    "accept_message",
    "authenticate",
    "claim",
    "close_conversation",
    "get_conversation",
    "get_message",
    "new_action_id",
    "next_message",
    "open_conversation",
    "pending",
    "read_turns",
    "record_run",
    "record_tool_calls",
    "release_owner",
    "renew",
    "resolve_action",
    "tool_calls_of_run",
    "turns_of_run",
]
