"""Forgiving search words: every token has to match somewhere; spacing, order, case and small typos do not matter."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Final, Literal

from rapidfuzz import fuzz, process

_MIN_TOKEN_LENGTH: Final = 2
_MIN_TRIGRAM: Final = 3
_MIN_TYPO_LENGTH: Final = 4
_TYPO_SCORE: Final = 78.0
"""Of 100: one wrong, missing or swapped letter in a word of five passes ("yamha", "hodna"), two do not."""

_CATEGORY_WORDS: Final = {
    "scooter": "scooter scooters skuter moped mopeds скутер скутеры мопед roller escúter"
    " สกู๊ตเตอร์ スクーター 踏板车 스쿠터",
    "motorcycle": "motorcycle motorcycles motorbike motorbikes motor moto motos bigbike bigbikes мотоцикл мотоциклы"
    " motorrad motocicleta motocykl มอเตอร์ไซค์ バイク 摩托车 오토바이",
    "car": "car cars mobil auto autos машина машины автомобиль coche coches carro voiture wagen รถยนต์ 車 汽车 자동차",
    "boat": "boat boats perahu kapal лодка лодки катер barco bateau เรือ ボート 船 보트",
    "bicycle": "bicycle bicycles pushbike pushbikes sepeda велосипед bicicleta vélo fahrrad จักรยาน"
    " 自転車 自行车 자전거",
}
_PHRASES: Final = {("big", "bike"): "bigbike", ("big", "bikes"): "bigbike", ("motor", "bike"): "motorbike"}
"""Words that mean a category only side by side."""

_FILLERS: Final = frozenset(
    {
        *("any", "anything", "some", "something", "an", "the", "one", "with", "or", "for", "please", "me", "my"),
        *("rent", "rental", "hire", "vehicle", "vehicles"),
    }
)
"""Words that describe nothing; left out unless a shop uses one as a name."""


def tokens(text: str) -> tuple[str, ...]:
    """Split at everything that is neither letter nor digit, fold case, drop tokens under two characters."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    # Vowel signs of many scripts are marks, not letters; they belong to their word.
    words = "".join(c if c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in folded).split()
    return tuple(word for word in words if len(word) >= _MIN_TOKEN_LENGTH)


_CATEGORY_OF: Final = {
    token: category for category, words in _CATEGORY_WORDS.items() for word in words.split() for token in tokens(word)
}


def search_text(details: str, plate: str, colour: str = "") -> str:
    """Return what a vehicle's own words are found by; stored with the vehicle. A space is before and after each."""
    plate_words = tokens(plate)
    words = dict.fromkeys((*tokens(details), *tokens(colour), *plate_words, "".join(plate_words)))
    return "".join(f" {word}" for word in words if word) + " "


def needle(token: str) -> str:
    """Return what to look for in `search_text`: a token of two characters has to be a whole word."""
    return token if len(token) >= _MIN_TRIGRAM else f" {token} "


@dataclass(frozen=True, slots=True)
class ModelWords:
    """The words by which one model is found."""

    model_id: int
    words: frozenset[str]
    inside: str
    """The words in one text, so that one comparison looks into all of them."""
    starts: str
    """Its names without spaces, from each word on, one a line: "hondapcx160", "pcx160", "160"."""

    def matches(self, token: str) -> bool:
        """Whether the token is in a word, or runs over several from the start of one."""
        return token in self.inside or f"\n{token}" in self.starts


@lru_cache(maxsize=4096)
def model_words(model_id: int, names: tuple[str, ...]) -> ModelWords:
    """Collect the words of all names of a model (slugs, names in any language, aliases); remembered by them."""
    split = [tokens(name) for name in names]
    runs = {"".join(words[n:]) for words in split for n in range(len(words))}
    words = frozenset(w for words in split for w in words)
    return ModelWords(model_id, words, " ".join(sorted(words)), "".join(f"\n{run}" for run in sorted(runs)))


class _Postings:
    """Which models have which texts: sorted, so that those with a start are found by halving."""

    def __init__(self, pairs: Iterable[tuple[str, int]]) -> None:
        found: dict[str, set[int]] = {}
        for text, model_id in pairs:
            found.setdefault(text, set()).add(model_id)
        self._texts = sorted(found)
        self._models = [tuple(found[text]) for text in self._texts]
        # No token holds what is between them.
        self._joined = "\n".join(self._texts)
        self._ends = list(accumulate(len(text) + 1 for text in self._texts))

    def with_start(self, token: str) -> frozenset[int]:
        """Return the models of which a text starts with the token."""
        first = bisect_left(self._texts, token)
        return frozenset().union(*self._models[first : bisect_right(self._texts, f"{token}\U0010ffff")])

    def with_part(self, token: str) -> frozenset[int]:
        """Return the models of which a text holds the token."""
        found, at = [], self._joined.find(token)
        while at >= 0:
            place = bisect_right(self._ends, at)
            found.append(self._models[place])
            at = self._joined.find(token, self._ends[place])
        return frozenset().union(*found)


class Vocabulary:
    """The words of all models of a company; made once, asked often."""

    def __init__(self, models: Sequence[ModelWords]) -> None:
        self.models = tuple(models)
        self.words = frozenset(word for entry in self.models for word in entry.words)
        self._typed = sorted(w for w in self.words if len(w) >= _MIN_TYPO_LENGTH and w.isalpha())
        self._words = _Postings((word, entry.model_id) for entry in self.models for word in entry.words)
        self._starts = _Postings((run, entry.model_id) for entry in self.models for run in entry.starts.split("\n")[1:])

    def models_with(self, token: str) -> frozenset[int]:
        """Return the models in whose names the token is; those that `ModelWords.matches` names, found at once."""
        return self._words.with_part(token) | self._starts.with_start(token)

    def nearest(self, token: str) -> str | None:
        """Return the word that was probably meant. Figures are never corrected: a 150 is another vehicle than a 160."""
        if len(token) < _MIN_TYPO_LENGTH or any(c.isdigit() for c in token):
            return None
        best = process.extractOne(token, self._typed, scorer=fuzz.ratio, score_cutoff=_TYPO_SCORE)
        return best[0] if best else None


@dataclass(frozen=True, slots=True)
class Hint:
    """Something understood differently from how it was said."""

    code: Literal["word_is_category", "typo_corrected", "no_such_word", "over_budget"]
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
    """Something was asked for of which no word is usable ("%"), or one is known nowhere."""

    def fits_model(self, model_id: int) -> bool:
        """Whether words were given and all of them name this model."""
        return bool(self.words) and all(model_id in word.model_ids for word in self.words)

    @property
    def model_ids(self) -> frozenset[int] | None:
        """The models that all words name; None when no words were given."""
        if not self.words:
            return None
        return frozenset.intersection(*(word.model_ids for word in self.words))

    @property
    def needs_own_words(self) -> bool:
        """Whether only what is said of single vehicles (details, plate) can satisfy the words."""
        return bool(self.words) and not self.model_ids


NOTHING_WANTED: Final = Wanted()
"""No words were given: everything matches."""


def understand(texts: Sequence[str | None], vocabulary: Vocabulary, in_details: Callable[[str], bool]) -> Wanted:
    """Read brand, model and free words against the company's own names.

    `in_details` says whether some vehicle's own words (details, plate) hold the token; asked only when no model does.
    """
    given = [text for text in texts if text and text.strip()]
    wanted: list[WantedWord] = []
    hints: list[Hint] = []
    category = None
    for token in _useful_tokens(given, vocabulary):
        if token in _CATEGORY_OF and token not in vocabulary.words:
            category = _CATEGORY_OF[token]
            hints.append(Hint("word_is_category", token, category))
            continue
        word, hint = _read(token, vocabulary, in_details)
        wanted.append(word)
        hints.extend([hint] if hint else [])
    unusable = bool(given) and not wanted and category is None
    if unusable:
        hints.append(Hint("no_such_word", " ".join(given)[:80]))
    known_nowhere = any(hint.code == "no_such_word" for hint in hints)
    return Wanted(tuple(wanted), category, tuple(hints), known_nowhere)


def _useful_tokens(given: Sequence[str], vocabulary: Vocabulary) -> list[str]:
    found: list[str] = []
    for token in (token for text in given for token in tokens(text)):
        phrase = _PHRASES.get((found[-1], token)) if found else None
        # A shop whose own words hold the phrase ("big bike" as an alias) means something narrower by it.
        if phrase and not {found[-1], token} <= vocabulary.words:
            found[-1] = phrase
        else:
            found.append(token)
    told = [token for token in found if token not in _FILLERS or token in vocabulary.words]
    return list(dict.fromkeys(told))


def _read(token: str, vocabulary: Vocabulary, in_details: Callable[[str], bool]) -> tuple[WantedWord, Hint | None]:
    found = vocabulary.models_with(token)
    if found or in_details(token):
        return WantedWord(token, found), None
    corrected = vocabulary.nearest(token)
    if corrected is None:
        return WantedWord(token, frozenset()), Hint("no_such_word", token)
    return WantedWord(corrected, vocabulary.models_with(corrected)), Hint("typo_corrected", token, corrected)
