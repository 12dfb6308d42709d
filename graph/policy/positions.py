"""Positions in words: under a list "the first" is an entry, elsewhere it is a day."""

from __future__ import annotations

import re
from functools import lru_cache

from graph.policy.plan import Plan
from graph.state import Json
from graph.understanding.lexicon import NEVER, LexiconError, alternatives, load_lexicon
from graph.understanding.meaning import Reference, Understanding


def position_not_day(u: Understanding, plan: Plan) -> Understanding:
    """ "The first" under a list means its first entry, not the first of the month."""
    if u.dates is None or u.dates.status != "start" or not _choices(plan):
        return u
    position = _position(u.dates.phrase, u.lang or str(plan.get("lang", "en")))
    if position is None:
        return u
    reference = Reference(kind="ordinal", ordinal=position, text=u.dates.phrase)
    return u.model_copy(update={"dates": None, "reference": reference, "intents": ("select",)})


def _choices(plan: Plan) -> list[Json]:
    """What was last offered to choose from: date readings or bookings, else the newest list."""
    question = plan.get("open_question", {})
    if plan.question == "rental_dates":
        return []  # a day is asked for, whatever list stands above
    shown = plan.get("shown", {}).get("items", [])
    found: list[Json] = question.get("candidates") or question.get("rentals") or shown
    return found


def _position(phrase: str, lang: str) -> int | None:
    pattern, ordinals = _ordinals(lang.split("-", maxsplit=1)[0].lower())
    match = pattern.fullmatch(phrase.casefold().strip())
    return ordinals.get(match["ordinal"]) if match else None


@lru_cache(maxsize=32)
def _ordinals(lang: str) -> tuple[re.Pattern[str], dict[str, int]]:
    """The ordinals of a language, with the small words that may stand around one."""
    try:
        lexicon = load_lexicon(lang)
    except LexiconError:
        return re.compile(NEVER), {}
    keys = ("article_patterns", "named_lead_patterns", "nouns_patterns")
    article, lead, after = (lexicon.patterns(f"references.{key}") for key in keys)
    words = alternatives(lexicon.ordinals)
    return re.compile(rf"(?:(?:{article}|{lead})\s+)?(?P<ordinal>{words})(?:\s+(?:{after}))?"), dict(lexicon.ordinals)
