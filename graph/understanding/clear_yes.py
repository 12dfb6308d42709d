"""The one word that books. A closed grammar: what is not plainly a yes, and nothing else, is none."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from graph.understanding.lexicon import LexiconError, LexiconFolders, alternatives
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
    whole, yes, folds_marks = grammar
    words = _plain(message)
    words = unmarked_text(words) if folds_marks else words
    return bool(whole.fullmatch(words) and yes.search(words))


def _plain(message: str) -> str:
    """Letters, marks and digits only, one space between words."""
    text = unicodedata.normalize("NFKC", message).casefold().replace("\u2019", "").replace("'", "")
    return " ".join("".join(sign if _is_of_a_word(sign) else " " for sign in text).split())


def _is_of_a_word(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "LNM"


@lru_cache(maxsize=64)
def _grammar(folders: LexiconFolders, lang: str) -> tuple[re.Pattern[str], re.Pattern[str], bool] | None:
    """Return what the whole message may consist of, what has to be in it, and whether marks are left out."""
    try:
        lexicon = folders.load(lang)
    except LexiconError:
        return None
    books = [_plain(word) for word in lexicon.words("answers.books")]
    beside = [_plain(word) for word in lexicon.words("answers.beside_books")]
    glued = lexicon.spacing == "none"
    gap = r"\s*" if glued else r"(?:\s+|$)"
    yes = alternatives(books) if glued else rf"(?<!\w)(?:{alternatives(books)})(?!\w)"
    return re.compile(rf"(?:(?:{alternatives((*books, *beside))}){gap})+"), re.compile(yes), lexicon.folds_marks
