"""Repair of typing errors in the few words that decide a booking."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rapidfuzz.distance import OSA

from graph.understanding.lexicon import Lexicon, alternatives
from graph.understanding.slips import Slips
from graph.understanding.text import Folded

_WORD = re.compile(r"(?<![\w'@.])[^\W_]+(?![\w'@])")
_LETTERS = re.compile(r"(?<!\\)[^\W\d_]{5,}")
_MIN_LETTERS = 5
_TWO_ERRORS_FROM = 8
_MIN_MARKED_LETTERS = 3


class Speller:
    """Known misspellings by table; near misses of the target words by edit distance; slips of the finger."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._fixes = lexicon.mapping("spelling.fixes")
        self._targets = lexicon.words("spelling.targets")
        self._marked = lexicon.marked_words
        self._spelt_out = lexicon.spelt_out
        self._spelt = re.compile(alternatives(self._spelt_out))
        self._protected = _known_words(lexicon)
        self._slips = Slips(lexicon, self._protected)

    def join_spelt_out(self, folded: Folded) -> Folded:
        """Letters written for a marked one ("fuer") as the lexicon has them, where it has such a word."""
        changes = []
        for match in _WORD.finditer(folded.text) if self._marked else ():
            word = self._spelt.sub(lambda found: self._spelt_out[found.group()], match.group())
            if word != match.group() and self._begins_as_known(word):
                changes.append((*match.span(), word))
        return folded.replaced(changes) if changes else folded

    def _begins_as_known(self, word: str) -> bool:
        return any(word[:size] in self._marked for size in range(len(word), _MIN_MARKED_LETTERS - 1, -1))

    def repair(self, folded: Folded, keep: Iterable[str] = ()) -> Folded:
        """The same message with repaired words; `keep` are words of the company that stay."""
        kept = {word.lower() for phrase in keep for word in phrase.split()}
        changes = []
        for match in _WORD.finditer(folded.text):
            better = self._better(match.group(), kept)
            if better is not None:
                changes.append((*match.span(), better))
        return folded.replaced(changes) if changes else folded

    def _better(self, word: str, kept: set[str]) -> str | None:
        if word in kept:
            return None
        if word in self._fixes:
            return self._fixes[word]
        if len(word) < _MIN_LETTERS or not word.isalpha() or word in self._protected:
            return None
        errors = 2 if len(word) >= _TWO_ERRORS_FROM else 1
        for target in self._targets:
            close = word[0] == target[0] and abs(len(word) - len(target)) <= errors
            if close and OSA.distance(word, target, score_cutoff=errors) <= errors:
                return target
        return self._slips.meant_by(word)


def _known_words(lexicon: Lexicon) -> frozenset[str]:
    """Words that are right as they are: those of the files, but not the misspellings that one of them lists."""
    texts = (*lexicon.strings(), *lexicon.months(), *lexicon.weekdays())
    listed = {run for text in texts for run in _LETTERS.findall(text)}
    return frozenset(lexicon.words("spelling.protected")) | (listed - set(lexicon.mapping("spelling.fixes")))
