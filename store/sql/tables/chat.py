"""Tables of the conversation side: conversations, inbox, turns, actions, tool-call audit.

Every row carries `company_id`; every query names it. Bodies and turns are JSON that is kept, never interpreted.
Rows of one conversation lie together, so a look at all its turns or actions needs no index of its own: each index
less is a page less to write per answer (measured: two of them were 5 of 23).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from sqlalchemy import JSON, BigInteger, CheckConstraint, Index, Integer, LargeBinary, Table, Text, UniqueConstraint
from sqlalchemy import text as sql
from sqlmodel import Field, SQLModel

from store.sql.types import UtcDateTime

# SQLite numbers rows by itself only in a column that is spelled INTEGER.
_ROW_NUMBER = BigInteger().with_variant(Integer, "sqlite")
_ID_LENGTH = 64
_SHA256_HEX_LENGTH = 64


class Conversation(SQLModel, table=True):
    """One chat of one customer with one company."""

    __tablename__ = "conversation"
    __table_args__ = (Index("ix_conversation_company_id_created_at", "company_id", "created_at"),)

    id: str = Field(primary_key=True, max_length=_ID_LENGTH)
    """Public id, random, not a secret."""
    company_id: int = Field(foreign_key="company.id")
    channel: str = Field(max_length=16)
    """web, terminal or telegram."""
    token_sha256: str = Field(max_length=_SHA256_HEX_LENGTH, unique=True)
    """Of the secret that opens this conversation; the secret itself is not stored."""
    locale: str | None = Field(default=None, max_length=64)
    """What the client asked for."""
    lang: str | None = Field(default=None, max_length=64)
    """The language of the last answer."""
    accepts: Any = Field(default=None, sa_type=JSON(none_as_null=True), nullable=True)
    """Card types that the client draws; null means all."""
    next_seq: int = Field(default=1)
    """The number of the next turn."""
    last_fence: int = Field(default=0)
    """Rises by one with every claim of a message; a writer with an older number is refused."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    last_seen_at: datetime = Field(sa_type=UtcDateTime)
    closed_at: datetime | None = Field(default=None, sa_type=UtcDateTime, nullable=True)


class InboxMessage(SQLModel, table=True):
    """Something a customer sent, kept before anything is done with it. Ids rise in order of arrival."""

    __tablename__ = "inbox_message"
    __table_args__ = (
        UniqueConstraint("conversation_id", "dedupe_key", name="uq_inbox_message_conversation_id_dedupe_key"),
        CheckConstraint("(state = 'done') = (done_at IS NOT NULL)", name="ck_inbox_message_done_has_a_time"),
        # `done_at IS NULL` rather than the state: SQLite uses a partial index only for a literal condition.
        Index(
            "ix_inbox_message_unfinished",
            "conversation_id",
            "id",
            sqlite_where=sql("done_at IS NULL"),
            postgresql_where=sql("done_at IS NULL"),
        ),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=_ROW_NUMBER)
    company_id: int = Field(foreign_key="company.id")
    conversation_id: str = Field(foreign_key="conversation.id", max_length=_ID_LENGTH)
    channel: str = Field(max_length=16)
    dedupe_key: str | None = Field(default=None, max_length=200)
    """The sender's own name for this message; null when it gave none."""
    kind: str = Field(max_length=16)
    """message or action."""
    body: Any = Field(sa_type=JSON)
    fingerprint: str = Field(max_length=_SHA256_HEX_LENGTH)
    """SHA-256 of kind and body; tells a repeat from another message under the same key."""
    state: str = Field(max_length=16)
    """received, running or done."""
    owner: str | None = Field(default=None, max_length=200)
    fence: int = Field(default=0)
    lease_until: datetime | None = Field(default=None, sa_type=UtcDateTime, nullable=True)
    attempts: int = Field(default=0)
    run_id: str = Field(max_length=_ID_LENGTH)
    """The same for every attempt."""
    first_seq: int | None = Field(default=None)
    last_seq: int | None = Field(default=None)
    received_at: datetime = Field(sa_type=UtcDateTime)
    done_at: datetime | None = Field(default=None, sa_type=UtcDateTime, nullable=True)


class Turn(SQLModel, table=True):
    """One turn as it was sent, byte for byte."""

    __tablename__ = "turn"
    conversation_id: str = Field(primary_key=True, foreign_key="conversation.id", max_length=_ID_LENGTH)
    seq: int = Field(primary_key=True)
    id: str = Field(unique=True, max_length=_ID_LENGTH)
    company_id: int = Field(foreign_key="company.id")
    run_id: str = Field(max_length=_ID_LENGTH)
    inbox_id: int = Field(foreign_key="inbox_message.id", sa_type=BigInteger)
    role: str = Field(max_length=16)
    agent: str | None = Field(default=None, max_length=64)
    type: str = Field(max_length=64)
    contract: str = Field(max_length=16)
    lang: str = Field(max_length=64)
    status: str = Field(max_length=16)
    """What holds now; `raw` keeps what was written."""
    status_changed_at: datetime | None = Field(default=None, sa_type=UtcDateTime, nullable=True)
    """Null as long as `raw` tells the present status too."""
    content: str = Field(sa_type=Text)
    raw: bytes = Field(sa_type=LargeBinary)
    sha256: str = Field(max_length=_SHA256_HEX_LENGTH)
    """Of `raw`."""
    created_at: datetime = Field(sa_type=UtcDateTime)


class Action(SQLModel, table=True):
    """What a button of a card does. The client holds only the id."""

    __tablename__ = "action"
    # The conversation comes first in the key, so that the random ids of one card fall on one page and not on many.
    __table_args__ = ({"sqlite_with_rowid": False},)

    conversation_id: str = Field(primary_key=True, foreign_key="conversation.id", max_length=_ID_LENGTH)
    id: str = Field(primary_key=True, max_length=_ID_LENGTH)
    company_id: int = Field(foreign_key="company.id")
    turn_id: str = Field(foreign_key="turn.id", max_length=_ID_LENGTH)
    kind: str = Field(max_length=64)
    arguments: Any = Field(sa_type=JSON)
    once: bool
    expires_at: datetime | None = Field(default=None, sa_type=UtcDateTime, nullable=True)
    used_at: datetime | None = Field(default=None, sa_type=UtcDateTime, nullable=True)
    used_by_inbox_id: int | None = Field(
        default=None, foreign_key="inbox_message.id", sa_type=BigInteger, nullable=True
    )
    superseded_at: datetime | None = Field(default=None, sa_type=UtcDateTime, nullable=True)


class ToolCall(SQLModel, table=True):
    """One call of a tool, for the audit. Digests and allow-listed arguments only; rows are never changed."""

    __tablename__ = "tool_call"
    __table_args__ = (
        Index("ix_tool_call_conversation_id_run_id", "conversation_id", "run_id"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=_ROW_NUMBER)
    company_id: int = Field(foreign_key="company.id")
    conversation_id: str = Field(foreign_key="conversation.id", max_length=_ID_LENGTH)
    run_id: str = Field(max_length=_ID_LENGTH)
    call_id: str = Field(max_length=_ID_LENGTH)
    tool: str = Field(max_length=64)
    argument_digest: str = Field(max_length=_SHA256_HEX_LENGTH)
    arguments: Any = Field(sa_type=JSON)
    """The allow-listed fields."""
    result_digest: str | None = Field(default=None, max_length=_SHA256_HEX_LENGTH)
    ok: bool
    error_code: str | None = Field(default=None, max_length=64)
    started_at: datetime = Field(sa_type=UtcDateTime)
    duration_ms: int
    attempts: int
    idempotency_key_digest: str | None = Field(default=None, max_length=_SHA256_HEX_LENGTH)


def _table(model: type[SQLModel]) -> Table:
    return cast(Table, model.__table__)  # type: ignore[attr-defined]


CONVERSATION = _table(Conversation)
INBOX = _table(InboxMessage)
TURN = _table(Turn)
ACTION = _table(Action)
TOOL_CALL = _table(ToolCall)
