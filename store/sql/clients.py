"""Clients and their contacts, inside one company."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import and_, exists, select, update
from sqlalchemy.orm import Session

from store.sql.core import table
from store.sql.scope import Scope
from store.sql.tables.clients import Client, ClientContact

_client, _contact = table(Client), table(ClientContact)

Contact = tuple[str, str]
"""(kind, value)."""


@dataclass(frozen=True, slots=True)
class ClientRecord:
    """A client without contacts."""

    id: int
    uuid: str
    first_name: str = ""
    last_name: str = ""
    language: str = ""
    is_placeholder: bool = True


def find_client(session: Session, scope: Scope, contact: Contact) -> ClientRecord | None:
    """Return the client that owns a contact."""
    query = (
        select(
            _client.c.id,
            _client.c.uuid,
            _client.c.first_name,
            _client.c.last_name,
            _client.c.language,
            _client.c.is_placeholder,
        )
        .join(_contact, and_(_contact.c.client_id == _client.c.id, _contact.c.company_id == _client.c.company_id))
        .where(_client.c.company_id == scope.company_id, _contact.c.kind == contact[0], _contact.c.value == contact[1])
    )
    row: Any = session.execute(query).one_or_none()
    return ClientRecord(*row) if row else None


def has_telegram(session: Session, scope: Scope, client_id: int) -> bool:
    """Whether a Telegram account vouches for this client."""
    condition = and_(
        _contact.c.company_id == scope.company_id,
        _contact.c.client_id == client_id,
        _contact.c.kind == "telegram_id",
    )
    return bool(session.execute(select(exists().where(condition))).scalar())


def contact_value(session: Session, scope: Scope, client_id: int, kind: str) -> str:
    """Return the first contact of that kind, or an empty string."""
    query = (
        select(_contact.c.value)
        .where(_contact.c.company_id == scope.company_id, _contact.c.client_id == client_id, _contact.c.kind == kind)
        .order_by(_contact.c.id)
        .limit(1)
    )
    return session.execute(query).scalar_one_or_none() or ""


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
            language=client.language,
            is_placeholder=client.is_placeholder,
        )
    )


def add_contact(session: Session, scope: Scope, client_id: int, contact: Contact) -> bool:
    """Give the client a contact that nobody in the company has; say whether it is theirs now."""
    owner = find_client(session, scope, contact)
    if owner is not None:
        return owner.id == client_id
    session.add(ClientContact(company_id=scope.company_id, client_id=client_id, kind=contact[0], value=contact[1]))
    session.flush()
    return True
