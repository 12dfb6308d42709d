"""The message catalogue and the code agree: no key is missing, none is left over."""

from __future__ import annotations

import ast
import json
import string
from collections.abc import Iterator
from pathlib import Path

from graph.writing.phrases import Phrases, load_catalog, spoken_language

ROOT = Path(__file__).parents[2]
BUILT = (
    *("next.", "refusal.", "dates.", "contact.", "tap.", "category.", "numbers"),
    *("change.", "rental.record.", "action."),
)
"""Beginnings of keys that the code puts together."""


def strings() -> Iterator[str]:
    for folder in ("graph", "api/chat"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


def test_no_message_is_left_over() -> None:
    """A message that nothing says is either forgotten or promised and missing."""
    used = set(strings())
    assert [key for key in load_catalog("en") if key not in used and not key.startswith(BUILT)] == []


def test_placeholders_are_plain_names() -> None:
    """No positional or attribute access: facts are filled by name only."""
    for key, value in load_catalog("en").items():
        for text in value.values() if isinstance(value, dict) else [value] if isinstance(value, str) else []:
            names = [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]
            assert all(name.isidentifier() for name in names), key


def test_every_catalogue_is_json_with_the_same_keys() -> None:
    """A language that misses a message would stop a turn."""
    folder = ROOT / "graph" / "writing" / "catalogs"
    english = set(load_catalog("en"))
    for path in folder.glob("*.json"):
        assert set(json.loads(path.read_text(encoding="utf-8"))) == english, path.name


def test_an_unknown_language_is_answered_in_english() -> None:
    """The customer is told something, and `lang` says which language it is in."""
    assert spoken_language("xx-Latn") == "en"
    assert spoken_language("../../etc/passwd") == "en"
    assert Phrases("tlh").lang == "en"


def test_hostile_values_are_only_text() -> None:
    """Braces and percent signs in a name are never read as a template."""
    assert Phrases("en").say("contact.kept", name="{0} {name.__class__} %s") == "Thank you, {0} {name.__class__} %s."
