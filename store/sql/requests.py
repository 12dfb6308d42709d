"""What is written together with a rental: the key of the request, and the notices to send."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select, text, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from store.errors import Refused
from store.sql.core import table
from store.sql.scope import Scope
from store.sql.tables.rentals import Idempotency, Outbox

_key = table(Idempotency)

_CREATED = 201
_LOCK_WAIT_MS = 10_000
"""How long the rest of the transaction may wait for a vehicle that is being booked by others."""


@dataclass(frozen=True, slots=True)
class EarlierRequest:
    """What the first request with this key did."""

    fingerprint: str
    rental_id: int
    change_id: int | None = None
    """The entry of the rental's history, when the request changed one."""


def claim_key(
    session: Session, scope: Scope, key: str, fingerprint: str, now: datetime, wait_ms: int
) -> EarlierRequest | None:
    """Claim the key in this transaction, or return the earlier request that holds it.

    On PostgreSQL a request that is still running is waited for. The claim lives and dies with the transaction.

    Raises:
        Refused: `in_progress`, the other request did not end in time; try again.
    """
    is_postgresql = session.get_bind().dialect.name == "postgresql"
    insert = (postgresql if is_postgresql else sqlite).insert(_key)
    values = {"company_id": scope.company_id, "key": key, "fingerprint": fingerprint}
    statement = insert.values(**values, status=_CREATED, created_at=now).on_conflict_do_nothing()
    if is_postgresql:
        session.execute(text(f"SET LOCAL lock_timeout = {int(wait_ms)}"))
    try:
        claimed = session.execute(statement.returning(_key.c.key)).one_or_none() is not None
    except OperationalError as error:
        if _is_lock_timeout(error):
            raise Refused("the same request is still running", code="in_progress") from error
        raise
    if is_postgresql:
        session.execute(text(f"SET LOCAL lock_timeout = {_LOCK_WAIT_MS}"))
    return None if claimed else _earlier(session, scope, key)


def finish_key(session: Session, scope: Scope, key: str, rental_id: int, change_id: int | None = None) -> None:
    """Note what the request has made or changed."""
    session.execute(
        update(_key)
        .where(_key.c.company_id == scope.company_id, _key.c.key == key)
        .values(rental_id=rental_id, change_id=change_id)
    )


def add_notice(
    session: Session, scope: Scope, kind: str, dedupe_key: str, payload: dict[str, Any], now: datetime
) -> None:
    """Write a notice that is sent after the commit, at least once."""
    session.add(
        Outbox(
            company_id=scope.company_id, kind=kind, dedupe_key=dedupe_key, payload=payload, next_at=now, created_at=now
        )
    )


def _earlier(session: Session, scope: Scope, key: str) -> EarlierRequest:
    query = select(_key.c.fingerprint, _key.c.rental_id, _key.c.change_id).where(
        _key.c.company_id == scope.company_id, _key.c.key == key
    )
    row: Any = session.execute(query).one()
    return EarlierRequest(*row)


def _is_lock_timeout(error: OperationalError) -> bool:
    return getattr(error.orig, "sqlstate", None) == "55P03"
