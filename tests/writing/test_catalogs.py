"""Each language says everything that English says, with the same facts in it, and the gate reads it like English."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from babel import Locale

import graph.writing.phrases as phrases_module
from graph.writing.formats import day, listed, money
from graph.writing.grounding import Situation, unbacked
from graph.writing.known import Known
from graph.writing.phrases import Phrases, load_catalog

CATALOGS = Path(phrases_module.__file__).parent / "catalogs"
LANGUAGES = sorted(path.stem for path in CATALOGS.glob("*.json"))
TRANSLATED = [lang for lang in LANGUAGES if lang != "en"]
EVERYTHING = Situation(booked=True, held=True, free=True, changed=True, cancelled=True, quoted=True)
START, END = date(2027, 6, 20), date(2027, 6, 27)
FACTS: list[Any] = [
    {
        "total": {"minor": 1_120_000, "currency": "IDR", "exponent": 0},
        "amount": {"minor": 1_120_000, "currency": "IDR", "exponent": 0},
        "fee": {"minor": 1_120_000, "currency": "IDR", "exponent": 0},
        "old_total": {"minor": 1_120_000, "currency": "IDR", "exponent": 0},
        "period": {"start": "2027-06-20", "end": "2027-06-27", "days": 7},
        "quantity": 3,
        "count": 3,
        "shown": 3,
    },
    {"pickup_at": "2027-06-20T10:00:00+08:00"},
    {"name": "Honda PCX 160", "order_number": "CR-1048"},
    {"phone": "+62 361 555 0142", "address": "Jalan Raya 3", "office": "Canggu", "company": "Ridepass", "city": "Bali"},
    {"words": "quad bike", "customer": "Anna", "text": "Bring a passport."},
]


def wordings(message: Any) -> list[str]:
    return [message] if isinstance(message, str) else list(message.values() if isinstance(message, dict) else message)


def blanks(message: Any) -> set[str]:
    """Names of what is filled in; `{Number}` is `{number}` with a capital letter."""
    return {name.lower() for text in wordings(message) for _, name, _, _ in Formatter().parse(text) if name}


def lacks(lang: str, catalog: Any) -> Iterator[str]:
    """Yield what a catalogue does not say as English does."""
    english = load_catalog("en")
    yield from (f"key {key}" for key in set(english) ^ set(catalog))
    forms = set(Locale.parse(lang).plural_form.tags) | {"other"}
    for key in set(english) & set(catalog):
        if blanks(catalog[key]) - {"count"} != blanks(english[key]) - {"count"}:
            # A form may leave out the number that it says in words.
            yield f"blanks of {key}"
        if isinstance(catalog[key], dict) != isinstance(english[key], dict):
            yield f"plural of {key}"
        if isinstance(catalog[key], dict) and set(catalog[key]) != forms:
            yield f"forms of {key}"
        if not all(text.strip() for text in wordings(catalog[key])) or type(catalog[key]) is not type(english[key]):
            yield f"emptiness of {key}"


def test_nine_languages_are_spoken() -> None:
    assert LANGUAGES == ["de", "en", "es", "fr", "id", "ko", "ru", "th", "zh"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_language_has_every_message_with_the_same_blanks_and_all_plural_forms(lang: str) -> None:
    assert sorted(lacks(lang, load_catalog(lang))) == []


@pytest.mark.parametrize(
    ("change", "lack"),
    [
        ({"thanks": None}, "key thanks"),
        ({"quote": "{total}"}, "blanks of quote"),
        ({"days": {"one": "{count} день", "other": "{count} дней"}}, "forms of days"),
        ({"days": "{count} дней"}, "plural of days"),
        ({"thanks": " "}, "emptiness of thanks"),
    ],
)
def test_a_lack_in_a_catalogue_is_seen(change: dict[str, Any], lack: str) -> None:
    changed = {key: text for key, text in {**load_catalog("ru"), **change}.items() if text is not None}
    assert lack in set(lacks("ru", changed))


@pytest.mark.parametrize("lang", TRANSLATED)
def test_no_sentence_is_left_in_english(lang: str) -> None:
    english, own = load_catalog("en"), load_catalog(lang)
    same = {key for key in own if own[key] == english[key] and any(sign.isalpha() for sign in str(own[key]))}
    bare = {"company.documents", "format.day", "format.day_year", "office.where"}
    assert same - bare - {key for key in same if key.startswith("category.")} == set()


def values(lang: str) -> dict[str, str]:
    """Return a fact for each blank, written as the language writes it."""
    phrases = Phrases(lang)
    amount = money(1_120_000, "IDR", 0, lang)
    start, end, days = day(START, lang), day(END, lang), phrases.say("days", count=7)
    span = phrases.say("span", start=start, end=end, days=days)
    return {
        **dict.fromkeys(("total", "amount", "fee", "old", "new", "example"), amount),
        **dict.fromkeys(("start", "day", "requested", "next_open"), start),
        **dict.fromkeys(("days", "min_days", "max_days"), days),
        **dict.fromkeys(("time", "pickup", "back"), "10:00"),
        **dict.fromkeys(("number", "Number", "shown", "free", "quantity"), "3"),
        "end": end,
        "span": span,
        "conflict": phrases.say("conflict.span", start=start, end=end),
        "vehicle": "Honda PCX 160",
        "currency": "IDR",
        "order": "CR-1048",
        "orders": "CR-1048",
        "phone": "+62 361 555 0142",
        "company": "Ridepass",
        "city": "Bali",
        "office": "Canggu",
        "address": "Jalan Raya 3",
        "name": "Anna",
        "words": "quad bike",
        "word": "quad bike",
        "text": "Bring a passport.",
        "policy": "Bring a passport.",
        "category": phrases.category("scooter", 3),
        "next": phrases.say("next.start"),
        "limit": "3",
        "call": phrases.say("company.write"),
        "ask": phrases.say("company.write"),
    }


def said(lang: str) -> Iterator[tuple[str, str]]:
    """Yield (key, sentence) of each message of a language, filled with facts."""
    phrases, filled = Phrases(lang), values(lang)
    for key, message in load_catalog(lang).items():
        if key.startswith(("numbers", "format.", "category.", "tap.")):
            continue
        facts = filled | (
            dict.fromkeys(("old", "new"), filled["span"]) if key.startswith(("change.told", "change.done.move")) else {}
        )
        facts |= {"total": "3"} if key == "search.found.next" else {}
        yield key, phrases.say(key, count=3 if isinstance(message, dict) or "{count}" in message else None, **facts)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_gate_lets_every_message_pass_when_its_facts_are_known(lang: str) -> None:
    known = Known().learn(*FACTS)
    cut = {key: claims for key, text in said(lang) if (claims := unbacked(text, known, lang, situation=EVERYTHING))}
    assert cut == {}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    "key", ["confirmed", "booking.shown", "quote", "search.exact", "change.done.cancel", "review.held"]
)
def test_the_gate_stops_a_message_whose_facts_are_not_known(lang: str, key: str) -> None:
    text = dict(said(lang))[key]
    assert unbacked(text, Known().learn({"order_number": "CR-9"}), lang, situation=Situation())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_fixed_words_alone_claim_nothing_in_a_message_that_needs_nothing(lang: str) -> None:
    known = Known().learn(*FACTS)
    needed = {"thanks", "unclear", "ask.dates", "trouble", "conflict.lost", "booking.failed", "help", "change.pending"}
    texts = {key: text for key, text in said(lang) if key in needed}
    assert {key: c for key, text in texts.items() if (c := unbacked(text, known, lang, situation=Situation()))} == {}


@pytest.mark.parametrize(
    ("lang", "shown", "with_year"),
    [
        ("en", "Sunday 20 June", "Sunday 20 June 2027"),
        ("ko", "6월 20일 일요일", "2027년 6월 20일 일요일"),
        ("th", "วันอาทิตย์ที่ 20 มิถุนายน", "วันอาทิตย์ที่ 20 มิถุนายน 2027"),
        ("id", "Minggu, 20 Juni", "Minggu, 20 Juni 2027"),
        ("ru", "20 июня (воскресенье)", "20 июня 2027 (воскресенье)"),
        ("de", "Sonntag, 20. Juni", "Sonntag, 20. Juni 2027"),
        ("fr", "dimanche 20 juin", "dimanche 20 juin 2027"),
        ("es", "domingo 20 de junio", "domingo 20 de junio de 2027"),
        ("zh", "6月20日星期日", "2027年6月20日星期日"),
    ],
)
def test_a_day_has_its_weekday_the_gregorian_year_and_latin_digits(lang: str, shown: str, with_year: str) -> None:
    assert day(START, lang) == shown
    assert day(START, lang, today=date(2027, 1, 1)) == shown
    assert day(START, lang, today=date(2026, 11, 30)) == day(START, lang, year=True) == with_year


@pytest.mark.parametrize("lang", LANGUAGES)
def test_money_has_its_code_and_latin_digits(lang: str) -> None:
    shown = money(112_000_050, "IDR", 2, lang)
    assert shown.startswith("IDR ")
    assert "".join(sign for sign in shown if sign.isdigit()) == "112000050"
    assert all(sign.isascii() for sign in shown if sign.isdigit())


def test_russian_counts_in_four_forms() -> None:
    phrases = Phrases("ru")
    assert [phrases.say("days", count=n) for n in (1, 3, 7, 11, 21)] == [
        "1 день",
        "3 дня",
        "7 дней",
        "11 дней",
        "21 день",
    ]
    assert [phrases.category("car", n) for n in (1, 2, 5)] == ["машина", "машины", "машин"]


@pytest.mark.parametrize(
    ("lang", "shown"), [("en", "a, b and c"), ("de", "a, b und c"), ("zh", "a、b和c"), ("ko", "a, b 및 c")]
)
def test_a_list_is_joined_as_the_language_joins(lang: str, shown: str) -> None:
    assert listed(["a", "b", "c"], lang) == shown


@pytest.mark.parametrize(
    ("tag", "lang"), [("de-AT", "de"), ("ZH-Hant-TW", "zh"), ("pt-BR", "en"), ("../de", "en"), ("", "en")]
)
def test_the_nearest_language_is_spoken(tag: str, lang: str) -> None:
    assert Phrases(tag).lang == lang


def test_what_a_language_lacks_is_said_in_english_and_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    phrases = Phrases("de", {"thanks": "Gern geschehen!"})
    with caplog.at_level(logging.ERROR):
        assert phrases.say("thanks") == "Gern geschehen!"
        assert phrases.say("days", count=1) == phrases.say("days", count=1) == "1 day"
    assert [record.getMessage() for record in caplog.records] == ["the catalogue of de lacks days: English is said"]
    with pytest.raises(KeyError):
        phrases.say("no.such.message")
