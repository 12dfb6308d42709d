"""One message of the customer, decided. Rules run in order; the first that answers wins.

The order is the policy: what must never act comes first (dictated prices, impossible dates), then what
binds to the open question, then new wishes, then talk.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Final

from graph.policy import slots
from graph.policy.other_money import tell_other_currency, tell_unusable_limit
from graph.policy.plan import Plan
from graph.policy.positions import position_not_day
from graph.policy.references import resolve
from graph.policy.steps import ask_for_dates, take
from graph.state import DialogState
from graph.understanding.meaning import Intent, Understanding

_TALK: Final[dict[Intent, str]] = {
    "greet": "greet",
    "thanks": "thanks",
    "goodbye": "goodbye",
    "help": "help",
    "ask_date": "today",
}
_NEW_WISH: Final[tuple[Intent, ...]] = ("search", "give_dates", "select", "ask_price", "ask_alternatives", "more")
MAX_FAILURES: Final = 2


def plan_message(state: DialogState, understanding: Understanding, now: datetime, currency_exponent: int) -> Plan:
    """Decide what one understood message leads to. `now` is office-local."""
    plan = Plan(state)
    turn = _Turn(plan, understanding, now, currency_exponent)
    for rule in _RULES:
        if rule(turn):
            break
    if not plan.has_answer:
        _not_understood(turn)
    elif "failures" not in plan.updates:
        plan.set("failures", 0)
    return plan


class _Turn:
    """The message and what it has changed so far."""

    def __init__(self, plan: Plan, understanding: Understanding, now: datetime, currency_exponent: int) -> None:
        self.plan = plan
        self.u = position_not_day(understanding, plan)
        self.now = now
        self.currency_exponent = currency_exponent
        self.new_dates = False
        self.new_vehicle_words = False
        self.new_contact = False

    def wants(self, *intents: Intent) -> bool:
        return any(intent in self.u.intents for intent in intents)

    @property
    def chosen(self) -> str | None:
        uuid = self.plan.get("rental_context", {}).get("vehicle_uuid")
        return str(uuid) if uuid else None


# ---- what never acts -----------------------------------------------------------------------------


def _dictated_price(turn: _Turn) -> bool:
    if turn.wants("set_price"):
        turn.plan.say("price_fixed")
        return True
    return False


def _start_again(turn: _Turn) -> bool:
    if not turn.wants("reset"):
        return False
    slots.drop_vehicle(turn.plan)
    for channel in ("wish", "shown", "open_question", "search"):
        turn.plan.set(channel, {})
    turn.plan.set("phase", "searching")
    turn.plan.say("reset")
    return True


def _person(turn: _Turn) -> bool:
    if turn.wants("handoff"):
        turn.plan.say("person")
        return True
    return False


def _impossible_dates(turn: _Turn) -> bool:
    reading = turn.u.dates
    if reading is None or reading.status not in {"ambiguous", "refused"}:
        return False
    slots.merge_filters(turn.plan, turn.u, turn.currency_exponent)
    slots.merge_client(turn.plan, turn.u)
    reason = reading.reason or "ambiguous"
    candidates = [{"start": c.start.isoformat(), "end": c.end.isoformat()} for c in reading.candidates]
    turn.plan.say("clarify_dates", reason=reason, candidates=candidates)
    return True


# ---- slots ------------------------------------------------------------------------------------------


def _picks_dates(turn: _Turn) -> bool:
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


def _fill_slots(turn: _Turn) -> bool:
    if turn.u.category and turn.u.dates is not None and turn.u.dates.status == "range":
        # A whole new wish: limits said of an earlier one do not stick to it unseen.
        slots.forget_filters(turn.plan)
    turn.new_dates = slots.merge_dates(turn.plan, turn.u.dates)
    turn.new_vehicle_words = slots.merge_filters(turn.plan, turn.u, turn.currency_exponent)
    if turn.u.sort == "price" and not (turn.u.brand or turn.u.model or turn.u.search_text):
        slots.forget_names(turn.plan)
    turn.new_contact = slots.merge_client(turn.plan, turn.u)
    if turn.u.quantity and turn.u.quantity > 1:
        turn.plan.say("quantity")
    return tell_unusable_limit(turn.plan, turn.u, new_dates=turn.new_dates)


def _other_currency(turn: _Turn) -> bool:
    return tell_other_currency(turn.plan, turn.u, acts=turn.new_dates or turn.new_vehicle_words)


# ---- binding to what is open -----------------------------------------------------------------------


def _booked_dates(turn: _Turn) -> bool:
    """After a booking, bare new dates mean the booking, not a new wish; it cannot be moved here, so say so."""
    changes = turn.wants("change_booking") or (turn.u.dates is not None and not turn.wants("search", "ask_price"))
    named = turn.u.category or turn.u.brand or turn.u.model or turn.u.search_text
    if not (_only_booked(turn.plan) and changes) or named:
        return False
    turn.plan.say("booking_change")
    return True


def _only_booked(plan: Plan) -> bool:
    """A rental is booked and no new wish has begun."""
    return bool(plan.get("booking")) and plan.get("phase") == "booked" and not plan.get("wish")


def _unknown_outcome(turn: _Turn) -> bool:
    """A confirm whose outcome nobody knows: a yes or a look finishes or finds it, a no is not told "nothing booked"."""
    if not turn.plan.get("pending_commit"):
        return False
    if turn.wants("show_booking"):
        turn.plan.step("booking", confirmed=True)
        return True
    if turn.wants("deny", "cancel_booking", "change_booking"):
        turn.plan.say("pending")
        return True
    return False


def _after_sale(turn: _Turn) -> bool:
    if turn.wants("cancel_booking", "change_booking") and turn.plan.get("booking"):
        turn.plan.say("booking_change")
        return True
    if turn.wants("deny") and _only_booked(turn.plan):
        # "Cancel CR-1049": never "I have not booked anything" when something is.
        turn.plan.say("booking_change")
        return True
    if turn.wants("show_booking"):
        turn.plan.say("booking_shown")
        return True
    return False


def _bad_phone(turn: _Turn) -> bool:
    phone = turn.u.phone
    if phone is None or phone.problem is None or not _is_collecting(turn.plan):
        return False
    reasons = {"too_short": "phone_too_short", "too_long": "phone_too_long"}
    turn.plan.step("booking", reason=reasons.get(phone.problem, "phone_invalid"))
    return True


def _contact_for_quote(turn: _Turn) -> bool:
    """Name or phone while a quote is open and nothing else changed: go on towards the review."""
    if not (turn.new_contact and _quote_is_open(turn.plan)) or turn.new_dates or turn.new_vehicle_words:
        return False
    # Whoever leaves name and number under an offer means to take it; nothing is booked before the review.
    turn.plan.step("booking")
    _answer_company(turn)
    return True


def _yes(turn: _Turn) -> bool:
    """A bare yes binds to the open question. It books only where exactly one review is open."""
    if not turn.wants("confirm") or turn.new_dates or turn.new_vehicle_words:
        return False
    if turn.u.reference is not None:
        return False
    plan = turn.plan
    if plan.question == "confirm_booking" and _quote_is_open(plan):
        plan.step("booking", confirmed=True)
    elif plan.question in {"accept_quote", "name", "phone", "contact"} and _quote_is_open(plan):
        plan.step("booking")
    elif plan.question in {"vehicle", "period"} and len(plan.get("shown", {}).get("items", [])) == 1:
        take(plan, plan.get("shown")["items"][0])
    elif plan.get("pending_commit") or (plan.get("phase") == "booked" and plan.get("booking")):
        plan.step("booking", confirmed=True)
    else:
        plan.say("nothing_to_confirm")
    _answer_company(turn)
    return True


def _no(turn: _Turn) -> bool:
    if not turn.wants("deny") or turn.new_dates or turn.new_vehicle_words or turn.wants("search", "ask_alternatives"):
        return False
    if turn.u.reference is not None:
        return False
    if _quote_is_open(turn.plan):
        turn.plan.set("open_question", {"kind": "none"})
    turn.plan.say("declined")
    return True


def _points_at(turn: _Turn) -> bool:
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
            turn.plan.say("clarify_vehicle", items=list(turn.plan.get("shown")["items"]), gone=True)
        case "none":
            return False
    return True


# ---- new wishes ------------------------------------------------------------------------------------


def _wish(turn: _Turn) -> bool:
    plan = turn.plan
    if not (turn.new_dates or turn.new_vehicle_words or turn.wants(*_NEW_WISH) or _dates_were_asked(turn)):
        return False
    if turn.wants("ask_alternatives") and not turn.new_vehicle_words and not turn.new_dates:
        _other_ways(turn)
    elif turn.wants("more") and plan.dates and plan.get("search", {}).get("page"):
        if plan.get("search").get("has_more"):
            plan.step("search", page=int(plan.get("search")["page"]) + 1)
        else:
            plan.say("no_more")
    elif not plan.dates:
        ask_for_dates(plan)
    elif turn.chosen and not turn.new_vehicle_words:
        plan.step("pricing")
    else:
        slots.drop_vehicle(plan)
        plan.step("search", page=1, cheapest=turn.u.sort == "price")
        if turn.wants("ask_price") and (turn.u.brand or turn.u.model):
            plan.step("pricing", exact_match=True)
    _answer_company(turn)
    return True


def _other_ways(turn: _Turn) -> None:
    """Nothing shown fits: other periods of the chosen vehicle, else what shall be different?"""
    if turn.chosen and turn.plan.dates:
        turn.plan.step("alternatives")
    elif turn.plan.dates or turn.plan.get("shown", {}).get("items"):
        turn.plan.say("ask_change")
    else:
        ask_for_dates(turn.plan)


def _dates_were_asked(turn: _Turn) -> bool:
    return turn.plan.question == "dates" and turn.u.dates is not None


# ---- talk --------------------------------------------------------------------------------------------


def _company(turn: _Turn) -> bool:
    return _answer_company(turn)


def _answer_company(turn: _Turn) -> bool:
    if turn.wants("ask_company"):
        turn.plan.says.insert(0, {"say": "company", "topic": turn.u.topic or "general"})
        return True
    return False


def _vehicle_detail(turn: _Turn) -> bool:
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


def _contact_early(turn: _Turn) -> bool:
    """Name or phone before there is anything to book: kept, and the talk goes on."""
    if not turn.new_contact:
        return False
    phone = turn.u.phone
    if phone is not None and phone.e164 is None:
        turn.plan.say("phone_unread", problem=phone.problem or "invalid")
    else:
        turn.plan.say("contact_kept")
    return True


def _talk(turn: _Turn) -> bool:
    for intent in turn.u.intents:
        if intent in _TALK:
            turn.plan.say(_TALK[intent])
            return True
    if turn.wants("out_of_scope"):
        turn.plan.say("out_of_scope")
        return True
    return False


def _not_understood(turn: _Turn) -> None:
    failures = int(turn.plan.get("failures", 0)) + 1
    turn.plan.set("failures", failures)
    turn.plan.say("unclear", twice=failures >= MAX_FAILURES)


# ---- helpers -------------------------------------------------------------------------------------------


def _quote_is_open(plan: Plan) -> bool:
    return bool(plan.get("quote", {}).get("quote_uuid"))


def _is_collecting(plan: Plan) -> bool:
    return _quote_is_open(plan) and plan.question in {"name", "phone", "contact", "accept_quote", "confirm_booking"}


_RULES: Final[tuple[Callable[[_Turn], bool], ...]] = (
    _dictated_price,
    _start_again,
    _person,
    _impossible_dates,
    _picks_dates,
    _booked_dates,
    _fill_slots,
    _other_currency,
    _unknown_outcome,
    _after_sale,
    _bad_phone,
    _contact_for_quote,
    _vehicle_detail,
    _points_at,
    _yes,
    _no,
    _wish,
    _company,
    _contact_early,
    _talk,
)
