"""Clients: who is behind a chat, and whom a rental belongs to.

Who somebody is, in this order: what a platform vouches for (a Telegram account, the phone of its own contact card),
then the phone they typed, then the chat they write from. A typed phone is a claim. It may find the client it belongs
to, so that staff see one customer; it never changes what is known of that client, never shows it to the one who typed
it, and is flagged for staff. Records become one only by a verified identity or by staff: `client_merges`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy.orm import Session

from store.crm.retrying import retry_lost_races
from store.errors import InvalidData
from store.rules.identity import actor_contact, canonical_phone, mask_phone, searchable
from store.sql.clients import (
    ClientRecord,
    add_client,
    add_contact,
    contact_value,
    find_client,
    has_telegram,
    list_contacts,
    save_client,
    search_clients,
)
from store.sql.companies import load_company
from store.sql.scope import Scope
from store.sql.unit import Database


@dataclass(frozen=True, slots=True)
class Claim:
    """What a customer says about themselves; empty is unsaid. `phone` is E.164."""

    first_name: str = ""
    last_name: str = ""
    phone: str = ""
    email: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class ClientOutcome:
    """The client behind the chat, masked."""

    known: bool
    client_uuid: str | None = None
    first_name: str = ""
    last_name: str = ""
    phone_masked: str = ""
    is_placeholder: bool = True


@dataclass(frozen=True, slots=True)
class ResolvedClient:
    """Whom a rental belongs to; `staff_flag` says why staff should look, `flag_client_id` at whom."""

    client_id: int
    staff_flag: str = ""
    flag_client_id: int | None = None


@dataclass(frozen=True, slots=True)
class FoundClient:
    """A client as staff see them."""

    client_uuid: str
    first_name: str
    last_name: str
    contacts: tuple[str, ...]


def client_info(database: Database, scope: Scope) -> ClientOutcome:
    """Return the client that the channel vouches for."""
    with database.read() as session:
        own = _own_client(session, scope)
        return client_outcome(session, scope, own) if own else ClientOutcome(known=False)


def client_update(database: Database, scope: Scope, now: datetime, claim: Claim) -> ClientOutcome:
    """Store what the customer told; fills gaps of their own record only.

    The first message of a chat calls it with an empty claim: that makes the placeholder.

    Raises:
        InvalidData: nobody is named by the call, or the phone cannot exist.
    """
    if actor_contact(scope.actor) is None:
        raise InvalidData("the chat user is not named", facts={"fields": ["X-User-Id"]})
    return retry_lost_races(lambda: _update(database, scope, now, claim))


def find_clients(database: Database, scope: Scope, words: str, *, limit: int = 20) -> list[FoundClient]:
    """Find clients for staff: by name, without marks and case, in any script; or by a whole phone number or email."""
    with database.read() as session:
        region = load_company(session, scope).phone_region
        found = search_clients(session, scope, tokens, limit) if (tokens := searchable(words).split()) else []
        for contact in (("phone", canonical_phone(words, region) or ""), ("email", words.strip().lower())):
            owner = find_client(session, scope, contact)
            if owner is not None and owner.id not in {client.id for client in found}:
                found.insert(0, owner)
        contacts = list_contacts(session, scope, [client.id for client in found])
        return [_found(client, [c.value for c in contacts if c.client_id == client.id]) for client in found[:limit]]


def resolve_client(session: Session, scope: Scope, claim: Claim, now: datetime) -> ResolvedClient:
    """Find or make the client of a rental: by phone, then by what the channel vouches for. `claim` is checked."""
    own = _own_client(session, scope)
    by_phone = find_client(session, scope, ("phone", claim.phone)) if claim.phone else None
    if by_phone is None or (own is not None and by_phone.id == own.id):
        client = own or _add_own(session, scope, now)
        _fill_gaps(session, scope, client, claim)
        return ResolvedClient(client.id)
    if has_telegram(session, scope, by_phone.id):
        # Another account vouches for the owner of this phone: two people until staff say otherwise.
        client = own or _add_own(session, scope, now)
        _fill_gaps(session, scope, client, claim)
        return ResolvedClient(client.id, "phone_of_other_client", by_phone.id)
    if by_phone.is_placeholder:
        _fill_gaps(session, scope, by_phone, claim)
    return ResolvedClient(by_phone.id, "phone_claim", own.id if own else None)


def checked_claim(claim: Claim, region: str) -> Claim:
    """Return the claim with phone and email in their one form, names without control characters.

    Raises:
        InvalidData: the phone cannot exist, or nothing is left of a name.
    """
    phone = canonical_phone(claim.phone, region) if claim.phone else ""
    if phone is None:
        raise InvalidData("this phone number cannot exist", facts={"fields": ["phone"]})
    first_name = _clean_name(claim.first_name)
    if claim.first_name and not first_name:
        raise InvalidData("the first name is empty", facts={"fields": ["first_name"]})
    return Claim(first_name, _clean_name(claim.last_name), phone, claim.email.strip().lower(), claim.language)


def _clean_name(name: str) -> str:
    # A control character or a direction override in a name would reach every screen that shows it.
    kept = "".join(c for c in name if c.isprintable() or c in _JOINERS)
    return " ".join(kept.split())


_JOINERS = "\u200c\u200d"
"""Part of ordinary spelling in several scripts, and of emoji."""


def _update(database: Database, scope: Scope, now: datetime, claim: Claim) -> ClientOutcome:
    with database.write() as session:
        claim = checked_claim(claim, load_company(session, scope).phone_region)
        client = own_client(session, scope, now)
        client = _fill_gaps(session, scope, client, claim)
        return client_outcome(session, scope, client)


def own_client(session: Session, scope: Scope, now: datetime) -> ClientRecord:
    """Return the client that the channel vouches for, a new placeholder where there is none."""
    return _own_client(session, scope) or _add_own(session, scope, now)


def _found(client: ClientRecord, contacts: list[str]) -> FoundClient:
    return FoundClient(client.uuid, client.first_name, client.last_name, tuple(contacts))


def _own_client(session: Session, scope: Scope) -> ClientRecord | None:
    contact = actor_contact(scope.actor)
    return find_client(session, scope, contact) if contact else None


def _add_own(session: Session, scope: Scope, now: datetime) -> ClientRecord:
    client = add_client(session, scope, now)
    contact = actor_contact(scope.actor)
    if contact:
        add_contact(session, scope, client.id, contact, is_verified=contact[0] == "telegram_id")
    return client


def _fill_gaps(session: Session, scope: Scope, client: ClientRecord, claim: Claim) -> ClientRecord:
    filled = replace(client, language=client.language or claim.language)
    if client.is_placeholder and claim.first_name:
        filled = replace(filled, first_name=claim.first_name, is_placeholder=False)
    if not filled.last_name and filled.first_name == claim.first_name:
        filled = replace(filled, last_name=claim.last_name)
    if filled != client:
        save_client(session, scope, filled)
    for kind, value in (("phone", claim.phone), ("email", claim.email)):
        if value:
            add_contact(session, scope, client.id, (kind, value))
    return filled


def client_outcome(session: Session, scope: Scope, client: ClientRecord) -> ClientOutcome:
    """Return a client masked, as its own chat may see it."""
    return ClientOutcome(
        known=True,
        client_uuid=client.uuid,
        first_name=client.first_name,
        last_name=client.last_name,
        phone_masked=mask_phone(contact_value(session, scope, client.id, "phone")),
        is_placeholder=client.is_placeholder,
    )
