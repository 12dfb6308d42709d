"""Contact details from a form's own fields: nothing has to be guessed from a sentence."""

from __future__ import annotations

import unicodedata
from typing import Final

from graph.understanding.meaning import NameReading, PhoneReading, Understanding
from graph.understanding.phones import find_phone
from graph.understanding.text import fold

_MAX_NAME_LETTERS: Final = 120


def read_contact_form(name: str, phone: str, region: str) -> Understanding:
    """Return what the fields say. A phone that cannot be read comes back with its problem."""
    return Understanding(
        intents=("give_contact",), confidence=1.0, name=_read_name(name), phone=_read_phone(phone, region)
    )


def _read_name(text: str) -> NameReading | None:
    """Keep scripts, marks and pictures as typed; drop control and direction signs, which could reverse a notice."""
    kept = "".join(sign for sign in text if unicodedata.category(sign) not in {"Cc", "Cf", "Cs"} or sign == "\u200d")
    words = kept.split()
    if not any(unicodedata.category(sign).startswith("L") for sign in kept):
        return None
    full = " ".join(words)[:_MAX_NAME_LETTERS].rstrip()
    first, _, last = full.partition(" ")
    return NameReading(full=full, first=first, last=last)


def _read_phone(text: str, region: str) -> PhoneReading | None:
    if not text.strip():
        return None
    found = find_phone(fold(text), region, asked=True)
    return found[0] if found is not None else PhoneReading(raw=text.strip(), problem="invalid")
