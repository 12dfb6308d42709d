"""What is said of booked rentals: how they stand, what a change would do, what was done."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from frontend_contract.payloads import ClarifyingQuestionPayload, NoticePayload
from graph.cards import facts
from graph.cards.desk import ActionDraft, Desk, map_actions
from graph.cards.rentals import rental_card
from graph.replies import speech
from graph.replies.shop import shop_phone
from graph.replies.spans import day_of, span_of
from graph.replies.trouble import refusal_words
from graph.state import Json
from graph.tools import wire
from graph.writing.formats import clock_time

_CHANGES = {"pending": ("move", "extend", "cancel"), "confirmed": ("move", "extend", "cancel"), "active": ("extend",)}
"""Status -> what a customer may still ask for; the server decides."""


# ---- as it stands ------------------------------------------------------------------------------------


def say_let_go(desk: Desk, call_id: str) -> None:
    """Nothing was booked, and what is on offer is not booked either."""
    desk.say("text", desk.phrases.say("declined"), actions=speech.change_actions(), evidence=[call_id])


def say_none(desk: Desk, next_sentence: str, call_id: str) -> None:
    """No rental of this customer is known here; nothing is hinted about anybody else's."""
    phone = shop_phone(desk.context)
    text = desk.phrases.say("rentals.none" if phone else "rentals.none.bare", phone=phone, next=next_sentence)
    actions = [ActionDraft("call_operator", style="quiet", once=False)]
    known = [phone, desk.state.get("quote"), desk.state.get("booking")]
    desk.say("text", text, actions=actions, evidence=[call_id], facts=known)


def say_rental(desk: Desk, rental: wire.Rental, call_id: str, observed_at: datetime, leads_on: str) -> None:
    """One rental: what was booked, and what is recorded of it."""
    text = f"{_shown(desk, rental)} {_record(desk, rental)} {leads_on}"
    actions = [*change_actions(desk, rental), ActionDraft("call_operator", style="quiet", once=False)]
    known = [facts.dump(rental), shop_phone(desk.context), _local(rental, rental.created_at), desk.state.get("quote")]
    desk.say("text", text, actions=actions, evidence=[call_id], facts=known, observed_at=observed_at)


def say_more(desk: Desk, count: int) -> None:
    """There are more than were told."""
    desk.say("text", desk.phrases.say("rentals.more", count=count), facts=[count])


def change_actions(desk: Desk, rental: wire.Rental) -> list[ActionDraft]:
    """What can be asked for by a tap."""
    return [
        ActionDraft(
            "change_rental",
            {"kind": kind, "rental_uuid": rental.rental_uuid},
            target=kind,
            style="quiet",
            once=False,
            label=desk.phrases.say(f"action.change_rental.{kind}"),
        )
        for kind in _CHANGES.get(rental.status, ())
    ]


def _shown(desk: Desk, rental: wire.Rental) -> str:
    return desk.phrases.say(
        "booking.shown",
        order=rental.order_number,
        vehicle=rental.vehicle.name,
        start=day_of(desk, rental.period.start),
        end=day_of(desk, rental.period.end),
        total=desk.money(rental.total),
    )


def _record(desk: Desk, rental: wire.Rental) -> str:
    """What is recorded, with its time; "not recorded" is not "did not happen"."""
    now = desk.context.clock()
    key = f"rental.record.{rental.status}"
    if rental.status == "confirmed" and now >= rental.pickup_at:
        key = "rental.record.confirmed.late"
    if rental.status == "active" and now >= rental.return_at:
        key = "rental.record.active.late"
    phone = shop_phone(desk.context)
    ask = desk.phrases.say("company.call" if phone else "company.write", phone=phone)
    return desk.phrases.say(
        key,
        requested=day_of(desk, _local(rental, rental.created_at).date()),
        pickup=clock_time(_local(rental, rental.pickup_at), desk.lang),
        back=clock_time(_local(rental, rental.return_at), desk.lang),
        office=rental.office.name,
        ask=ask,
    )


def _local(rental: wire.Rental, moment: datetime) -> datetime:
    return moment.astimezone(ZoneInfo(rental.period.timezone))


# ---- a change, told ------------------------------------------------------------------------------------


def say_preview(desk: Desk, told: wire.RentalChange, change: Json, call_id: str, *, reason: str) -> None:
    """Tell what the change does, with the shop's policy, and ask. `reason`: stale_version or price_changed."""
    kind: str = change["kind"]
    sentences = [desk.phrases.say(f"change.again.{reason}")] if reason else []
    sentences += [_what(desk, told, kind), *(_cancel_terms(desk, told) if kind == "cancel" else [_price(desk, told)])]
    sentences.append(desk.phrases.say(f"next.confirm_change.{kind}"))
    actions = [
        ActionDraft(
            "confirm_change",
            {"mark": change["mark"]},
            target=kind,
            style="danger" if kind == "cancel" else "primary",
            label=desk.phrases.say(f"action.confirm_change.{kind}"),
        ),
        ActionDraft(
            "keep_rental", {"mark": change["mark"]}, style="quiet", label=desk.phrases.say("action.keep_rental")
        ),
    ]
    payload = ClarifyingQuestionPayload(slot="other", options=[], confidence=1.0)
    known = [facts.dump(told), *_local_times(told)]
    text = " ".join(sentences)
    desk.say("clarifying_question", text, payload, actions=actions, evidence=[call_id], facts=known)


def _what(desk: Desk, told: wire.RentalChange, kind: str) -> str:
    rental = told.rental
    return desk.phrases.say(
        f"change.told.{kind}",
        order=rental.order_number,
        vehicle=rental.vehicle.name,
        old=span_of(desk, told.old_period),
        new=span_of(desk, told.new_period),
        end=day_of(desk, told.new_period.end),
        days=desk.phrases.say("days", count=told.new_period.days),
    )


def _price(desk: Desk, told: wire.RentalChange) -> str:
    difference = told.difference
    key = "more" if difference.minor > 0 else "less" if difference.minor < 0 else "same"
    amount = difference.model_copy(update={"minor": abs(difference.minor)})
    return desk.phrases.say(f"change.price.{key}", total=desk.money(told.new_total), amount=desk.money(amount))


def _cancel_terms(desk: Desk, told: wire.RentalChange) -> list[str]:
    terms = told.cancellation
    sentences = [_fee(desk, told, terms.fee if terms else None)]
    if terms and terms.policy:
        sentences.append(desk.phrases.say("change.policy", policy=terms.policy))
    return sentences


def _fee(desk: Desk, told: wire.RentalChange, fee: wire.MoneyWire | None) -> str:
    if fee is None:
        return desk.phrases.say("change.fee.unknown")
    if fee.minor:
        return desk.phrases.say("change.fee", fee=desk.money(fee))
    until = told.cancellation.free_until if told.cancellation else None
    if until is None:
        return desk.phrases.say("change.fee.free")
    local = _local(told.rental, until)
    day, time = day_of(desk, local.date()), clock_time(local, desk.lang)
    return desk.phrases.say("change.fee.free_until", day=day, time=time)


def _local_times(told: wire.RentalChange) -> list[datetime]:
    until = told.cancellation.free_until if told.cancellation else None
    return [_local(told.rental, until)] if until else []


# ---- a change, done or not -----------------------------------------------------------------------------


def say_done(desk: Desk, done: wire.RentalChange, call_id: str, lead: str) -> None:
    """Say what was done, with the rental as it is now. `lead`: back to what is still open, where anything is."""
    rental, phrases = done.rental, desk.phrases
    words: dict[str, Any] = {"order": rental.order_number, "vehicle": rental.vehicle.name}
    text = phrases.say(
        f"change.done.{done.kind}",
        **words,
        new=span_of(desk, done.new_period),
        end=day_of(desk, done.new_period.end),
        total=desk.money(done.new_total),
    )
    if done.kind == "cancel" and rental.cancel_fee and rental.cancel_fee.minor:
        text = f"{text} {phrases.say('change.done.fee', fee=desk.money(rental.cancel_fee))}"
    lead = lead or phrases.say("next.start" if done.kind == "cancel" else "change.done.next")
    actions = [*change_actions(desk, rental), *map_actions([rental.office])]
    desk.say(
        "confirmation",
        f"{text} {lead}",
        rental_card(desk.context, rental),
        actions=actions,
        evidence=[call_id],
        facts=[facts.dump(done)],
        observed_at=done.observed_at,
        replaces=False,
    )


def taken(desk: Desk, rental: wire.Rental, error: wire.ToolError | None) -> str:
    """The sentence for a vehicle that is not free for the new dates; the old ones still hold."""
    found = (error.facts.get("conflicting_rentals") if error else None) or []
    spans = [(date.fromisoformat(c["start"]), date.fromisoformat(c["end"])) for c in found if "start" in c]
    if len(spans) != 1:
        return desk.phrases.say("change.taken.many", vehicle=rental.vehicle.name)
    start, end = (day_of(desk, value) for value in spans[0])
    return desk.phrases.say("change.taken", vehicle=rental.vehicle.name, start=start, end=end)


def refused(desk: Desk, error: wire.ToolError | None) -> str:
    """The shop's rule against the new dates."""
    refusal = wire.RuleRefusal.model_validate(error.facts["refusal"]) if error else None
    return refusal_words(desk, refusal) if refusal else ""


def not_longer(desk: Desk, rental: wire.Rental) -> str:
    """An extension has to end later."""
    return desk.phrases.say("change.not_longer", end=day_of(desk, rental.period.end))


def say_not_changeable(desk: Desk, rental: wire.Rental, error: wire.ToolError | None, kind: str, call_id: str) -> None:
    """Why it stays as it is, and who can decide more."""
    reason = str(error.facts.get("reason", "status")) if error else "status"
    key = f"change.not_changeable.{reason if reason in {'pickup_passed', 'same_dates'} else 'status'}"
    phone = shop_phone(desk.context)
    ask = desk.phrases.say("company.call" if phone else "company.write", phone=phone)
    text = desk.phrases.say(key, order=rental.order_number, ask=ask)
    payload = NoticePayload(code="not_supported", severity="warning")
    others = [action for action in change_actions(desk, rental) if action.target != kind]
    actions = [*others, ActionDraft("call_operator", style="quiet", once=False)]
    desk.say("notice", text, payload, actions=actions, evidence=[call_id], facts=[rental.order_number, phone])
