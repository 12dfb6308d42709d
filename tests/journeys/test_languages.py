"""A whole booking in each language: the reply's language follows the customer's, and the gate lets it through."""

from __future__ import annotations

from typing import Any

import pytest

BOOKINGS = {
    "en": ("I want a motorcycle June 20-27", "the second one", "yes", "My name is Alex", "confirm"),
    "ko": ("6월 20일부터 27일까지 오토바이 빌리고 싶어요", "두 번째", "네", "제 이름은 김민준입니다", "확정"),
    "th": ("อยากเช่ามอเตอร์ไซค์ 20 ถึง 27 มิถุนายน", "คันที่สอง", "ใช่", "ชื่อ สมชาย", "ยืนยัน"),
    "id": ("Saya mau sewa sepeda motor dari 20 sampai 27 Juni", "yang kedua", "ya", "nama saya Budi", "konfirmasi"),
    "ru": ("Хочу мотоцикл с 20 по 27 июня", "второй", "да", "меня зовут Иван", "подтверждаю"),  # noqa: RUF001
    "de": ("Ich möchte ein Motorrad vom 20. bis 27. Juni", "das zweite", "ja", "ich heiße Alex", "bestätigen"),
    "fr": ("Je voudrais une moto du 20 au 27 juin", "la deuxième", "oui", "je m'appelle Alex", "je confirme"),
    "es": ("Quiero una moto del 20 al 27 de junio", "la segunda", "sí", "me llamo Alex", "confirmo"),
    "zh": ("我想租摩托车，6月20日到27日", "第二辆", "是的", "我叫王伟", "确认"),  # noqa: RUF001
}


def last(answer: dict[str, Any]) -> dict[str, Any]:
    turn: dict[str, Any] = answer["turns"][-1]
    return turn


@pytest.mark.parametrize("lang", sorted(BOOKINGS))
async def test_a_booking_is_made_in_the_customers_language(chat: Any, shop: Any, lang: str) -> None:
    wish, choice, yes, name, confirm = BOOKINGS[lang]
    carousel = last(await chat.say(wish))
    assert (carousel["type"], carousel["lang"]) == ("vehicle_carousel", lang), carousel["content"]
    quote = last(await chat.say(choice))
    assert (quote["type"], quote["lang"]) == ("price_quote", lang), quote["content"]
    asked = last(await chat.say(yes))
    assert (asked["type"], asked["lang"]) == ("contact_request", lang), asked["content"]
    asked = last(await chat.say(name))
    assert (asked["type"], asked["lang"]) == ("contact_request", lang), asked["content"]
    review = last(await chat.say("+66 812 345 678"))
    assert (review["type"], review["lang"]) == ("booking_review", lang), review["content"]
    done = last(await chat.say(confirm))
    assert (done["type"], done["lang"]) == ("confirmation", lang), done["content"]
    assert [row[1:4] for row in shop.rentals()] == [("confirmed", "2027-06-20", "2027-06-27")]


async def test_the_language_switches_in_the_middle_and_a_bare_ok_or_a_name_does_not_switch_it(chat: Any) -> None:
    first = last(await chat.say("I want a scooter June 20-27"))
    assert first["lang"] == "en"
    second = last(await chat.say("Lieber ein Motorrad, bitte"))
    assert (second["lang"], second["type"]) == ("de", "vehicle_carousel")
    quote = last(await chat.say("das erste"))
    assert quote["lang"] == "de"
    for bare in ("ok", "Alex Smith", "+66 812 345 678"):
        assert last(await chat.say(bare))["lang"] == "de"
    turns = await chat.turns()
    assert next(turn for turn in turns if turn["id"] == first["id"])["lang"] == "en"


CALLED_OFF = {
    "en": "I want to cancel",
    "ko": "취소하고 싶어요",
    "th": "อยากยกเลิก",
    "id": "saya mau batalkan",
    "ru": "хочу отменить",
    "de": "ich möchte stornieren",
    "fr": "je veux annuler",
    "es": "quiero cancelar",
    "zh": "我想取消",
}


@pytest.mark.parametrize("lang", sorted(BOOKINGS))
async def test_a_yes_behind_a_cancel_under_the_review_books_nothing(chat: Any, shop: Any, lang: str) -> None:
    """Nothing is booked yet, so it is the offer that is called off; the question that a yes could answer is gone."""
    wish, choice, yes, name, _ = BOOKINGS[lang]
    for words in (wish, choice, yes, name):
        await chat.say(words)
    assert last(await chat.say("+66 812 345 678"))["type"] == "booking_review"
    await chat.say(CALLED_OFF[lang])
    await chat.say(yes)
    assert shop.rentals() == []
