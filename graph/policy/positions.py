"""Positions in words: under a list "the first" is an entry, elsewhere it is a day."""

from __future__ import annotations

from functools import lru_cache

from graph.policy.plan import Plan
from graph.state import Json
from graph.understanding.lexicon import load_lexicon
from graph.understanding.meaning import Reference, Understanding


def position_not_day(u: Understanding, plan: Plan) -> Understanding:
    """ "The first" under a list means its first entry, not the first of the month."""
    if u.dates is None or u.dates.status != "start" or not _choices(plan):
        return u
    word = u.dates.phrase.casefold().removeprefix("the ").removesuffix(" one").strip()
    position = _ordinals().get(word)
    if position is None:
        return u
    reference = Reference(kind="ordinal", ordinal=position, text=u.dates.phrase)
    return u.model_copy(update={"dates": None, "reference": reference, "intents": ("select",)})


def _choices(plan: Plan) -> list[Json]:
    """What was last offered to choose from: date readings, else the newest list."""
    found: list[Json] = plan.get("open_question", {}).get("candidates") or plan.get("shown", {}).get("items", [])
    return found


@lru_cache
def _ordinals() -> dict[str, int]:
    return load_lexicon("en").ordinals
