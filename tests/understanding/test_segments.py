"""Where a script writes no spaces, words are cut apart once; the typed letters stay in reach."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.understanding.lexicon import Lexicon
from graph.understanding.segments import Segmenter
from graph.understanding.text import fold

EMPTY: dict[str, Any] = {
    "numbers": {},
    "ordinals": {},
    "dates": {"locale": "en", "months": {}, "weekdays": {}},
}


def segmenter(code: str, words: list[str], **script: Any) -> Segmenter:
    return Segmenter(Lexicon({**EMPTY, "code": code, "list": words, "script": script}))


@pytest.fixture(scope="module")
def chinese() -> Segmenter:
    words = ["有没有", "摩托车", "租", "我", "叫", "月", "号", "到", "大", "便宜 一点", "[天日]"]
    return segmenter(
        "zh",
        words,
        spacing="none",
        name_leads=["我叫", "叫"],
        name_letters=4,
        endings=["吧"],
        no_name=["什么"],
        respelt={"本田": "honda"},
    )


@pytest.fixture(scope="module")
def korean() -> Segmenter:
    words = ["스쿠터", "예약", "월", "일", "명", "이름", "차", "있나요", "빌리"]
    return segmenter("ko", words, spacing="particles", particles=["를", "은", "부터", "까지"], endings=["입니다", "요"])


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("有没有摩托车", "有没有 摩托车"),
        ("6月10号到17号", "6 月 10 号 到 17 号"),
        ("租PCX160", "租 pcx160"),
        ("我租本田PCX", "我 租 honda pcx"),
        ("我 租 摩托车", "我 租 摩托车"),
        ("便宜一点", "便宜 一点"),
        ("3天", "3 天"),
        ("巴厘岛租摩托车", "巴厘岛 租 摩托车"),
    ],
)
def test_a_text_without_spaces_is_cut_into_the_words_of_the_lexicon(chinese: Segmenter, typed: str, read: str) -> None:
    assert chinese.split(fold(typed)).text == read


@pytest.mark.parametrize(
    ("typed", "name"), [("我叫大月", "大月"), ("我叫大月吧", "大月"), ("我叫: 大月", "大月"), ("李大明", "李大明")]
)
def test_a_name_stays_whole_though_its_signs_are_words(chinese: Segmenter, typed: str, name: str) -> None:
    assert name in chinese.split(fold(typed)).text.split()


def test_a_question_for_the_name_is_not_a_name(chinese: Segmenter) -> None:
    assert "什么租" not in chinese.split(fold("我叫什么租")).text.split()


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("스쿠터를 예약", "스쿠터 를 예약"),
        ("6월10일부터 17일까지", "6 월 10 일 부터 17 일 까지"),
        ("차를", "차 를"),
        ("차가운", "차가운"),
        ("스쿠터있나요", "스쿠터 있나요"),
        ("빌리고싶은데", "빌리 고싶은데"),
        ("이름은 김철수입니다", "이름 은 김철수 입니다"),
        ("4명이요", "4 명이 요"),
    ],
)
def test_particles_are_cut_off_known_stems_only(korean: Segmenter, typed: str, read: str) -> None:
    assert korean.split(fold(typed)).text == read


def test_a_language_with_spaces_is_left_as_it_is() -> None:
    folded = fold("Möchte ein Motorrad für 3 Tage")
    assert segmenter("de", ["motorrad"], spacing="spaces").split(folded) is folded
    assert Segmenter(Lexicon({**EMPTY, "code": "de"})).split(folded) is folded


def test_words_of_the_company_are_known_too(chinese: Segmenter) -> None:
    assert chinese.split(fold("乌布大")).text == "乌布 大"
    assert chinese.split(fold("乌布大天"), keep=["乌布大"]).text == "乌布大 天"


def test_the_typed_letters_stay_in_reach(chinese: Segmenter) -> None:
    cut = chinese.split(fold("我租本田\uff30\uff23\uff38"))
    at = cut.text.index("honda")
    assert cut.as_typed(at, at + len("honda")) == "本田"
    at = cut.text.index("pcx")
    assert cut.as_typed(at, at + 3) == "\uff30\uff23\uff38"


def test_thai_sara_am_stays_one_sign_however_it_was_typed() -> None:
    assert fold("น้ำ").text == "น้ำ"
    assert fold("น\u0e49\u0e4d\u0e32").text == "น้ำ"


@given(st.text(alphabet="有没摩托车租我叫本田大月号3a ,吧什么", max_size=60))
@settings(deadline=None)
def test_only_spaces_and_respelt_names_are_new(text: str) -> None:
    segments = segmenter(
        "zh", ["有没有", "摩托车", "租"], spacing="none", name_leads=["我叫"], name_letters=4, endings=["吧"]
    )
    folded = fold(text)
    cut = segments.split(folded)
    assert cut.text.replace(" ", "") == folded.text.replace(" ", "")
    assert len(cut.origin) == len(cut.text)
    assert list(cut.origin) == sorted(cut.origin)
