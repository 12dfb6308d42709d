"""Clients: who is behind a chat, and whom a rental belongs to.

A phone typed in a chat is a claim. It may find the client it belongs to, so that staff see one customer; it never
changes that client's record, never shows it to the one who typed it, and is flagged for staff.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy.orm import Session

from store.crm.retrying import retry_lost_races
from store.errors import InvalidData
from store.rules.identity import actor_contact, canonical_phone, mask_phone
from store.sql.clients import (
    ClientRecord,
    add_client,
    add_contact,
    contact_value,
    find_client,
    has_telegram,
    save_client,
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


def client_info(database: Database, scope: Scope) -> ClientOutcome:
    """Return the client that the channel vouches for."""
    with database.read() as session:
        own = _own_client(session, scope)
        return _outcome(session, scope, own) if own else ClientOutcome(known=False)


def client_update(database: Database, scope: Scope, now: datetime, claim: Claim) -> ClientOutcome:
    """Store what the customer told; fills gaps of their own record only.

    Raises:
        InvalidData: nobody is named by the call, or the phone cannot exist.
    """
    if actor_contact(scope.actor) is None:
        raise InvalidData("the chat user is not named", facts={"fields": ["X-User-Id"]})
    return retry_lost_races(lambda: _update(database, scope, now, claim))


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
        client = _own_client(session, scope) or _add_own(session, scope, now)
        client = _fill_gaps(session, scope, client, claim)
        return _outcome(session, scope, client)


def _own_client(session: Session, scope: Scope) -> ClientRecord | None:
    contact = actor_contact(scope.actor)
    return find_client(session, scope, contact) if contact else None


def _add_own(session: Session, scope: Scope, now: datetime) -> ClientRecord:
    client = add_client(session, scope, now)
    contact = actor_contact(scope.actor)
    if contact:
        add_contact(session, scope, client.id, contact)
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


def _outcome(session: Session, scope: Scope, client: ClientRecord) -> ClientOutcome:
    return ClientOutcome(
        known=True,
        client_uuid=client.uuid,
        first_name=client.first_name,
        last_name=client.last_name,
        phone_masked=mask_phone(contact_value(session, scope, client.id, "phone")),
        is_placeholder=client.is_placeholder,
    )
