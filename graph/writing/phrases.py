"""The words of one language: a catalogue file, filled with facts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from graph.writing.formats import plural_form

_CATALOGS = Path(__file__).parent / "catalogs"
_FALLBACK = "en"


@lru_cache(maxsize=32)
def load_catalog(lang: str) -> Mapping[str, Any]:
    """Return the catalogue of a language, English where there is none."""
    path = _CATALOGS / f"{lang}.json"
    if not path.is_file():
        return load_catalog(_FALLBACK)
    catalog: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return catalog


def spoken_language(lang: str) -> str:
    """Return the language that replies will really be in."""
    base = lang.split("-", maxsplit=1)[0].lower()
    return base if base.isalpha() and (_CATALOGS / f"{base}.json").is_file() else _FALLBACK


class Phrases:
    """Fills messages of one language. A missing key is a bug and raises KeyError."""

    def __init__(self, lang: str) -> None:
        self.lang = spoken_language(lang)
        self._catalog = load_catalog(self.lang)

    def say(self, key: str, /, count: int | None = None, **values: str) -> str:
        """Return the message; `count` picks its CLDR plural form and fills `{count}`."""
        template = self._catalog[key]
        if isinstance(template, dict):
            if count is None:
                raise KeyError(f"{key} needs a count")
            template = template.get(plural_form(count, self.lang), template["other"])
        filled: str = template.format(count=count, **values)
        return filled

    def number(self, count: int) -> str:
        """Write a small number as a word, a larger one in digits."""
        words: list[str] = self._catalog.get("numbers", [])
        return words[count] if 0 <= count < len(words) else str(count)

    def category(self, category: str | None, count: int) -> str:
        """Name a kind of vehicle in the right number."""
        key = f"category.{category}" if category else "category.any"
        return self.say(key if key in self._catalog else "category.any", count=count)
