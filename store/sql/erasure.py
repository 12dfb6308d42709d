"""Everything that a company keeps about one person: found, read out, and made nobody's.

Works on the tables as they are declared: a column that names who acted is treated in every table that has one, and
the last look goes through every text of the company.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import JSON, ColumnElement, String, Table, cast, delete, func, or_, select, update
from sqlalchemy.orm import Session

from store.sql.core import table
from store.sql.scope import Scope
from store.sql.tables import METADATA
from store.sql.tables.chat import ACTION, CONVERSATION, INBOX, TURN
from store.sql.tables.clients import Client, ClientContact
from store.sql.tables.rentals import HoldRow, Idempotency, Outbox, QuoteRow, RentalRow, RentalStatusChange
from store.sql.unit import Database

ERASED: Final = "[erased]"
_ACTOR_COLUMNS: Final = ("actor", "done_by", "undone_by")
_SHORTEST_NEEDLE: Final = 6
_NO_DIGEST: Final = "0" * 64
_KEPT_OF_TURN: Final = (
    "id seq conversation_id run_id role agent lang status contract created_at".split()  # noqa: SIM905 - reads better
)
_KEPT_OF_NOTICE: Final = ("rental_uuid", "order_number")

_client, _contact, _rental = table(Client), table(ClientContact), table(RentalRow)
_quote, _change, _key = table(QuoteRow), table(RentalStatusChange), table(Idempotency)
_hold, _outbox, _call = table(HoldRow), table(Outbox), METADATA.tables["tool_call"]


@dataclass(frozen=True, slots=True)
class Person:
    """Whose data it is: their records, the identities they acted by, their rentals and chats."""

    uuid: str
    client_ids: tuple[int, ...]
    actors: tuple[str, ...]
    rental_ids: tuple[int, ...]
    conversation_ids: tuple[str, ...]


def find_person(session: Session, scope: Scope, uuid: str, client_ids: Collection[int]) -> Person:
    """Follow a client's records to what was done by and for them."""
    own = _rental.c.client_id.in_(client_ids)
    by_staff = _rental.c.source == "admin"
    booked = select(_rental.c.actor).where(_mine(scope, _rental), own, ~by_staff, _rental.c.actor != "").distinct()
    actors = {row[0] for row in session.execute(booked)} | set(_identities(session, scope, client_ids))
    rentals = select(_rental.c.id).where(_mine(scope, _rental), or_(own, _rental.c.actor.in_(actors)))
    names = [actor.partition(":")[2] for actor in actors]
    chats = select(CONVERSATION.c.id).where(_mine(scope, CONVERSATION), CONVERSATION.c.id.in_(names))
    return Person(
        uuid,
        tuple(client_ids),
        tuple(sorted(actors)),
        tuple(session.execute(rentals.order_by(_rental.c.id)).scalars()),
        tuple(session.execute(chats.order_by(CONVERSATION.c.id)).scalars()),
    )


def read_person(session: Session, scope: Scope, person: Person) -> dict[str, list[dict[str, Any]]]:
    """Return the rows about a person, by table, without the company's own numbers."""
    parts: list[tuple[Table, ColumnElement[bool]]] = [
        (_client, _client.c.id.in_(person.client_ids)),
        (_contact, _contact.c.client_id.in_(person.client_ids)),
        (_rental, _rental.c.id.in_(person.rental_ids)),
        (_change, _change.c.rental_id.in_(person.rental_ids)),
        (_quote, _quote.c.actor.in_(person.actors)),
        (CONVERSATION, CONVERSATION.c.id.in_(person.conversation_ids)),
        (INBOX, INBOX.c.conversation_id.in_(person.conversation_ids)),
        (TURN, TURN.c.conversation_id.in_(person.conversation_ids)),
        (_call, _call.c.conversation_id.in_(person.conversation_ids)),
    ]
    return {source.name: _rows(session, scope, source, condition) for source, condition in parts}


def erase_person(session: Session, scope: Scope, person: Person, now: datetime) -> None:
    """Take the person out of every row; money, dates, vehicles and numbers of orders stay."""
    needles = _needles(session, scope, person)
    _erase_notices(session, scope, person, needles)
    _erase_rentals(session, scope, person)
    _erase_chats(session, scope, person, now)
    session.execute(delete(_hold).where(_mine(scope, _hold), _hold.c.actor.in_(person.actors)))
    for source, column in _actor_columns():
        changed = update(source).where(_mine(scope, source), source.c[column].in_(person.actors))
        session.execute(changed.values({column: f"erased:{person.uuid}"}))
    session.execute(delete(_contact).where(_mine(scope, _contact), _contact.c.client_id.in_(person.client_ids)))
    nobody = {"first_name": "", "last_name": "", "search_name": "", "language": "", "notes": ""}
    mine = update(_client).where(_mine(scope, _client), _client.c.id.in_(person.client_ids))
    session.execute(mine.values(**nobody, is_placeholder=True, erased_at=now))


def needles_of(session: Session, scope: Scope, person: Person) -> list[str]:
    """Return the texts by which a person is found for certain: phones, emails, account numbers. No names."""
    return _needles(session, scope, person)


def count_leftovers(session: Session, scope: Scope, needles: Collection[str]) -> dict[str, int]:
    """Return where in the company's data such a text still stands: "table.column" -> rows."""
    found: dict[str, int] = {}
    for source in METADATA.sorted_tables:
        if "company_id" not in source.c or not needles:
            continue
        for column in source.c:
            if not isinstance(column.type, String | JSON):
                continue
            holds = or_(*(cast(column, String).like(f"%{_escaped(n)}%", escape="\\") for n in needles))
            count = session.execute(select(func.count()).where(_mine(scope, source), holds)).scalar_one()
            if count:
                found[f"{source.name}.{column.name}"] = int(count)
    return found


def scrub_file(database: Database) -> bool:
    """Rewrite the embedded database without what was erased; False when others hold it now.

    SQLite leaves old bytes in free space and in its log. PostgreSQL clears them by its own vacuum.
    """
    if not database.is_sqlite:
        return True
    connection = database.engine.raw_connection()
    try:
        cursor = connection.cursor()
        cursor.execute("VACUUM")
        busy, *_ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy
    except Exception as error:  # the driver's: another process is writing
        if "lock" not in str(error) and "busy" not in str(error):
            raise
        return False
    finally:
        connection.close()


def _identities(session: Session, scope: Scope, client_ids: Collection[int]) -> Iterator[str]:
    query = select(_contact.c.kind, _contact.c.value).where(
        _mine(scope, _contact), _contact.c.client_id.in_(client_ids), _contact.c.kind.in_(("session", "telegram_id"))
    )
    for kind, value in session.execute(query):
        yield value if kind == "session" else f"telegram:{value}"


def _needles(session: Session, scope: Scope, person: Person) -> list[str]:
    contacts = select(_contact.c.value).where(
        _mine(scope, _contact), _contact.c.client_id.in_(person.client_ids), _contact.c.kind != "session"
    )
    given = select(_rental.c.customer_phone, _rental.c.customer_email).where(
        _mine(scope, _rental), _rental.c.id.in_(person.rental_ids)
    )
    texts = {row[0] for row in session.execute(contacts)} | {v for row in session.execute(given) for v in row}
    found = {text.lstrip("+") for text in texts} | set(person.actors)
    # Shorter ones would be found in all sorts of places.
    return sorted(text for text in found if len(text) >= _SHORTEST_NEEDLE)


def _erase_rentals(session: Session, scope: Scope, person: Person) -> None:
    mine = _rental.c.id.in_(person.rental_ids)
    texts = ("customer_first_name", "customer_last_name", "customer_phone", "customer_email", "customer_language")
    nobody = dict.fromkeys((*texts, "note"), "")
    session.execute(update(_rental).where(_mine(scope, _rental), mine).values(**nobody))
    # A digest of a name and a phone can be guessed back.
    keys = update(_key).where(_mine(scope, _key), _key.c.rental_id.in_(person.rental_ids))
    session.execute(keys.values(fingerprint=_NO_DIGEST))


def _erase_notices(session: Session, scope: Scope, person: Person, needles: Iterable[str]) -> None:
    uuids = select(_rental.c.uuid).where(_mine(scope, _rental), _rental.c.id.in_(person.rental_ids))
    signs = [*session.execute(uuids).scalars(), *person.conversation_ids, *needles]
    if not signs:
        return
    text = cast(_outbox.c.payload, String)
    hit = or_(*(text.like(f"%{_escaped(sign)}%", escape="\\") for sign in signs))
    for row_id, payload in session.execute(
        select(_outbox.c.id, _outbox.c.payload).where(_mine(scope, _outbox), hit)
    ).all():
        kept = {name: payload[name] for name in _KEPT_OF_NOTICE if name in payload}
        session.execute(update(_outbox).where(_mine(scope, _outbox), _outbox.c.id == row_id).values(payload=kept))


def _erase_chats(session: Session, scope: Scope, person: Person, now: datetime) -> None:
    chats = person.conversation_ids
    emptied: tuple[tuple[Table, dict[str, Any]], ...] = (
        (ACTION, {"arguments": {}, "expires_at": now}),
        (_call, {"arguments": {}, "argument_digest": _NO_DIGEST, "result_digest": None}),
        (INBOX, {"body": {}, "fingerprint": _NO_DIGEST, "dedupe_key": None}),
        (CONVERSATION, {"locale": None, "lang": None, "accepts": None}),
    )
    for source, values in emptied:
        column = source.c.id if source is CONVERSATION else source.c.conversation_id
        session.execute(update(source).where(_mine(scope, source), column.in_(chats)).values(**values))
    # The chat is over: its token opens nothing, and nobody runs what waits in it.
    waiting = update(INBOX).where(_mine(scope, INBOX), INBOX.c.conversation_id.in_(chats), INBOX.c.done_at.is_(None))
    session.execute(waiting.values(state="done", done_at=now, owner=None, lease_until=None))
    is_open = (_mine(scope, CONVERSATION), CONVERSATION.c.id.in_(chats), CONVERSATION.c.closed_at.is_(None))
    session.execute(update(CONVERSATION).where(*is_open).values(closed_at=now))
    query = select(TURN.c.conversation_id, TURN.c.seq, TURN.c.raw).where(
        _mine(scope, TURN), TURN.c.conversation_id.in_(chats)
    )
    for conversation_id, seq, raw in session.execute(query).all():
        erased = _erased_turn(raw)
        one = (TURN.c.conversation_id == conversation_id, TURN.c.seq == seq)
        digest = hashlib.sha256(erased).hexdigest()
        changed = update(TURN).where(_mine(scope, TURN), *one)
        session.execute(changed.values(content=ERASED, type="text", raw=erased, sha256=digest))


def _erased_turn(raw: bytes) -> bytes:
    """The turn as one that says nothing; still a turn that every client can draw."""
    turn = json.loads(raw)
    kept = {name: turn[name] for name in _KEPT_OF_TURN if name in turn}
    nothing: dict[str, Any] = {
        "content": ERASED,
        "type": "text",
        "payload": None,
        "actions": [],
        "evidence": [],
        "meta": {},
    }
    return json.dumps({**kept, **nothing}, ensure_ascii=False, separators=(",", ":")).encode()


def _actor_columns() -> Iterator[tuple[Table, str]]:
    for source in METADATA.sorted_tables:
        for column in _ACTOR_COLUMNS:
            if column in source.c and source is not _hold:
                yield source, column


def _rows(session: Session, scope: Scope, source: Table, condition: ColumnElement[bool]) -> list[dict[str, Any]]:
    hidden = {"company_id", "token_sha256", "sha256", "bot_id", "search_name", "owner", "fence"}
    columns = [column for column in source.c if column.name not in hidden]
    query = select(*columns).where(_mine(scope, source), condition).order_by(*source.primary_key.columns)
    return [{name: _readable(value) for name, value in row._asdict().items()} for row in session.execute(query)]


def _readable(value: Any) -> Any:
    if isinstance(value, bytes):
        return json.loads(value)
    return value.isoformat() if hasattr(value, "isoformat") else value


def _mine(scope: Scope, source: Table) -> ColumnElement[bool]:
    mine: ColumnElement[bool] = source.c.company_id == scope.company_id
    return mine


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
