"""The frame of the measures: what counts as met, what the table shows, what is said where data is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.eval import frame
from tests.eval.frame import Absent, Measure, table


def test_a_measure_under_its_target_is_shown_as_missed() -> None:
    missed = Measure("set", "right", 0.94, 0.95, cases=100)
    assert not missed.met
    assert "**no**" in table([missed])
    assert Measure("set", "right", 0.95, 0.95).met


def test_a_measure_of_faults_is_missed_above_its_target() -> None:
    assert Measure("set", "wrong", 0.05, 0.05, "less").met
    assert not Measure("set", "wrong", 0.051, 0.05, "less").met


def test_a_measure_without_a_target_is_only_told() -> None:
    told = Measure("set", "right", 0.1)
    assert told.met
    assert table([told]).splitlines()[-1] == "| set | right |  | 0.1 |  |  |"


def test_what_could_not_be_measured_is_said_in_the_table() -> None:
    assert "not measured: words.jsonl is not there" in table([("words", "words.jsonl is not there")])


def test_missing_data_is_told_by_name(tmp_path: Path) -> None:
    with pytest.raises(Absent, match=r"nothing-of-this-name\.jsonl"):
        list(frame.rows("nothing-of-this-name.jsonl"))
