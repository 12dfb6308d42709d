"""Whether a claim of a model is borne by the customer's own words."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import TypeVar

from rapidfuzz import fuzz

from graph.models.offline import OfflineInterpreter
from graph.models.records import Note
from graph.understanding.lexicon import Lexicon, lexicon_codes, load_lexicon
from graph.understanding.meaning import InterpretContext, Understanding
from graph.understanding.text import fold, squeeze

_T = TypeVar("_T")
_TYPO_SCORE = 80.0
_MIN_NAME_WORD = 3
# Scripts whose words stand between spaces: there a claim must not begin or end inside a word.
_SPACED_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "DIGIT", "ARMENIAN", "GEORGIAN")


class NumberWords:
    """Words for numbers in the languages of the lexicon, read when first needed."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, int]] = {}

    def named(self, words: str, lang: str) -> set[int]:
        """The numbers that these words name, in digits of any script, or in words of this language or English."""
        plain = squeeze(fold(words).text)
        found = {int(digits) for digits in re.findall(r"\d{1,6}", plain)}
        for code in {lang, "en"} & set(lexicon_codes()):
            found |= {value for word, value in self._of(code).items() if stands_in(word, plain)}
        return found

    def _of(self, code: str) -> dict[str, int]:
        if code not in self._known:
            lexicon: Lexicon = load_lexicon(code)
            self._known[code] = {squeeze(fold(word).text): value for word, value in lexicon.numbers.items()}
        return self._known[code]


@dataclass(slots=True)
class Check:
    """One message, what the rules read in it, and the claims that were dropped."""

    message: str
    context: InterpretContext
    rules: OfflineInterpreter
    offline: Understanding
    numbers: NumberWords
    notes: list[Note] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.message = squeeze(fold(self.message).text)

    @property
    def lang(self) -> str:
        """The language of the message, else of the conversation."""
        return self.offline.lang or self.context.lang

    def drop(self, note: Note) -> None:
        """Note that a claim was not borne."""
        self.notes.append(note)

    def said(self, words: str | None) -> bool:
        """True if these words stand in the message, as whole words where the script has words."""
        return stands_in(squeeze(fold(words or "").text), self.message)

    def borne(self, value: _T | None, words: str | None, note: Note) -> _T | None:
        """The value if its words were said."""
        if value is None or self.said(words):
            return value
        self.drop(note)
        return None

    def counted(self, value: int | None, words: str | None, most: int, note: Note) -> int | None:
        """The number if its words were said and name it."""
        if value is None:
            return None
        if 1 <= value <= most and self.said(words) and value in self.numbers.named(words or "", self.lang):
            return value
        self.drop(note)
        return None

    def resembles(self, words: str, name: str) -> bool:
        """Whether the customer's words can be this name: it in another script, or the same with a typing mistake."""
        plain = squeeze(fold(words).text)
        parts = [part for part in re.split(r"[\W_]+", squeeze(fold(name).text)) if len(part) >= _MIN_NAME_WORD]
        if not plain.isascii() or not parts:
            return True
        return any(fuzz.partial_ratio(part, plain) >= _TYPO_SCORE for part in parts if len(part) <= len(plain) + 1)


def stands_in(plain: str, message: str) -> bool:
    """Whether folded words stand in a folded message, not inside a longer word."""
    if not plain:
        return False
    start = message.find(plain)
    while start >= 0:
        end = start + len(plain)
        if not _joined(message, start - 1, start) and not _joined(message, end - 1, end):
            return True
        start = message.find(plain, start + 1)
    return False


def _joined(text: str, left: int, right: int) -> bool:
    """Whether two neighbouring signs belong to one word of a script with spaces."""
    if left < 0 or right >= len(text):
        return False
    one, other = text[left], text[right]
    if not (one.isalnum() and other.isalnum()):
        return False
    # "3일": digits touch the letters of scripts without spaces.
    return _is_spaced(one) and _is_spaced(other)


def _is_spaced(sign: str) -> bool:
    return unicodedata.name(sign, "").startswith(_SPACED_SCRIPTS)
