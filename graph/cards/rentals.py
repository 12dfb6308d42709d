"""A booked rental as a card, and as what the passport keeps of it."""

from __future__ import annotations

from frontend_contract.facts import ContactMasked
from frontend_contract.payloads import ConfirmationPayload
from graph.cards import facts
from graph.context import RunContext
from graph.state import Json
from graph.tools import wire


def rental_card(context: RunContext, rental: wire.Rental, contact: ContactMasked | None = None) -> ConfirmationPayload:
    """The rental as it is in the database. `contact` where this chat knows more than the first name."""
    return ConfirmationPayload(
        rental_ref=rental.rental_uuid,
        order_number=rental.order_number,
        rental_status=rental.status,
        vehicle=facts.vehicle(rental.vehicle),
        period=facts.period(rental.period, rental.pickup_at, rental.return_at),
        office=facts.office(rental.office, context.now_local()),
        contact=contact or ContactMasked(name=rental.client_first_name or None),
        total=facts.money(rental.total),
        deposit=facts.maybe_money(rental.deposit),
        bring=context.company.house_rules.get("documents", ""),
        idempotent=rental.idempotent,
    )


def rental_facts(rental: wire.Rental, call_id: str) -> Json:
    """What the passport keeps, so that "a week later" and "see you on" can be said."""
    return {
        "rental_uuid": rental.rental_uuid,
        "order_number": rental.order_number,
        "vehicle_name": rental.vehicle.name,
        "start": rental.period.start.isoformat(),
        "end": rental.period.end.isoformat(),
        "total": facts.dump(rental.total),
        "call_id": call_id,
    }


def rental_item(rental: wire.Rental) -> Json:
    """One booking among several, as something that can be pointed at."""
    return {
        "ref": rental.rental_uuid,
        "rental_uuid": rental.rental_uuid,
        "order_number": rental.order_number,
        "name": rental.vehicle.name,
        "brand": rental.vehicle.brand,
        "model": rental.vehicle.model,
        "category": rental.vehicle.category,
        "colour": rental.vehicle.colour,
        "start": rental.period.start.isoformat(),
        "end": rental.period.end.isoformat(),
        "total_minor": rental.total.minor,
    }
