"""A yes books only where it is plainly one, in each language: `plain_yes/` books, `near_yes/` never does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from graph.models.offline import OfflineInterpreter
from graph.understanding.clear_yes import is_clear_yes
from graph.understanding.meaning import InterpretContext

HERE = Path(__file__).parent


def lines(folder: str) -> list[tuple[str, str]]:
    tables = sorted((HERE / folder).glob("*.txt"))
    return [(table.stem, line) for table in tables for line in table.read_text(encoding="utf-8").splitlines() if line]


@pytest.mark.parametrize(("lang", "words"), lines("near_yes"))
def test_what_is_nearly_a_yes_books_nothing(lang: str, words: str) -> None:
    assert not is_clear_yes(words, lang)


@pytest.mark.parametrize(("lang", "words"), lines("plain_yes"))
def test_a_plain_yes_books(
    offline: OfflineInterpreter, context: Callable[..., InterpretContext], lang: str, words: str
) -> None:
    """Both hold: the interpreter hears a yes, and the closed list agrees."""
    heard = offline.read(words, context("confirm", lang=lang))
    assert "confirm" in heard.intents
    assert is_clear_yes(words, heard.lang or lang)


def test_each_language_has_30_sentences_that_must_not_book() -> None:
    counts = {lang: sum(one == lang for one, _ in lines("near_yes")) for lang, _ in lines("near_yes")}
    assert all(count >= 30 for count in counts.values()), counts


@pytest.mark.parametrize("lang", ["xx", "..", "", "de/../en", "EN"])
def test_a_language_without_a_closed_list_books_by_the_button_only(lang: str) -> None:
    assert is_clear_yes("ja", lang) is False
