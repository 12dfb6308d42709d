"""New wishes: slots taken in, searches, other ways, cheaper, several of a kind."""

from __future__ import annotations

from typing import Final

from graph.policy import slots
from graph.policy.steps import ask_for_dates
from graph.policy.topics import answer_company
from graph.policy.turn import Turn
from graph.understanding.meaning import Intent

_NEW_WISH: Final[tuple[Intent, ...]] = ("search", "give_dates", "select", "ask_price", "ask_alternatives", "more")


def fill_slots(turn: Turn) -> bool:
    """Take what the message says into the passport; never answers by itself."""
    reading = turn.u.dates
    if turn.u.category and reading is not None and reading.status == "range":
        # A whole new wish: limits said of an earlier one do not stick to it unseen.
        slots.forget_filters(turn.plan)
    turn.new_dates = slots.merge_dates(turn.plan, reading)
    turn.new_vehicle_words = slots.merge_filters(turn.plan, turn.u, turn.currency_exponent)
    if turn.u.sort == "price" and not (turn.u.brand or turn.u.model or turn.u.search_text):
        slots.forget_names(turn.plan)
    return False


def several(turn: Turn) -> bool:
    """ "For two": one is booked at a time, and how many of the kind are free is said, where it is known."""
    quantity = turn.u.quantity or 1
    if quantity < 2:
        return False
    if turn.plan.dates and (turn.new_dates or turn.new_vehicle_words or not turn.chosen):
        return False  # the search that follows tells how many are free
    known = _known_free(turn)
    turn.plan.say("quantity", quantity=quantity, **known)
    return bool(turn.chosen and turn.quote_is_open and not turn.new_dates and not turn.new_vehicle_words)


def _known_free(turn: Turn) -> dict[str, object]:
    items = turn.plan.get("shown", {}).get("items", [])
    item = next((item for item in items if item["vehicle_uuid"] == turn.chosen), None)
    if item is None:
        return {}
    return {"vehicle": item["name"], "free": 1 + int(item["facts"].get("also_free") or 0)}


def cheaper(turn: Turn) -> bool:
    """Cheaper than what is offered or shown; what is open stays open until something cheaper is found."""
    plan = turn.plan
    says_more = turn.names_a_vehicle or turn.u.dates or turn.u.gearbox or turn.u.seats or turn.u.budget or turn.u.office
    if not turn.u.cheaper or says_more or not plan.dates:
        return False
    ceiling = plan.get("quote", {}).get("total", {}).get("minor")
    if ceiling is None:
        totals = [item["total_minor"] for item in plan.get("shown", {}).get("items", []) if item.get("total_minor")]
        ceiling = min(totals, default=None)
    if ceiling is None:
        return False
    plan.step("search", page=1, cheaper_than=ceiling)
    answer_company(turn)
    return True


def wish(turn: Turn) -> bool:
    """A search, or the price of what is chosen."""
    plan = turn.plan
    if not (turn.new_dates or turn.new_vehicle_words or turn.wants(*_NEW_WISH) or _dates_were_asked(turn)):
        return False
    if turn.wants("ask_alternatives") and not turn.new_vehicle_words and not turn.new_dates:
        _other_ways(turn)
    elif turn.wants("more") and plan.dates and plan.get("search", {}).get("page"):
        _next_page(turn)
    elif not plan.dates:
        ask_for_dates(plan)
    elif turn.chosen and not turn.new_vehicle_words:
        plan.step("pricing")
    else:
        slots.drop_vehicle(plan)
        plan.step("search", page=1, cheapest=turn.u.sort == "price")
        if turn.wants("ask_price") and (turn.u.brand or turn.u.model):
            plan.step("pricing", exact_match=True)
    answer_company(turn)
    return True


def _next_page(turn: Turn) -> None:
    search = turn.plan.get("search")
    if search.get("has_more"):
        turn.plan.step("search", page=int(search["page"]) + 1)
    else:
        turn.plan.say("no_more")


def _other_ways(turn: Turn) -> None:
    """Nothing shown fits: other periods of the chosen vehicle, else what shall be different?"""
    if turn.chosen and turn.plan.dates:
        turn.plan.step("alternatives")
    elif turn.plan.dates or turn.plan.get("shown", {}).get("items"):
        turn.plan.say("ask_change")
    else:
        ask_for_dates(turn.plan)


def _dates_were_asked(turn: Turn) -> bool:
    return turn.plan.question == "dates" and turn.u.dates is not None
