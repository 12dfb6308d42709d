"""Clients, their contacts, and what was done to their records, inside one company."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import uuid4

from sqlalchemy import ColumnElement, and_, exists, or_, select, update
from sqlalchemy.orm import Session

from store.rules.identity import searchable
from store.sql.core import table
from store.sql.scope import Scope
from store.sql.tables.clients import Client, ClientChange, ClientContact
from store.sql.tables.rentals import RentalRow

_client, _contact, _change, _rental = table(Client), table(ClientContact), table(ClientChange), table(RentalRow)

Contact = tuple[str, str]
"""(kind, value)."""

_COLUMNS: Final = (
    _client.c.id,
    _client.c.uuid,
    _client.c.first_name,
    _client.c.last_name,
    _client.c.language,
    _client.c.is_placeholder,
    _client.c.notes,
    _client.c.merged_into_id,
)


@dataclass(frozen=True, slots=True)
class ClientRecord:
    """A client without contacts."""

    id: int
    uuid: str
    first_name: str = ""
    last_name: str = ""
    language: str = ""
    is_placeholder: bool = True
    notes: str = ""
    merged_into_id: int | None = None


@dataclass(frozen=True, slots=True)
class ContactRecord:
    """One contact with its owner."""

    id: int
    client_id: int
    kind: str
    value: str
    is_verified: bool


@dataclass(frozen=True, slots=True)
class ChangeRecord:
    """One entry of the log of merges."""

    id: int
    kind: str
    client_id: int
    other_client_id: int | None
    reason: str
    moved: dict[str, Any]
    done_by: str
    created_at: datetime
    undone_at: datetime | None


def find_client(session: Session, scope: Scope, contact: Contact) -> ClientRecord | None:
    """Return the client that owns a contact."""
    query = (
        select(*_COLUMNS)
        .join(_contact, and_(_contact.c.client_id == _client.c.id, _contact.c.company_id == _client.c.company_id))
        .where(_client.c.company_id == scope.company_id, _contact.c.kind == contact[0], _contact.c.value == contact[1])
    )
    row: Any = session.execute(query).one_or_none()
    return ClientRecord(*row) if row else None


def get_client(session: Session, scope: Scope, uuid: str) -> ClientRecord | None:
    """Return the client with that address."""
    return _one_client(session, scope, _client.c.uuid == uuid)


def get_client_by_id(session: Session, scope: Scope, client_id: int) -> ClientRecord | None:
    """Return the client with that number."""
    return _one_client(session, scope, _client.c.id == client_id)


def _one_client(session: Session, scope: Scope, chosen: ColumnElement[bool]) -> ClientRecord | None:
    row: Any = session.execute(select(*_COLUMNS).where(_client.c.company_id == scope.company_id, chosen)).one_or_none()
    return ClientRecord(*row) if row else None


def lock_clients(session: Session, scope: Scope, client_ids: Collection[int]) -> None:
    """Let nobody else change these records until we commit. SQLite has one writer anyway."""
    query = select(_client.c.id).where(_client.c.company_id == scope.company_id, _client.c.id.in_(client_ids))
    session.execute(query.order_by(_client.c.id).with_for_update()).all()


def search_clients(session: Session, scope: Scope, tokens: Sequence[str], limit: int) -> list[ClientRecord]:
    """Return clients whose name holds every token. Tokens are letters and digits only."""
    holds = [_client.c.search_name.like(f"%{token}%") for token in tokens]
    query = (
        select(*_COLUMNS)
        .where(_client.c.company_id == scope.company_id, _client.c.merged_into_id.is_(None), *holds)
        .order_by(_client.c.search_name, _client.c.id)
        .limit(limit)
    )
    return [ClientRecord(*row) for row in session.execute(query)]


def list_merged_into(session: Session, scope: Scope, client_id: int) -> list[ClientRecord]:
    """Return the records that were merged into this one, directly or through others."""
    found: list[ClientRecord] = []
    wanted = [client_id]
    while wanted:
        query = select(*_COLUMNS).where(_client.c.company_id == scope.company_id, _client.c.merged_into_id.in_(wanted))
        step = [ClientRecord(*row) for row in session.execute(query)]
        found += step
        wanted = [record.id for record in step]
    return found


def has_telegram(session: Session, scope: Scope, client_id: int) -> bool:
    """Whether a Telegram account vouches for this client."""
    condition = and_(
        _contact.c.company_id == scope.company_id,
        _contact.c.client_id == client_id,
        _contact.c.kind == "telegram_id",
    )
    return bool(session.execute(select(exists().where(condition))).scalar())


def contact_value(session: Session, scope: Scope, client_id: int, kind: str) -> str:
    """Return the contact of that kind, a verified one first, or an empty string."""
    query = (
        select(_contact.c.value)
        .where(_contact.c.company_id == scope.company_id, _contact.c.client_id == client_id, _contact.c.kind == kind)
        .order_by(_contact.c.is_verified.desc(), _contact.c.id)
        .limit(1)
    )
    return session.execute(query).scalar_one_or_none() or ""


def list_contacts(session: Session, scope: Scope, client_ids: Collection[int]) -> list[ContactRecord]:
    """Return all contacts of some clients."""
    query = (
        select(_contact.c.id, _contact.c.client_id, _contact.c.kind, _contact.c.value, _contact.c.is_verified)
        .where(_contact.c.company_id == scope.company_id, _contact.c.client_id.in_(client_ids))
        .order_by(_contact.c.id)
    )
    return [ContactRecord(*row) for row in session.execute(query)]


def add_client(session: Session, scope: Scope, now: datetime) -> ClientRecord:
    """Store an empty placeholder."""
    client = Client(company_id=scope.company_id, uuid=str(uuid4()), is_placeholder=True, created_at=now)
    session.add(client)
    session.flush()
    if client.id is None:
        raise RuntimeError("the client was not stored")
    return ClientRecord(client.id, client.uuid)


def save_client(session: Session, scope: Scope, client: ClientRecord) -> None:
    """Store what is known of a client."""
    session.execute(
        update(_client)
        .where(_client.c.company_id == scope.company_id, _client.c.id == client.id)
        .values(
            first_name=client.first_name,
            last_name=client.last_name,
            search_name=searchable(client.first_name, client.last_name),
            language=client.language,
            is_placeholder=client.is_placeholder,
            notes=client.notes,
            merged_into_id=client.merged_into_id,
        )
    )


def add_contact(session: Session, scope: Scope, client_id: int, contact: Contact, *, is_verified: bool = False) -> bool:
    """Give the client a contact that nobody in the company has; say whether it is theirs now."""
    owner = find_client(session, scope, contact)
    if owner is None:
        session.add(
            ClientContact(
                company_id=scope.company_id,
                client_id=client_id,
                kind=contact[0],
                value=contact[1],
                is_verified=is_verified,
            )
        )
        session.flush()
        return True
    if owner.id == client_id and is_verified:
        verify_contact(session, scope, contact)
    return owner.id == client_id


def verify_contact(session: Session, scope: Scope, contact: Contact) -> None:
    """Note that a platform vouches for a contact."""
    session.execute(
        update(_contact)
        .where(_contact.c.company_id == scope.company_id, _contact.c.kind == contact[0], _contact.c.value == contact[1])
        .values(is_verified=True)
    )


def move_contacts(session: Session, scope: Scope, contact_ids: Collection[int], from_id: int, to_id: int) -> None:
    """Hand contacts that `from_id` has to another client."""
    session.execute(
        update(_contact)
        .where(
            _contact.c.company_id == scope.company_id,
            _contact.c.id.in_(contact_ids),
            _contact.c.client_id == from_id,
        )
        .values(client_id=to_id)
    )


def list_rental_ids(session: Session, scope: Scope, client_id: int) -> list[int]:
    """Return the numbers of a client's rentals."""
    query = select(_rental.c.id).where(_rental.c.company_id == scope.company_id, _rental.c.client_id == client_id)
    return [row[0] for row in session.execute(query.order_by(_rental.c.id))]


def move_rentals(session: Session, scope: Scope, rental_ids: Collection[int], from_id: int, to_id: int) -> None:
    """Hand rentals that `from_id` has to another client."""
    session.execute(
        update(_rental)
        .where(_rental.c.company_id == scope.company_id, _rental.c.id.in_(rental_ids), _rental.c.client_id == from_id)
        .values(client_id=to_id)
    )


def add_change(
    session: Session,
    scope: Scope,
    now: datetime,
    *,
    kind: str,
    client_id: int,
    other_client_id: int | None,
    reason: str,
    moved: dict[str, Any] | None = None,
) -> int:
    """Log what was done to a client's record; return the entry's number."""
    row = ClientChange(
        company_id=scope.company_id,
        kind=kind,
        client_id=client_id,
        other_client_id=other_client_id,
        reason=reason,
        moved=moved or {},
        done_by=scope.actor,
        created_at=now,
    )
    session.add(row)
    session.flush()
    if row.id is None:
        raise RuntimeError("the change was not stored")
    return row.id


def list_changes(session: Session, scope: Scope, client_id: int | None = None) -> list[ChangeRecord]:
    """Return the log, oldest first: of one client, or of the company."""
    mine = [] if client_id is None else [or_(_change.c.client_id == client_id, _change.c.other_client_id == client_id)]
    query = (
        select(
            _change.c.id,
            _change.c.kind,
            _change.c.client_id,
            _change.c.other_client_id,
            _change.c.reason,
            _change.c.moved,
            _change.c.done_by,
            _change.c.created_at,
            _change.c.undone_at,
        )
        .where(_change.c.company_id == scope.company_id, *mine)
        .order_by(_change.c.id)
    )
    return [ChangeRecord(*row) for row in session.execute(query)]


def mark_undone(session: Session, scope: Scope, change_id: int, now: datetime) -> None:
    """Note that a change was taken back."""
    session.execute(
        update(_change)
        .where(_change.c.company_id == scope.company_id, _change.c.id == change_id)
        .values(undone_at=now, undone_by=scope.actor)
    )


def mark_merged(session: Session, scope: Scope, client: ClientRecord, into_id: int | None) -> None:
    """Note where a record went, or that it stands for itself again."""
    save_client(session, scope, replace(client, merged_into_id=into_id))
