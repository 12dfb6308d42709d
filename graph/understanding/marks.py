"""Letters without their marks: customers leave accents out, or spell them out."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

_WHOLE: Final = {"ß": "ss", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "đ": "d"}


@lru_cache(maxsize=4096)
def unmarked(sign: str) -> str:
    """One letter without its marks; letters of scripts whose marks are part of the word stay as they are."""
    if sign.isascii():
        return sign
    if sign.lower() in _WHOLE:
        return _WHOLE[sign.lower()]
    base = unicodedata.normalize("NFD", sign)[0]
    return base if base != sign and _has_removable_marks(base) else sign


def _has_removable_marks(base: str) -> bool:
    """Latin, Greek and Cyrillic."""
    return base.isalpha() and ord(base) < 0x530


def is_folded_mark(sign: str) -> bool:
    """Whether the letter loses a mark."""
    return unmarked(sign) != sign


def unmarked_text(text: str) -> str:
    """All letters of a text without their marks."""
    return text if text.isascii() else "".join(map(unmarked, text))
