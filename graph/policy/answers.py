"""What binds to the open question: positions, contact, yes and no."""

from __future__ import annotations

from datetime import date

from graph.policy import slots
from graph.policy.plan import Plan
from graph.policy.references import resolve
from graph.policy.steps import take
from graph.policy.topics import answer_company
from graph.policy.turn import Turn


def picks_dates(turn: Turn) -> bool:
    """An answer by position to "which dates do you mean?"."""
    candidates = turn.plan.get("open_question", {}).get("candidates") or []
    reference = turn.u.reference
    if not candidates or reference is None or reference.kind not in {"ordinal", "last"}:
        return False
    position = len(candidates) if reference.kind == "last" else reference.ordinal or 0
    if not 1 <= position <= len(candidates):
        return False
    chosen = candidates[position - 1]
    slots.set_period(turn.plan, date.fromisoformat(chosen["start"]), date.fromisoformat(chosen["end"]))
    turn.plan.step("pricing" if turn.chosen else "search")
    return True


def take_contact(turn: Turn) -> bool:
    """Name and phone are kept whatever else the message is about; never answers by itself."""
    turn.new_contact = slots.merge_client(turn.plan, turn.u)
    return False


def bad_phone(turn: Turn) -> bool:
    """Half a phone number while one is collected."""
    phone = turn.u.phone
    if phone is None or phone.problem is None or not _is_collecting(turn):
        return False
    reasons = {"too_short": "phone_too_short", "too_long": "phone_too_long"}
    turn.plan.step("booking", reason=reasons.get(phone.problem, "phone_invalid"))
    return True


def contact_for_quote(turn: Turn) -> bool:
    """Name or phone while a quote is open and nothing else changed: go on towards the review."""
    if not (turn.new_contact and turn.quote_is_open) or turn.new_dates or turn.new_vehicle_words:
        return False
    # Whoever leaves name and number under an offer means to take it; nothing is booked before the review.
    turn.plan.step("booking")
    answer_company(turn)
    return True


def yes(turn: Turn) -> bool:
    """A bare yes binds to the open question. It books only where exactly one review is open."""
    if not turn.wants("confirm") or turn.new_dates or turn.new_vehicle_words or turn.u.reference is not None:
        return False
    plan = turn.plan
    shown = plan.get("shown", {}).get("items", [])
    if plan.question == "confirm_booking" and turn.quote_is_open:
        plan.step("booking", confirmed=True)
    elif plan.question in {"accept_quote", "name", "phone", "contact"} and turn.quote_is_open:
        plan.step("booking")
    elif plan.question in {"vehicle", "period"} and len(shown) == 1:
        take(plan, shown[0])
    elif plan.question in {"vehicle", "period"} and shown:
        plan.say("clarify_vehicle", items=list(shown))
    elif plan.get("pending_commit") or (plan.get("phase") == "booked" and plan.get("booking", {}).get("quote_uuid")):
        plan.step("booking", confirmed=True)
    elif turn.only_booked:
        plan.say("booking_stands")
    else:
        plan.say("nothing_to_confirm")
    answer_company(turn)
    return True


def half_yes(turn: Turn) -> bool:
    """Where a yes acts, only a plain one does; what merely sounds like one is asked again, and is no failure."""
    if not turn.half_yes or turn.new_dates or turn.new_vehicle_words or turn.new_contact:
        return False
    if turn.half_yes == "vague" and turn.wants("ask_company", "ask_vehicle", "ask_date"):
        return False  # "yes, but do you deliver?": the answer leads back to the question, which asks for the plain yes
    turn.plan.say("confirm_unseen" if turn.half_yes == "unseen" else "confirm_plainly")
    answer_company(turn)
    return True


def no(turn: Turn) -> bool:
    """A no to what is open."""
    if not turn.wants("deny") or turn.new_dates or turn.new_vehicle_words or turn.wants("search", "ask_alternatives"):
        return False
    if turn.u.reference is not None:
        return False
    if turn.quote_is_open:
        turn.plan.set("open_question", {"kind": "none"})
    turn.plan.say("declined")
    return True


def points_at(turn: Turn) -> bool:
    """A reference to the newest list, or a name that is on it."""
    if turn.u.reference is None and not (turn.u.brand or turn.u.model):
        return False
    if turn.u.reference is None and (turn.u.category or turn.new_dates or turn.wants("search")):
        return False
    found = resolve(turn.plan.get("shown", {}), turn.u)
    match found.kind:
        case "one":
            take(turn.plan, found.items[0])
        case "many":
            turn.plan.say("clarify_vehicle", items=list(found.items))
        case "gone":
            turn.plan.say("clarify_vehicle", items=_shown(turn.plan), gone=True)
        case "none":
            return False
    return True


def _shown(plan: Plan) -> list[dict[str, object]]:
    return list(plan.get("shown")["items"])


def _is_collecting(turn: Turn) -> bool:
    questions = {"name", "phone", "contact", "accept_quote", "confirm_booking"}
    return turn.quote_is_open and turn.plan.question in questions
