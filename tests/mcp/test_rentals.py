"""A customer's own rentals through the business API: seen, moved, extended, cancelled; told before, done once."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from graph.tools import wire

MOVED = {"start": "2027-06-12", "end": "2027-06-19"}


def rented(answer: Any) -> wire.Rental:
    assert answer.status_code == 200, answer.text
    return wire.Rental.model_validate_json(answer.content)


def changed(answer: Any) -> wire.RentalChange:
    assert answer.status_code == 200, answer.text
    return wire.RentalChange.model_validate_json(answer.content)


def refused(answer: Any, code: str) -> dict[str, Any]:
    error = wire.ToolError.model_validate_json(answer.content)
    assert (answer.status_code, error.code) == (409, code)
    return error.facts


def link_telegram(world: Any, phone: str, telegram_id: str) -> None:
    """Staff or a shared contact card have linked the account to the client of that phone."""
    world.run(
        "INSERT INTO client_contact (company_id, client_id, kind, value)"
        " SELECT company_id, client_id, 'telegram_id', :id FROM client_contact WHERE value = :phone",
        id=telegram_id,
        phone=phone,
    )


@pytest.fixture
async def rental(any_api: Any) -> Any:
    """Seven days of V2 in high season: 1,120,000."""
    return await any_api.book("V2", "2027-06-20", "2027-06-27")


async def test_a_chat_sees_what_it_has_booked_by_the_day_of_pick_up(any_api: Any, rental: Any) -> None:
    later = await any_api.book("V4", "2027-07-05", "2027-07-08")
    sooner = await any_api.book("V4", "2027-06-02", "2027-06-04")
    found = wire.OwnRentals.model_validate_json((await any_api.get("rentals/")).content)
    assert [r.order_number for r in found.rentals] == [r["order_number"] for r in (sooner, rental, later)]
    one = rented(await any_api.get(f"rentals/{rental['rental_uuid']}/"))
    assert one in found.rentals
    assert (one.version, one.status, one.cancel_fee) == (1, "confirmed", None)


async def test_what_is_over_is_listed_when_the_past_is_asked_for(any_api: Any, rental: Any) -> None:
    await any_api.change(rental, "cancel")
    assert (await any_api.get("rentals/")).json()["rentals"] == []
    (past,) = (await any_api.get("rentals/", include_past=True)).json()["rentals"]
    assert past["status"] == "cancelled"


async def test_a_telegram_account_sees_the_rentals_of_its_client(any_api: Any) -> None:
    """The desk booked for Ingrid; her account is linked. A web chat that knows her phone sees nothing."""
    assert (await any_api.get("rentals/", actor="telegram:77")).json()["rentals"] == []
    link_telegram(any_api.world, "+4740612345", "77")
    (own,) = (await any_api.get("rentals/", actor="telegram:77")).json()["rentals"]
    assert own["period"]["start"] == "2027-06-10"
    for actor in ("telegram:78", "web:77", "web:telegram:77", "telegram:+4740612345", ""):
        assert (await any_api.get("rentals/", actor=actor)).json()["rentals"] == []


async def test_a_rental_may_move_over_its_own_days(any_api: Any) -> None:
    """BL-012: "move it to 12-19 June"; one atomic change, the days that were given up are free."""
    link_telegram(any_api.world, "+4740612345", "77")
    (rental,) = (await any_api.get("rentals/", actor="telegram:77")).json()["rentals"]
    change = changed(await any_api.change(rental, "move", "telegram:77", **MOVED))
    assert (change.rental.period.start.isoformat(), change.rental.period.end.isoformat()) == tuple(MOVED.values())
    assert (change.rental.version, change.rental.order_number) == (2, rental["order_number"])
    assert change.rental.pickup_at.isoformat() == "2027-06-12T10:00:00+08:00"
    uuid = any_api.world.uuid("V1")
    for start, end, is_free in (("10", "12", True), ("12", "13", False), ("17", "19", False), ("19", "20", True)):
        query = {"vehicle_uuid": uuid, "start": f"2027-06-{start}", "end": f"2027-06-{end}"}
        assert (await any_api.get("vehicles/availability/", **query)).json()["available"] == is_free
    own = "SELECT count(*) FROM rental JOIN vehicle ON vehicle.id = rental.vehicle_id WHERE plate = 'V1'"
    assert any_api.world.value(own) == 1


async def test_another_period_is_priced_anew_and_the_difference_is_told(any_api: Any, rental: Any) -> None:
    """Fewer days: another tier too. 4 days at 200,000 less a tenth."""
    told = changed(await any_api.change(rental, "move", preview=True, start="2027-06-21", end="2027-06-25"))
    assert (told.old_total.minor, told.new_total.minor, told.difference.minor) == (1_120_000, 720_000, -400_000)
    assert told.rental.version == 1
    done = changed(
        await any_api.change(
            rental, "move", start="2027-06-21", end="2027-06-25", version=1, expected_total_minor=720_000
        )
    )
    assert (done.preview, done.difference, done.rental.total) == (False, told.difference, told.new_total)


async def test_a_preview_changes_nothing(any_api: Any, rental: Any) -> None:
    before = any_api.world.count("rental_status_change"), any_api.world.count("outbox")
    for kind, body in (("move", MOVED), ("extend", {"end": "2027-06-29"}), ("cancel", {})):
        assert changed(await any_api.change(rental, kind, preview=True, **body)).preview
    assert rented(await any_api.get(f"rentals/{rental['rental_uuid']}/")) == rented_from(rental)
    assert (any_api.world.count("rental_status_change"), any_api.world.count("outbox")) == before


def rented_from(rental: Any) -> wire.Rental:
    return wire.Rental.model_validate(rental)


async def test_a_move_into_taken_days_leaves_the_rental_as_it_was(any_api: Any, rental: Any) -> None:
    any_api.world.put_rental("V2", "07-01", "07-05")
    for extra in ({"preview": True}, {}):
        answer = await any_api.change(rental, "move", start="2027-06-28", end="2027-07-02", **extra)
        (conflict,) = refused(answer, "dates_taken")["conflicting_rentals"]
        assert conflict == {"start": "2027-07-01", "end": "2027-07-05", "days": 4, "status": "confirmed"}
    assert rented(await any_api.get(f"rentals/{rental['rental_uuid']}/")) == rented_from(rental)


@pytest.mark.parametrize(
    ("start", "end", "code"),
    [
        ("2027-05-30", "2027-06-02", "period_past"),
        ("2027-06-20", "2027-07-25", "period_too_long"),
        ("2029-01-01", "2029-01-03", "period_too_far"),
    ],
)
async def test_a_move_obeys_the_rules_of_a_booking(any_api: Any, rental: Any, start: str, end: str, code: str) -> None:
    facts = refused(await any_api.change(rental, "move", start=start, end=end), "period_refused")
    assert facts["refusal"]["code"] == code


async def test_a_return_before_the_pick_up_is_refused_and_nothing_moves(any_api: Any, rental: Any) -> None:
    """BL-100, by a customer."""
    answer = await any_api.change(rental, "move", start="2027-06-20", end="2027-06-19")
    assert (answer.status_code, answer.json()["facts"]) == (422, {"fields": ["end"]})
    assert rented(await any_api.get(f"rentals/{rental['rental_uuid']}/")) == rented_from(rental)


async def test_a_running_rental_is_extended_from_what_was_agreed(any_api: Any, rental: Any) -> None:
    """The pick-up is past and is not judged again; the hour of return stays."""
    world = any_api.world
    world.run("UPDATE rental SET status = 'active' WHERE source = 'mcp'")
    world.now = datetime.fromisoformat("2027-06-25T12:00:00+08:00")
    change = changed(await any_api.change(rental, "extend", end="2027-06-29"))
    assert (change.rental.status, change.new_period.days) == ("active", 9)
    assert change.rental.pickup_at == rented_from(rental).pickup_at
    assert change.rental.return_at.isoformat() == "2027-06-29T10:00:00+08:00"
    assert change.difference.minor == 9 * 160_000 - 1_120_000


async def test_an_extension_has_to_extend(any_api: Any, rental: Any) -> None:
    for end in ("2027-06-27", "2027-06-24"):
        answer = await any_api.change(rental, "extend", end=end)
        assert (answer.status_code, answer.json()["facts"]) == (422, {"fields": ["end"]})


async def test_an_extension_into_the_next_booking_is_refused(any_api: Any, rental: Any) -> None:
    await any_api.book("V2", "2027-06-28", "2027-06-30", "web:somebody", phone="+66812345679")
    refused(await any_api.change(rental, "extend", end="2027-06-29"), "dates_taken")
    assert changed(await any_api.change(rental, "extend", end="2027-06-28")).new_period.days == 8


async def test_a_running_rental_keeps_its_start_and_cannot_be_cancelled(any_api: Any, rental: Any) -> None:
    any_api.world.now = datetime.fromisoformat("2027-06-20T10:00:00+08:00")
    facts = refused(await any_api.change(rental, "move", start="2027-06-21", end="2027-06-28"), "not_changeable")
    assert facts == {"status": "confirmed", "reason": "pickup_passed"}
    assert refused(await any_api.change(rental, "cancel"), "not_changeable")["reason"] == "pickup_passed"
    any_api.world.run("UPDATE rental SET status = 'active' WHERE source = 'mcp'")
    assert refused(await any_api.change(rental, "cancel"), "not_changeable")["status"] == "active"


async def test_the_same_dates_are_no_change(any_api: Any, rental: Any) -> None:
    answer = await any_api.change(rental, "move", start="2027-06-20", end="2027-06-27")
    assert refused(answer, "not_changeable")["reason"] == "same_dates"


POLICY = '[{"hours_before": 48}, {"hours_before": 24, "fee_percent": 30}, {"hours_before": 0, "fee_days": 2}]'


@pytest.mark.parametrize(
    ("now", "fee_minor"),
    [
        ("2027-06-18T10:00:00", 0),
        ("2027-06-18T10:00:01", 336_000),
        ("2027-06-19T10:00:00", 336_000),
        ("2027-06-20T09:59:59", 320_000),
    ],
)
async def test_a_cancellation_costs_what_was_told_by_the_policy(
    any_api: Any, rental: Any, now: str, fee_minor: int
) -> None:
    any_api.world.run("UPDATE company SET cancellation = :policy", policy=POLICY)
    any_api.world.now = datetime.fromisoformat(f"{now}+08:00")
    told = changed(await any_api.change(rental, "cancel", preview=True))
    assert told.cancellation is not None
    assert told.cancellation.fee is not None
    assert told.cancellation.fee.minor == fee_minor
    assert told.cancellation.free_until is not None
    assert told.cancellation.free_until.isoformat() == "2027-06-18T10:00:00+08:00"
    assert told.rental.status == "confirmed"
    done = changed(await any_api.change(rental, "cancel", version=1, expected_fee_minor=fee_minor))
    assert (done.rental.status, done.rental.cancel_fee, done.cancellation) == (
        "cancelled",
        told.cancellation.fee,
        told.cancellation,
    )
    assert any_api.world.value("SELECT count(*) FROM rental WHERE source = 'mcp'") == 1


async def test_without_a_stored_policy_the_fee_is_unknown_and_never_nought(any_api: Any, rental: Any) -> None:
    any_api.world.run("""UPDATE company SET house_rules = '{"cancellation": "Ask us."}'""")
    told = changed(await any_api.change(rental, "cancel", preview=True))
    assert told.cancellation == wire.CancelFacts(policy="Ask us.")


async def test_a_fee_that_grew_since_it_was_told_is_not_taken(any_api: Any, rental: Any) -> None:
    any_api.world.run("UPDATE company SET cancellation = :policy", policy=POLICY)
    any_api.world.now = datetime.fromisoformat("2027-06-18T09:00:00+08:00")
    told = changed(await any_api.change(rental, "cancel", preview=True))
    assert told.cancellation is not None
    assert told.cancellation.fee is not None
    any_api.world.now += timedelta(hours=2)
    answer = await any_api.change(rental, "cancel", expected_fee_minor=told.cancellation.fee.minor)
    assert refused(answer, "price_changed")["new_total"]["minor"] == 336_000
    assert rented(await any_api.get(f"rentals/{rental['rental_uuid']}/")).status == "confirmed"


async def test_a_move_far_away_does_not_get_rid_of_the_fee(any_api: Any, rental: Any) -> None:
    any_api.world.run("UPDATE company SET cancellation = :policy", policy=POLICY)
    any_api.world.now = datetime.fromisoformat("2027-06-19T10:00:00+08:00")
    changed(await any_api.change(rental, "move", start="2027-09-01", end="2027-09-08"))
    told = changed(await any_api.change(rental, "cancel", preview=True))
    assert told.cancellation is not None
    assert told.cancellation.fee is not None
    assert told.cancellation.fee.minor > 0


async def test_a_move_in_good_time_keeps_the_cancellation_free(any_api: Any, rental: Any) -> None:
    any_api.world.run("UPDATE company SET cancellation = :policy", policy=POLICY)
    any_api.world.now = datetime.fromisoformat("2027-06-10T10:00:00+08:00")
    changed(await any_api.change(rental, "move", start="2027-09-01", end="2027-09-08"))
    any_api.world.now = datetime.fromisoformat("2027-06-19T10:00:00+08:00")
    told = changed(await any_api.change(rental, "cancel", preview=True))
    assert told.cancellation is not None
    assert told.cancellation.fee is not None
    assert told.cancellation.fee.minor == 0


async def test_what_was_picked_up_is_not_shortened_by_its_customer_and_what_is_over_not_extended(
    any_api: Any, rental: Any
) -> None:
    any_api.world.now = datetime.fromisoformat("2027-06-22T10:00:00+08:00")
    shorter = await any_api.change(rental, "move", start="2027-06-20", end="2027-06-23")
    assert refused(shorter, "not_changeable")["reason"] == "pickup_passed"
    assert changed(await any_api.change(rental, "extend", end="2027-06-28")).new_period.days == 8
    any_api.world.now = datetime.fromisoformat("2027-06-29T10:00:00+08:00")
    late = await any_api.change(rental, "extend", end="2027-07-01", preview=True)
    assert refused(late, "not_changeable")["reason"] == "return_passed"


async def test_a_fee_that_nobody_was_told_is_not_taken(any_api: Any, rental: Any) -> None:
    any_api.world.run("UPDATE company SET cancellation = :policy", policy=POLICY)
    any_api.world.now = datetime.fromisoformat("2027-06-19T09:00:00+08:00")
    answer = await any_api.change(rental, "cancel", version=1)
    assert refused(answer, "price_changed")["new_total"]["minor"] == 336_000
    assert rented(await any_api.get(f"rentals/{rental['rental_uuid']}/")).status == "confirmed"


async def test_a_price_that_moved_since_the_preview_is_not_charged(any_api: Any, rental: Any) -> None:
    any_api.world.run("UPDATE price_season SET per_day_minor = 300000 WHERE code = 'high'")
    answer = await any_api.change(rental, "extend", end="2027-06-29", expected_total_minor=1_440_000)
    assert refused(answer, "price_changed")["new_total"]["minor"] == 9 * 240_000


async def test_cancelled_days_are_free_for_others_and_the_rental_stays_cancelled(any_api: Any, rental: Any) -> None:
    """BL-011, BL-013 through the customer's own door."""
    await any_api.change(rental, "cancel")
    await any_api.book("V2", "2027-06-20", "2027-06-27", "web:somebody", phone="+66812345679")
    for kind, body in (("move", MOVED), ("extend", {"end": "2027-06-30"}), ("cancel", {})):
        facts = refused(await any_api.change(rental, kind, **body), "not_changeable")
        assert facts == {"status": "cancelled", "reason": "status"}


@pytest.mark.parametrize(("kind", "body"), [("move", MOVED), ("extend", {"end": "2027-06-29"}), ("cancel", {})])
async def test_the_same_change_is_done_once_however_often_it_comes(
    any_api: Any, rental: Any, kind: str, body: dict[str, Any]
) -> None:
    """BL-021, BL-031 for changes: same key, same answer; also after staff have gone on."""
    body = {**body, "version": 1, "idempotency_key": "key-of-one-change-1"}
    first = changed(await any_api.change(rental, kind, **body))
    again = changed(await any_api.change(rental, kind, **body))
    assert not first.idempotent
    assert again == first.model_copy(
        update={"idempotent": True, "rental": first.rental.model_copy(update={"idempotent": True})}
    )
    notices = "SELECT count(*) FROM outbox WHERE dedupe_key LIKE :key"
    entries = "SELECT count(*) FROM rental_status_change c JOIN rental r ON r.id = c.rental_id WHERE r.uuid = :uuid"
    assert any_api.world.value(notices, key=f"%{rental['rental_uuid']}:2") == 1
    assert any_api.world.value(entries, uuid=rental["rental_uuid"]) == 2


async def test_a_key_of_a_change_is_for_that_change_alone(any_api: Any, rental: Any) -> None:
    """BL-025: other dates, another rental, another kind of change, and making a rental."""
    other = await any_api.book("V4", "2027-06-20", "2027-06-23")
    key = {"idempotency_key": "key-of-one-change-1"}
    changed(await any_api.change(rental, "extend", end="2027-06-28", **key))
    answers = [
        await any_api.change(rental, "extend", end="2027-06-29", **key),
        await any_api.change(other, "extend", end="2027-06-28", **key),
        await any_api.change(rental, "cancel", **key),
        await any_api.post(
            "vehicles/rentals/",
            any_api.order(await any_api.quote("V3", "2027-07-05", "2027-07-07"), key["idempotency_key"]),
        ),
    ]
    assert {(a.status_code, a.json()["code"]) for a in answers} == {(422, "idempotency_key_reused")}
    assert rented(await any_api.get(f"rentals/{rental['rental_uuid']}/")).version == 2


async def test_a_refused_change_leaves_its_key_free(any_api: Any, rental: Any) -> None:
    any_api.world.put_rental("V2", "06-28", "06-30")
    body = {"end": "2027-06-29", "idempotency_key": "key-of-one-change-1"}
    refused(await any_api.change(rental, "extend", **body), "dates_taken")
    any_api.world.run("UPDATE rental SET status = 'cancelled' WHERE start_date = '2027-06-28'")
    assert not changed(await any_api.change(rental, "extend", **body)).idempotent


async def test_a_change_made_up_from_an_older_state_is_refused_with_the_present_one(any_api: Any, rental: Any) -> None:
    """BL-206 for customers: two windows of one chat."""
    changed(await any_api.change(rental, "extend", end="2027-06-28", version=1))
    answer = await any_api.change(rental, "cancel", version=1)
    assert refused(answer, "stale_version") == {
        "version": 2,
        "status": "confirmed",
        "start": "2027-06-20",
        "end": "2027-06-28",
    }


async def test_a_change_needs_a_key_and_a_preview_does_not(any_api: Any, rental: Any) -> None:
    for kind, body in (("move", MOVED), ("extend", {"end": "2027-06-29"}), ("cancel", {})):
        answer = await any_api.post(f"rentals/{rental['rental_uuid']}/{kind}/", body)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_arguments")


async def test_every_change_is_told_to_staff_once_and_without_client_data(any_api: Any, rental: Any) -> None:
    changed(await any_api.change(rental, "move", **MOVED))
    changed(await any_api.change(rental, "extend", end="2027-06-20"))
    changed(await any_api.change(rental, "cancel"))
    world = any_api.world
    with world.db.read() as session:
        rows = session.connection().exec_driver_sql("SELECT kind, payload FROM outbox ORDER BY id").all()
    assert [kind for kind, _ in rows] == ["rental_created", "rental_moved", "rental_extended", "rental_cancelled"]
    assert "Alex" not in str(rows)
    assert "+66" not in str(rows)


async def test_a_vehicle_in_the_workshop_is_not_moved_to(any_api: Any, rental: Any) -> None:
    any_api.world.run("UPDATE vehicle SET state = 'workshop' WHERE plate = 'V2'")
    refused(await any_api.change(rental, "move", **MOVED), "dates_taken")
    assert changed(await any_api.change(rental, "cancel")).rental.status == "cancelled"


async def test_times_are_the_offices_over_a_clock_change(any_api: Any) -> None:
    """BL-094, BL-095: moved to 30 October to 1 November in Athens: two days, both at 10:00, in every answer alike."""
    actor = "web:nikos"
    quote = await any_api.quote("H1", "2027-10-10", "2027-10-12", "harbour-wheels", actor)
    made = await any_api.post("vehicles/rentals/", any_api.order(quote), "harbour-wheels", actor)
    path = f"rentals/{made.json()['rental_uuid']}/"
    body = {"start": "2027-10-30", "end": "2027-11-01", "idempotency_key": "key-of-one-change-1"}
    change = changed(await any_api.post(f"{path}move/", body, "harbour-wheels", actor))
    assert change.new_period.days == 2
    assert change.rental.pickup_at.isoformat() == "2027-10-30T10:00:00+03:00"
    assert change.rental.return_at.isoformat() == "2027-11-01T10:00:00+02:00"
    seen = (await any_api.get(path, "harbour-wheels", actor)).json()
    assert seen == change.rental.model_dump(mode="json")
