"""Which of the customer's own bookings is meant: by its vehicle, kind, colour or time. The bookings are data here."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from functools import lru_cache
from typing import Any, Final

from graph.policy.turn import Turn
from graph.state import Json
from graph.understanding.clauses import folded_text
from graph.understanding.lexicon import NEVER, LexiconError, alternatives, load_lexicon


def said_of_rental(turn: Turn, *, with_days: bool) -> Json:
    """What the message says about which booking is meant. `with_days`: its dates are the booking's, not new ones."""
    u = turn.u
    reference = u.reference
    reading = u.dates
    start = reading.start if with_days and reading is not None and reading.status in {"range", "start"} else None
    # "The July one" may be read as 1 July: a day without a digit tells its month too.
    is_a_day = reading is not None and start is not None and any(sign.isdigit() for sign in reading.phrase)
    said = {
        "model": u.model,
        "brand": u.brand,
        "category": u.category,
        "words": [*filter(None, [u.search_text, reference.colour if reference else None])],
        "start": start.isoformat() if start else None,
        "day": start.isoformat() if start else None,
        "months": [] if is_a_day else _months_said(turn, with_days=with_days),
    }
    return {key: value for key, value in said.items() if value}


def narrowed(rentals: list[Json], said: Json) -> list[Json]:
    """The bookings that fit what was said; a word that fits none of them is about something else."""
    left = rentals
    for key, fits in _FITS.items():
        fitting = [rental for rental in left if key in said and fits(rental, said[key])]
        left = fitting or left
    return left


def fits_any(rentals: list[Json], said: Json) -> bool:
    """Whether anything of what was said is true of one of the bookings."""
    return any(key in said and fits(rental, said[key]) for rental in rentals for key, fits in _FITS.items())


def _months_said(turn: Turn, *, with_days: bool) -> list[int]:
    """Months that are named apart from new dates: "the one in June", "move the June one to 5-12 July"."""
    text, reading = folded_text(turn.text, turn.lang), turn.u.dates
    if reading is not None and reading.status != "refused" and not with_days:
        text = text.replace(folded_text(reading.phrase, turn.lang), " ")
    pattern, months, glued = _months(turn.lang.split("-", maxsplit=1)[0].lower())
    text = "".join(text.split()) if glued else text
    return sorted({months[" ".join(found.group().split())] for found in pattern.finditer(text)})


@lru_cache(maxsize=32)
def _months(lang: str) -> tuple[re.Pattern[str], dict[str, int], bool]:
    """Names of months, what they mean, and whether words are read without the spaces between them."""
    try:
        lexicon = load_lexicon(lang)
    except LexiconError:
        return re.compile(NEVER), {}, False
    if lexicon.spacing == "spaces":
        names = lexicon.months()
        return re.compile(rf"(?<!\w)(?:{alternatives(names)})(?!\w)"), names, False
    names = {"".join(name.split()): month for name, month in lexicon.months().items()}
    return re.compile(rf"(?<!\d)(?:{alternatives(names)})"), names, True


def _is_model(rental: Json, model: str) -> bool:
    return model.casefold() in str(rental["name"]).casefold()


def _is_brand(rental: Json, brand: str) -> bool:
    return brand.casefold() == str(rental.get("brand") or "").casefold()


def _is_kind(rental: Json, category: str) -> bool:
    return bool(rental.get("category") == category)


def _is_described(rental: Json, words: list[str]) -> bool:
    known = f"{rental.get('colour') or ''} {rental['name']}".casefold().split()
    return any(word in known for phrase in words for word in phrase.casefold().split())


def _starts(rental: Json, start: str) -> bool:
    return bool(rental["start"] == start)


def _runs_on(rental: Json, day: str) -> bool:
    return bool(rental["start"] <= day <= rental["end"])


def _runs_in(rental: Json, months: list[int]) -> bool:
    first, last = date.fromisoformat(rental["start"]), date.fromisoformat(rental["end"])
    run = {(first.month + n - 1) % 12 + 1 for n in range((last.year - first.year) * 12 + last.month - first.month + 1)}
    return bool(run & set(months))


_FITS: Final[Mapping[str, Callable[[Json, Any], bool]]] = {
    "model": _is_model,
    "brand": _is_brand,
    "category": _is_kind,
    "words": _is_described,
    "start": _starts,
    "day": _runs_on,
    "months": _runs_in,
}
"""What may be said -> whether a booking fits it, the most telling first."""
