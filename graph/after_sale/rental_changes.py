"""Does the change of a rental that was told and confirmed, exactly once. Part of the booking node."""

from __future__ import annotations

from typing import Final

from langgraph.types import Command

from frontend_contract.payloads import NoticePayload
from graph.after_sale import own_rentals
from graph.after_sale.leaving import end
from graph.after_sale.own_rentals import change_arguments, change_key
from graph.cards.desk import Desk
from graph.cards.rentals import rental_facts
from graph.replies import rentals as words
from graph.replies.next_step import next_step
from graph.replies.trouble import say_trouble
from graph.state import DialogState, Json
from graph.tools import wire
from graph.tools.gateway import ToolResult

_TELL_ANEW: Final = frozenset({"stale_version", "price_changed"})


async def confirm_change(state: DialogState, desk: Desk, mark: str) -> Command[str]:
    """Do what the open question told; a button of another telling does nothing."""
    change = state.get("rental_change", {})
    if not mark or change.get("mark") != mark:
        text = desk.phrases.say("action.expired", next=next_step(desk, state))
        known = [state.get("quote"), state.get("booking"), change]
        desk.say("notice", text, NoticePayload(code="action_expired", severity="warning"), facts=known)
        return end(desk, {})
    desk.context.on_status("booking", "booking")
    arguments = change_arguments(change, change_key(desk, change))
    result = await own_rentals.call_change(desk, arguments, change["kind"])
    if result.value is not None:
        return _done(state, desk, result.value, change, result.call_id)
    return await _not_done(state, desk, result, change)


def _done(state: DialogState, desk: Desk, done: wire.RentalChange, change: Json, call_id: str) -> Command[str]:
    question = {"kind": "vehicle"} if state.get("wish") and state.get("shown", {}).get("items") else {"kind": "none"}
    lead = next_step(desk, {**state, "open_question": question}) if question["kind"] != "none" else ""
    words.say_done(desk, done, call_id, lead)
    update: Json = {"rental_change": {}, "open_question": question}
    booking = state.get("booking", {})
    if booking.get("rental_uuid") == change["rental_uuid"]:
        cancelled = done.rental.status == "cancelled"
        update["booking"] = {} if cancelled else {**booking, **rental_facts(done.rental, call_id)}
        if cancelled and state.get("phase") == "booked":
            update["phase"] = "searching"
    return end(desk, update)


async def _not_done(
    state: DialogState, desk: Desk, result: ToolResult[wire.RentalChange], change: Json
) -> Command[str]:
    error = result.error
    code = error.code if error else "internal"
    if code in _TELL_ANEW | {"dates_taken", "period_refused", "not_changeable"}:
        rental = next((r for r in await own_rentals.list_own(desk) if r.rental_uuid == change["rental_uuid"]), None)
        if rental is not None:
            want = {"kind": change["kind"], "rental_uuid": change["rental_uuid"]}
            if change["kind"] != "cancel":
                want |= {"start": change["new_start"], "end": change["new_end"]}
            # Told anew, asked anew: nothing is changed that the customer has not seen as it is now.
            return await own_rentals.preview(state, desk, rental, want, reason=code if code in _TELL_ANEW else "")
    if code in {"not_found", *_TELL_ANEW, "not_changeable"}:
        words.say_none(desk, next_step(desk, state), result.call_id)
        return end(desk, {"rental_change": {}, "open_question": {"kind": "none"}})
    # No answer is not a no: the same key makes a repeat safe, so the question stays open.
    say_trouble(desk, error, result.call_id, "change.unknown")
    return end(desk, {"rental_change": {**change, "pending": True}, "open_question": {"kind": "confirm_change"}})
