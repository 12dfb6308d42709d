"""Positions in words: under a list "the first" is an entry, elsewhere it is a day."""

from __future__ import annotations

from typing import Final

from graph.policy.plan import Plan
from graph.state import Json
from graph.understanding.meaning import Reference, Understanding

_POSITIONS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def position_not_day(u: Understanding, plan: Plan) -> Understanding:
    """ "The first" under a list means its first entry, not the first of the month."""
    if u.dates is None or u.dates.status != "start" or not _choices(plan):
        return u
    word = u.dates.phrase.casefold().removeprefix("the ").removesuffix(" one").strip()
    if word not in _POSITIONS:
        return u
    reference = Reference(kind="ordinal", ordinal=_POSITIONS.index(word) + 1, text=u.dates.phrase)
    return u.model_copy(update={"dates": None, "reference": reference, "intents": ("select",)})


def _choices(plan: Plan) -> list[Json]:
    """What was last offered to choose from: date readings, else the newest list."""
    found: list[Json] = plan.get("open_question", {}).get("candidates") or plan.get("shown", {}).get("items", [])
    return found
