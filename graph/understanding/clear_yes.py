"""The one word that books. A closed grammar: what is not plainly a yes, and nothing else, is none."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_SOFT: Final = (
    "ok",
    "okay",
    "k",
    "alright",
    "all right",
    "great",
    "perfect",
    "good",
    "cool",
    "nice",
    "super",
    "fine",
    "thanks",
    "thank you",
    "thx",
    "please",
    "pls",
    "plz",
    "oh",
    "well",
    "then",
    "now",
    "hi",
    "hello",
    "hey",
    "looks good",
    "sounds good",
    "all good",
    "everything is right",
    "everything is correct",
    "that is fine",
    "thats fine",
)
"""May stand beside a yes; alone they are none."""
_STRONG: Final = (
    "yes",
    "yes yes",
    "yep",
    "yeah",
    "yea",
    "yup",
    "ya",
    "ye",
    "sure",
    "of course",
    "absolutely",
    "definitely",
    "certainly",
    "correct",
    "right",
    "agreed",
    "deal",
    "confirm",
    "confirmed",
    "i confirm",
    "i do confirm",
    "i agree",
    "i accept",
    "confirm it",
    "confirm this",
    "confirm booking",
    "confirm the booking",
    "confirm my booking",
    "confirm this booking",
    "confirm reservation",
    "confirm the reservation",
    "confirm my reservation",
    "confirm the rental",
    "confirm order",
    "please confirm",
    "please confirm it",
    "please confirm the booking",
    "please confirm my booking",
    "book",
    "book it",
    "book now",
    "book it now",
    "book this",
    "book this one",
    "book that",
    "book the bike",
    "please book",
    "please book it",
    "i book it",
    "i will book it",
    "ill book it",
    "i take it",
    "i will take it",
    "ill take it",
    "take it",
    "i want to book it",
    "i want it",
    "lets book",
    "lets book it",
    "lets do it",
    "lets do this",
    "lets go",
    "do it",
    "go ahead",
    "go for it",
    "go on",
    "proceed",
    "make the booking",
    "make the reservation",
    "make it so",
    "reserve it",
    "that is right",
    "thats right",
    "that is correct",
    "thats correct",
    "it is correct",
    "its correct",
    "all correct",
    "yes it is",
    "yes i do",
    "yes that is right",
    "yes thats right",
    "yes that is correct",
    "yes thats correct",
)


def _alternatives(phrases: tuple[str, ...]) -> str:
    return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=len, reverse=True))


_STRONG_PATTERN: Final = re.compile(rf"\b(?:{_alternatives(_STRONG)})\b")
_WHOLE_PATTERN: Final = re.compile(rf"(?:(?:{_alternatives(_STRONG + _SOFT)})(?:\s+|$))+")
_MAX_LETTERS: Final = 80


def is_clear_yes(message: str) -> bool:
    """Whether the whole message is a yes. A question mark, a number or any other word makes it none."""
    if len(message) > _MAX_LETTERS or "?" in message or "\uff1f" in message:
        return False
    text = unicodedata.normalize("NFKC", message).casefold().replace("\u2019", "'").replace("'", "")
    kept = "".join(sign if sign.isalnum() or sign.isspace() else " " for sign in text)
    words = " ".join(kept.split())
    return bool(_WHOLE_PATTERN.fullmatch(words) and _STRONG_PATTERN.search(words))
