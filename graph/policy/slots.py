"""Filling and correcting slots. A correction voids what depends on it, and nothing more."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

from graph.policy.dependencies import void
from graph.policy.plan import Plan
from graph.state import Json
from graph.understanding.meaning import Budget, DateReading, Understanding

_VEHICLE_WORDS: Final = ("category", "brand", "model", "text")
_FILTERS: Final = ("gearbox", "seats", "sort")
_LIMITS: Final = ("budget_minor", "budget_per")


def merge_dates(plan: Plan, reading: DateReading | None) -> bool:
    """Take dates into the wish. Returns True when the wished period changed."""
    if reading is None or reading.status in {"ambiguous", "refused"}:
        return False
    wish = dict(plan.get("wish", {}))
    before = (wish.get("start"), wish.get("end"))
    if reading.status == "range" and reading.start and reading.end:
        _set_period(wish, reading.start, reading.end)
    elif reading.status == "start" and reading.start:
        _take_start(plan, wish, reading.start)
    elif reading.status == "duration" and reading.days:
        _take_length(wish, reading.days)
    plan.set("wish", wish)
    changed = (wish.get("start"), wish.get("end")) != before
    if changed:
        void(plan, "dates")
    return changed


def set_period(plan: Plan, start: date, end: date) -> None:
    """Wish for exactly this period."""
    wish = dict(plan.get("wish", {}))
    _set_period(wish, start, end)
    plan.set("wish", wish)
    void(plan, "dates")


def _set_period(wish: Json, start: date, end: date) -> None:
    wish.update(start=start.isoformat(), end=end.isoformat())
    wish.pop("days", None)


def _take_start(plan: Plan, wish: Json, start: date) -> None:
    """A first day alone: with a known length it moves the period, else the end is still to be asked."""
    length = wish.get("days")
    if not length and wish.get("start") and wish.get("end") and plan.question != "dates":
        length = max((date.fromisoformat(wish["end"]) - date.fromisoformat(wish["start"])).days, 1)
    if length:
        _set_period(wish, start, start + timedelta(days=length))
        return
    if wish.get("start") and not wish.get("end") and plan.question == "dates":
        asked_end = start.isoformat()
        if asked_end >= wish["start"]:
            # "From 20 June, until when?" - "the 27th"
            wish["end"] = asked_end
            return
    wish.update(start=start.isoformat(), end=None)


def _take_length(wish: Json, days: int) -> None:
    if wish.get("start"):
        start = date.fromisoformat(wish["start"])
        _set_period(wish, start, start + timedelta(days=days))
    else:
        wish["days"] = days


def merge_filters(plan: Plan, understanding: Understanding, currency_exponent: int) -> bool:
    """Take words and filters about the vehicle. Returns True when the wish for a vehicle changed."""
    wish = dict(plan.get("wish", {}))
    before = dict(wish)
    words = {
        "category": understanding.category,
        "brand": understanding.brand,
        "model": understanding.model,
        "text": understanding.search_text or None,
    }
    if any(words.values()):
        # A new kind or name replaces the old one; words of one message belong together.
        wish.update({key: words[key] for key in _VEHICLE_WORDS})
        if words["category"] and words["category"] != before.get("category"):
            # "automatic" was said of scooters; boats are another matter. A budget stays a budget.
            for key in _FILTERS:
                wish.pop(key, None)
    for key in _FILTERS:
        value = getattr(understanding, key)
        if value is not None:
            wish[key] = value
    if understanding.office:
        wish["office"] = understanding.office
    if understanding.quantity:
        wish["quantity"] = understanding.quantity
    if understanding.budget:
        for key in _LIMITS:  # a new limit replaces the old one, also where it cannot be used
            wish.pop(key, None)
        if understanding.budget.problem is None:
            wish.update(budget_in_minor_units(understanding.budget, currency_exponent))
    plan.set("wish", wish)
    return {**wish, "quantity": None} != {**before, "quantity": None}


def forget_filters(plan: Plan) -> None:
    """Drop what limited an earlier wish: gearbox, seats, order, budget, office, how many."""
    ended = (*_FILTERS, *_LIMITS, "office", "quantity")
    kept = {k: v for k, v in plan.get("wish", {}).items() if k not in ended}
    plan.set("wish", kept)


def forget_names(plan: Plan) -> None:
    """ "Anything cheaper?" asks for other vehicles of the kind, not for the named one again."""
    wish = dict(plan.get("wish", {}))
    kinds = {item.get("facts", {}).get("category") for item in plan.get("shown", {}).get("items", [])}
    kind = wish.get("category") or (kinds.pop() if len(kinds) == 1 else None)
    plan.set("wish", {**wish, "category": kind, "brand": None, "model": None, "text": None})


def budget_in_minor_units(budget: Budget, currency_exponent: int) -> Json:
    """Turn a limit as said into the server's form. A limit that is not per day is meant for the whole rental."""
    whole, _, fraction = budget.amount.partition(".")
    digits = (fraction + "0" * currency_exponent)[:currency_exponent]
    return {"budget_minor": int(whole + digits), "budget_per": "day" if budget.per == "day" else "total"}


def choose_vehicle(plan: Plan, vehicle_uuid: str, name: str) -> None:
    """Rent this vehicle; a price for another one is void."""
    void(plan, "vehicle")
    plan.set("rental_context", {"vehicle_uuid": vehicle_uuid, "vehicle_name": name})


def drop_vehicle(plan: Plan) -> None:
    """No vehicle is chosen any more."""
    void(plan, "words")


def merge_client(plan: Plan, understanding: Understanding) -> bool:
    """Take what the customer told about themselves. Returns True when something came in."""
    client = dict(plan.get("client", {}))
    before = dict(client)
    if understanding.name:
        name = understanding.name
        client.update(name=name.full.lstrip(" .,;:-"), first_name=name.first, last_name=name.last)
    if understanding.phone and understanding.phone.e164:
        client["phone"] = understanding.phone.e164
    if understanding.email:
        client["email"] = understanding.email
    plan.set("client", client)
    if client != before:
        void(plan, "contact")
    return client != before or bool(understanding.name or understanding.phone)


def missing_contact(client: Json) -> list[str]:
    """Return what a booking still needs: name, phone."""
    return [need for need, key in (("name", "first_name"), ("phone", "phone")) if not client.get(key)]
