"""Extras that a customer chooses: offered with a price, in every total of the rental from then on, or refused."""

from __future__ import annotations

from typing import Any

import pytest

from graph.tools import wire
from store.rules.prices import Extra, PriceList
from store.sql.prices import add_price_list

HELMET = Extra("helmet", "Helmet", "chosen", "day", 10_000, at_most_minor=50_000)
SEAT = Extra("child-seat", "Child seat", "chosen", "rental", 70_000)
CLEANING = Extra("cleaning", "Cleaning", "required", "rental", 30_000)
LOCK = Extra("lock", "Lock", "included")
FUEL = Extra("fuel", "Fuel", "by_use")
ALL = (HELMET, SEAT, CLEANING, LOCK, FUEL)
DATES = {"start": "2027-06-20", "end": "2027-06-23"}
LONGER = "2027-06-28"
RENT_MINOR = 3 * 200_000 + 30_000


@pytest.fixture
def shop(any_api: Any) -> Any:
    """Scooters at 200,000 a day with all kinds of extras; nothing else is booked."""
    any_api.world.run("UPDATE rental SET status = 'cancelled'")
    with any_api.world.db.write() as session:
        prices = PriceList(0, 1, 200_000, extras=ALL)
        add_price_list(session, any_api.world.a, prices, {"code": "of-this-test", "category": "scooter"})
    return any_api


async def ask(api: Any, *extras: str, plate: str = "V1", **dates: str) -> Any:
    query = {"vehicle_uuid": api.world.uuid(plate), **DATES, **dates}
    return await api.get("vehicles/pricing/", **query, **({"extras": list(extras)} if extras else {}))


async def quoted(api: Any, *extras: str, **dates: str) -> wire.Quote:
    answer = await ask(api, *extras, **dates)
    assert answer.status_code == 200, answer.text
    quote = wire.Quote.model_validate_json(answer.content)
    assert sum(line.amount.minor for line in quote.lines) == quote.total.minor
    return quote


async def booked(api: Any, *extras: str) -> Any:
    quote = await quoted(api, *extras)
    answer = await api.post("vehicles/rentals/", api.order(quote.model_dump(mode="json"), f"key-of-{quote.quote_uuid}"))
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(answer: Any, status: int, code: str) -> dict[str, Any]:
    error = wire.ToolError.model_validate_json(answer.content)
    assert (answer.status_code, error.code, error.retryable) == (status, code, False)
    return error.facts


def pieces_of(extras: Any) -> list[tuple[str, int]]:
    return [(extra["code"], extra["pieces"]) for extra in extras]


async def test_a_quote_says_what_is_on_offer_and_what_comes_on_top(shop: Any) -> None:
    quote = await quoted(shop)
    assert [(e.code, e.name, e.per, e.unit_amount.minor, e.at_most and e.at_most.minor, e.pieces) for e in
            quote.extras_offered] == [
        ("helmet", "Helmet", "day", 10_000, 50_000, 0),
        ("child-seat", "Child seat", "rental", 70_000, None, 0),
    ]  # fmt: skip
    assert quote.by_use == ("Fuel",)
    assert [(line.code, line.name) for line in quote.lines] == [
        ("days", ""),
        ("extra", "Cleaning"),
        ("included", "Lock"),
    ]
    assert quote.total.minor == RENT_MINOR


@pytest.mark.parametrize(
    ("wishes", "end", "more_minor", "pieces"),
    [
        (("helmet",), "2027-06-23", 30_000, [1, 0]),
        (("helmet:2",), "2027-06-23", 60_000, [2, 0]),
        (("helmet:2",), "2027-06-30", 100_000, [2, 0]),  # ten days: the cap of each piece
        (("child-seat:3",), "2027-06-23", 210_000, [0, 3]),
        (("child-seat:1", "Helmet:20"), "2027-06-23", 670_000, [20, 1]),
    ],
)
async def test_chosen_extras_are_lines_of_the_price(
    shop: Any, wishes: tuple[str, ...], end: str, more_minor: int, pieces: list[int]
) -> None:
    without, found = await quoted(shop, end=end), await quoted(shop, *wishes, end=end)
    assert found.total.minor - without.total.minor == more_minor
    assert [extra.pieces for extra in found.extras_offered] == pieces


async def test_an_extra_that_is_not_on_offer_is_named_with_what_is(shop: Any) -> None:
    facts = refused(await ask(shop, "helmet:1", "surfboard", "lock:2"), 422, "unknown_extra")
    assert facts == {
        "fields": ["extras"],
        "unknown": ["lock", "surfboard"],
        "offered": [{"code": "helmet", "name": "Helmet"}, {"code": "child-seat", "name": "Child seat"}],
        "not_to_choose": [{"code": "lock", "name": "Lock", "mode": "included"}],
    }
    assert shop.world.count("quote") == 0


async def test_a_list_without_extras_offers_none(shop: Any) -> None:
    assert refused(await ask(shop, "helmet", plate="V4"), 422, "unknown_extra")["offered"] == []


@pytest.mark.parametrize(
    "wishes",
    [
        ("helmet:0",),
        ("helmet:-1",),
        ("helmet:21",),
        ("helmet:999999999999999999999",),
        ("helmet:1.5",),
        ("helmet:",),
        (":2",),
        ("",),
        ("x" * 41,),
        ("helmet:1:1",),
        ("a\0b", "helmet"),
        ("helmet:1", "helmet:2"),
        ("helmet", "HELMET:2"),
        tuple(f"e{n}" for n in range(21)),
    ],
)
async def test_pieces_that_nobody_can_mean_are_no_arguments(shop: Any, wishes: tuple[str, ...]) -> None:
    facts = refused(await ask(shop, *wishes), 422, "invalid_arguments")
    assert facts["fields"][0].startswith("extras")


async def test_the_rental_keeps_the_extras_of_its_quote(shop: Any) -> None:
    rental = await booked(shop, "helmet:2", "child-seat")
    assert rental["extras"] == [
        {"code": "helmet", "name": "Helmet", "pieces": 2},
        {"code": "child-seat", "name": "Child seat", "pieces": 1},
    ]
    assert rental["total"]["minor"] == RENT_MINOR + 60_000 + 70_000
    seen = (await shop.get(f"rentals/{rental['rental_uuid']}/")).json()
    (listed,) = (await shop.get("rentals/")).json()["rentals"]
    assert seen == listed == rental


async def test_a_rental_without_extras_has_none(shop: Any) -> None:
    assert (await booked(shop))["extras"] == []


async def test_a_price_of_an_extra_that_moved_since_the_quote_is_not_charged(shop: Any) -> None:
    quote = (await quoted(shop, "helmet:2")).model_dump(mode="json")
    shop.world.run("UPDATE price_extra SET amount_minor = 12000 WHERE code = 'helmet'")
    facts = refused(await shop.post("vehicles/rentals/", shop.order(quote)), 409, "price_changed")
    assert facts["new_total"]["minor"] - facts["old_total"]["minor"] == 2 * 3 * 2_000
    assert shop.world.value("SELECT count(*) FROM rental WHERE source = 'mcp'") == 0


async def test_a_price_of_an_extra_that_nobody_chose_may_move(shop: Any) -> None:
    """Negative control of the one above: only what is chosen is compared."""
    quote = (await quoted(shop)).model_dump(mode="json")
    shop.world.run("UPDATE price_extra SET amount_minor = 12000 WHERE code = 'helmet'")
    assert (await shop.post("vehicles/rentals/", shop.order(quote))).status_code == 200


GONE = {
    "taken off the list": "DELETE FROM price_extra WHERE code = 'helmet'",
    "always charged now": "UPDATE price_extra SET mode = 'required' WHERE code = 'helmet'",
}


@pytest.mark.parametrize("change", GONE.values(), ids=GONE.keys())
async def test_a_quote_with_an_extra_that_is_gone_books_nothing(shop: Any, change: str) -> None:
    quote = (await quoted(shop, "helmet:2", "child-seat")).model_dump(mode="json")
    shop.world.run(change)
    facts = refused(await shop.post("vehicles/rentals/", shop.order(quote)), 409, "extra_gone")
    assert facts["gone"] == [{"code": "helmet", "name": "Helmet"}]
    assert facts["offered"] == [{"code": "child-seat", "name": "Child seat"}]
    assert [extra["mode"] for extra in facts["not_to_choose"]] == (["required"] if "required" in change else [])
    assert shop.world.value("SELECT count(*) FROM rental WHERE source = 'mcp'") == 0
    assert shop.world.count("idempotency") == 0
    again = (await quoted(shop, "child-seat")).model_dump(mode="json")
    assert (await shop.post("vehicles/rentals/", shop.order(again))).status_code == 200


async def test_taken_dates_are_told_before_an_extra_that_is_gone(shop: Any) -> None:
    quote = (await quoted(shop, "helmet")).model_dump(mode="json")
    shop.world.run(GONE["taken off the list"])
    shop.world.put_rental("V1", "06-21", "06-22")
    refused(await shop.post("vehicles/rentals/", shop.order(quote)), 409, "dates_taken")


async def test_one_key_is_not_for_another_choice(shop: Any) -> None:
    first, second = await quoted(shop, "helmet:1"), await quoted(shop, "helmet:2")
    await shop.post("vehicles/rentals/", shop.order(first.model_dump(mode="json")))
    refused(
        await shop.post("vehicles/rentals/", shop.order(second.model_dump(mode="json"))), 422, "idempotency_key_reused"
    )


@pytest.mark.parametrize(
    ("kind", "body"), [("move", {"start": "2027-06-21", "end": "2027-06-29"}), ("extend", {"end": LONGER})]
)
async def test_a_change_is_priced_with_the_rentals_extras_line_by_line(
    shop: Any, kind: str, body: dict[str, str]
) -> None:
    """Eight days: two helmets reach their cap of 50,000 each."""
    rental = await booked(shop, "helmet:2", "child-seat")
    told = wire.RentalChange.model_validate_json((await shop.change(rental, kind, preview=True, **body)).content)
    assert told.new_total.minor == 8 * 200_000 + 30_000 + 2 * 50_000 + 70_000
    assert [(line.code, line.name, line.amount.minor) for line in told.lines] == [
        ("days", "", 1_600_000),
        ("extra", "Helmet", 100_000),
        ("extra", "Child seat", 70_000),
        ("extra", "Cleaning", 30_000),
        ("included", "Lock", 0),
    ]
    key = {"idempotency_key": "key-of-one-change-1"}
    expected = {"version": 1, "expected_total_minor": told.new_total.minor}
    done = wire.RentalChange.model_validate_json((await shop.change(rental, kind, **body, **expected, **key)).content)
    again = wire.RentalChange.model_validate_json((await shop.change(rental, kind, **body, **expected, **key)).content)
    assert done.lines == again.lines == told.lines
    assert (done.rental.total, again.idempotent) == (told.new_total, True)
    assert [extra.model_dump() for extra in done.rental.extras] == rental["extras"]


async def test_a_rental_whose_extra_is_gone_is_not_changed_and_says_why(shop: Any) -> None:
    rental = await booked(shop, "helmet:2")
    shop.world.run(GONE["taken off the list"])
    for more in ({"preview": True}, {}):
        facts = refused(await shop.change(rental, "extend", end=LONGER, **more), 409, "extra_gone")
        assert facts["gone"] == [{"code": "helmet", "name": "Helmet"}]
    assert (await shop.get(f"rentals/{rental['rental_uuid']}/")).json() == rental
    cancelled = (await shop.change(rental, "cancel")).json()
    assert (cancelled["rental"]["status"], cancelled["lines"]) == ("cancelled", [])
    assert cancelled["rental"]["extras"] == rental["extras"]


async def test_an_extra_that_was_renamed_is_still_the_same(shop: Any) -> None:
    """The code is what counts; the rental shows the name that its price was made with."""
    rental = await booked(shop, "helmet")
    shop.world.run("UPDATE price_extra SET name = 'Full-face helmet' WHERE code = 'helmet'")
    assert (await shop.get(f"rentals/{rental['rental_uuid']}/")).json()["extras"][0]["name"] == "Helmet"
    changed = (await shop.change(rental, "extend", end="2027-06-24")).json()
    assert changed["rental"]["extras"] == [{"code": "helmet", "name": "Full-face helmet", "pieces": 1}]


async def test_search_and_alternatives_are_priced_without_chosen_extras(shop: Any) -> None:
    await booked(shop, "helmet:2")
    found = (await shop.get("vehicles/search_available/", **DATES, category="scooter")).json()
    assert [offer["total"]["minor"] for offer in found["vehicles"]] == [RENT_MINOR]
    query = {"vehicle_uuid": shop.world.uuid("V1"), **DATES}
    ways = (await shop.get("vehicles/alternatives/", actor="web:other", **query)).json()
    assert ways["wish_total"]["minor"] == RENT_MINOR
    assert {option["difference"]["minor"] for option in ways["options"] if option["period"]["days"] == 3} == {0}
