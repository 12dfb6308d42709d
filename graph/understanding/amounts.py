"""Digits with dots and commas -> an amount. What cannot be told is None: a wrong guess is off by a thousand."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

AMOUNT_PATTERN: Final = (
    r"(?:\d{1,3}(?:\.\d{3})+,\d{1,3}|\d{1,3}(?:,\d{3})+\.\d{1,3}|\d{1,3}(?:\.\d{3}){2,}|\d{1,3}(?:,\d{3}){2,}"
    r"|\d{1,3}(?:'\d{3})+(?:[.,]\d{1,2})?|[1-9]\d{0,2}(?: \d{3})+(?:[.,]\d{1,2})?|\d{1,2}(?:,\d{2})+,\d{3}"
    r"|\d+(?:[.,]\d{1,3})?)"
)
"""1.500.000 1,500,000 1'500'000 1 500 000 15,00,000 1.500.000,00 1,500,000.00 99.50 1,5 1500000."""

_MARK = re.compile(r"[.,' ]")
_GROUP = 3
_MILLION = 1_000_000


def read_amount(digits: str, *, scale: int = 1, exponent: int = 2, decimal_mark: str = ".") -> Decimal | None:
    """The amount in major units; None where it cannot be told or the currency has no coin that small.

    `scale` is the word after the digits (thousand, million), `exponent` the decimals of the currency, `decimal_mark`
    the shop's own: it decides "1.500" only where the currency has three decimals.
    """
    plain = _plain(digits, scale, exponent, decimal_mark)
    if plain is None:
        return None
    amount = Decimal(plain) * scale
    return amount if amount == amount.quantize(Decimal(1).scaleb(-exponent)) else None


def _plain(digits: str, scale: int, exponent: int, decimal_mark: str) -> str | None:
    marks = _MARK.findall(digits)
    if not marks:
        return digits
    head, mark, tail = digits.rpartition(marks[-1])
    if len(set(marks)) > 1 and marks.count(mark) == 1:
        return f"{_MARK.sub('', head)}.{tail}"
    whole = _MARK.sub("", digits)
    if len(marks) > 1 or mark in "' ":
        return whole
    if len(tail) != _GROUP or len(head) > _GROUP:
        return f"{head}.{tail}"
    return _one_mark_before_three_digits(head, mark, tail, scale, exponent, decimal_mark)


def _one_mark_before_three_digits(
    head: str, mark: str, tail: str, scale: int, exponent: int, decimal_mark: str
) -> str | None:
    if scale >= _MILLION:
        return f"{head}.{tail}"  # nobody rents a scooter for more than a thousand millions
    if scale > 1:
        return None  # "1.500 k": one and a half thousand, or fifteen hundred of them
    is_decimal = exponent >= _GROUP and mark == decimal_mark
    return f"{head}.{tail}" if is_decimal else f"{head}{tail}"
