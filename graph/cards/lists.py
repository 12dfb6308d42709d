"""What a list on screen leaves in the passport, so that "the second one" points at it."""

from __future__ import annotations

from frontend_contract.facts import VehicleFacts
from frontend_contract.payloads import AlternativeOption
from graph.cards.facts import dump
from graph.state import Json


def vehicle_item(vehicle: VehicleFacts) -> Json:
    """One vehicle of a carousel."""
    return {
        "ref": vehicle.ref,
        "vehicle_uuid": vehicle.ref,
        "name": vehicle.name,
        "brand": vehicle.brand,
        "model": vehicle.model,
        "colour": vehicle.colour,
        "total_minor": vehicle.total.minor if vehicle.total else 0,
        "facts": dump(vehicle),
    }


def period_item(option: AlternativeOption) -> Json:
    """One way out of an alternatives card."""
    return {
        **vehicle_item(option.vehicle),
        "ref": option.ref,
        "start": option.period.start.isoformat(),
        "end": option.period.end.isoformat(),
        "total_minor": option.total.minor,
    }
