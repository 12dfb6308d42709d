"""Which of the nine languages a message is in, by script and by small words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_SCRIPT_NAMES = {"HANGUL": "hangul", "THAI": "thai", "CYRILLIC": "cyrillic", "CJK": "han"}


class LanguageReader:
    """Tells languages apart with the tables of the lexicon folder."""

    def __init__(self, table: dict[str, dict[str, object]]) -> None:
        self._scripts = {str(key): str(value) for key, value in table["scripts"].items()}
        self._words: dict[str, set[str]] = {}
        for language, words in table["function_words"].items():
            for word in words if isinstance(words, list) else []:
                self._words.setdefault(str(word), set()).add(language)

    def detect(self, text: str) -> str | None:
        """BCP 47 language of lower-case text; None when its words do not tell."""
        script = self._script(text)
        if script is not None:
            return script
        votes: Counter[str] = Counter()
        for word in _WORD.findall(text):
            owners = self._words.get(word, set())
            for language in owners:
                votes[language] += 12 // len(owners)
        ranked = votes.most_common(2)
        if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
            return None
        return ranked[0][0]

    def _script(self, text: str) -> str | None:
        counts: Counter[str] = Counter()
        for sign in text:
            if sign.isascii() or not sign.isalpha():
                continue
            name = unicodedata.name(sign, "").split(" ")[0]
            script = _SCRIPT_NAMES.get(name)
            if script is not None:
                counts[script] += 1
        if not counts:
            return None
        script, letters = counts.most_common(1)[0]
        latin = sum(sign.isascii() and sign.isalpha() for sign in text)
        return self._scripts[script] if letters * 3 >= latin else None
