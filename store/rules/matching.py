"""Forgiving search words: every token has to match somewhere; spacing, order, case and small typos do not matter."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from rapidfuzz import fuzz, process

_MIN_TOKEN_LENGTH: Final = 2
_MIN_TYPO_LENGTH: Final = 4
_TYPO_SCORE: Final = 78.0
"""Of 100: one wrong, missing or swapped letter in a word of five passes ("yamha", "hodna"), two do not."""

_CATEGORY_WORDS: Final = {
    "scooter": ("scooter", "scooters", "skuter", "moped", "скутер", "мопед"),
    "motorcycle": ("motorcycle", "motorcycles", "motorbike", "motorbikes", "motor", "moto", "мотоцикл"),
    "car": ("car", "cars", "mobil", "auto", "машина", "автомобиль"),
    "boat": ("boat", "boats", "perahu", "kapal", "лодка", "катер"),
    "bicycle": ("bicycle", "bicycles", "pushbike", "sepeda", "велосипед"),
}
_CATEGORY_OF: Final = {word: category for category, words in _CATEGORY_WORDS.items() for word in words}


def tokens(text: str) -> tuple[str, ...]:
    """Split at everything that is neither letter nor digit, fold case, drop tokens under two characters."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    # Vowel signs of many scripts are marks, not letters; they belong to their word.
    words = "".join(c if c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in folded).split()
    return tuple(word for word in words if len(word) >= _MIN_TOKEN_LENGTH)


def search_text(details: str, plate: str) -> str:
    """Return what a vehicle's own words are found by; stored with the vehicle."""
    plate_words = tokens(plate)
    return " ".join(dict.fromkeys((*tokens(details), *plate_words, "".join(plate_words))))


@dataclass(frozen=True, slots=True)
class ModelWords:
    """The words by which one model is found."""

    model_id: int
    words: frozenset[str]
    runs: tuple[str, ...]
    """Its names without spaces, from each word on: "hondapcx160", "pcx160", "160"."""

    def matches(self, token: str) -> bool:
        """Whether the token is in a word, or runs over several."""
        return any(token in word for word in self.words) or any(run.startswith(token) for run in self.runs)


@lru_cache(maxsize=4096)
def model_words(model_id: int, names: tuple[str, ...]) -> ModelWords:
    """Collect the words of all names of a model (slugs, names in any language, aliases); remembered by them."""
    split = [tokens(name) for name in names]
    runs = {"".join(words[n:]) for words in split for n in range(len(words))}
    return ModelWords(model_id, frozenset(w for words in split for w in words), tuple(sorted(runs)))


@dataclass(frozen=True, slots=True)
class Hint:
    """Something understood differently from how it was said."""

    code: Literal["word_is_category", "typo_corrected", "no_such_word"]
    word: str
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class WantedWord:
    """One token that has to match: a model, or the vehicle's own words."""

    token: str
    model_ids: frozenset[int]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the words mean for this company."""

    words: tuple[WantedWord, ...] = ()
    category: str | None = None
    hints: tuple[Hint, ...] = ()
    matches_nothing: bool = False
    """Something was asked for of which no word is usable ("%")."""

    def fits_model(self, model_id: int) -> bool:
        """Whether words were given and all of them name this model."""
        return bool(self.words) and all(model_id in word.model_ids for word in self.words)


NOTHING_WANTED: Final = Wanted()
"""No words were given: everything matches."""


def understand(
    texts: Sequence[str | None], vocabulary: Sequence[ModelWords], in_details: Callable[[str], bool]
) -> Wanted:
    """Read brand, model and free words against the company's own names.

    `in_details` says whether some vehicle's own words (details, plate) hold the token; asked only when no model does.
    """
    given = [text for text in texts if text and text.strip()]
    wanted, hints, category = [], [], None
    for token in dict.fromkeys(token for text in given for token in tokens(text)):
        named = any(token in entry.words for entry in vocabulary)
        if not named and token in _CATEGORY_OF:
            category = _CATEGORY_OF[token]
            hints.append(Hint("word_is_category", token, category))
            continue
        word, hint = _read(token, vocabulary, in_details)
        wanted.append(word)
        hints.extend([hint] if hint else [])
    unusable = bool(given) and not wanted and category is None
    if unusable:
        hints.append(Hint("no_such_word", " ".join(given)[:80]))
    return Wanted(tuple(wanted), category, tuple(hints), unusable)


def _read(
    token: str, vocabulary: Sequence[ModelWords], in_details: Callable[[str], bool]
) -> tuple[WantedWord, Hint | None]:
    found = _models_with(token, vocabulary)
    if found or in_details(token):
        return WantedWord(token, found), None
    corrected = _nearest(token, vocabulary)
    if corrected is None:
        return WantedWord(token, frozenset()), Hint("no_such_word", token)
    return WantedWord(corrected, _models_with(corrected, vocabulary)), Hint("typo_corrected", token, corrected)


def _models_with(token: str, vocabulary: Sequence[ModelWords]) -> frozenset[int]:
    return frozenset(entry.model_id for entry in vocabulary if entry.matches(token))


def _nearest(token: str, vocabulary: Sequence[ModelWords]) -> str | None:
    # Figures are never corrected: a 150 is another vehicle than a 160.
    if len(token) < _MIN_TYPO_LENGTH or any(c.isdigit() for c in token):
        return None
    known = sorted({w for entry in vocabulary for w in entry.words if len(w) >= _MIN_TYPO_LENGTH and w.isalpha()})
    best = process.extractOne(token, known, scorer=fuzz.ratio, score_cutoff=_TYPO_SCORE)
    return best[0] if best else None
