"""The life of a rental: which status may follow which, and what a customer may still change."""

from __future__ import annotations

from typing import Final, Literal

RentalStatus = Literal["pending", "confirmed", "active", "completed", "cancelled", "rejected"]
CustomerChange = Literal["move", "extend", "cancel"]

_NEXT: Final[dict[str, frozenset[str]]] = {
    "pending": frozenset({"confirmed", "rejected", "cancelled"}),
    "confirmed": frozenset({"active", "cancelled"}),
    "active": frozenset({"completed", "confirmed"}),
    "completed": frozenset({"active"}),
    "cancelled": frozenset({"confirmed"}),
    "rejected": frozenset({"confirmed"}),
}
"""Steps of staff. Those that lead back undo a slip; the guard against double booking looks at each of them."""

_CHANGEABLE: Final[dict[str, frozenset[str]]] = {
    "move": frozenset({"pending", "confirmed"}),
    "extend": frozenset({"pending", "confirmed", "active"}),
    "cancel": frozenset({"pending", "confirmed"}),
}


def may_follow(old: str, new: str) -> bool:
    """Whether staff may set `new` on a rental that is `old`."""
    return new in _NEXT.get(old, frozenset())


def following(old: str) -> tuple[str, ...]:
    """Return what may follow, in alphabetical order."""
    return tuple(sorted(_NEXT.get(old, frozenset())))


def customer_may(change: str, status: str) -> bool:
    """Whether a customer may make this change to a rental of that status."""
    return status in _CHANGEABLE.get(change, frozenset())
