"""Which slot depends on which, as data. A correction voids what hangs on it, and nothing more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, Literal

from graph.policy.plan import Plan

Slot = Literal["dates", "words", "limits", "office", "vehicle", "contact", "page", "quote", "review"]

DEPENDENTS: Final[Mapping[Slot, tuple[Slot, ...]]] = MappingProxyType(
    {
        "dates": ("page", "quote"),
        "words": ("page", "vehicle"),
        "limits": ("page", "vehicle"),
        "office": ("page", "vehicle"),
        "vehicle": ("quote",),
        "quote": ("review",),
        "contact": ("review",),
        "page": (),
        "review": (),
    }
)
"""Slot -> what has to be looked up, priced or shown anew when it changes. Name and phone hang on nothing."""


def void(plan: Plan, slot: Slot) -> None:
    """Clear everything that hangs on a slot that has changed; the slot itself stays."""
    for dependent in _all_dependents(slot):
        _CLEAR[dependent](plan)


def _all_dependents(slot: Slot) -> list[Slot]:
    found: list[Slot] = []
    waiting = list(DEPENDENTS[slot])
    while waiting:
        dependent = waiting.pop(0)
        if dependent not in found:
            found.append(dependent)
            waiting.extend(DEPENDENTS[dependent])
    return found


def _clear_page(plan: Plan) -> None:
    if plan.get("search"):
        plan.set("search", {})


def _clear_vehicle(plan: Plan) -> None:
    plan.set("rental_context", {})


def _clear_quote(plan: Plan) -> None:
    plan.set("quote", {})
    if plan.get("phase") != "booked":
        plan.set("phase", "searching")
    context = dict(plan.get("rental_context", {}))
    for key in ("start_date", "end_date", "total_price"):
        context.pop(key, None)
    plan.set("rental_context", context)


def _clear_review(plan: Plan) -> None:
    quote = dict(plan.get("quote", {}))
    if quote.pop("reviewed", None) is not None:
        plan.set("quote", quote)


_CLEAR: Final[Mapping[Slot, Callable[[Plan], None]]] = {
    "page": _clear_page,
    "vehicle": _clear_vehicle,
    "quote": _clear_quote,
    "review": _clear_review,
}
