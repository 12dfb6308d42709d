"""What staff do to rentals on the board: status by the machine, dates by the one decision, nobody undoes another."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from store.crm.own_rentals import get_own_rental
from store.crm.rentals import create_rental
from store.crm.staff_rentals import change_status, move_rental, rental_history
from store.crm.vehicles import make_quote
from store.errors import InvalidData, NotFound, Refused
from store.rules.prices import Extra, PriceList
from store.rules.rental_status import following, may_follow
from store.sql.prices import add_price_list

STATUSES = ("pending", "confirmed", "active", "completed", "cancelled", "rejected")


@pytest.fixture
def staff(any_world: Any) -> Any:
    """The desk of company A; names itself, is not a chat."""
    return replace(any_world.a, actor="staff:wayan")


def uuid_of(world: Any, start: str) -> str:
    return str(world.value("SELECT uuid FROM rental WHERE start_date = :day", day=f"2027-{start}"))


def state(world: Any, uuid: str) -> tuple[Any, ...]:
    columns = ("status", "start_date", "end_date", "version")
    values = (world.value(f"SELECT {c} FROM rental WHERE uuid = :uuid", uuid=uuid) for c in columns)  # noqa: S608
    return tuple(str(value) for value in values)


def refused(call: Any, code: str) -> dict[str, Any]:
    with pytest.raises(Refused) as caught:
        call()
    assert caught.value.code == code
    return caught.value.facts


def test_only_one_of_two_requests_for_the_same_days_is_confirmed(any_world: Any, staff: Any) -> None:
    """BL-003: the second is refused with the blocking order's number, and stays pending."""
    any_world.run("UPDATE company SET pending_blocks = :off", off=False)
    any_world.put_rental("V2", "07-01", "07-04", "pending")
    any_world.put_rental("V2", "07-02", "07-05", "pending")
    first, second = uuid_of(any_world, "07-01"), uuid_of(any_world, "07-02")
    made = change_status(any_world.db, staff, any_world.now, first, "confirmed", 1)
    facts = refused(lambda: change_status(any_world.db, staff, any_world.now, second, "confirmed", 1), "dates_taken")
    (conflict,) = facts["conflicting_rentals"]
    assert (conflict["order_number"], conflict["status"]) == (made.rental.order_number, "confirmed")
    assert state(any_world, second)[0] == "pending"


def test_the_second_of_two_who_drag_gets_the_present_state(any_world: Any, staff: Any) -> None:
    """BL-206."""
    any_world.put_rental("V2", "07-01", "07-04", "pending")
    uuid = uuid_of(any_world, "07-01")
    change_status(any_world.db, staff, any_world.now, uuid, "confirmed", 1)
    facts = refused(lambda: change_status(any_world.db, staff, any_world.now, uuid, "cancelled", 1), "stale_version")
    assert facts == {"version": 2, "status": "confirmed", "start": "2027-07-01", "end": "2027-07-04"}
    assert state(any_world, uuid)[0] == "confirmed"


def test_a_move_that_fails_undoes_nothing_but_itself(any_world: Any, staff: Any, day: Any) -> None:
    """BL-208: of two quick moves the first fails, the second holds."""
    first = any_world.book("V2", "07-01", "07-04").rental
    second = any_world.book("V2", "07-10", "07-12").rental
    db, now = any_world.db, any_world.now
    refused(lambda: move_rental(db, staff, now, first.uuid, day("07-09"), day("07-11"), 1), "dates_taken")
    move_rental(db, staff, now, second.uuid, day("07-12"), day("07-14"), 1)
    assert state(any_world, first.uuid) == ("confirmed", "2027-07-01", "2027-07-04", "1")
    assert state(any_world, second.uuid) == ("confirmed", "2027-07-12", "2027-07-14", "2")


def test_a_return_before_the_start_is_refused_and_the_rental_stays(any_world: Any, staff: Any, day: Any) -> None:
    """BL-100: the operator sets the return of B1 to 9 June."""
    uuid = uuid_of(any_world, "06-10")
    with pytest.raises(InvalidData):
        move_rental(any_world.db, staff, any_world.now, uuid, day("06-10"), day("06-09"), 1)
    assert state(any_world, uuid) == ("confirmed", "2027-06-10", "2027-06-17", "1")


def test_staff_move_a_rental_over_its_own_days_and_it_is_priced_anew(any_world: Any, staff: Any, day: Any) -> None:
    """BL-012 on the board."""
    rental = any_world.book("V2", "06-20", "06-27").rental
    moved = move_rental(any_world.db, staff, any_world.now, rental.uuid, day("06-22"), day("06-25"), 1)
    assert (moved.rental.total_minor, moved.rental.version) == (540_000, 2)


@pytest.mark.parametrize("old", STATUSES)
@pytest.mark.parametrize("new", STATUSES)
def test_a_status_follows_only_where_the_machine_lets_it(world: Any, old: str, new: str) -> None:
    world.put_rental("V2", "07-01", "07-04", old)
    uuid, staff = uuid_of(world, "07-01"), replace(world.a, actor="staff:wayan")
    if may_follow(old, new):
        assert change_status(world.db, staff, world.now, uuid, new, 1).rental.status == new
    else:
        facts = refused(lambda: change_status(world.db, staff, world.now, uuid, new, 1), "not_changeable")
        assert facts["may_follow"] == list(following(old))
        assert state(world, uuid)[0] == old


def test_a_cancelled_rental_comes_back_only_when_its_days_are_free(any_world: Any, staff: Any) -> None:
    """BL-013: a cancelled one blocks nobody, so somebody else may stand there by now."""
    any_world.put_rental("V3", "07-01", "07-09", "cancelled")
    any_world.put_rental("V3", "07-03", "07-05")
    uuid = uuid_of(any_world, "07-01")
    refused(lambda: change_status(any_world.db, staff, any_world.now, uuid, "confirmed", 1), "dates_taken")
    other = uuid_of(any_world, "07-03")
    change_status(any_world.db, staff, any_world.now, other, "cancelled", 1)
    assert change_status(any_world.db, staff, any_world.now, uuid, "confirmed", 1).rental.status == "confirmed"


def test_the_guard_stands_below_the_check_of_staff_too(any_world: Any, staff: Any) -> None:
    """A blocking row that the check cannot see, as if it came in between: the schema refuses."""
    any_world.put_rental("V2", "07-01", "07-04", "cancelled")
    any_world.put_rental("V2", "07-02", "07-03")
    any_world.run("UPDATE rental SET company_id = :other WHERE start_date = '2027-07-02'", other=any_world.b.company_id)
    uuid = uuid_of(any_world, "07-01")
    refused(lambda: change_status(any_world.db, staff, any_world.now, uuid, "confirmed", 1), "dates_taken")
    assert state(any_world, uuid)[0] == "cancelled"


def test_the_history_tells_who_did_what(any_world: Any, staff: Any, day: Any) -> None:
    rental = any_world.book("V2", "06-20", "06-27").rental
    move_rental(any_world.db, staff, any_world.now, rental.uuid, day("06-22"), day("06-25"), 1)
    change_status(any_world.db, staff, any_world.now, rental.uuid, "active", 2)
    history = rental_history(any_world.db, staff, rental.uuid)
    assert [(h.kind, h.old_status, h.new_status, h.actor) for h in history] == [
        ("status", None, "confirmed", "web:alex"),
        ("move", "confirmed", "confirmed", "staff:wayan"),
        ("status", "confirmed", "active", "staff:wayan"),
    ]
    assert history[1].facts["old"] == ["2027-06-20", "2027-06-27"]
    assert (history[1].facts["old_total_minor"], history[1].facts["new_total_minor"]) == (1_120_000, 540_000)
    kinds = any_world.value("SELECT count(*) FROM outbox WHERE kind IN ('rental_moved', 'rental_status')")
    assert kinds == 2


def test_staff_of_one_company_reach_no_rental_of_another(any_world: Any, staff: Any) -> None:
    uuid = any_world.book("H1", "06-20", "06-22", any_world.b).rental.uuid
    for call in (
        lambda: change_status(any_world.db, staff, any_world.now, uuid, "active", 1),
        lambda: rental_history(any_world.db, staff, uuid),
        lambda: get_own_rental(any_world.db, staff, uuid),
    ):
        with pytest.raises(NotFound):
            call()


def put_helmet(world: Any) -> None:
    """The scooters' list offers one at 10,000 a day."""
    with world.db.write() as session:
        prices = PriceList(0, 1, 200_000, extras=(Extra("helmet", "Helmet", "chosen", "day", 10_000),))
        add_price_list(session, world.a, prices, {"code": "of-this-test", "category": "scooter"})


def test_a_move_on_the_board_is_priced_with_the_extras_that_the_customer_chose(
    any_world: Any, staff: Any, day: Any
) -> None:
    put_helmet(any_world)
    quote = make_quote(
        any_world.db, any_world.a, any_world.now, any_world.uuid("V2"), day("07-01"), day("07-04"), (("helmet", 2),)
    )
    made = create_rental(any_world.db, any_world.a, any_world.now, any_world.order(quote)).rental
    assert made.total_minor == 660_000
    moved = move_rental(any_world.db, staff, any_world.now, made.uuid, day("07-02"), day("07-04"), 1).rental
    assert (moved.total_minor, moved.extras) == (440_000, made.extras)
    any_world.run("DELETE FROM price_extra")
    facts = refused(
        lambda: move_rental(any_world.db, staff, any_world.now, made.uuid, day("07-02"), day("07-05"), 2), "extra_gone"
    )
    assert facts["gone"] == [{"code": "helmet", "name": "Helmet"}]
    assert state(any_world, made.uuid) == ("confirmed", "2027-07-02", "2027-07-04", "2")


def test_a_cancellation_that_staff_take_back_costs_no_fee(any_world: Any, staff: Any) -> None:
    any_world.put_rental("V2", "07-01", "07-04", "cancelled")
    any_world.run("UPDATE rental SET cancel_fee_minor = 5000")
    uuid = uuid_of(any_world, "07-01")
    again = change_status(any_world.db, staff, any_world.now, uuid, "confirmed", 1)
    assert (again.rental.status, again.rental.cancel_fee_minor) == ("confirmed", None)
