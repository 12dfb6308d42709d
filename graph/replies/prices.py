"""What is said about money that the shop cannot reckon with. A rate is never made up: no tool gives one."""

from __future__ import annotations

from typing import Final

from graph.replies.speech import Channels, Speech
from graph.replies.talk import Saying
from graph.state import Json
from graph.writing.formats import money

_EXAMPLE_HUNDREDS: Final = 1_500
"""Enough digits that the shop's way to write thousands shows."""


def unused_limit(key: str) -> Saying:
    """Why a limit is not used, with an amount as the shop would write it."""

    async def say(speech: Speech, _saying: Json) -> None:
        company = speech.desk.context.company
        minor = _EXAMPLE_HUNDREDS * 10 ** max(company.currency_exponent, 2)
        example = {"minor": minor, "currency": company.currency, "exponent": company.currency_exponent}
        text = speech.desk.phrases.say(key, currency=company.currency, example=_written(speech, example))
        speech.desk.say("text", text, facts=[example])

    return say


async def other_currency(speech: Speech, saying: Json) -> None:
    """Which currency the shop has, with the price that is open, booked or the only one shown."""
    total, currency = _total(speech.channels), speech.desk.context.company.currency
    if total is None:
        text = speech.desk.phrases.say("currency.only", currency=currency)
    else:
        text = speech.desk.phrases.say("currency.price", total=_written(speech, total), currency=currency)
    content = f"{text} {speech.next}" if saying["leads_on"] else text
    speech.desk.say("text", content, facts=[total, currency, *speech.open_facts])


def _total(channels: Channels) -> Json | None:
    for channel in ("quote", "booking"):
        total: Json | None = (channels.get(channel) or {}).get("total")
        if total:
            return total
    items = (channels.get("shown") or {}).get("items") or []
    only: Json | None = items[0].get("facts", {}).get("total") if len(items) == 1 else None
    return only


def _written(speech: Speech, total: Json) -> str:
    return money(total["minor"], total["currency"], total["exponent"], speech.desk.lang)
