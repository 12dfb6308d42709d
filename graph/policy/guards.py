"""What comes before everything else: what never acts, and what no other rule may read."""

from __future__ import annotations

from graph.policy import slots
from graph.policy.turn import Turn


def dictated_price(turn: Turn) -> bool:
    """The customer names a price or a discount: prices are the shop's."""
    if turn.wants("set_price"):
        turn.plan.say("price_fixed")
        return True
    return False


def start_again(turn: Turn) -> bool:
    """Everything that was wished is forgotten; what is booked stays."""
    if not turn.wants("reset"):
        return False
    slots.drop_vehicle(turn.plan)
    for channel in ("wish", "shown", "open_question", "search", "rental_change"):
        turn.plan.set(channel, {})
    turn.plan.set("phase", "searching")
    turn.plan.say("reset")
    return True


def person(turn: Turn) -> bool:
    """A wish for a person, or a complaint, which is one's matter."""
    if turn.wants("handoff", "complain"):
        turn.plan.say("person", complaint=turn.wants("complain"))
        return True
    return False


def impossible_dates(turn: Turn) -> bool:
    """Dates that read in two ways, or are none: asked, never guessed."""
    reading = turn.u.dates
    if reading is None or reading.status not in {"ambiguous", "refused"} or _tells_which_booking(turn):
        return False
    slots.merge_filters(turn.plan, turn.u, turn.currency_exponent)
    reason = reading.reason or "ambiguous"
    candidates = [{"start": c.start.isoformat(), "end": c.end.isoformat()} for c in reading.candidates]
    turn.plan.say("clarify_dates", reason=reason, candidates=candidates)
    return True


def _tells_which_booking(turn: Turn) -> bool:
    """ "Cancel the one in June": a month is no period, and none is asked for."""
    unread = turn.u.dates is not None and turn.u.dates.reason == "unreadable"
    return unread and turn.wants("cancel_booking", "extend_booking", "change_booking", "show_booking")
