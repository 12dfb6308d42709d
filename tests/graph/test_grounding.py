"""No number in a sentence without a fact behind it."""

from __future__ import annotations

from typing import Any

import pytest

from graph.writing.grounding import ungrounded_numbers

FACTS: list[Any] = [
    {"total": {"minor": 1_120_000, "currency": "IDR", "exponent": 0}, "period": {"start": "2027-06-20", "days": 7}},
    {"fee": {"minor": 9_999, "currency": "EUR", "exponent": 2}, "pickup_at": "2027-06-20T10:00:00+08:00"},
    {"name": "Honda PCX 160", "order_number": "CR-1048"},
]


@pytest.mark.parametrize(
    "sentence",
    [
        "IDR 1,120,000 for 7 days, Honda PCX 160, from Sunday 20 June.",
        "IDR 1.120.000 or EUR 99.99, at 10:00 in 2027, order CR-1048.",
        "No number at all.",
    ],
)
def test_numbers_with_a_fact_pass(sentence: str) -> None:
    """However the language writes them."""
    assert ungrounded_numbers(sentence, FACTS) == []


@pytest.mark.parametrize(
    ("sentence", "lie"),
    [
        ("IDR 1,000,000 for 7 days", "1,000,000"),
        ("Sunday 21 June", "21"),
        ("EUR 99.98", "99.98"),
        ("order CR-1049", "1049"),
        ("IDR 112,000", "112,000"),
        ("only 3 left", "3"),
    ],
)
def test_a_number_without_a_fact_is_named(sentence: str, lie: str) -> None:
    """R22: an invented price, day, order number or count."""
    assert ungrounded_numbers(sentence, FACTS) == [lie]
