"""Words per language, as data. A new language is a new file; what it lacks is said in English."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

FALLBACK: Final = "en"
_FOLDER: Final = Path(__file__).parent

Message = str | Mapping[str, str]
"""A sentence, or its CLDR plural forms by category; "other" is always there."""


@dataclass(frozen=True, slots=True)
class Catalog:
    """The words of one language, and the locale that forms its numbers and dates."""

    locale: str
    messages: Mapping[str, Message]


def make_catalog(data: Mapping[str, Any], fallback: Catalog | None = None) -> Catalog:
    """Return a catalogue from the data of a file (`{"locale": ..., "messages": {...}}`)."""
    messages = {**(fallback.messages if fallback else {}), **data["messages"]}
    return Catalog(locale=data["locale"], messages=messages)


def available() -> frozenset[str]:
    """Return the languages that have a file."""
    return frozenset(path.stem for path in _FOLDER.glob("*.json"))


def load_catalog(locale: str) -> Catalog:
    """Return the catalogue nearest to a BCP 47 tag: `pt-BR`, then `pt`, then English. Never raises."""
    parts = locale.replace("_", "-").split("-")
    tags = ["-".join(parts[:length]) for length in range(len(parts), 0, -1)]
    known = {name.lower(): name for name in available()}
    return _load(next((known[tag.lower()] for tag in tags if tag.lower() in known), FALLBACK))


@lru_cache(maxsize=64)
def _load(name: str) -> Catalog:
    data = json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return make_catalog(data, None if name == FALLBACK else _load(FALLBACK))
