"""Turns each saying of a plan into turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from graph.replies import company, prices, questions, talk, vehicles
from graph.replies.speech import Speech
from graph.replies.talk import Saying, leading, noticed, plain
from graph.state import Json


async def speak(speech: Speech, saying: Json) -> None:
    """Say one thing of the plan."""
    await _SAYINGS[saying["say"]](speech, saying)


_SAYINGS: Final[Mapping[str, Saying]] = {
    "ask_dates": questions.ask_dates,
    "ask_end": questions.ask_end,
    "ask_start": questions.ask_start,
    "clarify_dates": questions.clarify_dates,
    "clarify_vehicle": questions.clarify_vehicle,
    "ask_change": talk.ask_change,
    "greet": talk.greet,
    "thanks": talk.thanks,
    "goodbye": plain("goodbye"),
    "help": plain("help", lead_on=True),
    "reset": plain("reset"),
    "bot": leading("bot", offers_person=True),
    "smalltalk": leading("smalltalk"),
    "confirm_plainly": leading("confirm_plainly"),
    "confirm_unseen": leading("confirm_unseen"),
    "contact_kept": talk.contact_kept,
    "phone_unread": talk.phone_unread,
    "today": talk.today,
    "quantity": talk.quantity,
    "declined": talk.declined,
    "unclear": talk.unclear,
    "no_more": plain("search.no_more", lead_on=True),
    "fresh_start": noticed("fresh_start", "fresh_start"),
    "out_of_scope": noticed("other", "out_of_scope"),
    "nothing_to_confirm": noticed("nothing_to_confirm", "nothing_to_confirm"),
    "price_fixed": noticed("price_fixed", "price_fixed"),
    "action_expired": noticed("action_expired", "action.expired", "warning"),
    "budget_other_currency": prices.unused_limit("budget.other_currency"),
    "budget_unsure": prices.unused_limit("budget.unsure"),
    "other_currency": prices.other_currency,
    "company": company.company,
    "person": company.person,
    "vehicle_detail": vehicles.vehicle_detail,
    "pending": vehicles.pending,
    "change_pending": vehicles.change_pending,
    "change_kept": vehicles.change_kept,
    "booking_stands": vehicles.booking_stands,
}
"""Kind of saying -> how it is said."""
