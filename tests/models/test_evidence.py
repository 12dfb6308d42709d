"""Claims of a model need the customer's words, in every language and script."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from graph.models.evidence import NumberWords, stands_in
from graph.models.grounding import ground
from graph.models.offline import OfflineInterpreter
from graph.models.wire import WireUnderstanding
from graph.understanding.meaning import InterpretContext, Understanding

Make = Callable[..., InterpretContext]

# language, message, claim of the model, slot, value that is kept (None: dropped)
SAID: list[tuple[str, str, dict[str, Any], str, Any]] = [
    ("ru", "меня зовут Ольга", {"name": "Ольга"}, "name", "Ольга"),
    ("ru", "покажи, что есть", {"name": "Иван"}, "name", None),
    ("ru", "банан", {"name": "ан"}, "name", None),
    ("ko", "알렉스예요", {"name": "알렉스"}, "name", "알렉스"),
    ("ko", "스쿠터 있어요?", {"name": "민수"}, "name", None),
    ("th", "ผมชื่อสมชายครับ", {"name": "สมชาย"}, "name", "สมชาย"),
    ("th", "มีรถไหม", {"name": "สมชาย"}, "name", None),
    ("zh", "我叫李雷", {"name": "李雷"}, "name", "李雷"),
    ("zh", "有车吗", {"name": "王伟"}, "name", None),
    ("de", "ich heiße Jürgen Groß", {"name": "Jürgen Groß"}, "name", "Jürgen Groß"),
    ("fr", "c'est pour Zoé", {"name": "Zoé"}, "name", "Zoé"),
    ("es", "quiero una moto", {"name": "María"}, "name", None),
    ("id", "atas nama Budi Santoso", {"name": "Budi Santoso"}, "name", "Budi Santoso"),
    ("ko", "혼다 있나요", {"brand": "Honda", "vehicle_words": "혼다"}, "brand", "Honda"),
    ("ko", "야마하 있나요", {"brand": "Honda", "vehicle_words": "혼다"}, "brand", None),
    ("de", "hätten Sie eine Hoda", {"brand": "Honda", "vehicle_words": "Hoda"}, "brand", "Honda"),
    ("de", "hätten Sie etwas Schönes", {"brand": "Honda", "vehicle_words": "etwas"}, "brand", None),
    ("fr", "quelque chose pour la mer", {"category": "boat", "category_words": "bateau"}, "category", None),
    ("es", "algo con marchas", {"gearbox": "manual", "gearbox_words": "con marchas"}, "gearbox", "manual"),
    ("es", "algo bonito", {"gearbox": "manual", "gearbox_words": "con marchas"}, "gearbox", None),
    ("ru", "нас 5 человек", {"seats": 5, "seats_words": "5 человек"}, "seats", 5),
    ("ru", "нас много", {"seats": 5, "seats_words": "нас много"}, "seats", None),
    ("zh", "要 7 座", {"seats": 5, "seats_words": "7 座"}, "seats", 7),
    ("th", "โทร 0812345678", {"phone": "0899999999"}, "phone", None),
    ("id", "murah", {"cheapest_words": "paling murah sekali"}, "budget", None),
    ("de", "so um die 40 wären gut", {"budget_words": "300"}, "budget", None),
    ("en", "20 June to 27 June 2027", {"phone": "20272027"}, "phone", None),
    ("en", "call me Honda", {"name": "Honda"}, "name", None),
]


def claimed(**fields: Any) -> WireUnderstanding:
    nothing: dict[str, Any] = {**dict.fromkeys(WireUnderstanding.model_fields), "intents": ["search"]}
    return WireUnderstanding.model_validate(nothing | fields)


@pytest.mark.parametrize(("lang", "message", "claim", "slot", "kept"), SAID, ids=lambda value: str(value)[:30])
def test_a_claim_is_kept_only_with_the_customers_words(
    offline: OfflineInterpreter,
    context: Make,
    lang: str,
    message: str,
    claim: dict[str, Any],
    slot: str,
    kept: Any,
) -> None:
    asked = context(lang=lang)
    # The rules may well read more than the model: here only its own claim counts.
    read = offline.read(message, asked)
    alone = Understanding(lang=lang) if kept is None else read
    found = getattr(ground(claimed(**claim), message, asked, offline, alone).understanding, slot)
    assert (getattr(found, "full", found) if found is not None else None) == kept


@pytest.mark.parametrize(
    ("words", "message", "stands"),
    [
        ("ann", "my name is ann", True),
        ("ann", "annual", False),
        ("ann", "my mother-in-law ann-marie", True),
        ("5", "15", False),
        ("3", "3일 동안", True),
        ("알렉스", "알렉스예요", True),
        ("ольга", "ольгамаркова", False),
        ("", "anything", False),
    ],
)
def test_words_stand_in_a_message_as_words_where_the_script_has_words(words: str, message: str, stands: bool) -> None:
    assert stands_in(words, message) is stands


@pytest.mark.parametrize(
    ("words", "lang", "number"), [("two", "en", 2), ("2", "zh", 2), ("٢", "en", 2), ("zwei Roller", "de", 2)]
)
def test_numbers_are_read_in_digits_and_words(words: str, lang: str, number: int) -> None:
    assert number in NumberWords().named(words, lang)
