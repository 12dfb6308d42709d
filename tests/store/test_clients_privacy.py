"""A client gets a copy of their data, and is forgotten everywhere; sums, dates and everybody else stay."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import select, text

from frontend_contract.compat import read_turn
from store.crm import chat
from store.crm.chat import Claimed, RunRecord, ToolCallRecord, TurnRecord
from store.crm.client_merges import ContactCard, share_contact
from store.crm.clients import Claim, client_update, find_clients
from store.crm.privacy import Sought, erase_client, export_client
from store.errors import NotFound
from store.sql.tables import METADATA

PHONE, TELEGRAM, EMAIL = "+66812349876", "7770007771", "zuleika.canary@mail.example"
CANARIES = ("Zuleika", "Canarytwist", "66812349876", "812 349 876", TELEGRAM, "zuleika.canary", "sekretnote")


def turn(world: Any, conversation: Any, role: str, content: str) -> TurnRecord:
    shown = {
        "id": f"01{uuid4().hex[:24].upper()}",
        "conversation_id": conversation.conversation_id,
        "run_id": "r",
        "role": role,
        **({"agent": "booking"} if role == "agent" else {}),
        "content": content,
        "actions": [],
        "lang": "en",
        "status": "final",
        "contract": "1.0",
        "created_at": "2027-05-31T07:30:00Z",
        "evidence": [],
        "meta": {},
        "type": "text",
        "payload": None,
    }
    return TurnRecord(
        id=shown["id"],
        role=role,
        agent=shown.get("agent"),
        type="text",
        contract="1.0",
        lang="en",
        status="final",
        content=content,
        created_at=world.now,
        encode=lambda seq: json.dumps({**shown, "seq": seq}).encode(),
    )


def talk(world: Any, said: str) -> Any:
    """A web chat in which somebody said who they are; returns its conversation."""
    conversation = chat.open_conversation(world.db, world.a.company_id, channel="web", now=world.now).conversation
    accepted = chat.accept_message(
        world.db,
        conversation,
        kind="message",
        body={"message": said},
        dedupe_key="k1",
        now=world.now,
        owner="me",
        lease_seconds=60,
    )
    assert isinstance(accepted, Claimed)
    call = ToolCallRecord("c1", "pricing", "d" * 64, {"start": "2027-06-20"}, None, True, None, world.now, 5, 1)
    turns = (turn(world, conversation, "user", said), turn(world, conversation, "agent", f"Thank you, {said}"))
    chat.record_run(world.db, accepted.claim, RunRecord(turns=turns, tool_calls=(call,)), now=world.now)
    return conversation


def canary_client(world: Any) -> tuple[Any, str]:
    """A client with two rentals, a chat, Telegram, a merge, a notice and notes of staff; returns chat and uuid."""
    conversation = talk(world, "I am Zuleika Canarytwist, 0812 349 876")
    web = replace(world.a, actor=f"web:{conversation.conversation_id}")
    telegram = replace(world.a, actor=f"telegram:{TELEGRAM}")
    claim = {"first_name": "Zuleika", "last_name": "Canarytwist", "phone": PHONE, "email": EMAIL}
    world.book("V1", "06-20", "06-22", web, **claim)
    world.book("V2", "06-20", "06-25", telegram, **{**claim, "phone": "+66812340000"})
    joined = share_contact(world.db, telegram, world.now, ContactCard(PHONE, TELEGRAM))
    world.run("UPDATE client SET notes = 'sekretnote' WHERE first_name = 'Zuleika'")
    world.run("UPDATE rental SET note = 'sekretnote' WHERE customer_first_name = 'Zuleika'")
    world.run("UPDATE outbox SET payload = :p WHERE id = 1", p=json.dumps({"order_number": "CR-1", "phone": PHONE}))
    chat.accept_message(
        world.db,
        conversation,
        kind="message",
        body={"message": "Zuleika again"},
        dedupe_key="k2",
        now=world.now,
        owner="me",
        lease_seconds=60,
    )
    return conversation, joined.client_uuid


def everything(world: Any) -> str:
    """Every row of every table as text."""
    with world.db.read() as session:
        connection = session.connection()
        rows = [str(row) for t in METADATA.sorted_tables for row in connection.execute(select(t))]
        raw = [bytes(row[0]).decode() for row in connection.execute(text("SELECT raw FROM turn"))]
    return "\n".join([*rows, *raw])


def on_disk(world: Any) -> bytes:
    """The bytes of the embedded database, its log included."""
    path = Path(world.db.engine.url.database)
    return b"".join(p.read_bytes() for p in sorted(path.parent.glob(f"{path.name}*")))


def found(canaries: tuple[str, ...], where: str) -> list[str]:
    return [canary for canary in canaries if canary in where]


def test_before_the_erasure_every_canary_is_there(world: Any) -> None:
    """Negative control."""
    canary_client(world)
    assert found(CANARIES, everything(world)) == list(CANARIES)
    assert [c for c in CANARIES if c.encode() in on_disk(world)] == list(CANARIES)


def test_an_erased_client_is_found_nowhere_and_the_sums_stay(any_world: Any) -> None:
    """BL-209, R27."""
    world = any_world
    _, uuid = canary_client(world)
    sums = "SELECT sum(total_minor) || '/' || count(*) || '/' || min(start_date) || '/' || max(end_date) FROM rental"
    before = str(world.value(sums))
    erased = erase_client(world.db, world.a, world.now, Sought(uuid=uuid))
    assert (erased.client_uuid, erased.rentals, len(erased.conversation_ids)) == (uuid, 2, 1)
    assert (erased.leftovers, erased.file_is_clean) == ({}, True)
    assert found(CANARIES, everything(world)) == []
    assert str(world.value(sums)) == before
    assert world.value("SELECT count(*) FROM client_change WHERE kind = 'erased'") == 1


def test_an_erased_client_is_not_in_the_bytes_of_the_file(world: Any) -> None:
    """R27: free pages and the write-ahead log included."""
    _, uuid = canary_client(world)
    erase_client(world.db, world.a, world.now, Sought(uuid=uuid))
    assert [c for c in CANARIES if c.encode() in on_disk(world)] == []


def test_without_the_rewriting_of_the_file_bytes_would_stay(world: Any) -> None:
    """Negative control of the one above: the rows alone are not the file."""
    canary_client(world)
    with world.db.write() as session:
        connection = session.connection()
        connection.execute(text("UPDATE client SET notes = '', first_name = '', search_name = '', last_name = ''"))
    assert b"sekretnote" in on_disk(world)


@pytest.mark.parametrize(
    "sought",
    [Sought(phone="0066 81 234 9876"), Sought(email=EMAIL.upper()), Sought(telegram_id=TELEGRAM)],
)
def test_a_client_is_erased_by_what_staff_have(world: Any, sought: Sought) -> None:
    canary_client(world)
    erase_client(world.db, world.a, world.now, sought)
    assert found(CANARIES, everything(world)) == []
    with pytest.raises(NotFound):
        erase_client(world.db, world.a, world.now, sought)


def test_everybody_else_keeps_everything(any_world: Any) -> None:
    world = any_world
    other = replace(world.a, actor="telegram:555")
    world.book("V3", "06-21", "06-23", other, first_name="Olga", phone="+66899999999")
    world.book("H1", "06-20", "06-22", world.b, first_name="Zuleika", phone=PHONE)
    _, uuid = canary_client(world)
    erase_client(world.db, world.a, world.now, Sought(uuid=uuid))
    (olga,) = find_clients(world.db, world.a, "olga")
    assert olga.contacts == ("555", "+66899999999")
    (namesake,) = find_clients(world.db, world.b, "zuleika")
    assert PHONE in namesake.contacts, "another company decides for itself"
    assert world.value("SELECT count(*) FROM client WHERE first_name = 'Ingrid'") == 1


def test_an_erased_chat_can_still_be_drawn_and_opens_no_more(world: Any) -> None:
    conversation, uuid = canary_client(world)
    erase_client(world.db, world.a, world.now, Sought(uuid=uuid))
    turns = chat.read_turns(world.db, conversation)
    assert [read_turn(t.raw).content for t in turns] == ["[erased]", "[erased]"]
    assert all(t.intact for t in turns)
    assert world.value("SELECT count(*) FROM conversation WHERE closed_at IS NULL") == 0
    assert chat.pending(world.db, now=world.now, grace_seconds=0) == []


def test_what_still_names_an_erased_client_is_reported(world: Any) -> None:
    """A chat that led to no client and no rental cannot be known to be theirs; the count says where to look."""
    _, uuid = canary_client(world)
    talk(world, f"call my friend at {PHONE}")
    erased = erase_client(world.db, world.a, world.now, Sought(uuid=uuid))
    assert set(erased.leftovers) == {"inbox_message.body", "turn.content"}


def test_the_export_holds_all_that_is_kept_of_one_client(any_world: Any) -> None:
    world = any_world
    world.book("V3", "06-21", "06-23", replace(world.a, actor="telegram:555"), first_name="Olga", phone="+66899999999")
    canary_client(world)
    data = export_client(world.db, world.a, Sought(phone=PHONE))
    written = json.dumps(data, ensure_ascii=False)
    assert found(CANARIES, written) == list(CANARIES)
    assert "Olga" not in written
    assert [len(data[name]) for name in ("client", "rental", "conversation", "turn", "quote")] == [2, 2, 1, 2, 2]
    assert "token" not in written
    erase_client(world.db, world.a, world.now, Sought(phone=PHONE))
    after = json.dumps(export_client(world.db, world.a, Sought(uuid=data["client_uuid"])), ensure_ascii=False)
    assert found(CANARIES, after) == []


def test_a_foreign_client_is_a_missing_client(world: Any) -> None:
    uuid = client_update(world.db, world.b, world.now, Claim(first_name="B")).client_uuid
    for ask in (export_client, lambda db, scope, sought: erase_client(db, scope, world.now, sought)):
        with pytest.raises(NotFound):
            ask(world.db, world.a, Sought(uuid=uuid))
        with pytest.raises(NotFound):
            ask(world.db, world.a, Sought())
