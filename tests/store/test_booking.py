"""A rental is made exactly once, from a quote that still holds."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, ProgrammingError

from store.crm.rentals import create_rental
from store.errors import InvalidData, NotFound, Refused, StoreUnavailable
from store.sql.rentals import is_overlap

OVERLAPPING = [("06-10", "06-17"), ("06-12", "06-14"), ("06-09", "06-18"), ("06-16", "06-19"), ("06-10", "06-10")]


def test_a_confirmed_quote_becomes_a_rental(any_world: Any) -> None:
    made = any_world.book("V1", "06-20", "06-27")
    rental = made.rental
    assert (rental.order_number, rental.status, rental.source) == ("CR-1048", "confirmed", "mcp")
    assert (rental.total_minor, rental.deposit_minor) == (1_120_000, 500_000)
    assert not made.idempotent
    assert any_world.book("V2", "06-20", "06-27").rental.order_number == "CR-1049"
    assert any_world.book("H1", "06-20", "06-27", any_world.b).rental.order_number == "HW-2002"


def test_history_and_notice_are_written_with_the_rental(any_world: Any) -> None:
    rental = any_world.book("V1", "06-20", "06-27").rental
    status = any_world.value("SELECT new_status FROM rental_status_change WHERE rental_id = :id", id=rental.id)
    notice = any_world.value("SELECT kind FROM outbox WHERE dedupe_key LIKE :key", key=f"%{rental.uuid}")
    assert (status, notice) == ("confirmed", "rental_created")
    payload = str(any_world.value("SELECT payload FROM outbox"))
    assert "Alex" not in payload
    assert "+66" not in payload


def test_the_same_request_gives_the_same_rental(any_world: Any) -> None:
    order = any_world.order(any_world.quote("V1", "06-20", "06-27"))
    first = create_rental(any_world.db, any_world.a, any_world.now, order)
    any_world.now += timedelta(days=3)  # long after the quote has expired
    again = create_rental(any_world.db, any_world.a, any_world.now, order)
    assert again.idempotent
    assert again.rental == first.rental
    assert any_world.value("SELECT count(*) FROM rental WHERE source = 'mcp'") == 1
    assert any_world.count("outbox") == 1


def test_a_repeat_tells_the_present_status(world: Any) -> None:
    """A rental that staff cancelled must not be called booked."""
    order = world.order(world.quote("V1", "06-20", "06-27"))
    create_rental(world.db, world.a, world.now, order)
    world.run("UPDATE rental SET status = 'cancelled' WHERE source = 'mcp'")
    again = create_rental(world.db, world.a, world.now, order)
    assert (again.idempotent, again.rental.status) == (True, "cancelled")


def test_a_key_that_was_used_for_something_else_is_refused(any_world: Any) -> None:
    """BL-025."""
    key = "one-key-for-two-orders"
    first, second = any_world.quote("V1", "06-20", "06-23"), any_world.quote("V2", "06-20", "06-23")
    create_rental(any_world.db, any_world.a, any_world.now, any_world.order(first, key))
    for order in (any_world.order(second, key), any_world.order(first, key, first_name="Alexa")):
        with pytest.raises(Refused) as caught:
            create_rental(any_world.db, any_world.a, any_world.now, order)
        assert caught.value.code == "idempotency_key_reused"
    assert any_world.value("SELECT count(*) FROM rental WHERE source = 'mcp'") == 1


def test_keys_of_two_companies_do_not_meet(world: Any) -> None:
    key = "the-same-key-in-both"
    world_a = create_rental(world.db, world.a, world.now, world.order(world.quote("V1", "06-20", "06-23"), key))
    quote_b = world.quote("H1", "06-20", "06-23", world.b)
    world_b = create_rental(world.db, world.b, world.now, world.order(quote_b, key))
    assert not world_a.idempotent
    assert not world_b.idempotent


def test_key_and_rental_live_and_die_together(any_world: Any) -> None:
    """BL-026: whatever fails after the key was written takes the key with it, and the retry books."""
    order = any_world.order(any_world.quote("V1", "06-20", "06-27"))
    any_world.run("ALTER TABLE outbox RENAME TO outbox_gone")
    with pytest.raises((StoreUnavailable, ProgrammingError)):
        create_rental(any_world.db, any_world.a, any_world.now, order)
    assert any_world.count("idempotency") == 0
    assert any_world.value("SELECT count(*) FROM rental WHERE source = 'mcp'") == 0
    any_world.run("ALTER TABLE outbox_gone RENAME TO outbox")
    assert not create_rental(any_world.db, any_world.a, any_world.now, order).idempotent


def test_an_expired_quote_is_refused_at_its_last_instant(world: Any) -> None:
    quote = world.quote("V1", "06-20", "06-27")
    world.now = quote.expires_at
    with pytest.raises(Refused) as caught:
        create_rental(world.db, world.a, world.now, world.order(quote))
    assert caught.value.code == "quote_expired"
    world.now = quote.expires_at - timedelta(microseconds=1)
    assert create_rental(world.db, world.a, world.now, world.order(quote)).rental.status == "confirmed"


def test_a_price_that_moved_is_told_and_not_booked(world: Any) -> None:
    """BL-113: never a silent change."""
    quote = world.quote("V1", "06-20", "06-27")
    world.run("UPDATE price_season SET per_day_minor = 210000 WHERE code = 'high'")
    with pytest.raises(Refused) as caught:
        create_rental(world.db, world.a, world.now, world.order(quote))
    assert caught.value.code == "price_changed"
    assert caught.value.facts["old_total"] == {"minor": 1_120_000, "currency": "IDR", "exponent": 0}
    assert caught.value.facts["new_total"]["minor"] == 1_176_000


def test_a_price_that_stayed_is_not_called_changed(world: Any) -> None:
    """BL-116."""
    quote = world.quote("V1", "06-20", "06-27")
    world.run("UPDATE price_list SET version = version + 1")
    assert create_rental(world.db, world.a, world.now, world.order(quote)).rental.total_minor == 1_120_000


def test_dates_that_were_taken_meanwhile_are_told_with_their_periods(any_world: Any) -> None:
    quote = any_world.quote("V1", "06-20", "06-27")
    any_world.put_rental("V1", "06-25", "06-30", "pending")
    with pytest.raises(Refused) as caught:
        create_rental(any_world.db, any_world.a, any_world.now, any_world.order(quote))
    assert caught.value.code == "dates_taken"
    assert caught.value.facts["conflicting_rentals"] == [
        {"start": "2027-06-25", "end": "2027-06-30", "days": 5, "status": "pending"}
    ]


def test_a_refusal_leaves_the_key_free(world: Any) -> None:
    """What was refused may be tried again: nothing was done under the key."""
    order = world.order(world.quote("V1", "06-20", "06-27"))
    world.put_rental("V1", "06-25", "06-30")
    with pytest.raises(Refused):
        create_rental(world.db, world.a, world.now, order)
    assert world.count("idempotency") == 0
    world.run("UPDATE rental SET status = 'cancelled' WHERE start_date = '2027-06-25'")
    assert not create_rental(world.db, world.a, world.now, order).idempotent


def test_a_vehicle_that_went_to_the_workshop_is_not_booked(world: Any) -> None:
    quote = world.quote("V1", "06-20", "06-27")
    world.run("UPDATE vehicle SET state = 'workshop' WHERE plate = 'V1'")
    with pytest.raises(Refused) as caught:
        create_rental(world.db, world.a, world.now, world.order(quote))
    assert caught.value.code == "dates_taken"


def test_a_quote_belongs_to_the_chat_user_it_was_made_for(world: Any) -> None:
    quote = world.quote("V1", "06-20", "06-27")
    for scope in (replace(world.a, actor="web:mallory"), world.b, replace(world.a, actor="")):
        with pytest.raises(NotFound) as caught:
            create_rental(world.db, scope, world.now, world.order(quote))
        assert caught.value.message == "no such quote"


def test_a_phone_that_cannot_exist_is_invalid_and_books_nothing(world: Any) -> None:
    quote = world.quote("V1", "06-20", "06-27")
    with pytest.raises(InvalidData) as caught:
        create_rental(world.db, world.a, world.now, world.order(quote, phone="+12345678901234"))
    assert caught.value.facts == {"fields": ["phone"]}
    assert world.value("SELECT count(*) FROM rental WHERE source = 'mcp'") == 0


# ---- the guard in the schema: no path can skip it ------------------------------------------------


@pytest.mark.parametrize(("start", "end"), OVERLAPPING)
def test_the_schema_refuses_an_overlapping_insert(any_world: Any, start: str, end: str) -> None:
    with pytest.raises(IntegrityError) as caught:
        any_world.put_rental("V1", start, end, "pending")
    assert is_overlap(caught.value)


@pytest.mark.parametrize(("start", "end"), [("06-07", "06-10"), ("06-17", "06-20"), ("06-17", "06-17")])
def test_the_schema_allows_a_touching_insert(any_world: Any, start: str, end: str) -> None:
    any_world.put_rental("V1", start, end)
    assert any_world.count("rental") == 3


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE rental SET status = 'confirmed' WHERE start_date = '2027-06-12'",  # BL-003: staff confirm a second one
        "UPDATE rental SET status = 'active' WHERE start_date = '2027-06-12'",
        "UPDATE rental SET start_date = '2027-06-14', block_start = '2027-06-14' WHERE start_date = '2027-06-17'",
        "UPDATE rental SET vehicle_id = (SELECT id FROM vehicle WHERE plate = 'V1') WHERE start_date = '2027-06-11'",
        "UPDATE rental SET block_end = '2027-06-18' WHERE start_date = '2027-06-10' AND status = 'confirmed'",
    ],
)
def test_the_schema_refuses_a_change_that_makes_an_overlap(any_world: Any, change: str) -> None:
    any_world.put_rental("V1", "06-12", "06-14", "rejected")
    any_world.put_rental("V1", "06-17", "06-20")
    any_world.put_rental("V2", "06-11", "06-13")
    with pytest.raises(IntegrityError) as caught:
        any_world.run(change)
    assert is_overlap(caught.value)


def test_a_rental_may_be_moved_over_its_own_days(any_world: Any) -> None:
    """BL-012: the booking that is changed does not collide with itself."""
    any_world.run(
        "UPDATE rental SET start_date = '2027-06-12', block_start = '2027-06-12',"
        " end_date = '2027-06-19', block_end = '2027-06-19' WHERE start_date = '2027-06-10'"
    )
    any_world.put_rental("V1", "06-10", "06-12")


def test_a_block_that_does_not_hold_its_days_is_refused(any_world: Any) -> None:
    """BL-100: and nobody gets around the guard by writing another block than the days say."""
    for change in (
        "UPDATE rental SET end_date = '2027-06-09', block_end = '2027-06-09'",
        "UPDATE rental SET block_end = '2027-06-11'",
        "UPDATE rental SET block_start = '2027-06-12'",
    ):
        with pytest.raises(IntegrityError):
            any_world.run(f"{change} WHERE start_date = '2027-06-10'")


def test_without_the_guard_the_same_insert_goes_through(any_world: Any) -> None:
    """Negative control: it is the guard that refuses, nothing else."""
    drop_guard(any_world)
    any_world.put_rental("V1", "06-10", "06-17")
    assert any_world.count("rental") == 3


def test_the_guard_answers_even_when_the_check_before_it_is_blind(any_world: Any) -> None:
    """The use case's own look is passed; the schema refuses, and the customer gets the ordinary answer."""
    order = any_world.order(any_world.quote("V1", "06-20", "06-27"))
    # A rental that the check cannot see, as if it were written between the check and the insert.
    any_world.put_rental("V1", "06-20", "06-27")
    any_world.run("UPDATE rental SET company_id = :other WHERE start_date = '2027-06-20'", other=any_world.b.company_id)
    with pytest.raises(Refused) as caught:
        create_rental(any_world.db, any_world.a, any_world.now, order)
    assert caught.value.code == "dates_taken"


def drop_guard(world: Any) -> None:
    with world.db.write() as session:
        connection = session.connection()
        if world.db.is_sqlite:
            connection.execute(text("DROP TRIGGER rental_no_overlap_insert"))
            connection.execute(text("DROP TRIGGER rental_no_overlap_update"))
        else:
            connection.execute(text("ALTER TABLE rental DROP CONSTRAINT rental_no_overlap"))
