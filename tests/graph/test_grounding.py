"""No claim in a sentence without a fact behind it, in whatever script, words or language."""

from __future__ import annotations

import importlib.util
import json
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from graph.writing.claim_words import claim_words, message_needs, status_pattern
from graph.writing.formats import day, money
from graph.writing.grounding import Situation, cut, unbacked
from graph.writing.known import Known
from graph.writing.spelled import find_spelled

ROOT = Path(__file__).parents[2]
LANGUAGES = ("en", "ko", "th", "id", "ru", "de", "fr", "es", "zh")
FACTS: list[Any] = [
    {
        "total": {"minor": 1_120_000, "currency": "IDR", "exponent": 0},
        "deposit": {"minor": 500_000, "currency": "IDR", "exponent": 0},
        "period": {"start": "2027-06-20", "end": "2027-06-27", "days": 7},
    },
    {"fee": {"minor": 9_999, "currency": "EUR", "exponent": 2}, "pickup_at": "2027-06-20T10:00:00+08:00"},
    {"name": "Honda PCX 160", "engine_cc": 156, "order_number": "CR-1048"},
    {"vehicles": [{"name": "Honda PCX 160"}, {"name": "Honda Scoopy 110"}], "phone": "+62 361 555 0142"},
]
FULL_WIDTH = "1,120,000".translate({ord("0") + n: 0xFF10 + n for n in range(10)})
ELEVEN = "11:00".translate({ord("0") + n: 0xFF10 + n for n in range(10)})
EVERYTHING = Situation(booked=True, held=True, free=True, changed=True, cancelled=True, quoted=True)


def lies(sentence: str, lang: str = "en", **more: Any) -> list[str]:
    given: dict[str, Any] = {"situation": EVERYTHING}
    return [claim.text for claim in unbacked(sentence, Known().learn(*FACTS), lang, **(given | more))]


@pytest.mark.parametrize(
    "sentence",
    [
        "IDR 1,120,000 for 7 days, Honda PCX 160, from Sunday 20 June to Sunday 27 June.",
        "IDR 1.120.000 or EUR 99.99, at 10:00 on June 20th, 2027, order CR-1048.",
        f"IDR {FULL_WIDTH} for seven days; two vehicles; call +62 361 555 0142.",
        "One million one hundred and twenty thousand rupiah for the Honda PCX 160 with 156 cc.",
        "From 2027-06-20 to 2027-06-27. Indonesian rupiah 1,120,000. Rp 1.120.000, Rp1.120.000.",
        "No number at all.",
        "",
    ],
)
def test_claims_with_a_fact_pass_however_they_are_written(sentence: str) -> None:
    assert lies(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "lie"),
    [
        ("IDR 1,000,000 for 7 days", "IDR 1,000,000"),
        ("USD 1,120,000 for 7 days", "USD 1,120,000"),
        ("1,120,000 dollars", "1,120,000 dollars"),
        ("IDR 1,120.000", "IDR 1,120.000"),
        ("IDR 112,0000", "IDR 112,0000"),
        ("IDR 1.12 million or IDR 1.2 million", "IDR 1.2 million"),
        ("IDR 1,120,000 for 6 days", "6"),
        ("for six days", "six"),
        ("from Sunday 20 June to Monday 27 June", "Monday 27 June"),
        ("Sunday 21 June", "Sunday 21 June"),
        ("on 20 July", "20 July"),
        ("from 27 June to 20 June", "27 June to 20 June"),
        ("20 June 2028", "20 June 2028"),
        ("at 11:00", "11:00"),
        (f"at {ELEVEN}", ELEVEN),
        ("EUR 99.98", "EUR 99.98"),
        ("order CR-1049", "1049"),
        ("only 3 left", "3"),
        ("only ๓ left", "๓"),
        ("twenty-one of them", "twenty-one"),
        ("the Honda PCX 150", "150"),
        ("10% off", "10"),
        ("a nice Kawasaki for you", "Kawasaki"),
        ("We open on Tuesday", "Tuesday"),
    ],
)
def test_a_claim_without_a_fact_is_named(sentence: str, lie: str) -> None:
    """R22: an invented price, currency, day, hour, order number, count, length of time, vehicle."""
    assert lie in lies(sentence)


def test_a_deposit_is_no_total_where_the_message_says_total() -> None:
    """Both amounts are facts; the sentence of the catalogue says which one stands there."""
    good = "Shall I book the Honda PCX 160 for IDR 1,120,000?"
    assert lies(good) == []
    assert lies(good.replace("1,120,000", "500,000")) == ["IDR 500,000"]


def test_another_vehicle_of_the_shop_is_a_lie_where_no_fact_names_it() -> None:
    names = ("PCX 160", "NMAX 155", "Honda", "Yamaha")
    assert lies("The Honda PCX 160 it is.", names=names) == []
    assert set(lies("The Yamaha NMAX 155 it is.", names=names)) >= {"Yamaha", "NMAX 155"}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_dates_and_money_are_read_as_each_language_writes_them(lang: str) -> None:
    start, end = date(2027, 6, 20), date(2027, 6, 27)
    total = money(1_120_000, "IDR", 0, lang)

    def sentence(one: date, two: date, price: str) -> str:
        return f"{day(one, lang)} – {day(two, lang, year=True)}: {price}."

    assert lies(sentence(start, end, total), lang) == []
    assert lies(sentence(start + timedelta(days=1), end, total), lang) != []
    assert lies(sentence(start, end + timedelta(days=7), total), lang) != []
    assert lies(sentence(start, end, money(1_130_000, "IDR", 0, lang)), lang) != []
    assert lies(sentence(start, end, money(1_120_000, "THB", 0, lang)), lang) != []


SPELLED = {
    "en": {"twenty-seven": 27, "one hundred and five": 105, "two million three hundred thousand": 2_300_000},
    "de": {"siebenundzwanzig": 27, "zweihundert": 200, "drei Millionen": 3_000_000, "fünf": 5},
    "fr": {"vingt-sept": 27, "quatre-vingt-dix": 90, "deux cents": 200, "trois mille": 3000},
    "es": {"treinta y dos": 32, "doscientos cinco": 205, "dos millones": 2_000_000},
    "ru": {"двадцать семь": 27, "сто пять": 105, "два миллиона триста тысяч": 2_300_000},
    "id": {"dua puluh tujuh": 27, "lima belas": 15, "dua juta tiga ratus ribu": 2_300_000},
    "ko": {"스물일곱 대": 27, "백이십만": 1_200_000, "세 대": 3},
    "th": {"ยี่สิบเจ็ด": 27, "สองล้านสามแสน": 2_300_000, "สามคัน": 3},
    "zh": {"二十七": 27, "一百二十万": 1_200_000, "三辆": 3},
}


@pytest.mark.parametrize(("lang", "words", "value"), [(k, w, n) for k, v in SPELLED.items() for w, n in v.items()])
def test_numbers_in_words_count_in_each_language(lang: str, words: str, value: int) -> None:
    assert [found.value for found in find_spelled(words, claim_words(lang).numbers)] == [value]
    assert lies(words, lang) != []


CLAIMS = {
    "booked": (
        "Booked!", "Gebucht.", "C'est réservé.", "Reservado.", "Забронировано.", "Sudah dipesan.", "예약되었습니다.",
        "จองแล้วค่ะ", "已预订。",
    ),
    "held": (
        "It is held for you.", "Für Sie vorgemerkt.", "Mis de côté.", "Apartado.", "Отложен для вас.", "Disisihkan.",
        "홀드했습니다.", "กันไว้ให้", "已为您保留。",
    ),
    "free": (
        "It is free.", "Ist verfügbar.", "Il est libre.", "Está disponible.", "Он свободен.", "Tersedia.",
        "이용 가능합니다.", "ว่างค่ะ", "可租。",
    ),
    "cancelled": (
        "It is cancelled.", "Storniert.", "C'est annulé.", "Cancelado.", "Отменено.", "Dibatalkan.", "취소되었습니다.",
        "ยกเลิกแล้ว", "已取消。",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("status", "words"), [(s, w) for s, all_words in CLAIMS.items() for w in all_words])
def test_a_word_of_status_needs_the_status_whatever_the_language_of_the_turn(status: str, words: str) -> None:
    """BL-196, BL-198: says booked, or free, and nothing was asked."""

    def claimed(situation: Situation) -> list[str]:
        return [claim.kind for claim in unbacked(words, Known(), "en", situation=situation) if claim.kind == "status"]

    assert claimed(Situation()) == ["status"]
    assert claimed(Situation(**{status: True})) == []


def test_fixed_words_of_the_catalogue_claim_what_the_list_says_and_no_more() -> None:
    """ "It can never be booked twice" claims nothing; "Booked." does, also when it comes from the catalogue."""
    catalog = json.loads((ROOT / "graph/writing/catalogs/en.json").read_text(encoding="utf-8"))
    assert lies(catalog["booking.failed"], situation=Situation()) == []
    confirmed = "Booked. Your Honda PCX 160 is ready on Sunday 20 June at 10:00. Your order number is CR-1048."
    assert lies(confirmed, situation=Situation()) == ["Booked"]
    assert lies(confirmed, situation=Situation(booked=True)) == []
    filled = "Booked. Your Honda PCX 160, set aside and cancelled, is ready on Sunday 20 June at 10:00. Your order number is CR-1048."  # noqa: E501
    assert set(lies(filled, situation=Situation(booked=True))) == {"set aside", "cancelled"}


def test_every_message_whose_fixed_words_claim_something_is_listed() -> None:
    """Else it would be checked like a model's words, and cut where it is true."""
    catalog = json.loads((ROOT / "graph/writing/catalogs/en.json").read_text(encoding="utf-8"))
    unlisted = {
        key
        for key, message in catalog.items()
        if not key.startswith(("category.", "tap.", "numbers"))
        for text in (message.values() if isinstance(message, dict) else [message])
        if status_pattern().search(str(text)) and key not in message_needs()
    }
    assert unlisted == set()
    assert set(message_needs()) <= catalog.keys()


def test_only_the_sentences_with_the_lie_are_cut() -> None:
    content = "The shop opens at 10:00. It is booked for you. What is your name?"
    claims = unbacked(content, Known().learn(*FACTS), "en", situation=Situation())
    assert cut(content, claims) == "The shop opens at 10:00. What is your name?"
    assert cut("Booked!", unbacked("Booked!", Known(), "en", situation=Situation())) == ""


@pytest.fixture
def evaluation(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    spec = importlib.util.spec_from_file_location("eval_grounding", ROOT / "tests" / "eval" / "grounding.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


async def test_lies_made_of_real_replies_are_all_caught_and_no_true_one(evaluation: Any, tmp_path: Path) -> None:
    result = evaluation.measure(await evaluation.hold_conversations(tmp_path), every=20)
    assert (result.false_alarms, result.missed) == ([], [])
    assert result.lies >= 200
    assert set(result.caught) == set(evaluation.OPERATORS)
