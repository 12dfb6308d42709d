"""Two records of one person become one, by what a platform vouches for or by staff; logged, and it can be undone.

The record that is merged keeps its own fields and points to the one that stays. Contacts and rentals move. Fields of
the one that stays win; its gaps are filled, and notes of both are kept. The log holds ids and names of fields only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy.orm import Session

from store.crm.clients import ClientOutcome, client_outcome, own_client
from store.crm.retrying import retry_lost_races
from store.errors import InvalidData, NotFound, Refused
from store.rules.identity import actor_contact, canonical_phone, searchable
from store.sql.clients import (
    ChangeRecord,
    ClientRecord,
    add_change,
    add_contact,
    find_client,
    get_client,
    get_client_by_id,
    has_telegram,
    list_changes,
    list_contacts,
    list_rental_ids,
    lock_clients,
    mark_merged,
    mark_undone,
    move_contacts,
    move_rentals,
    save_client,
    verify_contact,
)
from store.sql.companies import load_company
from store.sql.scope import Scope
from store.sql.unit import Database

MAX_NOTES: Final = 2000


@dataclass(frozen=True, slots=True)
class ContactCard:
    """A contact that was sent in Telegram. `user_id` is whose it is; None when the platform does not say."""

    phone: str
    user_id: str | None


def share_contact(database: Database, scope: Scope, now: datetime, card: ContactCard) -> ClientOutcome:
    """Take the phone of the sender's own contact card as verified, and join what belongs to it.

    Raises:
        Refused: `not_own_contact`, the card is somebody else's: ask for the sender's own.
        InvalidData: the phone cannot exist.
    """
    kind, account = actor_contact(scope.actor) or ("", "")
    if kind != "telegram_id" or card.user_id != account:
        raise Refused("this is not the sender's own contact", code="not_own_contact")
    return retry_lost_races(lambda: _share(database, scope, now, card))


def link_telegram(database: Database, scope: Scope, now: datetime, telegram_id: str) -> ClientOutcome:
    """Join the client of this chat with the Telegram account that its user has proved to own.

    Raises:
        InvalidData: nobody is named by the call, or the id is no number.
        Refused: `other_telegram`, this client has another account already.
    """
    if actor_contact(scope.actor) is None or not telegram_id.isdigit():
        raise InvalidData("a chat user and a Telegram account are needed", facts={"fields": ["X-User-Id"]})
    return retry_lost_races(lambda: _link(database, scope, now, ("telegram_id", telegram_id)))


def merge_clients(database: Database, scope: Scope, now: datetime, keep_uuid: str, other_uuid: str) -> int:
    """Make two records one on the word of staff; return the number by which it can be undone.

    Raises:
        NotFound: one of them is missing or another company's.
        Refused: `already_merged`, or they are the same record.
    """
    with database.write() as session:
        keep, other = _existing(session, scope, keep_uuid), _existing(session, scope, other_uuid)
        return _merge(session, scope, now, keep, other, "staff")


def undo_merge(database: Database, scope: Scope, now: datetime, change_id: int) -> None:
    """Take a merge back: contacts, rentals and fields return to whom they belonged.

    Raises:
        NotFound: no such merge in this company.
        Refused: `already_undone`; `later_merge` (facts name it), undo that one first.
    """
    with database.write() as session:
        changes = list_changes(session, scope)
        change = next((c for c in changes if c.id == change_id and c.kind == "merge"), None)
        if change is None or change.other_client_id is None:
            raise NotFound("no such merge")
        lock_clients(session, scope, [change.client_id, change.other_client_id])
        _require_undoable(change, changes)
        _undo(session, scope, change, change.other_client_id)
        mark_undone(session, scope, change.id, now)


def list_merges(database: Database, scope: Scope) -> list[ChangeRecord]:
    """Return the log of the company, oldest first."""
    with database.read() as session:
        return list_changes(session, scope)


def _share(database: Database, scope: Scope, now: datetime, card: ContactCard) -> ClientOutcome:
    with database.write() as session:
        region = load_company(session, scope).phone_region
        # Telegram writes the country code without its plus sign.
        spelled = f"+{card.phone}" if card.phone.isdigit() and not card.phone.startswith("0") else card.phone
        phone = canonical_phone(spelled, region)
        if phone is None:
            raise InvalidData("this phone number cannot exist", facts={"fields": ["phone"]})
        own = own_client(session, scope, now)
        own = _take_phone(session, scope, now, own, ("phone", phone))
        return client_outcome(session, scope, own)


def _take_phone(
    session: Session, scope: Scope, now: datetime, own: ClientRecord, phone: tuple[str, str]
) -> ClientRecord:
    owner = find_client(session, scope, phone)
    if owner is None or owner.id == own.id:
        add_contact(session, scope, own.id, phone, is_verified=True)
        return own
    if not has_telegram(session, scope, owner.id):
        keep, other = _ordered(own, owner)
        _merge(session, scope, now, keep, other, "verified_phone")
        verify_contact(session, scope, phone)
        return _reread(session, scope, keep)
    contact = next(c for c in list_contacts(session, scope, [owner.id]) if (c.kind, c.value) == phone)
    if not contact.is_verified:
        # The other account only claimed it; this one has proved it.
        move_contacts(session, scope, [contact.id], owner.id, own.id)
        verify_contact(session, scope, phone)
        moved = {"contacts": [contact.id]}
        add_change(
            session,
            scope,
            now,
            kind="contact_moved",
            client_id=own.id,
            other_client_id=owner.id,
            reason="verified_phone",
            moved=moved,
        )
    return own


def _link(database: Database, scope: Scope, now: datetime, account: tuple[str, str]) -> ClientOutcome:
    with database.write() as session:
        own = own_client(session, scope, now)
        owner = find_client(session, scope, account)
        if (owner is None or owner.id != own.id) and has_telegram(session, scope, own.id):
            raise Refused("this client has another Telegram account", code="other_telegram")
        if owner is None:
            add_contact(session, scope, own.id, account, is_verified=True)
        elif owner.id != own.id:
            keep, other = _ordered(own, owner)
            _merge(session, scope, now, keep, other, "verified_telegram")
            own = _reread(session, scope, keep)
        return client_outcome(session, scope, own)


def _ordered(first: ClientRecord, second: ClientRecord) -> tuple[ClientRecord, ClientRecord]:
    """The record that stays comes first: one with a name before a placeholder, then the older one."""
    keep, other = sorted((first, second), key=lambda client: (client.is_placeholder, client.id))
    return keep, other


def _merge(session: Session, scope: Scope, now: datetime, keep: ClientRecord, other: ClientRecord, reason: str) -> int:
    if keep.id == other.id or keep.merged_into_id is not None or other.merged_into_id is not None:
        raise Refused("these records are one already", code="already_merged")
    lock_clients(session, scope, [keep.id, other.id])
    contacts = [contact.id for contact in list_contacts(session, scope, [other.id])]
    rentals = list_rental_ids(session, scope, other.id)
    move_contacts(session, scope, contacts, other.id, keep.id)
    move_rentals(session, scope, rentals, other.id, keep.id)
    filled = _filled(keep, other)
    save_client(session, scope, replace(keep, **filled))
    mark_merged(session, scope, other, keep.id)
    moved = {"contacts": contacts, "rentals": rentals, "fields": sorted(filled)}
    return add_change(
        session, scope, now, kind="merge", client_id=keep.id, other_client_id=other.id, reason=reason, moved=moved
    )


def _filled(keep: ClientRecord, other: ClientRecord) -> dict[str, Any]:
    """Fields of the record that stays which the other one fills."""
    filled: dict[str, Any] = {}
    if keep.is_placeholder and not other.is_placeholder:
        filled |= {"first_name": other.first_name, "last_name": other.last_name, "is_placeholder": False}
    elif other.last_name and not keep.last_name and searchable(keep.first_name) == searchable(other.first_name):
        filled["last_name"] = other.last_name
    if other.language and not keep.language:
        filled["language"] = other.language
    if other.notes:
        filled["notes"] = f"{keep.notes}\n{other.notes}".strip()[:MAX_NOTES]
    return filled


def _undo(session: Session, scope: Scope, change: ChangeRecord, other_id: int) -> None:
    keep, other = get_client_by_id(session, scope, change.client_id), get_client_by_id(session, scope, other_id)
    if keep is None or other is None:
        raise NotFound("no such merge")
    move_contacts(session, scope, change.moved.get("contacts", []), keep.id, other.id)
    move_rentals(session, scope, change.moved.get("rentals", []), keep.id, other.id)
    emptied = {field: _without(field, keep, other) for field in change.moved.get("fields", [])}
    save_client(session, scope, replace(keep, **emptied))
    mark_merged(session, scope, other, None)


def _without(field: str, keep: ClientRecord, other: ClientRecord) -> Any:
    """The field as it was before the merge; what was changed since stays."""
    now, given = getattr(keep, field), getattr(other, field)
    if field == "is_placeholder":
        return True if keep.first_name == other.first_name else now
    if field == "notes":
        return now.removesuffix(given).rstrip("\n")
    return "" if now == given else now


def _require_undoable(change: ChangeRecord, changes: list[ChangeRecord]) -> None:
    if change.undone_at is not None:
        raise Refused("this merge was undone before", code="already_undone")
    people = {change.client_id, change.other_client_id}
    later = [c.id for c in changes if c.id > change.id and c.kind == "merge" and c.undone_at is None]
    blocking = [c.id for c in changes if c.id in later and people & {c.client_id, c.other_client_id}]
    if blocking:
        raise Refused("a later merge builds on this one", code="later_merge", facts={"merges": blocking})


def _existing(session: Session, scope: Scope, uuid: str) -> ClientRecord:
    client = get_client(session, scope, uuid)
    if client is None:
        raise NotFound("no such client")
    return client


def _reread(session: Session, scope: Scope, client: ClientRecord) -> ClientRecord:
    return get_client_by_id(session, scope, client.id) or client
