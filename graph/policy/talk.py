"""Talk and questions of fact: answered, and the open question comes back."""

from __future__ import annotations

from typing import Final

from graph.policy.references import resolve
from graph.policy.topics import answer_company
from graph.policy.turn import Turn
from graph.understanding.meaning import Intent

_TALK: Final[dict[Intent, str]] = {
    "greet": "greet",
    "thanks": "thanks",
    "goodbye": "goodbye",
    "help": "help",
    "ask_date": "today",
    "ask_bot": "bot",
    "smalltalk": "smalltalk",
}


def company(turn: Turn) -> bool:
    """A question about the shop."""
    return answer_company(turn)


def vehicle_detail(turn: Turn) -> bool:
    """A question about one vehicle."""
    if not turn.wants("ask_vehicle"):
        return False
    items = turn.plan.get("shown", {}).get("items", [])
    found = resolve(turn.plan.get("shown", {}), turn.u)
    target = found.items[0]["vehicle_uuid"] if found.kind == "one" else turn.chosen
    if target is None and len(items) == 1:
        target = items[0]["vehicle_uuid"]
    if target is None:
        return False
    turn.plan.say("vehicle_detail", vehicle_uuid=target)
    return True


def contact_early(turn: Turn) -> bool:
    """Name or phone before there is anything to book: kept, and the talk goes on."""
    if not turn.new_contact:
        return False
    phone = turn.u.phone
    if phone is not None and phone.e164 is None:
        turn.plan.say("phone_unread", problem=phone.problem or "invalid")
    else:
        turn.plan.say("contact_kept")
    return True


def talk(turn: Turn) -> bool:
    """Greetings, thanks, small talk, and what is not a matter of this shop."""
    for intent in turn.u.intents:
        if intent in _TALK:
            turn.plan.say(_TALK[intent])
            return True
    if turn.wants("out_of_scope"):
        turn.plan.say("out_of_scope")
        return True
    return False
