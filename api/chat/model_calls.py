"""Calls to models belong to a conversation: its budget pays for them, and its audit tells them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime
from typing import Final

from api.clock import new_call_id
from graph.models.budget import Payer
from graph.models.live import LiveInterpreter
from graph.models.records import ModelCallRecord
from graph.understanding.meaning import Interpreter
from store.crm import chat

MODEL_TOOL: Final = "model:interpret"
"""The name in the audit, between the names of tools."""


def accountable(
    interpreter: Interpreter,
    conversation: chat.ConversationRef,
    clock: Callable[[], datetime],
    note: Callable[[chat.ToolCallRecord], None],
) -> Interpreter:
    """The interpreter for one run: a live one on this conversation's account, its calls noted for the audit."""
    if not isinstance(interpreter, LiveInterpreter):
        return interpreter
    payer = Payer(str(conversation.company_id), conversation.conversation_id)
    return interpreter.on_account_of(payer, lambda record: note(_audited(record, clock())))


def _audited(record: ModelCallRecord, now: datetime) -> chat.ToolCallRecord:
    """One interpretation as a row of the audit; it holds no text of anybody."""
    told = record.model_dump(mode="json", exclude={"duration_ms", "attempts", "outcome"}, exclude_none=True)
    return chat.ToolCallRecord(
        call_id=new_call_id(),
        tool=MODEL_TOOL,
        argument_digest=hashlib.sha256(f"{record.model} {record.prompt_version}".encode()).hexdigest(),
        arguments=told,
        result_digest=None,
        ok=record.outcome in {"ok", "skipped"},
        error_code=None if record.outcome in {"ok", "skipped"} else record.outcome,
        started_at=now,
        duration_ms=record.duration_ms,
        attempts=record.attempts,
        idempotency_key_digest=None,
    )
