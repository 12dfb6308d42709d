"""What the law gives a customer: a copy of their data, and being forgotten.

Erasing makes nobody of them everywhere: client, contacts, rentals (money and dates stay), quotes, notices, chats,
audit. It cannot be undone. Retention is another job.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from store.errors import NotFound
from store.rules.identity import canonical_phone
from store.sql.clients import ClientRecord, add_change, find_client, get_client, get_client_by_id, list_merged_into
from store.sql.companies import load_company
from store.sql.erasure import (
    Person,
    count_leftovers,
    erase_person,
    find_person,
    needles_of,
    read_person,
    scrub_file,
)
from store.sql.scope import Scope
from store.sql.unit import Database


@dataclass(frozen=True, slots=True)
class Sought:
    """Whose data; one of them is given."""

    uuid: str = ""
    phone: str = ""
    email: str = ""
    telegram_id: str = ""


@dataclass(frozen=True, slots=True)
class Erasure:
    """What an erasure did."""

    client_uuid: str
    rentals: int
    conversation_ids: tuple[str, ...]
    """Their passports, which lie elsewhere, have to go too."""
    leftovers: dict[str, int]
    """Where a phone, an email or an account number of theirs still stands: "table.column" -> rows. Look there."""
    file_is_clean: bool
    """False: others were writing, and old bytes may still lie in the embedded database's file. Repeat it later."""


def export_client(database: Database, scope: Scope, sought: Sought) -> dict[str, Any]:
    """Return everything that is kept about one client, as JSON values.

    Raises:
        NotFound: no such client in this company.
    """
    with database.read() as session:
        person = _person(session, scope, sought)
        return {"client_uuid": person.uuid, **read_person(session, scope, person)}


def erase_client(database: Database, scope: Scope, now: datetime, sought: Sought) -> Erasure:
    """Anonymise one client everywhere.

    Raises:
        NotFound: no such client in this company.
    """
    with database.write() as session:
        person = _person(session, scope, sought)
        needles = needles_of(session, scope, person)
        erase_person(session, scope, person, now)
        add_change(
            session, scope, now, kind="erased", client_id=person.client_ids[0], other_client_id=None, reason="request"
        )
        leftovers = count_leftovers(session, scope, needles)
    return Erasure(
        person.uuid, len(person.rental_ids), person.conversation_ids, leftovers, file_is_clean=scrub_file(database)
    )


def _person(session: Session, scope: Scope, sought: Sought) -> Person:
    client = _client(session, scope, sought)
    while client is not None and client.merged_into_id is not None:
        client = get_client_by_id(session, scope, client.merged_into_id)
    if client is None:
        raise NotFound("no such client")
    merged = [record.id for record in list_merged_into(session, scope, client.id)]
    return find_person(session, scope, client.uuid, [client.id, *merged])


def _client(session: Session, scope: Scope, sought: Sought) -> ClientRecord | None:
    if sought.uuid:
        return get_client(session, scope, sought.uuid)
    region = load_company(session, scope).phone_region
    contacts = (
        ("phone", canonical_phone(sought.phone, region) or ""),
        ("email", sought.email.strip().lower()),
        ("telegram_id", sought.telegram_id),
    )
    return next((find_client(session, scope, contact) for contact in contacts if contact[1]), None)
