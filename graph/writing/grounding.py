"""Every number in a sentence needs a fact behind it. What cannot be backed never reaches the customer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import Any

_NUMBER = re.compile(r"\d+(?:[.,]\d{3})*(?:[.,]\d+)?")
_DIGITS = re.compile(r"\d+")
_DATE = re.compile(r"^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2}))?")


def ungrounded_numbers(content: str, facts: Iterable[Any]) -> list[str]:
    """Return the numbers of `content` that no fact backs, in order.

    `facts` are JSON values: payloads, evidence, the customer's own words. A date backs its day, month and
    year; money backs its amount; a text backs the numbers written in it; a list backs its length.
    """
    missing = {token: _spellings(token) for token in _NUMBER.findall(content)}
    if not missing:
        return []
    for known in (number for fact in facts for number in _allowed(fact)):
        found = [token for token, spellings in missing.items() if known in spellings]
        for token in found:
            del missing[token]
        if not missing:  # mostly after the first few facts
            return []
    return list(missing)


def _spellings(token: str) -> frozenset[str]:
    plain = re.sub(r"[.,](?=\d{3}(?:\D|$))", "", token)
    return frozenset({token, plain, plain.lstrip("0") or "0", plain.replace(",", ".")})


def _allowed(value: Any) -> Iterator[str]:
    match value:
        case bool() | None:
            return
        case int():
            yield str(abs(value))
        case float():
            yield f"{value:g}"
        case datetime() | date():
            yield from _allowed(value.isoformat())
        case str():
            yield from _from_text(value)
        case dict():
            yield from _from_money(value)
            for item in value.values():
                yield from _allowed(item)
        case _ if isinstance(value, Iterable):
            items = list(value)
            yield str(len(items))
            for item in items:
                yield from _allowed(item)


def _from_text(text: str) -> Iterator[str]:
    found = _DATE.match(text)
    if found:
        year, month, day, hour, minute = found.groups()
        yield from (year, str(int(month)), str(int(day)), day)
        if hour is not None:
            yield from (hour, str(int(hour)), minute, str(int(minute)))
        return
    for digits in _DIGITS.findall(text):
        yield digits
        yield digits.lstrip("0") or "0"
    yield from _NUMBER.findall(text)


def _from_money(value: dict[str, Any]) -> Iterator[str]:
    minor, exponent = value.get("minor"), value.get("exponent")
    if isinstance(minor, int) and isinstance(exponent, int):
        whole, fraction = divmod(abs(minor), 10**exponent)
        yield str(whole)
        if exponent:
            yield f"{whole}.{fraction:0{exponent}d}"
