"""The one word that books. A closed grammar: what is not plainly a yes, and nothing else, is none."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from graph.understanding.lexicon import Lexicon, LexiconError, LexiconFolders
from graph.understanding.marks import unmarked_text

_MAX_LETTERS: Final = 80
_QUESTIONS: Final = frozenset("?\uff1f\u061f\u037e\u00bf")
_ENGLISH: Final = "en"
_DEFAULT: Final = LexiconFolders()


class YesGrammar:
    """The closed list of one language: `answers.books` are plain yeses, `answers.beside_books` may stand beside one.

    Both may also be given as clauses (`..._patterns`, over words without signs): "that sounds good to me".
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self._glued = lexicon.spacing != "spaces"
        """Phrases may touch, as spaces mean little."""
        self._folds_marks = lexicon.folds_marks
        books = frozenset(self._plain(word) for word in lexicon.words("answers.books"))
        beside = frozenset(self._plain(word) for word in lexicon.words("answers.beside_books")) - books
        self._phrases = (*((phrase, True) for phrase in books), *((phrase, False) for phrase in beside))
        # Each by itself: joined, the first that fits would hide the ends of the others.
        self._clauses = (
            *((re.compile(one), True) for one in lexicon.words("answers.books_patterns")),
            *((re.compile(one), False) for one in lexicon.words("answers.beside_books_patterns")),
        )

    def accepts(self, message: str) -> bool:
        """Whether the whole message is a yes. A question mark, a number or any other word makes it none."""
        if len(message) > _MAX_LETTERS or _QUESTIONS & set(message):
            return False
        return self._is_covered(self._plain(message))

    def _plain(self, message: str) -> str:
        """Letters, marks and digits only; one space between words, none where spaces mean little."""
        text = unicodedata.normalize("NFKC", message).casefold().replace("\u2019", "").replace("'", "")
        gap = "" if self._glued else " "
        text = gap.join("".join(sign if _is_of_a_word(sign) else " " for sign in text).split())
        return unmarked_text(text) if self._folds_marks else text

    def _is_covered(self, words: str) -> bool:
        """Whether phrases of the list cover all of the words, a yes among them. Linear in the number of letters."""
        reached: list[set[bool]] = [{False}, *(set[bool]() for _ in words)]
        """For each place: whether a yes was among the phrases that lead to it."""
        for at, ways in enumerate(reached[:-1]):
            begins = bool(ways) and (self._glued or at == 0 or words[at - 1] == " ")
            for end, is_yes in self._ends(words, at) if begins else ():
                if self._glued or words[end : end + 1] in ("", " "):
                    after = min(end if self._glued else end + 1, len(words))
                    reached[after] |= {True} if is_yes else ways
        return True in reached[-1]

    def _ends(self, words: str, at: int) -> list[tuple[int, bool]]:
        """Where phrases that begin at a place end, and whether they are a yes."""
        found = [(at + len(one), is_yes) for one, is_yes in self._phrases if words.startswith(one, at)]
        matches = [(pattern.match(words, at), is_yes) for pattern, is_yes in self._clauses]
        return found + [(match.end(), is_yes) for match, is_yes in matches if match is not None and match.end() > at]


def is_clear_yes(message: str, lang: str = _ENGLISH, folders: LexiconFolders = _DEFAULT) -> bool:
    """Whether the whole message is a yes in `lang`, the language of the message, else of the talk.

    A language without a closed list has no such yes: the button books.
    """
    grammar = _grammar(folders, lang.split("-", maxsplit=1)[0].lower())
    return grammar is not None and grammar.accepts(message)


@lru_cache(maxsize=64)
def _grammar(folders: LexiconFolders, lang: str) -> YesGrammar | None:
    try:
        return YesGrammar(folders.load(lang))
    except LexiconError:
        return None


def _is_of_a_word(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "LNM"
