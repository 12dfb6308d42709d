"""No dead ends: what can be done next, from the open question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graph.cards.desk import Desk
from graph.writing.formats import money


def next_step(desk: Desk, channels: Mapping[str, Any]) -> str:
    """Return the sentence that leads on. `channels` is the state as it will be after this message."""
    kind = str((channels.get("open_question") or {}).get("kind", "none"))
    quote = channels.get("quote") or {}
    booking = channels.get("booking") or {}
    phrases = desk.phrases
    if kind == "accept_quote" and quote.get("quote_uuid"):
        total = quote["total"]
        return phrases.say(
            "next.accept_quote",
            vehicle=quote["vehicle"]["name"],
            total=money(total["minor"], total["currency"], total["exponent"], desk.lang),
        )
    if kind in {"name", "phone", "contact", "confirm_booking"} and quote.get("quote_uuid"):
        return phrases.say(f"next.{kind}")
    if kind in {"vehicle", "period"} and (channels.get("shown") or {}).get("items"):
        return phrases.say(f"next.{kind}")
    if kind == "confirm_change" and (channels.get("rental_change") or {}).get("kind"):
        return phrases.say(f"next.confirm_change.{channels['rental_change']['kind']}")
    if kind in {"rental", "rental_dates"}:
        return phrases.say(f"next.{kind}")
    if kind == "dates":
        return phrases.say("next.dates")
    if channels.get("phase") == "booked" and booking.get("order_number"):
        return phrases.say("next.booked", order=booking["order_number"])
    return phrases.say("next.start")
