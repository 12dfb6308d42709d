"""Whether a fact was told: its value, in a card's payload or in words of any language; never a wording."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from typing import Any, Final

from babel.dates import format_date

from tests.replay.door import Turn
from tests.replay.scenario import Fact

_NUMBER: Final = re.compile(r"\d[\d.,'’\u00a0\u202f ]*\d|\d")
_NO_DIGITS: Final = re.compile(r"\D")
_MONTHS: Final = ("d MMMM", "MMMM d", "d MMM", "MMM d", "MMMd", "MMMMd", "d 'de' MMMM")


def is_told(fact: Fact, turns: Iterable[Turn], orders: Iterable[str] = ()) -> bool:
    """Whether any of the turns tells the fact. `orders` are the order numbers of the customer's rentals."""
    return any(_tells(turn, fact, tuple(orders)) for turn in turns)


def _tells(turn: Turn, fact: Fact, orders: tuple[str, ...]) -> bool:
    if isinstance(fact, date):
        return _tells_day(turn, fact)
    if isinstance(fact, int):
        return _tells_money(turn, fact)
    kind, _, value = fact.partition(":")
    if kind == "card":
        return bool(turn["type"] == value)
    if kind == "notice":
        return bool(turn["type"] == "notice" and (turn.get("payload") or {}).get("code") == value)
    if kind == "reason":
        payload = turn.get("payload") or {}
        return value in {payload.get("reason"), (payload.get("facts") or {}).get("reason")}
    if kind == "asks":
        payload = turn.get("payload") or {}
        return value == payload.get("slot") or value in (payload.get("need") or [])
    if kind == "status":
        return bool((turn.get("payload") or {}).get("rental_status") == value)
    if kind == "way_out":
        return any(action["kind"] == value for action in turn.get("actions", []))
    if fact == "$order":
        return any(order in _letters(turn) for order in orders)
    return fact.casefold() in _letters(turn).casefold()


def _letters(turn: Turn) -> str:
    """All that a customer can read."""
    return f"{turn['content']} {json.dumps(turn.get('payload') or {}, ensure_ascii=False)}"


def amounts(value: Any) -> list[tuple[int, str]]:
    """Every amount of money in a payload: (minor, currency)."""
    if isinstance(value, list):
        return [found for item in value for found in amounts(item)]
    if not isinstance(value, dict):
        return []
    if {"minor", "currency"} <= value.keys():
        return [(int(value["minor"]), str(value["currency"]))]
    return [found for item in value.values() for found in amounts(item)]


def _tells_money(turn: Turn, minor: int) -> bool:
    if any(found == minor for found, _ in amounts(turn.get("payload") or {})):
        return True
    spoken = {_NO_DIGITS.sub("", found[0]) for found in _NUMBER.finditer(turn["content"])}
    return str(minor) in spoken


def _tells_day(turn: Turn, day: date) -> bool:
    if day.isoformat() in json.dumps(turn.get("payload") or {}):
        return True
    return any(re.search(rf"(?<!\d){re.escape(words)}(?!\d)", turn["content"]) for words in _spellings(day))


@lru_cache(maxsize=512)
def _spellings(day: date) -> frozenset[str]:
    languages = ("en", "ko", "th", "id", "ru", "de", "fr", "es", "zh")
    spelled = {format_date(day, pattern, locale=lang) for lang in languages for pattern in _MONTHS}
    spelled |= {f"{day.day}. {format_date(day, 'MMMM', locale='de')}", f"{day.month}월 {day.day}일"}
    return frozenset({*spelled, f"{day.month}月{day.day}日"})
