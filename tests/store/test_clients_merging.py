"""Two records become one by a verified identity or by staff, and can be taken apart again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from store.crm.client_merges import (
    ContactCard,
    link_telegram,
    list_merges,
    merge_clients,
    share_contact,
    undo_merge,
)
from store.crm.clients import Claim, client_info, client_update
from store.errors import InvalidData, NotFound, Refused

PHONE = "+66812345678"


def as_actor(world: Any, actor: str) -> Any:
    return replace(world.a, actor=actor)


def records(world: Any) -> list[Any]:
    """Everything that a merge may touch, as it lies in the tables."""
    with world.db.read() as session:
        connection = session.connection()
        return [
            connection.exec_driver_sql(f"SELECT {columns} FROM {table} ORDER BY id").all()  # noqa: S608
            for columns, table in (
                ("id, first_name, last_name, search_name, language, notes, is_placeholder, merged_into_id", "client"),
                ("id, client_id, kind, value", "client_contact"),
                ("id, client_id", "rental"),
            )
        ]


def web_and_telegram(world: Any) -> tuple[Any, Any]:
    """BL-135: a web client with notes, and a Telegram account with a client of its own."""
    web, telegram = as_actor(world, "web:abc"), as_actor(world, "telegram:77")
    client_update(world.db, web, world.now, Claim(first_name="Noa", phone="+4740999888", language="en"))
    world.run("UPDATE client SET notes = 'likes blue helmets' WHERE first_name = 'Noa'")
    client_update(world.db, telegram, world.now, Claim(first_name="Noa", last_name="Levi", email="noa@x.example"))
    world.run("UPDATE client SET notes = 'needs a child seat' WHERE last_name = 'Levi'")
    world.book("V1", "06-20", "06-22", web, first_name="Noa", phone="+4740999888")
    world.book("V2", "06-20", "06-22", telegram, first_name="Noa", phone="+4740777666")
    return web, telegram


def test_the_own_contact_card_verifies_the_phone(any_world: Any) -> None:
    scope = as_actor(any_world, "telegram:5")
    known = share_contact(any_world.db, scope, any_world.now, ContactCard("66812345678", "5"))
    assert known.phone_masked == "+66••••••678"
    query = "SELECT is_verified FROM client_contact WHERE value = :v"
    assert bool(any_world.value(query, v=PHONE))
    assert bool(any_world.value(query, v="5"))


@pytest.mark.parametrize("owner", ["6", None, ""])
def test_somebody_elses_card_is_not_taken(world: Any, owner: str | None) -> None:
    """BL-136."""
    with pytest.raises(Refused) as caught:
        share_contact(world.db, as_actor(world, "telegram:5"), world.now, ContactCard(PHONE, owner))
    assert caught.value.code == "not_own_contact"
    assert world.value("SELECT count(*) FROM client_contact WHERE value = :v", v=PHONE) == 0


def test_a_card_outside_telegram_is_nobodys(world: Any) -> None:
    with pytest.raises(Refused):
        share_contact(world.db, as_actor(world, "web:5"), world.now, ContactCard(PHONE, "5"))


def test_a_card_with_an_impossible_phone_is_invalid(world: Any) -> None:
    with pytest.raises(InvalidData):
        share_contact(world.db, as_actor(world, "telegram:5"), world.now, ContactCard("12", "5"))


def test_a_verified_phone_joins_the_client_who_gave_it_before(any_world: Any) -> None:
    web, telegram = as_actor(any_world, "web:old"), as_actor(any_world, "telegram:5")
    any_world.book("V1", "06-20", "06-22", web, first_name="Maria", phone=PHONE)
    client_update(any_world.db, telegram, any_world.now, Claim())
    known = share_contact(any_world.db, telegram, any_world.now, ContactCard(PHONE, "5"))
    assert (known.first_name, known.phone_masked) == ("Maria", "+66••••••678")
    assert client_info(any_world.db, telegram) == client_info(any_world.db, web)
    assert [(m.kind, m.reason, m.done_by) for m in list_merges(any_world.db, any_world.a)] == [
        ("merge", "verified_phone", "telegram:5")
    ]


def test_a_proved_phone_beats_the_claim_of_another_account_without_joining_them(any_world: Any) -> None:
    """BL-134: two Telegram accounts are two people."""
    one, two = as_actor(any_world, "telegram:111"), as_actor(any_world, "telegram:222")
    any_world.book("V1", "06-20", "06-22", one, first_name="Olga", phone=PHONE)
    assert client_info(any_world.db, one).phone_masked
    share_contact(any_world.db, two, any_world.now, ContactCard(PHONE, "222"))
    assert client_info(any_world.db, two).phone_masked
    assert client_info(any_world.db, one).phone_masked == ""
    assert client_info(any_world.db, one).first_name == "Olga"
    share_contact(any_world.db, one, any_world.now, ContactCard(PHONE, "111"))
    assert client_info(any_world.db, two).phone_masked, "what one account has proved is not taken by another"
    assert [m.kind for m in list_merges(any_world.db, any_world.a)] == ["contact_moved"]


def test_linking_telegram_keeps_the_fields_of_both(any_world: Any) -> None:
    """BL-135."""
    web, telegram = web_and_telegram(any_world)
    joined = link_telegram(any_world.db, web, any_world.now, "77")
    assert (joined.first_name, joined.last_name) == ("Noa", "Levi")
    assert client_info(any_world.db, telegram).client_uuid == joined.client_uuid
    query = "SELECT {} FROM client WHERE uuid = :u"
    assert any_world.value(query.format("notes"), u=joined.client_uuid) == "likes blue helmets\nneeds a child seat"
    assert any_world.value(query.format("language"), u=joined.client_uuid) == "en"
    owner = any_world.value(query.format("id"), u=joined.client_uuid)
    assert any_world.value("SELECT count(*) FROM rental WHERE client_id = :c", c=owner) == 2
    contacts = "SELECT count(*) FROM client_contact WHERE client_id = :c"
    assert any_world.value(contacts, c=owner) == 5


def test_a_merge_can_be_undone_to_the_letter(any_world: Any) -> None:
    """BL-135: audited and reversible."""
    web, _ = web_and_telegram(any_world)
    before = records(any_world)
    link_telegram(any_world.db, web, any_world.now, "77")
    assert records(any_world) != before
    (merge,) = list_merges(any_world.db, any_world.a)
    undo_merge(any_world.db, as_actor(any_world, "staff:1"), any_world.now, merge.id)
    assert records(any_world) == before
    (merge,) = list_merges(any_world.db, any_world.a)
    assert merge.undone_at is not None


def test_what_came_after_a_merge_stays_when_it_is_undone(world: Any) -> None:
    web, telegram = web_and_telegram(world)
    joined = link_telegram(world.db, web, world.now, "77")
    client_update(world.db, telegram, world.now, Claim(email="new@x.example"))
    undo_merge(world.db, web, world.now, list_merges(world.db, world.a)[0].id)
    query = "SELECT c.uuid FROM client c JOIN client_contact k ON k.client_id = c.id WHERE k.value = 'new@x.example'"
    assert world.value(query) == joined.client_uuid


def test_the_log_of_a_merge_holds_no_personal_data(world: Any) -> None:
    web, _ = web_and_telegram(world)
    link_telegram(world.db, web, world.now, "77")
    logged = str(world.value("SELECT moved FROM client_change"))
    assert not any(word in logged for word in ("Noa", "Levi", "4740", "helmets", "noa@"))


def test_merges_are_undone_from_the_last_one(world: Any) -> None:
    uuids = [
        client_update(world.db, as_actor(world, f"web:{n}"), world.now, Claim(first_name=f"N{n}")).client_uuid
        for n in range(3)
    ]
    first = merge_clients(world.db, world.a, world.now, uuids[1], uuids[2])
    second = merge_clients(world.db, world.a, world.now, uuids[0], uuids[1])
    with pytest.raises(Refused) as caught:
        undo_merge(world.db, world.a, world.now, first)
    assert (caught.value.code, caught.value.facts) == ("later_merge", {"merges": [second]})
    undo_merge(world.db, world.a, world.now, second)
    undo_merge(world.db, world.a, world.now, first)
    with pytest.raises(Refused, match="undone before"):
        undo_merge(world.db, world.a, world.now, first)
    names = [client_info(world.db, as_actor(world, f"web:{n}")).first_name for n in range(3)]
    assert names == ["N0", "N1", "N2"]


def test_a_merged_record_is_not_merged_again(world: Any) -> None:
    one, two = (
        client_update(world.db, as_actor(world, f"web:{n}"), world.now, Claim(first_name="N")).client_uuid
        for n in range(2)
    )
    merge_clients(world.db, world.a, world.now, one, two)
    for keep, other in ((one, two), (two, one), (one, one)):
        with pytest.raises(Refused, match="one already"):
            merge_clients(world.db, world.a, world.now, keep, other)


def test_nobody_is_merged_across_companies(world: Any) -> None:
    """BL-133."""
    mine = client_update(world.db, world.a, world.now, Claim(first_name="A")).client_uuid
    foreign = client_update(world.db, world.b, world.now, Claim(first_name="B")).client_uuid
    for keep, other in ((mine, foreign), (foreign, mine)):
        with pytest.raises(NotFound):
            merge_clients(world.db, world.a, world.now, keep, other)
    merge = merge_clients(
        world.db,
        world.b,
        world.now,
        foreign,
        client_update(world.db, replace(world.b, actor="web:z"), world.now, Claim()).client_uuid,
    )
    with pytest.raises(NotFound):
        undo_merge(world.db, world.a, world.now, merge)


def test_a_client_has_one_telegram_account(world: Any) -> None:
    link_telegram(world.db, world.a, world.now, "77")
    link_telegram(world.db, world.a, world.now, "77")
    with pytest.raises(Refused) as caught:
        link_telegram(world.db, world.a, world.now, "78")
    assert caught.value.code == "other_telegram"
