"""Queries on conversations."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, String, bindparam, func, insert, select, update

from store.errors import NotFound
from store.sql.chat_values import ConversationRef, InConversation
from store.sql.tables.chat import CONVERSATION

_c = CONVERSATION.c
# Statements are built once: building one costs several times what running it costs.
_HERE: Final = (_c.company_id == bindparam("the_company"), _c.id == bindparam("the_conversation"))
_REF_COLUMNS: Final = (_c.company_id, _c.id, _c.channel, _c.locale, _c.lang, _c.accepts, _c.created_at)
_INSERT: Final = insert(CONVERSATION)
_BY_TOKEN: Final = select(*_REF_COLUMNS, _c.token_sha256).where(
    _c.token_sha256 == bindparam("digest"), _c.closed_at.is_(None)
)
_BY_ID: Final = select(*_REF_COLUMNS).where(*_HERE)
_LOCK: Final = select(_c.id).where(*_HERE).with_for_update()
_RAISE_FENCE: Final = update(CONVERSATION).where(*_HERE).values(last_fence=_c.last_fence + 1).returning(_c.last_fence)
_MARK_SEEN: Final = _RAISE_FENCE.where(_c.closed_at.is_(None)).values(last_seen_at=bindparam("now"))
_TAKE_NUMBERS: Final = (
    update(CONVERSATION)
    .where(*_HERE)
    .values(next_seq=_c.next_seq + bindparam("count"), lang=func.coalesce(bindparam("new_lang", type_=String), _c.lang))
    .returning(_c.next_seq)
)
_CLOSE: Final = update(CONVERSATION).where(*_HERE, _c.closed_at.is_(None)).values(closed_at=bindparam("now"))


def no_such_conversation() -> NotFound:
    """The one answer for missing, foreign and closed conversations and for wrong tokens."""
    return NotFound("no such conversation")


def insert_conversation(connection: Connection, ref: ConversationRef, *, token_sha256: str) -> None:
    """Store a new conversation."""
    connection.execute(
        _INSERT,
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
    row = connection.execute(_BY_TOKEN, {"digest": digest}).one_or_none()
    return None if row is None else (_ref(row), row.token_sha256)


def find_conversation(connection: Connection, company_id: int, conversation_id: str) -> ConversationRef:
    """Return the conversation, closed ones included.

    Raises:
        NotFound: missing or another company's.
    """
    row = connection.execute(_BY_ID, {"the_company": company_id, "the_conversation": conversation_id}).one_or_none()
    if row is None:
        raise no_such_conversation()
    return _ref(row)


def lock_conversation(connection: Connection, where: InConversation) -> None:
    """Make every other writer of this conversation wait until we commit.

    On PostgreSQL this is what makes inbox ids rise in commit order and turn numbers gap-free; every writer takes the
    row first, here or by one of the updates below. On SQLite the writing transaction has the whole file already.

    Raises:
        NotFound: missing or another company's.
    """
    if connection.execute(_LOCK, here(where)).one_or_none() is None:
        raise no_such_conversation()


def lock_for_message(connection: Connection, where: InConversation, now: datetime) -> int:
    """Lock, note that the customer wrote, and return a fence number that is higher than all before.

    Raises:
        NotFound: missing, closed or another company's.
    """
    fence = connection.execute(_MARK_SEEN, {**here(where), "now": now}).scalar_one_or_none()
    if fence is None:
        raise no_such_conversation()
    return int(fence)


def raise_fence(connection: Connection, where: InConversation) -> int:
    """Return a fence number that is higher than all before."""
    return int(connection.execute(_RAISE_FENCE, here(where)).scalar_one())


def take_numbers(connection: Connection, where: InConversation, count: int, lang: str | None) -> int:
    """Lock, reserve `count` turn numbers and return the first; set the language unless it is None.

    Raises:
        NotFound: missing or another company's.
    """
    given = {**here(where), "count": count, "new_lang": lang}
    next_seq = connection.execute(_TAKE_NUMBERS, given).scalar_one_or_none()
    if next_seq is None:
        raise no_such_conversation()
    return int(next_seq) - count


def close(connection: Connection, where: InConversation, now: datetime) -> bool:
    """Close the conversation; False when it was closed already."""
    return connection.execute(_CLOSE, {**here(where), "now": now}).rowcount == 1


def here(where: InConversation) -> dict[str, Any]:
    """The parameters by which every prepared statement names its conversation."""
    return {"the_company": where.company_id, "the_conversation": where.conversation_id}


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
