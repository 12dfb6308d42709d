"""Number words: those that stand inside other words claim nothing, those that claim are still found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graph.writing.claim_words import claim_words
from graph.writing.spelled import find_spelled


def found(lang: str, text: str) -> list[tuple[str, int]]:
    return [(text[one.start : one.end], int(one.value or 0)) for one in find_spelled(text, claim_words(lang).numbers)]


HARMLESS = {
    "ko": [
        *("9일이에요", "9일만 가능해요", "20일이고", "20일 이후", "20일 사이에", "무슨 일이에요", "그 사이", "이사"),
        *("천천히 보세요", "천만에요", "만일 취소하시면", "오시면", "내일 오십시오", "해 주십시오", "이시면"),
        *("계십니다", "모두 대여 가능", "이건 어때요", "이 시간에", "대여 일시", "추천해 드려요", "매일", "평일"),
        "있네요",
    ],
    "zh": [
        *("便宜一点", "早一点", "有一点贵", "星期三天气", "一部分", "万一", "千万别忘", "五一假期"),
        *("一一确认", "十分感谢", "统一"),
    ],
    "th": ["ห้ามสูบบุหรี่", "ยี่ห้อ Honda", "ห้างสรรพสินค้า", "เก้าอี้เด็ก", "ศูนย์บริการ", "สามี", "ความสัมพันธ์", "สามารถ"],
}
CLAIMS = {
    "ko": [
        *(("칠일 동안", 7), ("삼 일", 3), ("십일 일", 11), ("두 대", 2), ("세 시", 3), ("열두 시", 12), ("일주일", 1)),
        *(("백이십만 원", 1_200_000), ("27일이백만 원", 2_000_000), ("육 개월", 6), ("칠박", 7), ("사백 원", 400)),
    ],
    "zh": [
        *(("下午一点", 1), ("一点半", 1), ("三天", 3), ("两辆", 2), ("三部", 3), ("七天一共", 7)),
        ("一百二十万", 1_200_000),
    ],
    "th": [("ห้าวัน", 5), ("สองคัน", 2), ("หนึ่งล้าน", 1_000_000), ("สามวัน", 3)],
}


@pytest.mark.parametrize(("lang", "text"), [(lang, text) for lang, texts in HARMLESS.items() for text in texts])
def test_a_number_word_inside_another_word_claims_nothing(lang: str, text: str) -> None:
    assert found(lang, text) == []


@pytest.mark.parametrize(("lang", "text", "value"), [(lang, *pair) for lang, pairs in CLAIMS.items() for pair in pairs])
def test_a_number_that_is_said_is_found(lang: str, text: str, value: int) -> None:
    assert [number for _, number in found(lang, text)] == [value]


def test_without_the_rules_korean_endings_would_be_numbers() -> None:
    loose = replace(claim_words("ko").numbers, single_needs=None, units=frozenset())
    taken = [text for text in HARMLESS["ko"] if list(find_spelled(text, loose))]
    assert {"9일이에요", "9일만 가능해요", "그 사이", "평일"} <= set(taken)
