"""A tapped action, decided. The server holds the arguments; the client only named the action."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Final

from graph.policy import own_rentals, slots
from graph.policy.dependencies import void
from graph.policy.plan import Plan
from graph.state import DialogState, Json


def plan_action(state: DialogState, action: Json) -> Plan:
    """Decide what a tap leads to. `action` is {kind, arguments, input}; arguments are the server's own."""
    plan = Plan(state)
    plan.set("failures", 0)
    handler = _HANDLERS.get(action["kind"], _expired)
    handler(plan, action.get("arguments") or {}, action.get("input") or {})
    return plan


def _select_vehicle(plan: Plan, arguments: Json, _given: Json) -> None:
    slots.choose_vehicle(plan, arguments["vehicle_uuid"], arguments.get("name", ""))
    if arguments.get("start"):
        slots.set_period(plan, date.fromisoformat(arguments["start"]), date.fromisoformat(arguments["end"]))
    if plan.dates:
        plan.step("pricing")
    else:
        plan.say("ask_dates", vehicle=arguments.get("name", ""))


def _select_period(plan: Plan, arguments: Json, _given: Json) -> None:
    if arguments.get("vehicle_uuid"):
        slots.choose_vehicle(plan, arguments["vehicle_uuid"], arguments.get("name", ""))
    slots.set_period(plan, date.fromisoformat(arguments["start"]), date.fromisoformat(arguments["end"]))
    _go_on(plan)


def _select_option(plan: Plan, arguments: Json, given: Json) -> None:
    if arguments.get("want"):
        own_rentals.step_change(plan, arguments["want"])
    elif arguments.get("start"):
        _select_period(plan, arguments, given)
    elif arguments.get("vehicle_uuid"):
        _select_vehicle(plan, arguments, given)
    elif arguments.get("category"):
        wish = {**plan.get("wish", {}), "category": arguments["category"], "brand": None, "model": None, "text": None}
        plan.set("wish", wish)
        slots.drop_vehicle(plan)
        _go_on(plan)
    else:
        plan.set("open_question", {"kind": "none"})
        plan.say("ask_change")


def _go_on(plan: Plan) -> None:
    """Price the chosen vehicle, search when none is chosen, ask when dates are missing."""
    if not plan.dates:
        plan.say("ask_dates", vehicle="", category=plan.get("wish", {}).get("category") or "")
    elif plan.get("rental_context", {}).get("vehicle_uuid"):
        plan.step("pricing")
    else:
        plan.step("search", page=1)


def _accept(plan: Plan, arguments: Json, _given: Json) -> None:
    if plan.get("quote", {}).get("quote_uuid") != arguments.get("quote_uuid"):
        plan.say("action_expired")
        return
    plan.step("booking")


def _change_dates(plan: Plan, arguments: Json, given: Json) -> None:
    dates = given.get("dates")
    if dates and dates["end"] < dates["start"]:
        plan.say("clarify_dates", reason="end_before_start", candidates=[])
        return
    if dates and arguments.get("want"):
        own_rentals.step_change(plan, {**arguments["want"], **dates})
        return
    if dates:
        slots.set_period(plan, date.fromisoformat(dates["start"]), date.fromisoformat(dates["end"]))
        _go_on(plan)
        return
    void(plan, "dates")
    wish = dict(plan.get("wish", {}))
    for key in ("start", "end", "days"):
        wish.pop(key, None)
    plan.set("wish", wish)
    plan.say("ask_dates", vehicle=plan.get("rental_context", {}).get("vehicle_name") or "", category="")


def _change_vehicle(plan: Plan, _arguments: Json, _given: Json) -> None:
    slots.drop_vehicle(plan)
    wish = {**plan.get("wish", {}), "category": None, "brand": None, "model": None, "text": None}
    plan.set("wish", wish)
    _go_on(plan)


def _show_more(plan: Plan, arguments: Json, _given: Json) -> None:
    if plan.dates:
        plan.step("search", page=int(arguments.get("page", 1)))
    else:
        _go_on(plan)


def _show_details(plan: Plan, arguments: Json, _given: Json) -> None:
    plan.say("vehicle_detail", vehicle_uuid=arguments["vehicle_uuid"])


def _confirm(plan: Plan, arguments: Json, _given: Json) -> None:
    mark = {"contact": arguments["contact"]} if arguments.get("contact") else {}
    plan.step("booking", confirmed=True, quote_uuid=arguments["quote_uuid"], **mark)


def _change_contact(plan: Plan, _arguments: Json, _given: Json) -> None:
    plan.set("client", {})
    plan.step("booking", again=True)


def _share_contact(plan: Plan, _arguments: Json, given: Json) -> None:
    # The words of the form were read by the coordinator before this; see `contact_text`.
    plan.step("booking", **({"reason": given["problem"]} if given.get("problem") else {}))


def _cancel(plan: Plan, _arguments: Json, _given: Json) -> None:
    plan.set("quote", {})
    plan.set("open_question", {"kind": "none"})
    plan.say("declined")


def _confirm_change(plan: Plan, arguments: Json, _given: Json) -> None:
    plan.step("booking", task="confirm_change", mark=arguments["mark"])


def _change_rental(plan: Plan, arguments: Json, _given: Json) -> None:
    own_rentals.step_change(plan, {"kind": arguments["kind"], "rental_uuid": arguments["rental_uuid"]})


def _keep_rental(plan: Plan, arguments: Json, _given: Json) -> None:
    if plan.get("rental_change", {}).get("mark") != arguments.get("mark"):
        plan.say("action_expired")
    elif plan.get("rental_change").get("pending"):
        plan.say("change_pending")
    else:
        own_rentals.keep(plan)


def _show_rentals(plan: Plan, _arguments: Json, _given: Json) -> None:
    plan.step("booking", task="show")


def _person(plan: Plan, _arguments: Json, _given: Json) -> None:
    plan.say("person")


def _ask(plan: Plan, arguments: Json, _given: Json) -> None:
    plan.say("company", topic=arguments.get("topic", "general"))


def _expired(plan: Plan, _arguments: Json, _given: Json) -> None:
    plan.say("action_expired")


_HANDLERS: Final[dict[str, Callable[[Plan, Json, Json], None]]] = {
    "select_vehicle": _select_vehicle,
    "select_period": _select_period,
    "refresh_quote": _select_period,
    "select_option": _select_option,
    "show_more": _show_more,
    "show_details": _show_details,
    "accept_quote": _accept,
    "confirm_booking": _confirm,
    "change_dates": _change_dates,
    "change_vehicle": _change_vehicle,
    "change_contact": _change_contact,
    "share_contact": _share_contact,
    "cancel": _cancel,
    "confirm_change": _confirm_change,
    "keep_rental": _keep_rental,
    "change_rental": _change_rental,
    "show_rentals": _show_rentals,
    "call_operator": _person,
    "ask": _ask,
}
"""What each verb does. A verb that is not here has ended."""
