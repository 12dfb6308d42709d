"""One vehicle, and bookings that are talked about."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from frontend_contract.payloads import VehicleDetailPayload
from graph.cards import facts
from graph.cards.desk import ActionDraft
from graph.replies.shop import shop_phone
from graph.replies.spans import day_of
from graph.replies.speech import Speech, person_action
from graph.state import Json
from graph.tools import wire


async def vehicle_detail(speech: Speech, saying: Json) -> None:
    """One vehicle in full."""
    context = speech.desk.context
    wish = speech.channels.get("wish") or {}
    today = context.now_local().date()
    start = date.fromisoformat(wish["start"]) if wish.get("start") and wish.get("end") else today
    end = date.fromisoformat(wish["end"]) if wish.get("start") and wish.get("end") else today + timedelta(days=1)
    arguments = wire.VehiclePeriodArgs(vehicle_uuid=saying["vehicle_uuid"], start=start, end=end)
    result = await context.gateway.call("availability", arguments, wire.Availability)
    if result.value is None:
        speech.notice("not_found", speech.desk.phrases.say("action.expired", next=speech.next), facts=speech.open_facts)
        return
    found = result.value
    payload = VehicleDetailPayload(
        vehicle=facts.vehicle(found.vehicle, available=found.available), details=found.vehicle.details
    )
    arguments_of = {"vehicle_uuid": found.vehicle.uuid, "name": found.vehicle.name}
    actions = [ActionDraft("select_vehicle", arguments_of, target=found.vehicle.uuid, style="primary")]
    text = speech.returning(speech.desk.phrases.say("vehicle.detail", vehicle=found.vehicle.name))
    evidence = [result.call_id]
    speech.desk.say("vehicle_detail", text, payload, actions=actions, evidence=evidence, facts=speech.open_facts)


async def pending(speech: Speech, _saying: Json) -> None:
    """The outcome of a booking is not known yet."""
    phone = shop_phone(speech.desk.context)
    text = speech.desk.phrases.say("booking.pending", phone=phone or "…")
    speech.notice("unavailable", text, severity="problem", facts=[phone], actions=[person_action()])


async def change_pending(speech: Speech, _saying: Json) -> None:
    """The outcome of a change is not known yet."""
    change, phone = speech.channels.get("rental_change") or {}, shop_phone(speech.desk.context)
    phrases = speech.desk.phrases
    ask = phrases.say("company.call" if phone else "company.write", phone=phone)
    text = phrases.say("change.pending", order=change["order_number"], ask=ask)
    speech.notice("unavailable", text, severity="problem", facts=[change, phone], actions=[person_action()])


async def change_kept(speech: Speech, saying: Json) -> None:
    """A change was not wanted after all: what stands."""
    text = speech.desk.phrases.say("change.kept", **_booked(speech, saying))
    speech.desk.say("text", text, actions=[_change(speech, saying, kind) for kind in _KINDS], facts=[saying])


async def booking_stands(speech: Speech, _saying: Json) -> None:
    """A no after a booking: what stands, and what can be done with it."""
    booking = speech.channels.get("booking") or {}
    text = speech.desk.phrases.say("booking.stands", **_booked(speech, booking))
    speech.desk.say("text", text, actions=[_change(speech, booking, kind) for kind in _KINDS], facts=[booking])


_KINDS = ("move", "extend", "cancel")


def _booked(speech: Speech, rental: Json) -> dict[str, Any]:
    start, end = (day_of(speech.desk, date.fromisoformat(rental[key])) for key in ("start", "end"))
    return {"order": rental["order_number"], "vehicle": rental["vehicle_name"], "start": start, "end": end}


def _change(speech: Speech, rental: Json, kind: str) -> ActionDraft:
    arguments = {"kind": kind, "rental_uuid": rental["rental_uuid"]}
    label = speech.desk.phrases.say(f"action.change_rental.{kind}")
    return ActionDraft("change_rental", arguments, target=kind, style="quiet", once=False, label=label)
