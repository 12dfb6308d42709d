"""Queries on the inbox. Those that write expect the conversation to be locked by the caller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Update, and_, exists, func, insert, or_, select, update

from store.errors import NotFound
from store.sql.chat_values import Claim, InboxMessage, InboxRef, InConversation
from store.sql.tables.chat import INBOX

_c = INBOX.c
_MESSAGE_COLUMNS: Final = (
    _c.id,
    _c.company_id,
    _c.conversation_id,
    _c.channel,
    _c.kind,
    _c.body,
    _c.dedupe_key,
    _c.state,
    _c.attempts,
    _c.run_id,
    _c.first_seq,
    _c.last_seq,
    _c.received_at,
    _c.done_at,
)
_STANDING_COLUMNS: Final = (
    _c.id.label("inbox_id"),
    _c.fingerprint,
    _c.state,
    _c.owner,
    _c.fence,
    _c.lease_until,
    _c.attempts,
    _c.run_id,
    _c.first_seq,
    _c.last_seq,
)


@dataclass(frozen=True, slots=True)
class Standing:
    """How a message stands, for those who decide about it."""

    inbox_id: int
    fingerprint: str
    state: str
    owner: str | None
    fence: int
    lease_until: datetime | None
    attempts: int
    run_id: str
    first_seq: int | None
    last_seq: int | None

    def is_free(self, now: datetime) -> bool:
        """Whether nobody has it: not done, and no lease that still runs."""
        return self.state != "done" and (self.lease_until is None or self.lease_until <= now)


def find_repeat(connection: Connection, where: InConversation, dedupe_key: str) -> Standing | None:
    """Return the message that came under this key before."""
    query = select(*_STANDING_COLUMNS).where(
        _c.company_id == where.company_id, _c.conversation_id == where.conversation_id, _c.dedupe_key == dedupe_key
    )
    return _standing(connection.execute(query).one_or_none())


def find_standing(connection: Connection, inbox: InboxRef) -> Standing:
    """Return how the message stands.

    Raises:
        NotFound: missing, or another company's or conversation's.
    """
    standing = _standing(connection.execute(select(*_STANDING_COLUMNS).where(_is(inbox))).one_or_none())
    if standing is None:
        raise no_such_message()
    return standing


def find_message(connection: Connection, inbox: InboxRef) -> InboxMessage:
    """Return the message with its body.

    Raises:
        NotFound: missing, or another company's or conversation's.
    """
    row = connection.execute(select(*_MESSAGE_COLUMNS).where(_is(inbox))).one_or_none()
    if row is None:
        raise no_such_message()
    return _message(row)


def no_such_message() -> NotFound:
    """The one answer for missing and foreign messages."""
    return NotFound("no such message")


def count_unfinished(connection: Connection, where: InConversation) -> int:
    """Return how many messages of the conversation are not done."""
    query = select(func.count()).where(
        _c.company_id == where.company_id, _c.conversation_id == where.conversation_id, _c.done_at.is_(None)
    )
    return int(connection.execute(query).scalar_one())


def oldest_unfinished_id(connection: Connection, where: InConversation) -> int | None:
    """Return the message whose turn it is."""
    query = (
        select(_c.id)
        .where(_c.company_id == where.company_id, _c.conversation_id == where.conversation_id, _c.done_at.is_(None))
        .order_by(_c.id)
        .limit(1)
    )
    found = connection.execute(query).scalar_one_or_none()
    return None if found is None else int(found)


def insert_message(connection: Connection, values: dict[str, Any]) -> int:
    """Store a message and return its id."""
    return int(connection.execute(insert(INBOX).values(values).returning(_c.id)).scalar_one())


def set_claim(connection: Connection, claim: Claim) -> None:
    """Give the message to the claim's owner."""
    connection.execute(
        update(INBOX)
        .where(_is(claim.inbox))
        .values(
            state="running",
            owner=claim.owner,
            fence=claim.fence,
            attempts=claim.attempts,
            lease_until=claim.lease_until,
        )
    )


def extend_lease(connection: Connection, claim: Claim, lease_until: datetime) -> bool:
    """Move the end of the lease; False when the claim is no longer ours."""
    return connection.execute(_if_held(claim).values(lease_until=lease_until)).rowcount == 1


def release(connection: Connection, claim: Claim, free_from: datetime | None) -> bool:
    """Give the message back, free at once or from an instant on; False when the claim is no longer ours."""
    statement = _if_held(claim).values(state="received", owner=None, lease_until=free_from)
    return connection.execute(statement).rowcount == 1


def release_owner(connection: Connection, owner: str) -> int:
    """Free everything that an owner held, in all companies, and return how many."""
    statement = update(INBOX).where(_c.done_at.is_(None), _c.owner == owner)
    return connection.execute(statement.values(state="received", owner=None, lease_until=None)).rowcount


def finish(connection: Connection, claim: Claim, seqs: range, now: datetime) -> bool:
    """Close the message with the numbers of its turns; False when the claim is no longer ours."""
    first, last = (seqs[0], seqs[-1]) if seqs else (None, None)
    statement = _if_held(claim).values(state="done", done_at=now, lease_until=None, first_seq=first, last_seq=last)
    return connection.execute(statement).rowcount == 1


def find_pending(connection: Connection, now: datetime, received_before: datetime, limit: int) -> Sequence[InboxRef]:
    """Return messages of all companies that nobody runs, oldest first.

    A message waits in peace while an earlier one of its conversation is held by a lease that still runs.
    """
    earlier = INBOX.alias("earlier")
    lane_is_busy = exists().where(
        earlier.c.conversation_id == _c.conversation_id,
        earlier.c.done_at.is_(None),
        earlier.c.id < _c.id,
        earlier.c.lease_until > now,
    )
    left_behind = or_(_c.lease_until <= now, and_(_c.lease_until.is_(None), _c.received_at <= received_before))
    query = (
        select(_c.company_id, _c.conversation_id, _c.id)
        .where(_c.done_at.is_(None), left_behind, ~lane_is_busy)
        .order_by(_c.id)
        .limit(limit)
    )
    return [InboxRef(row.company_id, row.conversation_id, row.id) for row in connection.execute(query)]


def _is(inbox: InboxRef) -> ColumnElement[bool]:
    return and_(_c.id == inbox.inbox_id, _c.company_id == inbox.company_id, _c.conversation_id == inbox.conversation_id)


def _if_held(claim: Claim) -> Update:
    return update(INBOX).where(
        _is(claim.inbox), _c.state == "running", _c.fence == claim.fence, _c.owner == claim.owner
    )


def _standing(row: Row[*tuple[Any, ...]] | None) -> Standing | None:
    return None if row is None else Standing(**row._asdict())


def _message(row: Row[*tuple[Any, ...]]) -> InboxMessage:
    values = row._asdict()
    inbox = InboxRef(values.pop("company_id"), values.pop("conversation_id"), values.pop("id"))
    return InboxMessage(inbox=inbox, **values)
