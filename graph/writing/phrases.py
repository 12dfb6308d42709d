"""The words of one language: a catalogue file, filled with facts."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from graph.writing.catalog import FALLBACK, load_catalog, spoken_language
from graph.writing.formats import plural_form

__all__ = ["Phrases", "load_catalog", "spoken_language"]

_log = logging.getLogger(__name__)


class Phrases:
    """Fills messages of one language. What it lacks is said in English; what English lacks raises KeyError."""

    def __init__(self, lang: str, catalog: Mapping[str, Any] | None = None) -> None:
        self.lang = spoken_language(lang)
        self._catalog = load_catalog(self.lang) if catalog is None else catalog

    def say(self, key: str, /, count: int | None = None, **values: str) -> str:
        """Return the message; `count` picks its CLDR plural form and fills `{count}`."""
        lang, catalog = self.lang, self._catalog
        if key not in catalog:
            lang, catalog = _english_for(key, lang), load_catalog(FALLBACK)
        template = catalog[key]
        if isinstance(template, dict):
            if count is None:
                raise KeyError(f"{key} needs a count")
            template = template.get(plural_form(count, lang), template["other"])
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


@lru_cache(maxsize=1024)
def _english_for(key: str, lang: str) -> str:
    """Return the fallback; kept, so that each lack is logged once."""
    _log.error("the catalogue of %s lacks %s: English is said", lang, key)
    return FALLBACK
