"""After the sale: look at, move, extend or cancel what is booked. Decides what is asked for; the node finds the rental.

Nothing here changes a rental. A change is told first; only a plain yes to that question, or its button, does it.
"""

from __future__ import annotations

from typing import Final

from graph.policy import slots
from graph.policy.plan import Plan
from graph.policy.references import resolve
from graph.policy.turn import Turn
from graph.policy.which_rental import fits_any, narrowed, said_of_rental
from graph.policy.wishes import fill_slots
from graph.state import Json
from graph.understanding.clauses import Clause, clauses_of, folded_text

CHANGE_QUESTIONS: Final = frozenset({"confirm_change", "rental_dates"})
"""Open questions under which bare dates are a booking's."""


def unknown_outcome(turn: Turn) -> bool:
    """A confirm whose outcome nobody knows: a yes or a look finishes or finds it, a no is not told "nothing booked"."""
    plan = turn.plan
    if plan.get("pending_commit"):
        if turn.wants("show_booking"):
            plan.step("booking", confirmed=True)
            return True
        if turn.wants("deny", "cancel_booking", "change_booking"):
            plan.say("pending")
            return True
    elif plan.get("rental_change", {}).get("pending") and turn.wants("deny"):
        plan.say("change_pending")
        return True
    return False


def open_change(turn: Turn) -> bool:
    """An answer to a change that was told: yes, no, or other dates for the same booking."""
    plan, change = turn.plan, turn.plan.get("rental_change", {})
    if plan.question not in CHANGE_QUESTIONS or not change:
        return False
    if turn.names_a_vehicle or turn.wants("search"):
        # A new wish, not an answer: the change is dropped, so that no later yes can mean it.
        _let_go(plan)
        return False
    if turn.u.dates is not None and turn.u.dates.status not in {"ambiguous", "refused"}:
        kind = change["kind"] if change["kind"] != "cancel" else "move"
        step_change(plan, {"kind": kind, "rental_uuid": change["rental_uuid"], **_period(turn)})
        return True
    if plan.question == "confirm_change" and turn.wants("confirm") and turn.u.reference is None:
        plan.step("booking", task="confirm_change", mark=change["mark"])
        return True
    if turn.wants("deny") and not turn.wants("cancel_booking"):
        keep(plan)
        return True
    return False


def pick_rental(turn: Turn) -> bool:
    """An answer to "which of your bookings?": a position, a name, a number, its kind, colour or time."""
    question = turn.plan.get("open_question", {})
    if turn.plan.question != "rental":
        return False
    rentals: list[Json] = question.get("rentals", [])
    named = named_by_order(rentals, turn.text)
    if named is None:
        found = resolve({"items": rentals}, turn.u)
        named = found.items[0] if found.kind == "one" else None
    said = said_of_rental(turn, with_days=True)
    if named is None and _is_new_wish(turn, rentals, said):
        return False
    meant = [named] if named is not None else narrowed(rentals, said)
    want = {"rental_uuid": meant[0]["rental_uuid"]} if len(meant) == 1 else {"said": said}
    step_change(turn.plan, {**question["want"], **want})
    return True


def _is_new_wish(turn: Turn, rentals: list[Json], said: Json) -> bool:
    """Nothing that was said is true of a booking, or its days are not: "a boat 5-6 August"."""
    when = {key: value for key, value in said.items() if key in {"start", "day", "months"}}
    days_of_none = "start" in said and not fits_any(rentals, when)
    asks = turn.wants("ask_company", "ask_price", "more", "show_booking", "cancel_booking", "extend_booking")
    return asks or days_of_none or not fits_any(rentals, said)


def own_rentals(turn: Turn) -> bool:
    """The wish to see or change a booking, from its words, or from bare dates right after a booking."""
    plan = turn.plan
    if turn.wants("cancel_booking") and _wishes_anew(turn):
        _cancel_and_search(turn)
    elif turn.wants("cancel_booking") or (turn.wants("deny") and _names_booking(turn)):
        step_change(plan, {"kind": "cancel", **_which(turn, with_days=True)})
    elif turn.wants("extend_booking"):
        step_change(plan, {"kind": "extend", **_which(turn), **_period(turn)})
    elif turn.wants("change_booking") or _bare_dates(turn):
        step_change(plan, {"kind": "move", **_which(turn), **_new_dates(turn)})
    elif turn.wants("deny") and turn.only_booked:
        # "Cancel": never "I have not booked anything" when something is.
        plan.say("booking_stands")
    elif turn.wants("show_booking"):
        plan.step("booking", task="show", **_which(turn, with_days=True))
    else:
        return False
    return True


def keep(plan: Plan) -> None:
    """Leave the booking as it is."""
    plan.say("change_kept", **plan.get("rental_change", {}))
    _let_go(plan)


def step_change(plan: Plan, want: Json) -> None:
    """Let the booking node find the rental and tell what the change would do."""
    plan.step("booking", task="change", want=want)


def named_by_order(rentals: list[Json], text: str) -> Json | None:
    """The rental whose order number stands in the customer's words."""
    said = _plain(text)
    return next((rental for rental in rentals if (order := _plain(rental["order_number"])) and order in said), None)


def _plain(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def _let_go(plan: Plan) -> None:
    plan.set("rental_change", {})
    plan.set("open_question", {"kind": "none"})


def _bare_dates(turn: Turn) -> bool:
    """After a booking, bare new dates mean the booking, not a new wish."""
    dates = turn.u.dates is not None and turn.u.dates.status not in {"ambiguous", "refused"}
    only_booked = turn.plan.get("phase") == "booked" and not turn.plan.get("wish")
    return only_booked and dates and not turn.names_a_vehicle and not turn.wants("search", "ask_price")


def _names_booking(turn: Turn) -> bool:
    """The order number or the vehicle of the booking stands beside a no."""
    booking = turn.plan.get("booking", {})
    if not booking.get("order_number"):
        return False
    name = str(booking.get("vehicle_name", "")).casefold()
    return named_by_order([booking], turn.text) is not None or bool(turn.u.model and turn.u.model.casefold() in name)


def _which(turn: Turn, *, with_days: bool = False) -> Json:
    """What the words say about which booking is meant."""
    said = said_of_rental(turn, with_days=with_days)
    return {"said": said} if said else {}


def _new_dates(turn: Turn) -> Json:
    """New dates of a booking; a length alone says nothing where it is not known which booking it would change."""
    period = _period(turn)
    is_known = bool(turn.plan.get("booking")) or turn.wants("change_booking")
    return period if is_known or "days" not in period else {}


def _period(turn: Turn) -> Json:
    reading = turn.u.dates
    if reading is None:
        return {}
    if reading.status == "range" and reading.start and reading.end:
        return {"start": reading.start.isoformat(), "end": reading.end.isoformat()}
    if reading.status == "start" and reading.start:
        return {"start": reading.start.isoformat()}
    return {"days": reading.days} if reading.status == "duration" and reading.days else {}


def _wishes_anew(turn: Turn) -> bool:
    """ "Cancel my booking and show me boats 5-6 July": a vehicle with a period, in another clause than the first."""
    reading = turn.u.dates
    if reading is None or reading.status != "range" or not turn.names_a_vehicle:
        return False
    phrase = folded_text(reading.phrase, turn.lang)
    return bool(phrase) and any(phrase in clause.text for clause in _clauses(turn)[1:])


def _cancel_and_search(turn: Turn) -> None:
    """Both: what is free is shown first, so that the question about the booking is the one that is open."""
    plan, u = turn.plan, turn.u
    head = _clauses(turn)[0].text
    of_booking = {key: name for key in ("model", "brand") if (name := getattr(u, key)) and name.casefold() in head}
    turn.u = u.model_copy(update={**dict.fromkeys(of_booking), "reference": None})
    fill_slots(turn)
    slots.drop_vehicle(plan)
    plan.step("search", page=1)
    step_change(plan, {"kind": "cancel", **({"said": of_booking} if of_booking else {})})


def _clauses(turn: Turn) -> tuple[Clause, ...]:
    return clauses_of(turn.text, turn.lang)
