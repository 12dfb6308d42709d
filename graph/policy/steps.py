"""Steps that several rules lead to."""

from __future__ import annotations

from datetime import date

from graph.policy import slots
from graph.policy.plan import Plan
from graph.state import Json


def take(plan: Plan, item: Json) -> None:
    """Choose one shown thing: a vehicle for the wished dates, or a vehicle with a period."""
    slots.choose_vehicle(plan, item["vehicle_uuid"], item["name"])
    if item.get("start"):
        slots.set_period(plan, date.fromisoformat(item["start"]), date.fromisoformat(item["end"]))
    if plan.dates:
        plan.step("pricing")
    else:
        plan.say("ask_dates", vehicle=item["name"])


def ask_for_dates(plan: Plan) -> None:
    """Ask for what is missing of the period."""
    wish = plan.get("wish", {})
    if wish.get("start"):
        plan.say("ask_end", start=wish["start"])
    elif wish.get("days"):
        plan.say("ask_start", days=wish["days"])
    else:
        context = plan.get("rental_context", {})
        plan.say("ask_dates", vehicle=context.get("vehicle_name") or "", category=wish.get("category") or "")
