"""Messages in: each is kept before anything happens, taken once, and run by one runner at a time, in order of arrival.

A message is `received`, then `running` under a lease, then `done`. The one whose turn it is is the oldest that is not
done. A claim carries a fence number that rises with every claim of the conversation: a runner that was believed dead
and wakes up later is refused by it.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection

from store.errors import InvalidData, Refused
from store.sql import chat_conversations as conversations
from store.sql import chat_inbox as inbox_rows
from store.sql.chat_inbox import Standing
from store.sql.chat_values import (
    MAX_BODY_BYTES,
    MAX_DEDUPE_KEY_LETTERS,
    Accepted,
    AlreadyDone,
    Claim,
    Claimed,
    ConversationRef,
    InboxMessage,
    InboxRef,
    InConversation,
    InProgress,
    MessageKind,
    Queued,
    canonical_json,
    check_text,
)
from store.sql.unit import Database

_RUN_ID_BYTES: Final = 18
_PENDING_LIMIT: Final = 200


def accept_message(
    db: Database,
    conversation: ConversationRef,
    *,
    kind: MessageKind,
    body: Any,
    dedupe_key: str | None,
    now: datetime,
    owner: str,
    lease_seconds: float,
    run_id: str | None = None,
) -> Accepted:
    """Keep the message, or recognise it as a repeat, and claim it when its turn has come. One transaction.

    `dedupe_key` is the sender's own name for the message (client key, update id); None means it cannot be repeated.
    `run_id` is kept for all attempts; None makes one. A repeat keeps the first.

    Raises:
        InvalidData: the body or the key cannot be stored.
        NotFound: the conversation is missing, foreign or closed.
        Refused: `idempotency_key_reused`, another message came under this key.
    """
    fingerprint = _fingerprint(kind, body)
    _check_key(dedupe_key)
    with db.write() as session:
        connection = session.connection()
        fence = conversations.lock_for_message(connection, conversation, now)
        if dedupe_key is not None:
            earlier = inbox_rows.find_repeat(connection, conversation, dedupe_key)
            if earlier is not None:
                return _answer_repeat(connection, conversation, earlier, fingerprint, now, owner, lease_seconds)
        values = {
            "company_id": conversation.company_id,
            "conversation_id": conversation.conversation_id,
            "channel": conversation.channel,
            "dedupe_key": dedupe_key,
            "kind": kind,
            "body": body,
            "fingerprint": fingerprint,
            "run_id": run_id or secrets.token_urlsafe(_RUN_ID_BYTES),
            "received_at": now,
        }
        return _keep(connection, conversation, values, fence, owner, lease_seconds)


def claim(db: Database, inbox: InboxRef, *, owner: str, now: datetime, lease_seconds: float) -> Claim | None:
    """Take the message if it is the oldest of its conversation that is not done and nobody holds it; else None.

    Raises:
        NotFound: no such message.
    """
    with db.write() as session:
        connection = session.connection()
        conversations.lock_conversation(connection, inbox)
        standing = inbox_rows.find_standing(connection, inbox)
        return _claim_if_free(connection, inbox, standing, now, owner, lease_seconds)


def renew(db: Database, claim: Claim, *, now: datetime, lease_seconds: float) -> bool:
    """Hold the message until `lease_seconds` from now; False when it is no longer ours and the run should stop."""
    with db.write() as session:
        return inbox_rows.extend_lease(session.connection(), claim, now + timedelta(seconds=lease_seconds))


def abandon(db: Database, claim: Claim, *, now: datetime, retry_after_seconds: float = 0) -> bool:
    """Give the message back undone, to be claimed again after a while; False when it is no longer ours."""
    free_from = now + timedelta(seconds=retry_after_seconds) if retry_after_seconds else None
    with db.write() as session:
        return inbox_rows.release(session.connection(), claim, free_from)


def release_owner(db: Database, owner: str) -> int:
    """Free all messages of an owner that is known to be dead, and return how many.

    For a start with the predecessor's name: nobody has to wait for the leases. A predecessor that lives after all
    is stopped by the fence.
    """
    with db.write() as session:
        return inbox_rows.release_owner(session.connection(), owner)


def pending(db: Database, *, now: datetime, grace_seconds: float, limit: int = _PENDING_LIMIT) -> Sequence[InboxRef]:
    """Return messages of all companies that nobody runs: a lease is over, or none was taken within the grace time.

    Oldest first, so in order within a conversation. Nothing is claimed: use `claim`, which decides.
    """
    with db.read() as session:
        return inbox_rows.find_pending(session.connection(), now, now - timedelta(seconds=grace_seconds), limit)


def get_message(db: Database, inbox: InboxRef) -> InboxMessage:
    """Return the message with its body and how it stands.

    Raises:
        NotFound: no such message.
    """
    with db.read() as session:
        return inbox_rows.find_message(session.connection(), inbox)


def next_message(db: Database, conversation: InConversation) -> InboxRef | None:
    """Return the oldest message of the conversation that is not done."""
    with db.read() as session:
        found = inbox_rows.oldest_unfinished_id(session.connection(), conversation)
    return None if found is None else InboxRef(conversation.company_id, conversation.conversation_id, found)


def _keep(
    connection: Connection,
    conversation: ConversationRef,
    values: dict[str, Any],
    fence: int,
    owner: str,
    lease_seconds: float,
) -> Accepted:
    run_id = values["run_id"]
    ahead = inbox_rows.count_unfinished(connection, conversation)
    if ahead:
        inbox_id = inbox_rows.insert_message(connection, {**values, "state": "received", "fence": 0, "attempts": 0})
        return Queued(_ref(conversation, inbox_id), run_id, ahead)
    lease_until = values["received_at"] + timedelta(seconds=lease_seconds)
    held = {"state": "running", "owner": owner, "fence": fence, "attempts": 1, "lease_until": lease_until}
    inbox_id = inbox_rows.insert_message(connection, {**values, **held})
    claim = Claim(_ref(conversation, inbox_id), run_id, owner, fence, 1, lease_until)
    return Claimed(claim, repeated=False)


def _answer_repeat(
    connection: Connection,
    conversation: ConversationRef,
    earlier: Standing,
    fingerprint: str,
    now: datetime,
    owner: str,
    lease_seconds: float,
) -> Accepted:
    if earlier.fingerprint != fingerprint:
        raise Refused("another message was sent under this key", code="idempotency_key_reused")
    inbox = _ref(conversation, earlier.inbox_id)
    if earlier.state == "done":
        return AlreadyDone(inbox, earlier.run_id, earlier.first_seq, earlier.last_seq)
    # The sender of a message whose runner died gets his answer now, not when the recovery loop comes round.
    taken = _claim_if_free(connection, inbox, earlier, now, owner, lease_seconds)
    return InProgress(inbox, earlier.run_id) if taken is None else Claimed(taken, repeated=True)


def _claim_if_free(
    connection: Connection, inbox: InboxRef, standing: Standing, now: datetime, owner: str, lease_seconds: float
) -> Claim | None:
    if not standing.is_free(now) or inbox_rows.oldest_unfinished_id(connection, inbox) != inbox.inbox_id:
        return None
    claim = Claim(
        inbox=inbox,
        run_id=standing.run_id,
        owner=owner,
        fence=conversations.raise_fence(connection, inbox),
        attempts=standing.attempts + 1,
        lease_until=now + timedelta(seconds=lease_seconds),
    )
    inbox_rows.set_claim(connection, claim)
    return claim


def _ref(conversation: InConversation, inbox_id: int) -> InboxRef:
    return InboxRef(conversation.company_id, conversation.conversation_id, inbox_id)


def _fingerprint(kind: MessageKind, body: Any) -> str:
    encoded = canonical_json({"kind": kind, "body": body}, what="body", max_bytes=MAX_BODY_BYTES)
    return hashlib.sha256(encoded).hexdigest()


def _check_key(dedupe_key: str | None) -> None:
    if dedupe_key is None:
        return
    if not 0 < len(dedupe_key) <= MAX_DEDUPE_KEY_LETTERS:
        raise InvalidData("the key is empty or too long", facts={"field": "dedupe_key"})
    check_text(dedupe_key, what="dedupe_key")
