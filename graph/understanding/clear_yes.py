"""The one word that books. A closed grammar: what is not plainly a yes, and nothing else, is none."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from graph.understanding.lexicon import alternatives, load_lexicon, whole_words

_MAX_LETTERS: Final = 80
_LANG: Final = "en"


def is_clear_yes(message: str) -> bool:
    """Whether the whole message is a yes. A question mark, a number or any other word makes it none."""
    if len(message) > _MAX_LETTERS or "?" in message or "\uff1f" in message:
        return False
    text = unicodedata.normalize("NFKC", message).casefold().replace("\u2019", "'").replace("'", "")
    words = " ".join("".join(sign if sign.isalnum() else " " for sign in text).split())
    whole, yes = _patterns(_LANG)
    return bool(whole.fullmatch(words) and yes.search(words))


@lru_cache
def _patterns(lang: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what the whole message may consist of, and what has to be in it."""
    lexicon = load_lexicon(lang)
    books, beside = lexicon.words("answers.books"), lexicon.words("answers.beside_books")
    return re.compile(rf"(?:(?:{alternatives((*books, *beside))})(?:\s+|$))+"), whole_words(alternatives(books))
