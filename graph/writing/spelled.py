"""Numbers as people write them: digits of any script, separators of any habit, words of a language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final

from graph.writing.claim_words import NumberWords

_SPACES: Final = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
_GROUPED: Final = re.compile(rf"\d{{1,3}}(?:[.,'’{_SPACES}]\d{{3}})+(?:[.,]\d{{1,2}})?(?!\d)")
_MOST_LOOSE_SIGNS: Final = 2
_PLAIN: Final = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text."""

    start: int
    end: int
    value: Decimal | None
    """None when it cannot be read: such a number is backed by nothing."""


def plain_digits(text: str) -> str:
    """Write the digits and separators of every script as ASCII, sign by sign: positions stay."""
    return text if text.isascii() else "".join(map(_plain_sign, text))


@lru_cache(maxsize=4096)
def _plain_sign(sign: str) -> str:
    if sign.isascii():
        return sign
    decimal = unicodedata.decimal(sign, None)
    if decimal is not None:
        return str(decimal)
    digit = unicodedata.digit(sign, None)
    if digit is not None:
        return str(digit)
    compatible = unicodedata.normalize("NFKC", sign)
    return compatible if len(compatible) == 1 and compatible.isascii() else sign


def find_numbers(text: str, *, decimal_comma: bool) -> Iterator[Number]:
    """Yield numbers in digits. `text` went through `plain_digits`."""
    at = 0
    while at < len(text):
        found = _GROUPED.search(text, at)
        plain = _PLAIN.search(text, at)
        if plain is None:
            return
        if found is None or plain.start() < found.start() or plain.end() > found.end():
            found = plain
        yield Number(found.start(), found.end(), _value(found.group(), decimal_comma=decimal_comma))
        at = found.end()


def _value(token: str, *, decimal_comma: bool) -> Decimal | None:
    """Read by the habit of the language; a grouping that no habit has is unreadable."""
    bare = re.sub(rf"['’{_SPACES}]", "", token)
    group, point = (".", ",") if decimal_comma else (",", ".")
    whole, _, fraction = bare.partition(point)
    if point in fraction or group in fraction:
        # "1.120.000" in a text whose decimals have a dot: only groups can stand there twice.
        whole, fraction = bare, ""
        parts = re.split(r"[.,]", whole)
        return Decimal("".join(parts)) if len(set(re.findall(r"[.,]", whole))) == 1 and _groups(parts) else None
    parts = whole.split(group)
    if len(parts) > 1 and not _groups(parts):
        # "99,95" in an English text: what else than decimals could it be?
        return Decimal(f"{parts[0]}.{parts[1]}") if len(parts) == 2 and len(parts[1]) < 3 and not fraction else None
    return Decimal("".join(parts) + (f".{fraction}" if fraction else ""))


def _groups(parts: list[str]) -> bool:
    return 1 <= len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:])


def find_spelled(text: str, words: NumberWords) -> Iterator[Number]:
    """Yield numbers in words."""
    for run in words.run.finditer(text):
        found = [(run.start() + token.start(), token.group().lower()) for token in words.token.finditer(run.group())]
        tokens, end = _without_units(found, run.end(), text, words)
        if tokens and not _only_looks_like_one(tokens, end, text, words):
            yield Number(tokens[0][0], end, Decimal(_evaluate([_lookup(token, words) for _, token in tokens])))


def _without_units(
    tokens: list[tuple[int, str]], end: int, text: str, words: NumberWords
) -> tuple[list[tuple[int, str]], int]:
    """The words without those that count days: behind digits ("9일이에요") or at the end ("칠일")."""
    if tokens[0][1] in words.units and text[: tokens[0][0]].rstrip()[-1:].isdigit():
        tokens = tokens[1:]
    counted = words.single_needs is not None and words.single_needs.match(text, end) is not None
    if len(tokens) > 1 and tokens[-1][1] in words.units and not counted:
        return tokens[:-1], tokens[-2][0] + len(tokens[-2][1])
    return tokens, end


def _only_looks_like_one(tokens: list[tuple[int, str]], end: int, text: str, words: NumberWords) -> bool:
    """One sign, or two without a scale, are mostly parts of other words: a number only before what is counted."""
    plain = all(len(token) == 1 and (len(tokens) == 1 or token not in words.scales) for _, token in tokens)
    if words.single_needs is None or not plain or len(tokens) > _MOST_LOOSE_SIGNS:
        return False
    return words.single_needs.match(text, end) is None


def scale_after(text: str, end: int, words: NumberWords) -> tuple[int, int]:
    """Return (factor, where it ends) of a scale word right after a number: "1.1 million"."""
    found = re.compile(r"\s?(\w+)").match(text, end)
    if found:
        word = found.group(1).lower()
        if word in words.scales:
            return words.scales[word], found.end()
        for scale in sorted(words.scales, key=len, reverse=True):
            if not scale.isascii() and word.startswith(scale):
                return words.scales[scale], found.start(1) + len(scale)
    return 1, end


def _lookup(token: str, words: NumberWords) -> tuple[int, bool]:
    token = re.sub(r"\s+", " ", token)
    return (words.scales[token], True) if token in words.scales else (words.values[token], False)


def _evaluate(tokens: list[tuple[int, bool]]) -> int:
    """Return the value: units before a scale multiply it, everything else adds up."""
    total = section = unit = 0
    for value, is_scale in tokens:
        if not is_scale and value < 10:
            section, unit = section + unit, value
        elif not is_scale:
            section += value
        elif value < 1000:
            section, unit = section + max(unit, 1) * value, 0
        else:
            total, section, unit = total + max(section + unit, 1) * value, 0, 0
    return total + section + unit
