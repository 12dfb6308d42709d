"""The catalogue files: one a language, sentences and the shapes of days."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

_CATALOGS: Final = Path(__file__).parent / "catalogs"
FALLBACK: Final = "en"


@lru_cache(maxsize=32)
def load_catalog(lang: str) -> Mapping[str, Any]:
    """Return the catalogue of a language, English where there is none."""
    path = _CATALOGS / f"{lang}.json"
    if not path.is_file():
        return load_catalog(FALLBACK)
    catalog: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return catalog


def spoken_language(lang: str) -> str:
    """Return the language that replies will really be in."""
    base = lang.split("-", maxsplit=1)[0].lower()
    return base if base.isalpha() and (_CATALOGS / f"{base}.json").is_file() else FALLBACK
