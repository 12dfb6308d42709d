"""Which parts of a text are the fixed words of the catalogue, and what was filled in between."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from string import Formatter
from typing import Any, Final

from graph.writing.phrases import load_catalog

_LONGEST_FILL: Final = 240


@dataclass(frozen=True, slots=True)
class Template:
    """One wording of one message."""

    key: str
    pattern: re.Pattern[str]
    longest_words: str
    """Its longest fixed part: a quick look before the pattern."""
    slots: tuple[str, ...]
    """Names of what is filled in, by group."""


@dataclass(frozen=True, slots=True)
class Match:
    """Where a message stands in a text."""

    key: str
    start: int
    end: int
    filled: tuple[tuple[str, int, int], ...]
    """(name, start, end) of each filled part."""

    def fixes(self, start: int, end: int) -> bool:
        """Whether these signs are fixed words of the message, nothing that was filled in."""
        is_inside = self.start <= start and end <= self.end
        return is_inside and not any(a < end and start < b for _, a, b in self.filled)


@lru_cache(maxsize=32)
def templates(lang: str) -> tuple[Template, ...]:
    """Return all wordings of a language's catalogue that have fixed words."""
    return tuple(
        made
        for key, message in load_catalog(lang).items()
        if not key.startswith(("category.", "tap.", "numbers"))
        for wording in _wordings(message)
        if (made := _template(key, wording)) is not None
    )


def find_templates(content: str, lang: str) -> Iterator[Match]:
    """Yield the messages that stand in a text."""
    for template in templates(lang):
        if template.longest_words in content:
            for found in template.pattern.finditer(content):
                filled = ((name, *found.span(n)) for n, name in enumerate(template.slots, start=1))
                yield Match(template.key, found.start(), found.end(), tuple(filled))


@lru_cache(maxsize=32)
def vocabulary(lang: str) -> frozenset[str]:
    """Return the words that a language's catalogue itself uses."""
    texts = (wording for message in load_catalog(lang).values() for wording in _wordings(message))
    return frozenset(word for text in texts for word in re.findall(r"[^\W\d_][\w'’-]*", re.sub(r"\{\w+\}", " ", text)))


@lru_cache(maxsize=32)
def duration_pattern(lang: str) -> re.Pattern[str]:
    """Return what stands around the number of a length of time, from the catalogue's own "7 days"."""
    units = {wording.replace("{count}", "").strip() for wording in _wordings(load_catalog(lang)["days"])}
    # A longer word that begins like it is another one; scripts without spaces have no such mark.
    marked = (re.escape(u) + (r"(?!\w)" if u[-1] < "\u0590" else "") for u in sorted(units, key=len, reverse=True))
    return re.compile(rf"\s?(?:{'|'.join(marked)})")


def _wordings(message: Any) -> Iterator[str]:
    if isinstance(message, str):
        yield message
    elif isinstance(message, dict):
        yield from (str(text) for text in message.values())
    elif isinstance(message, list):
        yield from (str(text) for text in message)


def _template(key: str, wording: str) -> Template | None:
    parts = [(text, name) for text, name, _, _ in Formatter().parse(wording)]
    fixed = [text for text, _ in parts if any(sign.isalpha() for sign in text)]
    if not fixed:
        return None
    pattern, slots = "", []
    for number, (text, name) in enumerate(parts):
        pattern += re.escape(text)
        if name is not None:
            slots.append(name)
            is_last = number == len(parts) - 1
            pattern += rf"(.{{0,{_LONGEST_FILL}}}{'' if is_last else '?'})"
    return Template(key, re.compile(pattern, re.DOTALL), max(fixed, key=len), tuple(slots))
