"""Which language a message is in, by script, by its words and by its letters; and when the talk keeps its own."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from graph.understanding.marks import unmarked_text

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_TELLING: Final = 12
"""Weight of a word that one language alone has; a shared one is divided among its languages."""
_SMALL: Final = 4
"""Weight of a small word or a letter, which names have as well ("de la Cruz")."""
_ENOUGH: Final = 10
_MAX_WORDS: Final = 120


@dataclass(frozen=True, slots=True)
class LanguageGuess:
    """The language of one message; None where its words do not tell (a name, a number, a brand, "ok")."""

    lang: str | None
    others: tuple[str, ...] = ()
    """Further languages that words of the message belong to, strongest first."""


class LanguageReader:
    """Tells languages apart with the `language.toml` of each: scripts, words, small words, letters."""

    def __init__(self, tables: Mapping[str, Mapping[str, object]]) -> None:
        self._scripts: dict[str, list[str]] = {}
        self._weights: dict[str, dict[str, int]] = {}
        self._letters: dict[str, list[str]] = {}
        for lang, table in tables.items():
            for script in _list(table, "scripts"):
                self._scripts.setdefault(script, []).append(lang)
            for sign in _list(table, "letters"):
                self._letters.setdefault(sign, []).append(lang)
            for word in _list(table, "small_words"):
                self._weights.setdefault(word, {})[lang] = _SMALL
            for word in _list(table, "words"):
                self._weights.setdefault(word, {})[lang] = _TELLING
        self._plain = _without_marks(self._weights)

    def detect(self, text: str, session: str = "") -> LanguageGuess:
        """The language of lower-case text, given the language of the talk so far (BCP 47, may be empty)."""
        votes, letters = self._votes(text), self._script_letters(text)
        latin = sum(sign.isascii() and sign.isalpha() for sign in text) if letters else 0
        for lang, count in letters.items():
            if lang == session or count * 3 >= latin or not votes:
                votes[lang] += _TELLING * count
        ranked = [lang for lang, score in votes.most_common() if score >= _ENOUGH]
        chosen = _chosen(votes, session)
        return LanguageGuess(chosen, tuple(other for other in ranked if other != chosen))

    def _votes(self, text: str) -> Counter[str]:
        votes: Counter[str] = Counter()
        for word in dict.fromkeys(_WORD.findall(text)[:_MAX_WORDS]):
            owners = self._weights.get(word) or self._plain.get(unmarked_text(word), {})
            for lang, weight in owners.items():
                votes[lang] += weight // len(owners)
        for sign in set(text):
            for lang in self._letters.get(sign, ()):
                votes[lang] += _SMALL
        return votes

    def _script_letters(self, text: str) -> Counter[str]:
        counts: Counter[str] = Counter()
        if text.isascii():
            return counts
        for sign in text:
            langs = self._scripts.get(_script(sign), ())
            for lang in langs if not sign.isascii() else ():
                counts[lang] += 1
        return counts


def _chosen(votes: Counter[str], session: str) -> str | None:
    """The strongest language. A talk keeps its own where the message has words of it, unless another one rules."""
    if not votes:
        return None
    own = votes[session]
    ranked = votes.most_common(2)
    best, score = ranked[0]
    if best == session:
        return session if own >= _SMALL else None
    if own:
        rules = score > 3 * own if own >= _TELLING else score >= own + _TELLING
        return best if rules else session
    tied = len(ranked) > 1 and ranked[1][1] == score
    return best if score >= _ENOUGH and not tied else None


def _list(table: Mapping[str, object], key: str) -> tuple[str, ...]:
    found = table.get(key, ())
    return tuple(str(item) for item in found) if isinstance(found, Iterable) else ()


def _without_marks(weights: Mapping[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    """Words as typed without their marks, where no other language writes them so."""
    found: dict[str, dict[str, int]] = {}
    for word, owners in weights.items():
        plain = unmarked_text(word)
        if plain not in weights:
            found.setdefault(plain, {}).update(owners)
    return found


@lru_cache(maxsize=4096)
def _script(sign: str) -> str:
    """The first word of the letter's name, lower case ("hangul", "thai", "cyrillic", "cjk"); empty for signs."""
    return unicodedata.name(sign, "").split(" ")[0].lower() if sign.isalpha() else ""
