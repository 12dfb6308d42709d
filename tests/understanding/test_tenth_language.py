"""A language is data: Italian is added as a folder, and its customers are understood, without a change of code."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from graph.models.offline import OfflineInterpreter
from graph.understanding.clear_yes import is_clear_yes
from graph.understanding.lexicon import LexiconFolders
from graph.understanding.meaning import InterpretContext

DATA = Path(__file__).with_name("tenth_language")
TALK = (
    ("fresh", "Buongiorno!", "greet", {}),
    ("fresh", "vorrei noleggiare uno scooter dal 10 al 17 giugno", "search",
     {"category": "scooter", "dates.start": "2027-06-10", "dates.end": "2027-06-17"}),
    ("fresh", "cerco una macchina per 5 persone, domani per 3 giorni", "search",
     {"category": "car", "seats": "5", "dates.start": "2027-06-01", "dates.end": "2027-06-04"}),
    ("fresh", "avete un PCX libero domani?", "search", {"model": "PCX 160", "dates.start": "2027-06-01"}),
    ("fresh", "una moto a meno di 20 euro al giorno", "search", {"budget.amount": "20", "budget.per": "day"}),
    ("fresh", "qualcosa di più economico", "search", {"cheaper": "True"}),
    ("shown", "prendo il secondo", "select", {"reference.ordinal": "2"}),
    ("shown", "quello più economico", "select", {"reference.kind": "cheapest"}),
    ("shown", "quanto costa il NMAX?", "ask_price", {"model": "NMAX"}),
    ("quote", "dove siete?", "ask_company", {"topic": "address"}),
    ("contact", "mi chiamo Giulia D'Angelo e il mio numero è +39 347 123 4567", "give_contact",
     {"name.full": "Giulia D'Angelo", "phone.e164": "+393471234567"}),
    ("confirm", "Sì, confermo!", "confirm", {}),
    ("confirm", "meglio di no", "deny", {}),
    ("booked", "vorrei annullare la prenotazione", "cancel_booking", {}),
    ("booked", "posso parlare con una persona?", "handoff", {}),
)  # fmt: skip


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> LexiconFolders:
    root = tmp_path_factory.mktemp("languages")
    shutil.copytree(DATA / "it", root / "it")
    return LexiconFolders(root)


@pytest.fixture(scope="module")
def with_italian(folders: LexiconFolders) -> OfflineInterpreter:
    return OfflineInterpreter(folders)


def value_at(node: object, path: str) -> str:
    for part in path.split("."):
        node = getattr(node, part)
    return str(node)


@pytest.mark.parametrize(("situation", "message", "intent", "slots"), TALK)
def test_a_customer_of_the_added_language_is_understood(
    with_italian: OfflineInterpreter,
    context: Callable[..., InterpretContext],
    situation: str,
    message: str,
    intent: str,
    slots: dict[str, str],
) -> None:
    heard = with_italian.read(message, context(situation, lang="it"))
    assert heard.intents[0] == intent
    assert {path: value_at(heard, path) for path in slots} == slots


def test_the_added_language_is_told_from_the_nine(
    with_italian: OfflineInterpreter, context: Callable[..., InterpretContext]
) -> None:
    assert with_italian.read("vorrei noleggiare uno scooter per una settimana", context(lang="en")).lang == "it"
    assert with_italian.read("quisiera alquilar una moto por una semana", context(lang="it")).lang == "es"


def test_the_added_language_has_its_own_closed_list(folders: LexiconFolders) -> None:
    assert is_clear_yes("Sì, confermo", "it", folders)
    assert not is_clear_yes("sì, ma domani", "it", folders)
    assert not is_clear_yes("yes", "it", folders)


def test_without_the_folder_the_same_words_book_nothing(
    offline: OfflineInterpreter, context: Callable[..., InterpretContext]
) -> None:
    """The control: it is the data that makes the difference."""
    assert not is_clear_yes("Sì, confermo", "it")
    assert offline.read("vorrei annullare la prenotazione", context("booked")).intents == ("unclear",)
