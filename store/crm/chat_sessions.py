"""Open a conversation, let its owner in again, close it."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from store.errors import InvalidData
from store.sql import chat_conversations as conversations
from store.sql.chat_values import Channel, ConversationRef, InConversation, OpenedConversation, check_text
from store.sql.unit import Database

_ID_BYTES: Final = 18
_TOKEN_BYTES: Final = 32
_MAX_TOKEN_LETTERS: Final = 200
_MAX_NAME_LETTERS: Final = 64
_MAX_ACCEPTS: Final = 100


def open_conversation(
    db: Database,
    company_id: int,
    *,
    channel: Channel,
    now: datetime,
    locale: str | None = None,
    accepts: Sequence[str] | None = None,
) -> OpenedConversation:
    """Start a conversation. The token is shown here once; only its SHA-256 is stored.

    Raises:
        InvalidData: `locale` or `accepts` cannot be stored.
    """
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    ref = ConversationRef(
        company_id=company_id,
        conversation_id=secrets.token_urlsafe(_ID_BYTES),
        channel=channel,
        locale=_checked_locale(locale),
        lang=None,
        accepts=_checked_accepts(accepts),
        created_at=now,
    )
    with db.write() as session:
        conversations.insert_conversation(session.connection(), ref, token_sha256=_digest(token))
    return OpenedConversation(ref, token)


def authenticate(db: Database, token: str) -> ConversationRef:
    """Return the conversation that the token opens.

    Raises:
        NotFound: no open conversation has this token.
    """
    if not token or len(token) > _MAX_TOKEN_LETTERS:
        raise conversations.no_such_conversation()
    digest = _digest(token)
    with db.read() as session:
        found = conversations.find_by_token_digest(session.connection(), digest)
    # The index compares digests, whose timing tells nothing about the token; the second look costs nothing.
    if found is None or not hmac.compare_digest(found[1], digest):
        raise conversations.no_such_conversation()
    return found[0]


def get_conversation(db: Database, company_id: int, conversation_id: str) -> ConversationRef:
    """Return a conversation of the company, for the server's own work such as recovery.

    Raises:
        NotFound: missing or another company's.
    """
    with db.read() as session:
        return conversations.find_conversation(session.connection(), company_id, conversation_id)


def close_conversation(db: Database, conversation: InConversation, *, now: datetime) -> bool:
    """Void the token and accept no more messages; what is stored stays. False when it was closed already."""
    with db.write() as session:
        return conversations.close(session.connection(), conversation, now)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _checked_locale(locale: str | None) -> str | None:
    if locale is not None and not 0 < len(locale) <= _MAX_NAME_LETTERS:
        raise InvalidData("locale is too long or empty", facts={"field": "locale"})
    return None if locale is None else check_text(locale, what="locale")


def _checked_accepts(accepts: Sequence[str] | None) -> tuple[str, ...] | None:
    if accepts is None:
        return None
    if len(accepts) > _MAX_ACCEPTS or any(len(name) > _MAX_NAME_LETTERS for name in accepts):
        raise InvalidData("accepts is too long", facts={"field": "accepts"})
    return tuple(check_text(name, what="accepts") for name in accepts)
