"""Queries on conversations."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, insert, select, update

from store.errors import NotFound
from store.sql.chat_values import ConversationRef, InConversation
from store.sql.tables.chat import CONVERSATION

_c = CONVERSATION.c
_REF_COLUMNS: Final = (
    _c.company_id,
    _c.id,
    _c.channel,
    _c.locale,
    _c.lang,
    _c.accepts,
    _c.created_at,
)


def no_such_conversation() -> NotFound:
    """The one answer for missing, foreign and closed conversations and for wrong tokens."""
    return NotFound("no such conversation")


def insert_conversation(connection: Connection, ref: ConversationRef, *, token_sha256: str) -> None:
    """Store a new conversation."""
    connection.execute(
        insert(CONVERSATION),
        {
            "id": ref.conversation_id,
            "company_id": ref.company_id,
            "channel": ref.channel,
            "token_sha256": token_sha256,
            "locale": ref.locale,
            "lang": ref.lang,
            "accepts": None if ref.accepts is None else list(ref.accepts),
            "next_seq": 1,
            "last_fence": 0,
            "created_at": ref.created_at,
            "last_seen_at": ref.created_at,
        },
    )


def find_by_token_digest(connection: Connection, digest: str) -> tuple[ConversationRef, str] | None:
    """Return the open conversation of a token digest, with the digest as stored. The scope comes from here."""
    query = select(*_REF_COLUMNS, _c.token_sha256).where(_c.token_sha256 == digest, _c.closed_at.is_(None))
    row = connection.execute(query).one_or_none()
    return None if row is None else (_ref(row), row.token_sha256)


def find_conversation(connection: Connection, company_id: int, conversation_id: str) -> ConversationRef:
    """Return the conversation, closed ones included.

    Raises:
        NotFound: missing or another company's.
    """
    query = select(*_REF_COLUMNS).where(_c.company_id == company_id, _c.id == conversation_id)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise no_such_conversation()
    return _ref(row)


def lock_conversation(connection: Connection, where: InConversation) -> bool:
    """Make every other writer of this conversation wait until we commit; tell whether it is still open.

    On PostgreSQL this is what makes inbox ids rise in commit order and turn numbers gap-free;
    on SQLite the writing transaction has the whole file already.

    Raises:
        NotFound: missing or another company's.
    """
    query = (
        select(_c.closed_at).where(_c.company_id == where.company_id, _c.id == where.conversation_id).with_for_update()
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        raise no_such_conversation()
    return row.closed_at is None


def mark_seen(connection: Connection, where: InConversation, now: datetime) -> None:
    """Note that the customer wrote."""
    connection.execute(_update(where).values(last_seen_at=now))


def raise_fence(connection: Connection, where: InConversation) -> int:
    """Return a fence number that is higher than all before."""
    statement = _update(where).values(last_fence=_c.last_fence + 1).returning(_c.last_fence)
    return int(connection.execute(statement).scalar_one())


def take_numbers(connection: Connection, where: InConversation, count: int, lang: str | None) -> int:
    """Reserve `count` turn numbers and return the first; set the language unless it is None. Locks as above.

    Raises:
        NotFound: missing or another company's.
    """
    values: dict[str, Any] = {"next_seq": _c.next_seq + count}
    if lang is not None:
        values["lang"] = lang
    statement = _update(where).values(values).returning(_c.next_seq)
    next_seq = connection.execute(statement).scalar_one_or_none()
    if next_seq is None:
        raise no_such_conversation()
    return int(next_seq) - count


def close(connection: Connection, where: InConversation, now: datetime) -> bool:
    """Close the conversation; False when it was closed already."""
    statement = _update(where).where(_c.closed_at.is_(None)).values(closed_at=now)
    return connection.execute(statement).rowcount == 1


def _update(where: InConversation) -> Any:
    return update(CONVERSATION).where(_c.company_id == where.company_id, _c.id == where.conversation_id)


def _ref(row: Row[*tuple[Any, ...]]) -> ConversationRef:
    return ConversationRef(
        company_id=row.company_id,
        conversation_id=row.id,
        channel=row.channel,
        locale=row.locale,
        lang=row.lang,
        accepts=None if row.accepts is None else tuple(row.accepts),
        created_at=row.created_at,
    )
