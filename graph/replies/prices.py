"""What is said about money that the shop cannot reckon with. A rate is never made up: no tool gives one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from graph.cards.desk import Desk
from graph.state import Json
from graph.writing.formats import money

_EXAMPLE_HUNDREDS: Final = 1_500
"""Enough digits that the shop's way to write thousands shows."""


def own_price(desk: Desk, channels: Mapping[str, Any]) -> tuple[str, Json | None]:
    """The sentence about other currencies, with the price that is open, booked or the only one shown, and its fact."""
    total, currency = _total(channels), desk.context.company.currency
    if total is None:
        return desk.phrases.say("currency.only", currency=currency), None
    return desk.phrases.say("currency.price", total=_written(desk, total), currency=currency), total


def limit_trouble(desk: Desk, key: str) -> tuple[str, Json]:
    """The sentence about a limit that is not used, and the amount that it gives as an example."""
    company = desk.context.company
    exponent = company.currency_exponent
    example = {"minor": _EXAMPLE_HUNDREDS * 10 ** max(exponent, 2), "currency": company.currency, "exponent": exponent}
    text = desk.phrases.say(key, currency=company.currency, example=_written(desk, example))
    return text, example


def _total(channels: Mapping[str, Any]) -> Json | None:
    for channel in ("quote", "booking"):
        total: Json | None = (channels.get(channel) or {}).get("total")
        if total:
            return total
    items = (channels.get("shown") or {}).get("items") or []
    only: Json | None = items[0].get("facts", {}).get("total") if len(items) == 1 else None
    return only


def _written(desk: Desk, total: Json) -> str:
    return money(total["minor"], total["currency"], total["exponent"], desk.lang)
