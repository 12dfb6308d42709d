"""Collects what is missing, shows the review, and makes the rental that the customer confirmed.

A rental is created only here, only from a quote of this conversation, and only on the customer's own confirm.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from langgraph.runtime import Runtime
from langgraph.types import Command

from frontend_contract.facts import ContactMasked, Money, Period, VehicleFacts
from frontend_contract.payloads import BookingReviewPayload, ContactRequestPayload, NoticePayload
from graph.after_sale.own_rentals import show_rentals, tell_change
from graph.after_sale.rental_changes import confirm_change
from graph.cards import facts
from graph.cards.desk import ActionDraft, Desk, map_actions
from graph.cards.rentals import rental_card, rental_facts
from graph.context import RunContext
from graph.policy.slots import missing_contact
from graph.replies.next_step import next_step
from graph.replies.spans import day_of
from graph.replies.trouble import say_trouble
from graph.state import DialogState, Json
from graph.tools import wire
from graph.tools.gateway import ToolResult
from graph.writing.formats import clock_time


async def booking(state: DialogState, runtime: Runtime[RunContext]) -> Command[str]:
    """Go one step towards the rental: contact, review, or the commit itself."""
    context = runtime.context
    step = state["agenda"][0]
    desk = Desk.open(state, context, "booking")
    if step.get("task"):
        return await _after_sale(state, desk, step)
    quote_uuid = step.get("quote_uuid") or state.get("quote", {}).get("quote_uuid")
    booked = state.get("booking", {})
    if step.get("confirmed") and booked.get("quote_uuid") and quote_uuid in {None, booked["quote_uuid"]}:
        return await _commit(state, desk, booked["quote_uuid"], booked["client"])
    pending = state.get("pending_commit", {})
    if step.get("confirmed") and pending and quote_uuid in {None, pending["quote_uuid"]}:
        # Nobody knows whether it went through: the same key and words finish it or find it.
        return await _commit(state, desk, pending["quote_uuid"], pending["client"])
    quote = state.get("quote", {})
    if not quote or quote_uuid != quote.get("quote_uuid"):
        # An older card's button: its quote is not the open one, so there is nothing to confirm.
        return _old_button(state, desk)
    if _has_ended(quote, context):
        return _requote(desk, {"expired": True})
    need = missing_contact(state.get("client", {}))
    if need or step.get("reason"):
        return _ask_contact(
            state, desk, need or ["phone"], step.get("reason", "booking"), again=bool(step.get("again"))
        )
    seen = step.get("contact", _contact_mark(quote.get("reviewed", {})))
    if not step.get("confirmed") or seen != _contact_mark(_claim(state)):
        # Also when name or phone changed since the review: nothing is booked that was not shown.
        return await _review(state, desk)
    context.on_status("booking", "booking")
    return await _commit(state, desk, quote["quote_uuid"], _claim(state))


async def _after_sale(state: DialogState, desk: Desk, step: Json) -> Command[str]:
    match step["task"]:
        case "change":
            return await tell_change(state, desk, step["want"])
        case "confirm_change":
            return await confirm_change(state, desk, step["mark"])
        case _:
            return await show_rentals(state, desk, step.get("said", {}))


def _has_ended(quote: Json, context: RunContext) -> bool:
    return datetime.fromisoformat(quote["expires_at"]) <= context.clock()


def _requote(desk: Desk, details: Json) -> Command[str]:
    """Something moved since the offer: a new quote and a new question, never a silent change."""
    update = {**desk.update(), "quote": {}, "pending_commit": {}, "agenda": [{"node": "pricing", **details}]}
    return Command(goto="pricing", update=update)


# ---- contact --------------------------------------------------------------------------------------


def _ask_contact(state: DialogState, desk: Desk, need: list[str], reason: str, *, again: bool = False) -> Command[str]:
    client = state.get("client", {})
    payload = ContactRequestPayload(
        need=need,
        have=_masked(client) if client.get("name") or client.get("phone") else None,
        reason=reason,
        phone_region=desk.context.company.phone_region,
    )
    actions = [ActionDraft("share_contact", style="primary", input="contact", once=False)]
    text = desk.phrases.say("contact.again") if again else _contact_words(desk, need, reason, client)
    desk.say("contact_request", text, payload, actions=actions, facts=[client, "+66"])
    kind = "contact" if len(need) > 1 else need[0]
    return _end(desk, {"open_question": {"kind": kind}, "phase": "confirming", "agenda": []})


def _contact_words(desk: Desk, need: list[str], reason: str, client: Json) -> str:
    phrases = desk.phrases
    if reason != "booking":
        return phrases.say(f"contact.{reason}")
    if len(need) > 1:
        return phrases.say("contact.both")
    if need == ["name"]:
        return phrases.say("contact.name")
    if client.get("first_name"):
        return phrases.say("contact.phone", name=client["first_name"])
    return phrases.say("contact.phone.bare")


def _masked(client: Json) -> ContactMasked:
    phone = client.get("phone")
    return ContactMasked(name=client.get("name") or None, phone=facts.mask_phone(phone) if phone else None)


# ---- review ------------------------------------------------------------------------------------------


async def _review(state: DialogState, desk: Desk) -> Command[str]:
    quote = state["quote"]
    context = desk.context
    held = await context.gateway.call("hold_vehicle", wire.HoldArgs(quote_uuid=quote["quote_uuid"]), wire.Hold)
    if held.error is not None and held.error.code == "dates_taken":
        return _lost(desk)
    payload = BookingReviewPayload(
        quote_ref=quote["quote_uuid"],
        vehicle=VehicleFacts.model_validate(quote["vehicle"]),
        period=Period.model_validate(quote["period"]),
        office=facts.office(_office(context, quote["office_slug"]), context.now_local()),
        contact=_masked(state["client"]),
        total=Money.model_validate(quote["total"]),
        deposit=Money.model_validate(quote["deposit"]) if quote.get("deposit") else None,
        expires_at=datetime.fromisoformat(quote["expires_at"]),
    )
    actions = [
        ActionDraft(
            "confirm_booking",
            {"quote_uuid": quote["quote_uuid"], "contact": _contact_mark(_claim(state))},
            style="primary",
            expires_at=payload.expires_at,
        ),
        ActionDraft("change_dates", style="quiet", input="dates", once=False),
        ActionDraft("change_contact", style="quiet", once=False),
        ActionDraft("cancel", style="quiet"),
    ]
    evidence = [held.call_id] if held.ok else []
    until = _held_until(held)
    desk.say("booking_review", _review_words(desk, until), payload, actions=actions, evidence=evidence, facts=[until])
    update = {
        "open_question": {"kind": "confirm_booking"},
        "quote": {**quote, "reviewed": _claim(state)},
        "phase": "confirming",
        "agenda": [],
    }
    return _end(desk, update)


def _held_until(held: ToolResult[wire.Hold]) -> datetime | None:
    """Until when the vehicle is kept, local; None where it is not, or where nobody answered."""
    hold = held.value
    if hold is None or not hold.held or hold.held_until is None:
        return None
    return hold.held_until.astimezone(ZoneInfo(hold.period.timezone))


def _review_words(desk: Desk, until: datetime | None) -> str:
    """Only a hold that the company gave is told as one; else the price is held, not the vehicle."""
    if until is None:
        return desk.phrases.say("review")
    return desk.phrases.say("review.held", time=clock_time(until, desk.lang))


def _lost(desk: Desk) -> Command[str]:
    """Somebody else was faster."""
    update = {**desk.update(), "quote": {}, "pending_commit": {}, "agenda": [{"node": "alternatives", "lost": True}]}
    return Command(goto="alternatives", update=update)


def _office(context: RunContext, slug: str) -> wire.Office:
    offices = context.offices.offices
    return next((office for office in offices if office.slug == slug), offices[0])


def _contact_mark(claim: Json) -> str:
    """A short mark of who is booked for, to see that it is still whom the review showed."""
    text = json.dumps([claim.get(key, "") for key in ("first_name", "last_name", "phone", "email")])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# ---- the commit ------------------------------------------------------------------------------------------


def _claim(state: DialogState) -> Json:
    client = state["client"]
    return {
        "first_name": client["first_name"],
        "last_name": client.get("last_name", ""),
        "phone": client["phone"],
        "email": client.get("email", ""),
        "language": state.get("lang", "en"),
    }


async def _commit(state: DialogState, desk: Desk, quote_uuid: str, claim: Json) -> Command[str]:
    context = desk.context
    arguments = wire.CreateRentalArgs(
        quote_uuid=quote_uuid,
        idempotency_key=context.derive_key("create_rental", quote_uuid),
        client=wire.ClientClaim.model_validate(claim),
    )
    result = await context.gateway.call("create_rental", arguments, wire.Rental)
    if result.value is not None:
        return _confirmed(state, desk, result, quote_uuid, claim)
    return _not_booked(state, desk, result, quote_uuid, claim)


def _confirmed(
    state: DialogState, desk: Desk, result: ToolResult[wire.Rental], quote_uuid: str, claim: Json
) -> Command[str]:
    assert result.value is not None  # noqa: S101 - told by the caller
    rental = result.value
    told = _was_told(state, quote_uuid)
    is_repeat = rental.idempotent and told
    another_is_open = rental.idempotent and state.get("quote", {}).get("quote_uuid") not in {None, quote_uuid}
    name = f"{claim['first_name']} {claim['last_name']}".strip()
    # "Done before" may speak of our own first try, whose answer was lost: the customer hears it now for the first time.
    rental = rental if told else rental.model_copy(update={"idempotent": False})
    payload = rental_card(desk.context, rental, _masked({"name": name, "phone": claim["phone"]}))
    desk.say(
        "confirmation",
        _confirmed_words(desk, rental),
        payload,
        actions=map_actions([rental.office]),
        evidence=[result.call_id],
        replaces=not (another_is_open or is_repeat),
    )
    remembered = {"booking": _remembered(rental, quote_uuid, claim, result.call_id), "pending_commit": {}, "agenda": []}
    if another_is_open or is_repeat:
        # A repeat of an older confirm: what has begun since then, an offer or a list, stays open.
        return _end(desk, remembered)
    wish = _next_of_several(state, rental)
    update = {
        **remembered,
        "quote": {},
        "search": {},
        "wish": wish,
        "rental_context": {},
        "shown": {},
        "open_question": {"kind": "none"},
        "phase": "booked",
    }
    if wish:
        step = {"node": "search", "page": 1, "next_of": True}
        return Command(goto="search", update={**desk.update(), **update, "agenda": [step]})
    return _end(desk, update)


def _was_told(state: DialogState, quote_uuid: str) -> bool:
    """Whether this customer was told before that this quote is booked."""
    return bool(state.get("booking", {}).get("quote_uuid") == quote_uuid)


def _next_of_several(state: DialogState, rental: wire.Rental) -> Json:
    """ "For two": the wish for the next one of the kind, once the first is booked; empty when that was all."""
    wish = state.get("wish", {})
    left = int(wish.get("quantity") or 1) - 1
    if left < 1 or rental.idempotent:
        return {}
    period = {"start": rental.period.start.isoformat(), "end": rental.period.end.isoformat()}
    return {**period, "category": rental.vehicle.category, "quantity": left, "sort": "price"}


def _confirmed_words(desk: Desk, rental: wire.Rental) -> str:
    if rental.status in {"cancelled", "rejected"}:
        return desk.phrases.say("confirmed.ended", order=rental.order_number)
    if rental.idempotent:
        return desk.phrases.say("confirmed.again", order=rental.order_number)
    pickup = rental.pickup_at.astimezone(ZoneInfo(rental.period.timezone))
    return desk.phrases.say(
        "confirmed.pending" if rental.status == "pending" else "confirmed",
        vehicle=rental.vehicle.name,
        start=day_of(desk, rental.period.start),
        time=clock_time(pickup, desk.lang),
        order=rental.order_number,
    )


def _remembered(rental: wire.Rental, quote_uuid: str, claim: Json, call_id: str) -> Json:
    return {**rental_facts(rental, call_id), "quote_uuid": quote_uuid, "client": claim}


def _not_booked(
    state: DialogState, desk: Desk, result: ToolResult[wire.Rental], quote_uuid: str, claim: Json
) -> Command[str]:
    error = result.error
    code = error.code if error else "internal"
    if code == "dates_taken":
        return _lost(desk)
    if code in {"quote_expired", "not_found"}:
        return _requote(desk, {"expired": True})
    if code in {"price_changed", "extra_gone", "period_refused"}:
        return _requote(desk, {"old_total": state.get("quote", {}).get("total")})
    # No answer is not a no: the same key makes a repeat safe, so the question stays open.
    say_trouble(desk, error, result.call_id, "booking.failed")
    return _end(desk, {"pending_commit": {"quote_uuid": quote_uuid, "client": claim}, "agenda": []})


def _old_button(state: DialogState, desk: Desk) -> Command[str]:
    text = desk.phrases.say("action.expired", next=next_step(desk, state))
    known = [state.get("quote"), state.get("booking")]
    desk.say("notice", text, NoticePayload(code="action_expired", severity="warning"), facts=known)
    return _end(desk, {"agenda": []})


def _end(desk: Desk, update: dict[str, Any]) -> Command[str]:
    return Command(goto="__end__", update={**desk.update(), **update})
