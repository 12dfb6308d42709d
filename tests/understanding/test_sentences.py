"""Whole sentences as people type them -> intents and slots: `sentences.txt`, and `sentences/<language>.txt`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from graph.models.offline import OfflineInterpreter
from graph.understanding.meaning import DateReading, InterpretContext, Understanding

TABLE = Path(__file__).with_name("sentences.txt")
OTHERS = sorted(Path(__file__).with_name("sentences").glob("*.txt"))


def rows(table: Path = TABLE) -> list[tuple[str, str, str, str]]:
    found = []
    for line in table.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            situation, message, intents, slots = (
                (part.strip() for part in line.split(" | ") if True)
                if line.count(" | ") == 3
                else (*(part.strip() for part in line.rstrip("| ").split(" | ")), "")
            )
            found.append((situation, message, intents, slots))
    return found


def shown_dates(dates: DateReading | None) -> str:
    if dates is None:
        return "none"
    if dates.status == "range":
        return f"{dates.start}..{dates.end}"
    return str(dates.start) if dates.status == "start" else f"{dates.status}:{dates.reason}"


def value_at(understanding: Understanding, path: str) -> str:
    node: object = understanding
    for part in path.split("."):
        node = getattr(node, part)
    return str(node)


def check_slot(understanding: Understanding, slot: str) -> None:
    path, _, wanted = slot.partition("=")
    wanted = wanted.replace("_", " ")
    if path == "dates":
        assert shown_dates(understanding.dates) == wanted
    elif path == "dates?":
        assert understanding.dates is not None
        assert (understanding.dates.status, understanding.dates.reason) == ("refused", slot.partition("=")[2])
    else:
        assert value_at(understanding, path) == wanted


@pytest.mark.parametrize(("situation", "message", "intents", "slots"), rows(), ids=lambda value: str(value)[:50])
def test_a_sentence_is_understood(
    offline: OfflineInterpreter,
    context: Callable[..., InterpretContext],
    situation: str,
    message: str,
    intents: str,
    slots: str,
) -> None:
    understanding = offline.read(message, context(situation))
    assert " ".join(understanding.intents) == intents
    for slot in slots.split():
        check_slot(understanding, slot)


def test_the_table_holds_at_least_120_sentences() -> None:
    assert len({(situation, message) for situation, message, _, _ in rows()}) >= 120


@pytest.mark.parametrize(
    ("lang", "situation", "message", "intents", "slots"),
    [(table.stem, *row) for table in OTHERS for row in rows(table)],
    ids=lambda value: str(value)[:50],
)
def test_a_sentence_of_another_language_is_understood(
    offline: OfflineInterpreter,
    context: Callable[..., InterpretContext],
    lang: str,
    situation: str,
    message: str,
    intents: str,
    slots: str,
) -> None:
    understanding = offline.read(message, context(situation, lang=lang))
    assert " ".join(understanding.intents) == intents
    for slot in slots.split():
        check_slot(understanding, slot)


@pytest.mark.parametrize("table", OTHERS, ids=lambda table: table.stem)
def test_each_language_has_at_least_60_sentences(table: Path) -> None:
    assert len({(situation, message) for situation, message, _, _ in rows(table)}) >= 60
