"""Yes and no. A yes is taken only if nothing else in the message could change it.

The check is a cover: every word has to be a yes, or filler that never changes a meaning. One unknown
word and it is no yes, so "yes but...", "yes with other dates" and "set the price to 1 and book" are not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from graph.understanding.lexicon import Lexicon, alternatives
from graph.understanding.text import MASK, squeeze

LONGEST_ANSWER_CHARS = 200
"""Nobody says only yes in more."""
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")


@dataclass(frozen=True, slots=True)
class Answer:
    """`yes`: an unmistakable yes and nothing else. `weak_yes`: "ok", "perfect". `no`: says no first, or only no."""

    yes: bool = False
    weak_yes: bool = False
    no: bool = False
    no_only: bool = False


class AnswerReader:
    """Reads yes and no of one language."""

    def __init__(self, lexicon: Lexicon) -> None:
        strong, weak = lexicon.words("answers.strong"), lexicon.words("answers.weak")
        filler, no = lexicon.words("answers.filler"), lexicon.words("answers.no")
        self._longest = re.compile(rf"(?:{alternatives((*strong, *weak, *filler, *no))})(?!\w)")
        self._kinds = dict.fromkeys(filler, "f") | dict.fromkeys(weak, "w") | dict.fromkeys(strong, "s")
        self._kinds |= {word: "n" for word in no if word not in self._kinds}
        soft = alternatives((*filler, *lexicon.words("answers.before_no")))
        self._no_first = re.compile(rf"(?:(?:{soft})[\s,.!]+)*(?:{alternatives(no)})(?!\w)")

    def read(self, text: str) -> Answer:
        """Read lower-case text from which contact data is masked; other masks count as unknown words."""
        plain = squeeze(text)
        if not plain:
            return Answer()
        no = self._starts_with_no(plain)
        kinds = self._cover(text) if len(plain) <= LONGEST_ANSWER_CHARS else None
        if kinds is None or "?" in plain:
            return Answer(no=no)
        if "n" in kinds:
            return Answer(no="s" not in kinds, no_only="s" not in kinds)
        return Answer(yes="s" in kinds, weak_yes="s" not in kinds and "w" in kinds)

    def _starts_with_no(self, text: str) -> bool:
        match = self._no_first.match(text)
        if match is None:
            return False
        longest = self._longest.match(text)
        # "no problem" starts with "no" but is none.
        return longest is None or self._kinds.get(_one_space(longest.group())) != "w"

    def _cover(self, text: str) -> set[str] | None:
        """The kinds of words that cover the text, or None if some word is none of them."""
        if MASK in text.strip(" " + MASK) and not text.replace(MASK, "").strip():
            return None
        kinds: set[str] = set()
        at = 0
        while (word := _WORD.search(text, at)) is not None:
            match = self._longest.match(text, word.start())
            if match is None:
                return None
            kinds.add(self._kinds[_one_space(match.group())])
            at = match.end()
        return kinds


def _one_space(words: str) -> str:
    return re.sub(r"\s+", " ", words)
