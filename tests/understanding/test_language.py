"""The language of a turn: right on short messages, and kept where the words do not tell."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from graph.models.offline import OfflineInterpreter
from graph.understanding.lexicon import LexiconFolders, lexicon_codes
from graph.understanding.meaning import InterpretContext

LEXICON = Path(__file__).parents[2] / "graph" / "understanding" / "lexicon"
Context = Callable[..., InterpretContext]


@pytest.mark.parametrize(
    ("message", "lang"),
    [
        ("oui", "fr"), ("merci", "fr"), ("demain", "fr"), ("c'est combien ?", "fr"), ("une voiture svp", "fr"),
        ("ja bitte", "de"), ("morgen", "de"), ("zwei Tage", "de"), ("moin", "de"), ("fuer drei Tage", "de"),
        ("hola", "es"), ("mañana", "es"), ("manana por favor", "es"), ("¿cuánto?", "es"), ("dos días", "es"),
        ("да", "ru"), ("завтра", "ru"), ("PCX на неделю", "ru"), ("네", "ko"), ("PCX 3일", "ko"), ("ครับ", "th"),
        ("明天", "zh"), ("besok", "id"), ("mau sewa", "id"), ("terima kasih", "id"), ("tomorrow", "en"), ("yes", "en"),
    ],
)  # fmt: skip
def test_a_short_message_tells_its_language(
    offline: OfflineInterpreter, context: Context, message: str, lang: str
) -> None:
    assert offline.read(message, context(lang="en")).lang == lang


@pytest.mark.parametrize("session", ["en", "de", "fr", "es", "ru", "ko", "th", "id", "zh"])
@pytest.mark.parametrize(
    "message",
    ["ok", "OK!", "PCX 160", "Honda", "2", "+66 812 345 678", "10.06.-17.06.", "hotel", "Jonas Weber", "scooter"],
)
def test_ok_names_numbers_and_brands_keep_the_language_of_the_talk(
    offline: OfflineInterpreter, context: Context, session: str, message: str
) -> None:
    assert offline.read(message, context(lang=session)).lang in (None, session)


@pytest.mark.parametrize(
    ("session", "message"),
    [
        ("en", "my name is 王小明"), ("en", "I'm María del Carmen de la Cruz"), ("en", "is Müller ok as a name?"),
        ("de", "ich nehme the second one"), ("fr", "je prends le scooter for two days"), ("es", "quiero the red one"),
        ("ru", "хочу PCX please"), ("ko", "PCX please 내일"), ("th", "ขอ PCX please"), ("id", "mau booking PCX please"),
        ("zh", "我要 PCX please"),
    ],
)  # fmt: skip
def test_a_mixed_message_keeps_the_language_of_the_talk(
    offline: OfflineInterpreter, context: Context, session: str, message: str
) -> None:
    assert offline.read(message, context(lang=session)).lang in (None, session)


@pytest.mark.parametrize("name", ["王小明", "Иван Петров", "김민수", "สมชาย"])
def test_a_name_in_another_script_does_not_turn_the_talk(
    offline: OfflineInterpreter, context: Context, name: str
) -> None:
    heard = offline.read(name, context("name", lang="en"))
    assert heard.name is not None
    assert heard.lang in (None, "en")


def test_days_said_in_another_language_are_read_as_well(offline: OfflineInterpreter, context: Context) -> None:
    heard = offline.read("ich nehme den PCX from tomorrow for 3 days please", context(lang="de"))
    assert heard.dates is not None
    assert str(heard.dates.start) == "2027-06-01"


def test_accents_and_spelt_out_letters_may_be_left_out(offline: OfflineInterpreter, context: Context) -> None:
    for lang, plain, right in (
        ("es", "que dia es hoy", "qué día es hoy"),
        ("fr", "je voudrais une voiture a partir de demain", "je voudrais une voiture à partir de demain"),
        ("de", "ich moechte guenstige Raeder fuer zwei Tage", "ich möchte günstige Räder für zwei Tage"),
        ("ru", "нужен еще один мотоцикл", "нужен ещё один мотоцикл"),
    ):
        without, with_marks = (offline.read(text, context(lang=lang)) for text in (plain, right))
        assert without.model_dump(exclude={"dates"}) == with_marks.model_dump(exclude={"dates"})


def test_a_regional_language_tag_is_read_as_its_language(offline: OfflineInterpreter, context: Context) -> None:
    assert offline.read("2", context(lang="pt-BR")).lang is None
    assert "confirm" in offline.read("vale", context("quote", lang="es-MX")).intents


@pytest.mark.parametrize("code", lexicon_codes())
def test_a_lexicon_holds_every_section_and_no_misspelt_one(code: str) -> None:
    """A section that is missing means nothing, so a typing error in its name would go unseen."""
    own = tomllib.loads((LEXICON / code / "words.toml").read_text(encoding="utf-8"))
    english = tomllib.loads((LEXICON / "en" / "words.toml").read_text(encoding="utf-8"))
    for table in ("vehicles", "money", "references", "answers", "names", "intents", "topics"):
        assert isinstance(own[table], dict), table
    assert set(english["intents"]) <= set(own["intents"]), set(english["intents"]) - set(own["intents"])
    assert set(english["topics"]) == set(own["topics"])
    assert {key for key in own if key not in english} <= {"script"}


def test_every_language_is_told_from_the_others_by_its_own_table() -> None:
    folders = LexiconFolders()
    assert set(folders.language_tables()) == set(folders.codes())
