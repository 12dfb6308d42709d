"""The clauses of one message, and which question about the shop each of them asks.

An understanding has one set of slots for the whole message. Where a message holds two wishes, this says which words
belong together: the place in "do you deliver to Sanur?" is the question's, not a wish for that office.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from graph.understanding.intents import TopicReader
from graph.understanding.lexicon import Lexicon, LexiconError, alternatives, load_lexicon
from graph.understanding.meaning import CompanyTopic
from graph.understanding.segments import Segmenter
from graph.understanding.text import fold, without_marks

_FALLBACK: Final = "en"
_SIGNS: Final = r"[;!?\n。、]|(?<!\d),|(?<!\d)\.(?=\s|$)"
"""Not the point of a date, nor the comma of thousands."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a message, folded, and the topic of the shop that it asks about."""

    text: str
    topic: CompanyTopic | None


def clauses_of(text: str, lang: str) -> tuple[Clause, ...]:
    """Cut a message where its language joins clauses."""
    return _reader(lang.split("-", maxsplit=1)[0].lower()).read(text)


class ClauseReader:
    """Cuts texts of one language."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._segmenter = Segmenter(lexicon)
        self._folds_marks = lexicon.folds_marks
        self._topics = TopicReader(lexicon)
        joiners = lexicon.words("clauses.joiners")
        words = rf"|(?<!\w)(?:{alternatives(joiners)})(?!\w)" if joiners else ""
        self._cut = re.compile(f"{_SIGNS}{words}")

    def read(self, text: str) -> tuple[Clause, ...]:
        """The clauses in order; what has no words is left out."""
        parts = self._cut.split(self.folded(text))
        kept = [part.strip() for part in parts if any(sign.isalnum() for sign in part)]
        return tuple(Clause(part, self._topic(part)) for part in kept)

    def _topic(self, clause: str) -> CompanyTopic | None:
        asked = self._topics.read(clause)
        return asked[1] if asked else None

    def folded(self, text: str) -> str:
        """Text as the lexicon is written."""
        folded = fold(text)
        return self._segmenter.split(without_marks(folded) if self._folds_marks else folded).text


def folded_text(text: str, lang: str) -> str:
    """A text as the words of its lexicon are written."""
    return _reader(lang.split("-", maxsplit=1)[0].lower()).folded(text)


@lru_cache(maxsize=32)
def _reader(lang: str) -> ClauseReader:
    try:
        return ClauseReader(load_lexicon(lang))
    except LexiconError:
        return ClauseReader(load_lexicon(_FALLBACK))
