"""Cutting runs of letters into known words, for scripts that write no spaces.

A lexicon holds words ("วัน", "นี้"), compounds ("วันนี้") and patterns. So that a message and the lexicon are
always cut alike, the dictionary holds only words that are not made of other words, and both are cut by it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Final

MIN_STEM_LETTERS: Final = 2
_WORD_COST: Final = 10
_UNKNOWN_RUN_COST: Final = 10
_UNKNOWN_LETTER_COST: Final = 15
_CLASS: Final = re.compile(r"(\[[^\]]*\])")
_QUANTIFIERS: Final = tuple("?*+{")
_FIRST_OTHER_SCRIPT: Final = "\u0250"

Cut = tuple[int, int, bool]
"""Start, end, and whether it is a known word."""


class Dictionary:
    """Known words, by their first letter."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        self._words: set[str] = set()
        self._sizes: dict[str, list[int]] = {}
        for word in words:
            self.add(word)

    def add(self, word: str) -> None:
        """Know one more word."""
        self._words.add(word)
        sizes = self._sizes.setdefault(word[0], [])
        if len(word) not in sizes:
            sizes.append(len(word))

    def with_words(self, more: Iterable[str]) -> Dictionary:
        """The same with more words."""
        new = set(more) - self._words
        return Dictionary(self._words | new) if new else self

    def ends(self, run: str, at: int) -> Iterator[int]:
        """Where the known words end that begin at `at`."""
        for size in self._sizes.get(run[at], ()):
            if at + size <= len(run) and run[at : at + size] in self._words:
                yield at + size


def simple_words(texts: Iterable[str], min_letters: int, whole: frozenset[str]) -> Dictionary:
    """The words of lexicon texts that are not made of other words of them; shorter ones are no words.

    `whole`: words that stay in one piece all the same, since their pieces mean something else ("别的").
    """
    found = {word for text in texts for word in _runs_of_pattern(text) if len(word) >= min_letters}
    simple: set[str] = set()
    for word in sorted(found, key=len):
        if word in whole or not _is_made_of(word, simple):
            simple.add(word)
    return Dictionary(simple)


def stems(texts: Iterable[str], particles: Dictionary) -> Dictionary:
    """The words of lexicon texts that are not a shorter one of them with particles hanging on it."""
    simple = Dictionary()
    for word in sorted({word for text in texts for word in _runs_of_pattern(text)}, key=len):
        stem, *hanging = glued_cut(word, simple, particles)
        on_it = all(end in particles.ends(word, start) for start, end, _ in hanging)
        if not hanging or not on_it or stem[1] < MIN_STEM_LETTERS:
            simple.add(word)
    return simple


def glued_cut(run: str, words: Dictionary, particles: Dictionary) -> list[Cut]:
    """A stem and what hangs on it; the whole run where its beginning is no known word."""
    sizes = _hanging_sizes(run, words, particles)
    stem_sizes = list(words.ends(run, 0))
    whole = [size for size in stem_sizes if size == len(run) or sizes[size]]
    size = max(whole or stem_sizes, default=0)
    hangs_alone = len(run) in particles.ends(run, 0)
    if hangs_alone or (not whole and size < MIN_STEM_LETTERS):
        return [(0, len(run), hangs_alone)]
    cuts: list[Cut] = [(0, size, True)]
    at = size
    while at < len(run) and sizes[at]:
        cuts.append((at, at + max(sizes[at]), True))
        at = cuts[-1][1]
    return cuts if at == len(run) else [*cuts, (at, len(run), False)]


def _hanging_sizes(run: str, words: Dictionary, particles: Dictionary) -> list[list[int]]:
    """For each place, the lengths of particles and longer words that stand there with known words up to the end."""
    found: list[list[int]] = [[] for _ in run]
    for at in range(len(run) - 1, 0, -1):
        longer = (end for end in words.ends(run, at) if end - at >= MIN_STEM_LETTERS)
        for end in {*longer, *particles.ends(run, at)}:
            if end == len(run) or found[end]:
                found[at].append(end - at)
    return found


def spaced(text: str, cut: Callable[[str], list[Cut]]) -> str:
    """A word, phrase or regular expression of a lexicon with a space between its words; classes stay as they are."""
    if text.isascii():
        return text
    return "".join(part if part.startswith("[") else _spaced_part(part, cut) for part in _CLASS.split(text))


def _spaced_part(text: str, cut: Callable[[str], list[Cut]]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end in run_spans(text):
        # A quantifier belongs to the last letter only.
        last = end - 1 if text.startswith(_QUANTIFIERS, end) else end
        pieces.append(text[at:start])
        run = text[start:last]
        pieces.append(" ".join(run[left:right] for left, right, _ in cut(run)) if run else "")
        at = last
    return "".join([*pieces, text[at:]])


def cheapest_cut(run: str, words: Dictionary) -> list[Cut]:
    """Cut with the fewest words and the fewest unknown letters; linear in the length of the run."""
    size = len(run)
    cost, ends, known = [0] * (size + 1), [size] * (size + 1), [True] * (size + 1)
    inside, inside_end = [0] * (size + 1), [size] * (size + 1)
    """The same for a run of unknown letters that is already paid for."""
    for at in range(size - 1, -1, -1):
        goes_on = at + 1 < size and inside[at + 1] <= cost[at + 1]
        inside[at] = _UNKNOWN_LETTER_COST + (inside[at + 1] if goes_on else cost[at + 1])
        inside_end[at] = inside_end[at + 1] if goes_on else at + 1
        cost[at], ends[at], known[at] = inside[at] + _UNKNOWN_RUN_COST, inside_end[at], False
        for end in words.ends(run, at):
            if cost[end] + _WORD_COST <= cost[at] and not (end < size and is_mark(run[end])):
                cost[at], ends[at], known[at] = cost[end] + _WORD_COST, end, True
    return list(_walk(ends, known))


def _walk(ends: list[int], known: list[bool]) -> Iterator[Cut]:
    at = 0
    while at < len(ends) - 1:
        yield at, ends[at], known[at]
        at = ends[at]


def _is_made_of(word: str, words: set[str]) -> bool:
    reached = [True, *(False for _ in word)]
    for end in range(1, len(word) + 1):
        if end < len(word) and is_mark(word[end]):
            continue
        reached[end] = any(reached[at] and word[at:end] in words for at in range(end))
    return reached[-1]


def _runs_of_pattern(text: str) -> Iterator[str]:
    """The runs of letters in a word or expression; within a class each letter is one."""
    if text.isascii():
        return
    plain = _CLASS.sub(lambda match: " ".join(match[1]), unicodedata.normalize("NFC", text.lower()))
    for start, end in run_spans(plain):
        if plain.startswith(_QUANTIFIERS, end) and end - start > 1:
            yield plain[start : end - 1]
        else:
            yield plain[start:end]


def run_spans(text: str) -> Iterator[tuple[int, int]]:
    """Runs of letters and marks of scripts other than Latin."""
    edges = [0, *(at for at in range(1, len(text)) if is_other(text[at]) != is_other(text[at - 1])), len(text)]
    return ((start, end) for start, end in pairwise(edges) if start < end and is_other(text[start]))


def is_other(sign: str) -> bool:
    """A letter or mark of a script other than Latin."""
    return sign >= _FIRST_OTHER_SCRIPT and (sign.isalpha() or is_mark(sign))


def is_mark(sign: str) -> bool:
    """A mark that stands on a letter and never alone."""
    return unicodedata.category(sign) in ("Mn", "Mc")
