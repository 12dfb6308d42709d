"""Slips of the finger that leave no doubt: letters swapped or doubled; in words of dates also one left out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from graph.understanding.lexicon import Lexicon

_WORD = re.compile(r"(?<!\\)[^\W\d_]{5,}")
_DATE_TABLES = ("relative", "units", "holidays", "week_shifts")
_DATE_LISTS = ("longer_patterns", "shorter_patterns", "later_patterns", "earlier_patterns", "weekend_words")


class Slips:
    """What a word of no language was meant to be, where only one word of the lexicon comes into question.

    A wrong letter is not repaired here ("match" is no "March"): that is for the chosen words of `spelling.targets`.
    """

    def __init__(self, lexicon: Lexicon, known: frozenset[str]) -> None:
        self._known = known if lexicon.spacing == "spaces" else frozenset()
        meant: defaultdict[str, set[str]] = defaultdict(set)
        for word in self._known:
            for slip in _swapped(word):
                meant[slip].add(word)
        for word in _date_words(lexicon) if self._known else ():
            for slip in _shortened(word):
                meant[slip].add(word)
        self._meant = meant

    def meant_by(self, word: str) -> str | None:
        """The one word behind a slip; None where there is none, or more than one."""
        found = self._meant.get(word, set()) | (self._known & set(_undoubled(word)))
        return next(iter(found)) if len(found) == 1 else None


def _swapped(word: str) -> Iterator[str]:
    for at in range(len(word) - 1):
        if word[at] != word[at + 1]:
            yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _shortened(word: str) -> Iterator[str]:
    """One letter less; the first one is never missed."""
    for at in range(1, len(word)):
        yield word[:at] + word[at + 1 :]


def _undoubled(word: str) -> Iterator[str]:
    for at in range(len(word) - 1):
        if word[at] == word[at + 1]:
            yield word[:at] + word[at + 1 :]


def _date_words(lexicon: Lexicon) -> Iterable[str]:
    texts = [*lexicon.months(), *lexicon.weekdays()]
    texts += [word for name in _DATE_TABLES for word in lexicon.mapping(f"dates.{name}")]
    texts += [word for name in _DATE_LISTS for word in lexicon.words(f"dates.{name}")]
    return {word for text in texts for word in _WORD.findall(text)}
