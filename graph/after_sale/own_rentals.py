"""After the sale: shows the customer's own rentals and tells what a change would do. Part of the booking node.

Whose rentals they are is the server's word: only those of this chat, or of the client that the channel vouches for.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, Final

from langgraph.types import Command

from frontend_contract.payloads import ClarifyingQuestionPayload, QuestionOption
from graph.after_sale.leaving import end
from graph.cards import facts
from graph.cards.desk import ActionDraft, Desk
from graph.cards.rentals import rental_facts, rental_item
from graph.context import RunContext
from graph.policy.own_rentals import named_by_order
from graph.policy.which_rental import narrowed
from graph.replies import rentals as words
from graph.replies.next_step import next_step
from graph.replies.trouble import say_trouble
from graph.state import DialogState, Json
from graph.tools import wire
from graph.tools.gateway import ToolResult
from graph.writing.formats import listed

_SHOWN: Final = 5
"""Bookings that are told one by one."""
_MAX_OPTIONS: Final = 8
_OFFERED: Final = frozenset({"accept_quote", "contact", "name", "phone", "confirm_booking"})
"""What is open while a vehicle is on offer and not yet booked."""


async def show_rentals(state: DialogState, desk: Desk, said: Json) -> Command[str]:
    """Tell each rental that fits what was said, with what is recorded of it."""
    result = await _list(desk)
    if result.value is None:
        say_trouble(desk, result.error, result.call_id)
        return end(desk, {})
    rentals = _fitting(result.value.rentals, said, str(state["inbound"].get("text", "")))
    if not rentals:
        words.say_none(desk, next_step(desk, state), result.call_id)
        return end(desk, {})
    told = rentals[:_SHOWN]
    for number, rental in enumerate(told, start=1):
        leads_on = _lead(state, desk) if number == len(rentals) else ""
        words.say_rental(desk, rental, result.call_id, result.value.observed_at, leads_on)
    if len(rentals) > _SHOWN:
        words.say_more(desk, len(rentals) - _SHOWN)
    return end(desk, _found_again(state, rentals[0], result.call_id) if len(rentals) == 1 else {})


def _lead(state: DialogState, desk: Desk) -> str:
    """The open question again, else that anything may be changed."""
    is_open = state.get("open_question", {}).get("kind", "none") != "none"
    return next_step(desk, state) if is_open else desk.phrases.say("change.done.next")


async def tell_change(state: DialogState, desk: Desk, want: Json) -> Command[str]:
    """Find the rental that is meant, and tell what the change would do; changes nothing."""
    result = await _list(desk)
    if result.value is None:
        say_trouble(desk, result.error, result.call_id)
        return end(desk, {})
    meant = _meant(result.value.rentals, want, str(state["inbound"].get("text", "")))
    if not meant and want["kind"] == "cancel" and state.get("open_question", {}).get("kind") in _OFFERED:
        # Nothing is booked, so it is the offer that is called off: a yes behind this must not book it.
        words.say_let_go(desk, result.call_id)
        return end(desk, {"rental_change": {}, "open_question": {"kind": "none"}})
    if not meant:
        words.say_none(desk, next_step(desk, state), result.call_id)
        return end(desk, {"rental_change": {}})
    if len(meant) > 1:
        return _ask_which(desk, meant, want, result.call_id)
    rental = meant[0]
    if want["kind"] != "cancel" and not _new_period(rental, want):
        return ask_rental_dates(desk, rental, want)
    return await preview(state, desk, rental, want)


async def preview(state: DialogState, desk: Desk, rental: wire.Rental, want: Json, *, reason: str = "") -> Command[str]:
    """Ask the server what the change would do, tell it, and ask for the yes. `reason`: why it is told anew."""
    period = _new_period(rental, want)
    if period is not None and want["kind"] == "extend" and period[1] <= rental.period.end:
        return ask_rental_dates(desk, rental, want, because=words.not_longer(desk, rental))
    kind = _kind(rental, period)
    result = await call_change(desk, _arguments(kind, rental.rental_uuid, period, preview=True), kind)
    if result.value is None:
        return _not_possible(state, desk, result, rental, want)
    change = _remembered(desk, kind, result.value)
    words.say_preview(desk, result.value, change, result.call_id, reason=reason)
    question = {"kind": "confirm_change"}
    return end(
        desk, {"rental_change": change, "open_question": question, **_found_again(state, rental, result.call_id)}
    )


def ask_rental_dates(desk: Desk, rental: wire.Rental, want: Json, *, because: str = "") -> Command[str]:
    """Ask for the new dates of a rental. `because`: a sentence that comes before."""
    want = {"kind": want["kind"], "rental_uuid": rental.rental_uuid}
    text = desk.phrases.say(f"change.dates.{want['kind']}", order=rental.order_number, vehicle=rental.vehicle.name)
    actions = [ActionDraft("change_dates", {"want": want}, input="dates", once=False)]
    payload = ClarifyingQuestionPayload(slot="dates", options=[], confidence=0.0)
    known = [facts.dump(rental), because]
    desk.say("clarifying_question", f"{because} {text}".strip(), payload, actions=actions, facts=known)
    change = {**rental_facts(rental, ""), **want, "mark": ""}
    return end(desk, {"rental_change": change, "open_question": {"kind": "rental_dates"}})


async def call_change(desk: Desk, arguments: wire.Wire, kind: str) -> ToolResult[wire.RentalChange]:
    """Call the tool of a kind of change."""
    return await desk.context.gateway.call(f"{kind}_rental", arguments, wire.RentalChange)


def change_arguments(change: Json, key: str) -> wire.Wire:
    """The change itself, exactly as it was told: version and expected amounts go along."""
    told: Json = {"idempotency_key": key, "version": change["version"]}
    if change.get("expected_minor") is not None:
        told["expected_fee_minor" if change["kind"] == "cancel" else "expected_total_minor"] = change["expected_minor"]
    period = (date.fromisoformat(change["new_start"]), date.fromisoformat(change["new_end"]))
    return _arguments(change["kind"], change["rental_uuid"], period, preview=False, **told)


def _arguments(
    kind: str, rental_uuid: str, period: tuple[date, date] | None, *, preview: bool, **told: Any
) -> wire.Wire:
    common = {"rental_uuid": rental_uuid, "preview": preview, **told}
    if kind == "cancel" or period is None:
        return wire.CancelRentalArgs.model_validate(common)
    if kind == "extend":
        return wire.ExtendRentalArgs.model_validate({**common, "end": period[1]})
    return wire.MoveRentalArgs.model_validate({**common, "start": period[0], "end": period[1]})


async def list_own(desk: Desk) -> tuple[wire.Rental, ...]:
    """The customer's rentals that are to come or run; empty where nobody answers."""
    result = await _list(desk)
    return result.value.rentals if result.value else ()


async def _list(desk: Desk) -> ToolResult[wire.OwnRentals]:
    return await desk.context.gateway.call("list_rentals", wire.ListRentalsArgs(), wire.OwnRentals)


def _meant(rentals: tuple[wire.Rental, ...], want: Json, text: str) -> list[wire.Rental]:
    """Those that the words can mean: a known id, else what fits what was said."""
    if want.get("rental_uuid"):
        return [rental for rental in rentals if rental.rental_uuid == want["rental_uuid"]]
    return _fitting(rentals, want.get("said", {}), text)


def _fitting(rentals: tuple[wire.Rental, ...], said: Json, text: str) -> list[wire.Rental]:
    """By order number, else by what is said of vehicle and time; all where nothing tells."""
    items = [rental_item(rental) for rental in rentals]
    numbered = named_by_order(items, text)
    meant = {item["rental_uuid"] for item in ([numbered] if numbered else narrowed(items, said))}
    return [rental for rental in rentals if rental.rental_uuid in meant]


def _ask_which(desk: Desk, rentals: list[wire.Rental], want: Json, call_id: str) -> Command[str]:
    wanted = {key: value for key, value in want.items() if key in {"kind", "start", "end", "days"}}
    offered = rentals[:_MAX_OPTIONS]
    options = [
        QuestionOption(ref=r.rental_uuid, vehicle=facts.vehicle(r.vehicle), period=facts.period(r.period))
        for r in offered
    ]
    actions = [
        ActionDraft("select_option", {"want": {**wanted, "rental_uuid": r.rental_uuid}}, target=r.rental_uuid)
        for r in offered
    ]
    payload = ClarifyingQuestionPayload(slot="other", options=options, confidence=0.5)
    orders = listed([rental.order_number for rental in offered], desk.lang)
    text = desk.phrases.say(f"change.which.{want['kind']}", orders=orders)
    desk.say("clarifying_question", text, payload, actions=actions, evidence=[call_id], facts=[orders])
    question = {"kind": "rental", "rentals": [rental_item(rental) for rental in offered], "want": wanted}
    return end(desk, {"open_question": question})


def _new_period(rental: wire.Rental, want: Json) -> tuple[date, date] | None:
    """The dates that are wished for a rental: both, a new first day, so many days more, or a new length."""
    start, end_day = rental.period.start, rental.period.end
    if want["kind"] == "extend":
        if want.get("days"):
            return start, end_day + timedelta(days=int(want["days"]))
        wished = want.get("end") or want.get("start")  # "until the 30th" names one day
        return (start, date.fromisoformat(wished)) if wished else None
    if want.get("start") and want.get("end"):
        return date.fromisoformat(want["start"]), date.fromisoformat(want["end"])
    if want.get("start"):
        moved = date.fromisoformat(want["start"])
        return moved, moved + (end_day - start)
    return (start, start + timedelta(days=int(want["days"]))) if want.get("days") else None


def _kind(rental: wire.Rental, period: tuple[date, date] | None) -> str:
    if period is None:
        return "cancel"
    longer = period[0] == rental.period.start and period[1] > rental.period.end
    return "extend" if longer else "move"


def _remembered(desk: Desk, kind: str, told: wire.RentalChange) -> Json:
    """What was told, and a mark of it: the yes means exactly this."""
    fee = told.cancellation.fee if told.cancellation else None
    expected = told.new_total.minor if kind != "cancel" else (fee.minor if fee else None)
    rental, new = told.rental, told.new_period
    change = {
        **rental_facts(rental, ""),
        "kind": kind,
        "version": rental.version,
        "new_start": new.start.isoformat(),
        "new_end": new.end.isoformat(),
        "expected_minor": expected,
    }
    return {**change, "mark": change_key(desk, change)[:16]}


def change_key(desk: Desk, change: Json) -> str:
    """The idempotency key of one told change: the same change, told the same, has the same key."""
    parts = ("kind", "rental_uuid", "version", "new_start", "new_end", "expected_minor")
    return desk.context.derive_key("change_rental", *(str(change[part]) for part in parts))


def _not_possible(
    state: DialogState, desk: Desk, result: ToolResult[wire.RentalChange], rental: wire.Rental, want: Json
) -> Command[str]:
    error = result.error
    code = error.code if error else "internal"
    if code == "dates_taken":
        return ask_rental_dates(desk, rental, want, because=words.taken(desk, rental, error))
    if code == "period_refused":
        return ask_rental_dates(desk, rental, want, because=words.refused(desk, error))
    if code == "invalid_arguments":
        return ask_rental_dates(desk, rental, want, because=words.not_longer(desk, rental))
    if code == "not_changeable":
        words.say_not_changeable(desk, rental, error, want["kind"], result.call_id)
        return end(desk, {"rental_change": {}, "open_question": {"kind": "none"}})
    if code == "not_found":
        words.say_none(desk, next_step(desk, state), result.call_id)
        return end(desk, {"rental_change": {}})
    say_trouble(desk, error, result.call_id)
    return end(desk, {})


def _found_again(state: DialogState, rental: wire.Rental, call_id: str) -> Json:
    """The booking as the server knows it, where the passport has none or an older look at it."""
    booking = state.get("booking", {})
    if booking and booking.get("rental_uuid") != rental.rental_uuid:
        return {}
    return {
        "booking": {**booking, **rental_facts(rental, call_id)},
        **({} if state.get("wish") else {"phase": "booked"}),
    }


async def known_again(context: RunContext) -> Json:
    """What the business knows of a conversation whose passport is gone: that something is booked, and what, if one."""
    result = await context.gateway.call("list_rentals", wire.ListRentalsArgs(), wire.OwnRentals)
    if result.value is None or not result.value.rentals:
        return {}
    rentals = result.value.rentals
    return {"phase": "booked", **({"booking": rental_facts(rentals[0], result.call_id)} if len(rentals) == 1 else {})}
