"""What a shop includes, always charges or charges by use is on the card of the price."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import text

EXTRAS = (
    ("lock", "Lock", "included", 0),
    ("cleaning", "Cleaning", "required", 70_000),
    ("fuel", "Fuel", "by_use", 0),
    ("top-case", "Top case", "chosen", 15_000),
)


def put_extras(services: Any, mode: str) -> None:
    """Give the CRF's price list those of the extras; `mode` empty: all."""
    insert = text(
        "INSERT INTO price_extra (company_id, price_list_id, code, name, mode, per, amount_minor)"
        " SELECT company_id, id, :code, :name, :mode, 'rental', :amount FROM price_list WHERE code = 'crf-150'"
    )
    with services.database.write() as session:
        for code, name, its_mode, amount in EXTRAS:
            if mode in {"", its_mode}:
                session.execute(insert, {"code": code, "name": name, "mode": its_mode, "amount": amount})


@pytest.mark.parametrize(
    ("mode", "lines", "by_use"),
    [
        ("", [("extra", "Cleaning"), ("included", "Lock")], ["Fuel"]),
        ("chosen", [], None),  # the agent chooses nothing for the customer
    ],
)
async def test_the_price_card_names_what_is_in_the_price_and_what_comes_on_top(
    chat: Any, shop: Any, services: Any, mode: str, lines: list[tuple[str, str]], by_use: list[str] | None
) -> None:
    put_extras(services, mode)
    await chat.say("Honda CRF 150 June 20-27")
    card = (await chat.say("the first one"))["turns"][-1]
    assert card["type"] == "price_quote"
    found = [(line["code"], line["name"]) for line in card["payload"]["lines"] if line.get("name")]
    assert sorted(found) == lines
    assert card["payload"].get("by_use") == by_use
    assert sum(line["amount"]["minor"] for line in card["payload"]["lines"]) == card["payload"]["total"]["minor"]


async def test_a_booking_with_a_required_extra_goes_through_the_chat(chat: Any, shop: Any, services: Any) -> None:
    put_extras(services, "required")
    for words in ("Honda CRF 150 June 20-27", "the first one", "yes, my name is Alex", "+66 812 345 678"):
        answer = await chat.say(words)
    review = answer["turns"][-1]
    done = (await chat.press(review, "confirm_booking"))["turns"][-1]
    assert done["type"] == "confirmation"
    assert done["payload"]["total"] == review["payload"]["total"]
    assert len(shop.rentals()) == 1
