"""What the customer does: patterns from the lexicon, in the order of the file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast, get_args

from graph.understanding.lexicon import Lexicon
from graph.understanding.meaning import CompanyTopic, Intent

_INTENTS: tuple[str, ...] = get_args(Intent)


@dataclass(frozen=True, slots=True)
class Signals:
    """Intents whose words stand in the text, with where; and the topic of a question about the company."""

    at: dict[Intent, int]
    topic: CompanyTopic | None = None

    def has(self, *intents: Intent) -> bool:
        """True if one of them was seen."""
        return any(intent in self.at for intent in intents)

    def only_if(self, intent: Intent, others: Signals) -> Signals:
        """The same, without this intent where another reading has not seen it."""
        kept = {name: at for name, at in self.at.items() if name != intent or others.has(intent)}
        return Signals(kept, self.topic)


class TopicReader:
    """Finds the questions about the shop of one language."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._topics = [
            (cast(CompanyTopic, name), lexicon.compiled(f"topics.{name}")) for name in lexicon.sections("topics")
        ]

    def read(self, text: str) -> tuple[int, CompanyTopic] | None:
        """The first topic in lower-case text, with where it begins."""
        found = [(match.start(), topic) for topic, p in self._topics if (match := p.search(text)) is not None]
        return min(found, key=lambda item: item[0], default=None)


class IntentReader:
    """Finds the signals of one language."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._patterns: list[tuple[Intent, re.Pattern[str]]] = []
        for name in lexicon.sections("intents"):
            if name in _INTENTS and lexicon.words(f"intents.{name}.patterns"):
                self._patterns.append((cast(Intent, name), lexicon.compiled(f"intents.{name}.patterns")))
        self._topics = TopicReader(lexicon)

    def read(self, text: str) -> Signals:
        """All signals in lower-case text."""
        found: dict[Intent, int] = {}
        for intent, pattern in self._patterns:
            match = pattern.search(text)
            if match is not None:
                found[intent] = match.start()
        asked = self._topics.read(text)
        if asked is None:
            return Signals(found)
        at, topic = asked
        found["ask_company"] = at
        return Signals(found, topic)
