"""Shared things of the tests of understanding: one interpreter, contexts by name, the outside data."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from graph.models.offline import OfflineInterpreter
from graph.understanding.meaning import InterpretContext, OptionHint, Vocabulary

NOW = datetime(2027, 5, 31, 15, 30, tzinfo=ZoneInfo("Asia/Makassar"))
DATA = Path(__file__).parents[2].parent / "shared" / "data"
VOCABULARY = Vocabulary(
    brands=("Honda", "Yamaha", "Toyota", "Kawasaki", "Vespa"),
    models=("PCX 160", "NMAX", "Vario 125", "Scoopy", "CRF 150L", "Avanza", "KLX 150", "XMAX 250"),
    categories=("scooter", "motorcycle", "car", "boat"),
    offices=("Canggu", "Ubud"),
    aliases={"aerox": "NMAX"},
)
OPTIONS = (
    OptionHint(position=1, brand="Honda", model="PCX 160", colour="red"),
    OptionHint(position=2, brand="Yamaha", model="NMAX", colour="blue"),
    OptionHint(position=3, brand="Honda", model="Vario 125", colour="black"),
)
PERIODS = (
    OptionHint(position=1, label="17-24 June 2027"),
    OptionHint(position=2, label="3-10 June 2027"),
)
KNOWN: dict[str, Any] = {"known_start": date(2027, 6, 20), "known_end": date(2027, 6, 27)}
SITUATIONS: dict[str, dict[str, Any]] = {
    "fresh": {},
    "dates": {"open_question": "dates"},
    "shown": {"open_question": "vehicle", "options": OPTIONS, **KNOWN},
    "period": {"open_question": "period", "options": PERIODS},
    "category": {"open_question": "category"},
    "quote": {"open_question": "accept_quote", "phase": "quoting", **KNOWN},
    "contact": {"open_question": "contact", "phase": "quoting", **KNOWN},
    "name": {"open_question": "name", "phase": "quoting", **KNOWN},
    "phone": {"open_question": "phone", "phase": "quoting", **KNOWN},
    "confirm": {"open_question": "confirm_booking", "phase": "confirming", **KNOWN},
    "booked": {"phase": "booked", **KNOWN},
}


def context_for(situation: str = "fresh", **changes: Any) -> InterpretContext:
    """The context of a named situation, with changes."""
    values: dict[str, Any] = {"now": NOW, "vocabulary": VOCABULARY, **SITUATIONS[situation], **changes}
    return InterpretContext(**values)


@pytest.fixture(scope="session")
def offline() -> OfflineInterpreter:
    return OfflineInterpreter()


@pytest.fixture(scope="session")
def context() -> Callable[..., InterpretContext]:
    return context_for


@pytest.fixture(scope="session")
def outside_rows() -> Callable[[str], Iterator[dict[str, Any]]]:
    """Rows of a file of the outside data; skips where it is not present."""

    def rows(name: str) -> Iterator[dict[str, Any]]:
        path = DATA / name
        if not path.is_file():
            pytest.skip(f"outside data {name} is not present beside the checkout")
        with path.open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines)

    return rows
