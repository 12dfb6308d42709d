"""The one word that books. A closed grammar: what is not plainly a yes, and nothing else, is none."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from graph.understanding.lexicon import LexiconError, LexiconFolders
from graph.understanding.marks import unmarked_text

_MAX_LETTERS: Final = 80
_QUESTIONS: Final = frozenset("?\uff1f\u061f\u037e\u00bf")
_ENGLISH: Final = "en"
_DEFAULT: Final = LexiconFolders()


def is_clear_yes(message: str, lang: str = _ENGLISH, folders: LexiconFolders = _DEFAULT) -> bool:
    """Whether the whole message is a yes in `lang`, the language of the message, else of the talk.

    A question mark, a number or any other word makes it none; so does a language without a closed list.
    """
    if len(message) > _MAX_LETTERS or _QUESTIONS & set(message):
        return False
    grammar = _grammar(folders, lang.split("-", maxsplit=1)[0].lower())
    if grammar is None:
        return False
    words = _plain(message, glued=grammar.glued)
    return _is_covered(unmarked_text(words) if grammar.folds_marks else words, grammar)


@dataclass(frozen=True, slots=True)
class _Grammar:
    """`books`: plain yeses; `beside`: what may stand beside one. `glued`: phrases may touch, as spaces mean little."""

    books: frozenset[str]
    beside: frozenset[str]
    glued: bool
    folds_marks: bool


def _plain(message: str, *, glued: bool) -> str:
    """Letters, marks and digits only; one space between words, none where spaces mean little."""
    text = unicodedata.normalize("NFKC", message).casefold().replace("\u2019", "").replace("'", "")
    gap = "" if glued else " "
    return gap.join("".join(sign if _is_of_a_word(sign) else " " for sign in text).split())


def _is_of_a_word(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "LNM"


@lru_cache(maxsize=64)
def _grammar(folders: LexiconFolders, lang: str) -> _Grammar | None:
    """The closed list of a language; None where it has none."""
    try:
        lexicon = folders.load(lang)
    except LexiconError:
        return None
    glued = lexicon.spacing != "spaces"
    books = {_plain(word, glued=glued) for word in lexicon.words("answers.books")}
    beside = {_plain(word, glued=glued) for word in lexicon.words("answers.beside_books")}
    return _Grammar(frozenset(books), frozenset(beside - books), glued, lexicon.folds_marks)


def _is_covered(words: str, grammar: _Grammar) -> bool:
    """Whether phrases of the list cover all of the words, a yes among them. Linear in the number of letters."""
    reached: list[set[bool]] = [{False}, *(set[bool]() for _ in words)]
    """For each place: whether a yes was among the phrases that lead to it."""
    for at, ways in enumerate(reached[:-1]):
        begins = bool(ways) and (grammar.glued or at == 0 or words[at - 1] == " ")
        for phrase in (*grammar.books, *grammar.beside) if begins else ():
            end = at + len(phrase)
            if words.startswith(phrase, at) and (grammar.glued or words[end : end + 1] in ("", " ")):
                after = min(end if grammar.glued else end + 1, len(words))
                reached[after] |= {True} if phrase in grammar.books else ways
    return True in reached[-1]
