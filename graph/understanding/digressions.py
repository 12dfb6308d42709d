"""Days that belong to a question which is no matter of the shop: "what is the weather tomorrow?"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from graph.understanding.date_words import DateWords
from graph.understanding.lexicon import Lexicon
from graph.understanding.text import MASK, blanked

_CLAUSE_END = re.compile(r"[?!;\n。]|[.,、](?!\d)")

Span = tuple[int, int]


class OtherMatters:
    """Tells whether a clause speaks of something that no rental company can answer."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._never_ours = lexicon.compiled("intents.out_of_scope.patterns")
        self._elsewhere = lexicon.compiled("elsewhere.patterns")
        words = DateWords(lexicon)
        self._rental_verbs = [words.whole(name) for name in ("start_verbs", "end_verbs", "move_patterns")]

    def own(self, text: str, days: Iterable[Span], is_rental: Callable[[str], bool]) -> bool:
        """Whether the days stand in a clause of such a matter, and nothing else there is one of the shop's.

        `is_rental`: whether the rest of the clause is. A matter that may be told as a circumstance ("my flight
        lands on the 10th") owns its day only in a question.
        """
        spans = tuple(days)
        if not spans:
            return False
        start, end = _clause(text, min(span[0] for span in spans), max(span[1] for span in spans))
        clause = blanked(text, spans, MASK)[start:end]
        pattern = self._elsewhere if clause.endswith("?") else self._never_ours
        found = [match.span() for one in {pattern, self._never_ours} for match in one.finditer(clause)]
        rest = blanked(clause, found, MASK)
        return bool(found) and not (is_rental(rest) or any(verb.search(rest) for verb in self._rental_verbs))


def _clause(text: str, start: int, end: int) -> Span:
    """The clause around a stretch of the text, its sign included."""
    ends = [match.end() for match in _CLAUSE_END.finditer(text, 0, start)]
    behind = _CLAUSE_END.search(text, end)
    return (ends[-1] if ends else 0), (behind.end() if behind else len(text))
