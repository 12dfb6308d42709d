"""Queries on the inbox. Those that write expect the conversation to be locked by the caller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, bindparam, exists, func, insert, or_, select, update

from store.errors import NotFound
from store.sql.chat_conversations import here
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


_HERE: Final = (_c.company_id == bindparam("the_company"), _c.conversation_id == bindparam("the_conversation"))
_THIS: Final = (*_HERE, _c.id == bindparam("the_id"))
_IF_HELD: Final = update(INBOX).where(
    *_THIS, _c.state == "running", _c.fence == bindparam("the_fence"), _c.owner == bindparam("the_owner")
)
_REPEAT: Final = select(*_STANDING_COLUMNS).where(*_HERE, _c.dedupe_key == bindparam("the_key"))
_STANDING: Final = select(*_STANDING_COLUMNS).where(*_THIS)
_MESSAGE: Final = select(*_MESSAGE_COLUMNS).where(*_THIS)
_COUNT_UNFINISHED: Final = select(func.count()).where(*_HERE, _c.done_at.is_(None))
_OLDEST_UNFINISHED: Final = select(_c.id).where(*_HERE, _c.done_at.is_(None)).order_by(_c.id).limit(1)
_INSERT: Final = insert(INBOX).returning(_c.id)
_CLAIM: Final = (
    update(INBOX)
    .where(*_THIS)
    .values(
        state="running",
        owner=bindparam("new_owner"),
        fence=bindparam("new_fence"),
        attempts=bindparam("new_attempts"),
        lease_until=bindparam("new_lease_until"),
    )
)
_EXTEND: Final = _IF_HELD.values(lease_until=bindparam("new_lease_until"))
_RELEASE: Final = _IF_HELD.values(state="received", owner=None, lease_until=bindparam("new_lease_until"))
_RELEASE_OWNER: Final = (
    update(INBOX)
    .where(_c.done_at.is_(None), _c.owner == bindparam("the_owner"))
    .values(state="received", owner=None, lease_until=None)
)
_FINISH: Final = _IF_HELD.values(
    state="done",
    done_at=bindparam("now"),
    lease_until=None,
    first_seq=bindparam("new_first_seq"),
    last_seq=bindparam("new_last_seq"),
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
    return _standing(connection.execute(_REPEAT, {**here(where), "the_key": dedupe_key}).one_or_none())


def find_standing(connection: Connection, inbox: InboxRef) -> Standing:
    """Return how the message stands.

    Raises:
        NotFound: missing, or another company's or conversation's.
    """
    standing = _standing(connection.execute(_STANDING, _this(inbox)).one_or_none())
    if standing is None:
        raise no_such_message()
    return standing


def find_message(connection: Connection, inbox: InboxRef) -> InboxMessage:
    """Return the message with its body.

    Raises:
        NotFound: missing, or another company's or conversation's.
    """
    row = connection.execute(_MESSAGE, _this(inbox)).one_or_none()
    if row is None:
        raise no_such_message()
    return _message(row)


def no_such_message() -> NotFound:
    """The one answer for missing and foreign messages."""
    return NotFound("no such message")


def count_unfinished(connection: Connection, where: InConversation) -> int:
    """Return how many messages of the conversation are not done."""
    return int(connection.execute(_COUNT_UNFINISHED, here(where)).scalar_one())


def oldest_unfinished_id(connection: Connection, where: InConversation) -> int | None:
    """Return the message whose turn it is."""
    found = connection.execute(_OLDEST_UNFINISHED, here(where)).scalar_one_or_none()
    return None if found is None else int(found)


def insert_message(connection: Connection, values: dict[str, Any]) -> int:
    """Store a message and return its id."""
    return int(connection.execute(_INSERT, values).scalar_one())


def set_claim(connection: Connection, claim: Claim) -> None:
    """Give the message to the claim's owner."""
    new = {
        "new_owner": claim.owner,
        "new_fence": claim.fence,
        "new_attempts": claim.attempts,
        "new_lease_until": claim.lease_until,
    }
    connection.execute(_CLAIM, {**_this(claim.inbox), **new})


def extend_lease(connection: Connection, claim: Claim, lease_until: datetime) -> bool:
    """Move the end of the lease; False when the claim is no longer ours."""
    return connection.execute(_EXTEND, {**_held(claim), "new_lease_until": lease_until}).rowcount == 1


def release(connection: Connection, claim: Claim, free_from: datetime | None) -> bool:
    """Give the message back, free at once or from an instant on; False when the claim is no longer ours."""
    return connection.execute(_RELEASE, {**_held(claim), "new_lease_until": free_from}).rowcount == 1


def release_owner(connection: Connection, owner: str) -> int:
    """Free everything that an owner held, in all companies, and return how many."""
    return connection.execute(_RELEASE_OWNER, {"the_owner": owner}).rowcount


def finish(connection: Connection, claim: Claim, seqs: range, now: datetime) -> bool:
    """Close the message with the numbers of its turns; False when the claim is no longer ours."""
    first, last = (seqs[0], seqs[-1]) if seqs else (None, None)
    given = {**_held(claim), "now": now, "new_first_seq": first, "new_last_seq": last}
    return connection.execute(_FINISH, given).rowcount == 1


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
        # The sum keeps SQLite from walking the whole table in order of ids: the index of unfinished messages is short.
        .order_by(_c.id + 0)
        .limit(limit)
    )
    return [InboxRef(row.company_id, row.conversation_id, row.id) for row in connection.execute(query)]


def _this(inbox: InboxRef) -> dict[str, Any]:
    return {**here(inbox), "the_id": inbox.inbox_id}


def _held(claim: Claim) -> dict[str, Any]:
    return {**_this(claim.inbox), "the_fence": claim.fence, "the_owner": claim.owner}


def _standing(row: Row[*tuple[Any, ...]] | None) -> Standing | None:
    return None if row is None else Standing(**row._asdict())


def _message(row: Row[*tuple[Any, ...]]) -> InboxMessage:
    values = row._asdict()
    inbox = InboxRef(values.pop("company_id"), values.pop("conversation_id"), values.pop("id"))
    return InboxMessage(inbox=inbox, **values)
