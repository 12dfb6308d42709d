"""Who a rental belongs to. A phone typed in a chat is a claim, never an identity."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from store.crm.clients import Claim, client_info, client_update, find_clients
from store.errors import InvalidData
from store.rules.identity import actor_contact, canonical_phone, mask_phone, searchable

PHONE = "+66812345678"
DATA = Path(__file__).parents[3] / "shared" / "data"


def client_of(world: Any, rental: Any) -> int:
    return int(world.value("SELECT client_id FROM rental WHERE id = :id", id=rental.id))


def as_actor(world: Any, actor: str) -> Any:
    return replace(world.a, actor=actor)


def test_the_first_booking_makes_a_client_with_the_phone(any_world: Any) -> None:
    rental = any_world.book("V1", "06-20", "06-22", phone=PHONE).rental
    client = client_of(any_world, rental)
    known = client_info(any_world.db, any_world.a)
    assert (known.known, known.first_name, known.phone_masked) == (True, "Alex", "+66••••••678")
    assert (
        any_world.value("SELECT value FROM client_contact WHERE kind = 'phone' AND client_id = :c", c=client) == PHONE
    )
    assert any_world.value("SELECT staff_flag FROM rental WHERE id = :id", id=rental.id) == ""


def test_a_telegram_user_is_recognised_when_they_come_back(world: Any) -> None:
    scope = as_actor(world, "telegram:123456789")
    first = world.book("V1", "06-20", "06-22", scope, phone=PHONE).rental
    second = world.book("V2", "07-20", "07-22", scope, phone=PHONE).rental
    assert client_of(world, first) == client_of(world, second)


def test_a_placeholder_takes_the_name_and_the_phone(world: Any) -> None:
    scope = as_actor(world, "telegram:123456789")
    placeholder = client_update(world.db, scope, world.now, Claim(language="en"))
    assert placeholder.is_placeholder
    rental = world.book("V1", "06-20", "06-22", scope, first_name="Maria", phone=PHONE).rental
    known = client_info(world.db, scope)
    assert (known.client_uuid, known.first_name, known.is_placeholder) == (placeholder.client_uuid, "Maria", False)
    assert client_of(world, rental) == world.value("SELECT id FROM client WHERE uuid = :u", u=known.client_uuid)


def test_a_known_phone_finds_its_client_and_changes_nothing_of_it(world: Any) -> None:
    """The shop's own client books through the web: one customer for staff, flagged, nothing shown to the chat."""
    owner = int(world.value("SELECT client_id FROM client_contact WHERE value = '+4740612345'"))
    rental = world.book("V1", "06-20", "06-22", first_name="Mallory", phone="+4740612345").rental
    assert client_of(world, rental) == owner
    assert world.value("SELECT first_name FROM client WHERE id = :id", id=owner) == "Ingrid"
    assert world.value("SELECT staff_flag FROM rental WHERE id = :id", id=rental.id) == "phone_claim"
    assert rental.customer_first_name == "Mallory"
    assert not client_info(world.db, world.a).known


def test_another_telegram_users_phone_leaves_two_people(any_world: Any) -> None:
    """BL-134: 111 booked with the phone, 222 gives the same one."""
    one, two = as_actor(any_world, "telegram:111"), as_actor(any_world, "telegram:222")
    first = any_world.book("V1", "06-20", "06-22", one, first_name="Olga", phone=PHONE).rental
    second = any_world.book("V2", "06-20", "06-22", two, first_name="Pavel", phone=PHONE).rental
    assert client_of(any_world, first) != client_of(any_world, second)
    assert client_info(any_world.db, one).first_name == "Olga"
    assert client_info(any_world.db, two).first_name == "Pavel"
    assert client_info(any_world.db, two).phone_masked == ""
    flag = any_world.value("SELECT staff_flag FROM rental WHERE id = :id", id=second.id)
    assert flag == "phone_of_other_client"
    assert any_world.value("SELECT flag_client_id FROM rental WHERE id = :id", id=second.id) == client_of(
        any_world, first
    )


def test_the_same_phone_at_two_companies_is_two_clients(world: Any) -> None:
    """BL-133."""
    first = world.book("V1", "06-20", "06-22", phone=PHONE).rental
    second = world.book("H1", "06-20", "06-22", world.b, phone=PHONE).rental
    assert client_of(world, first) != client_of(world, second)
    assert world.value("SELECT count(DISTINCT company_id) FROM client_contact WHERE value = :p", p=PHONE) == 2


def test_a_real_client_keeps_the_name_and_gains_missing_contacts(world: Any) -> None:
    scope = as_actor(world, "telegram:5")
    client_update(world.db, scope, world.now, Claim(first_name="Alex"))
    world.book("V1", "06-20", "06-22", scope, first_name="Alexander", phone=PHONE, email="A@B.example")
    assert client_info(world.db, scope).first_name == "Alex"
    assert client_info(world.db, scope).phone_masked == mask_phone(PHONE)
    assert world.value("SELECT count(*) FROM client_contact WHERE value = 'a@b.example'") == 1


def test_an_update_never_takes_another_persons_phone(world: Any) -> None:
    known = client_update(world.db, world.a, world.now, Claim(first_name="Mallory", phone="+4740612345"))
    assert known.phone_masked == ""
    assert world.value("SELECT count(*) FROM client_contact WHERE value = '+4740612345'") == 1


def test_an_update_by_nobody_is_invalid(world: Any) -> None:
    with pytest.raises(InvalidData) as caught:
        client_update(world.db, as_actor(world, ""), world.now, Claim(first_name="Alex"))
    assert caught.value.facts == {"fields": ["X-User-Id"]}


@pytest.mark.parametrize(
    "name",
    [
        "Siobhán O'Neil",
        "Маша 🛵 Иванова",
        "נועה לוי",
        "Nguyễn Thị Ánh",
        "李小龍",
        "'; DROP TABLE client; --",
        "👩\u200d🚀",
    ],
)
def test_a_name_is_kept_as_it_is_typed(any_world: Any, name: str) -> None:
    """BL-138, BL-139, BL-141."""
    rental = any_world.book("V1", "06-20", "06-22", first_name=name).rental
    assert rental.customer_first_name == name


def test_signs_that_turn_the_rest_of_a_text_are_taken_out_of_a_name(world: Any) -> None:
    """BL-141: a direction override would reverse every screen that shows the name."""
    rental = world.book("V1", "06-20", "06-22", first_name="Ali\u202egnp.exe\n").rental
    assert rental.customer_first_name == "Alignp.exe"


@pytest.mark.parametrize(
    ("typed", "phone"),
    [
        ("6281234567890", "+6281234567890"),  # BL-127
        ("+62 0812 3456 7890", "+6281234567890"),  # BL-128
        ("0812 3456 7890", "+6281234567890"),
        ("+66 812 345 678", "+66812345678"),
        ("my number is 0812 3456 7890 thanks", "+6281234567890"),  # BL-131
        ("call 0812 3456 7890 or my wife", "+6281234567890"),
        ("0066 812 345 678", "+66812345678"),
        ("no number", None),
        ("+1", None),
        ("20/06/2027", None),
        ("1-800-FLOWERS", None),
    ],
)
def test_phones_have_one_form(typed: str, phone: str | None) -> None:
    """BL-127, BL-128, BL-131."""
    assert canonical_phone(typed, "ID") == phone


@pytest.mark.parametrize(
    ("actor", "contact"),
    [
        ("", None),
        ("telegram:123", ("telegram_id", "123")),
        ("telegram:x", ("session", "telegram:x")),
        ("web:abc", ("session", "web:abc")),
    ],
)
def test_a_channel_vouches_for_an_identity(actor: str, contact: tuple[str, str] | None) -> None:
    assert actor_contact(actor) == contact


def rows(name: str) -> list[dict[str, Any]]:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{path} is not there")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_dates_and_codes_are_no_phones_and_loosely_written_phones_are() -> None:
    """The tricky texts of the library's own tests. Two French numbers have nine digits only in its test data."""
    wrong = [
        row["text"]
        for row in rows("phones_tricky.jsonl")
        if (canonical_phone(row["text"], row["region"]) is None) != (row["label"] == "not_a_phone")
    ]
    assert wrong == ["+33 3 34 2312", "+33 3 34 23 12"]


def test_every_spelling_that_the_library_reads_has_the_one_form() -> None:
    readable = [row for row in rows("phones_work.jsonl") if row["libphonenumber_reads_it"]]
    assert len(readable) > 2000
    wrong = [
        row for row in readable if canonical_phone(row["text"], row["needs_default_region"] or "ID") != row["e164"]
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("Siobhán O'Neil", "oneil SIOBHAN"),
        ("Siobhán O\u2019Neil", "o'neil"),
        ("Nguyễn Thị Ánh", "nguyen anh"),
        ("Маша 🛵 Иванова", "иванова"),
        ("Фёдор", "федор"),
        ("נועה לוי", "לוי"),
        ("李小龍", "小龍"),
        ("Łukasz Strauß", "lukasz strauss"),
        ("\u0130brahim Y\u0131ld\u0131z", "yildiz"),
        ("สมชาย ใจดี", "สมชาย"),
    ],
)
def test_a_name_is_found_without_its_marks(any_world: Any, name: str, asked: str) -> None:
    client_update(any_world.db, any_world.a, any_world.now, Claim(first_name=name))
    (found,) = find_clients(any_world.db, any_world.a, asked)
    assert found.first_name == name
    assert find_clients(any_world.db, any_world.b, asked) == []


def test_a_client_is_found_by_phone_and_email_as_staff_type_them(world: Any) -> None:
    world.book("V1", "06-20", "06-22", phone=PHONE, email="A@B.example")
    for asked in ("+66 81 234 5678", "a@B.example"):
        (found,) = find_clients(world.db, world.a, asked)
        assert PHONE in found.contacts
    assert find_clients(world.db, world.a, "%") == []


def test_a_nameless_owner_of_the_phone_takes_the_name_and_staff_are_told(world: Any) -> None:
    """A placeholder without a name is merged with the incoming data; there was nothing to overwrite."""
    other = as_actor(world, "web:earlier")
    client_update(world.db, other, world.now, Claim(phone=PHONE))
    rental = world.book("V1", "06-20", "06-22", first_name="Nina", phone=PHONE).rental
    assert client_info(world.db, other).first_name == "Nina"
    assert world.value("SELECT staff_flag FROM rental WHERE id = :id", id=rental.id) == "phone_claim"


def test_the_search_form_of_a_name_does_not_change_the_name() -> None:
    assert searchable("Ö'Mara", "") == "omara"
    assert searchable("🛵", "...") == ""
