"""The targets of understanding words, where the public data is present; our own messages always."""

from __future__ import annotations

import pytest

from tests.eval import words
from tests.eval.frame import Absent, Measure


def assert_met(measures: list[Measure]) -> None:
    assert [f"{one.name}, {one.measure}: {one.shown()} ({one.wanted()})" for one in measures if not one.met] == []


def test_own_messages_in_eight_languages_are_understood() -> None:
    assert_met(list(words.own_messages()))


def test_public_english_intents_are_understood_or_asked_back() -> None:
    try:
        assert_met([*words.clinc_intents(), words.clinc_out_of_scope()])
    except Absent as absent:
        pytest.skip(str(absent))
