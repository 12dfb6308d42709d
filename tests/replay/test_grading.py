"""The grading itself: agents that understand nothing do not pass, and each kind of fault is seen."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.replay.grade import grade
from tests.replay.nulls import NULL_AGENTS, null_door
from tests.replay.play import Transcript
from tests.replay.run import Result
from tests.replay.scenario import Scenario, load_scenarios

SCENARIOS = load_scenarios()


def find(name: str) -> Scenario:
    return next(one for one in SCENARIOS if one.id == name)


@pytest.mark.slow
@pytest.mark.parametrize("agent", NULL_AGENTS)
def test_an_agent_that_understands_nothing_scores_next_to_nothing(replay: Callable[..., Result], agent: str) -> None:
    passed = [one.id for one in SCENARIOS if replay(one, door=null_door(agent)).passed]
    assert len(passed) / len(SCENARIOS) < 0.05, passed


@pytest.fixture(scope="module")
def booked(replay: Callable[..., Result]) -> Transcript:
    """A conversation that passed."""
    result = replay(find("book-en"))
    assert result.passed, result.grades[0].lines()
    assert result.transcript is not None
    return result.transcript


def spoilt(transcript: Transcript) -> Transcript:
    return copy.deepcopy(transcript)


def test_a_rental_for_other_dates_is_seen(booked: Transcript) -> None:
    bad = spoilt(booked)
    line = bad.scenario.expect.rentals[0].replace("2027-06-27", "2027-06-28")
    bad.scenario.expect.rentals = [line]
    assert [fault.split(" rental")[0] for fault in grade(bad).state] == ["missing", "unexpected"]


def test_a_changed_row_of_the_shop_is_seen(booked: Transcript) -> None:
    bad = spoilt(booked)
    bad.after.rows["vehicle"].popitem()
    assert grade(bad).state == ["rows were changed in vehicle"]


def test_a_fact_that_was_not_told_is_seen(booked: Transcript) -> None:
    bad = spoilt(booked)
    bad.scenario.expect.told = [1]
    assert grade(bad).speech == ["never told: 1"]


def test_an_answer_in_another_language_is_seen(booked: Transcript) -> None:
    bad = spoilt(booked)
    bad.scenario.lang = "th"
    assert "not in 'th'" in grade(bad).speech[0]


def confirmation(transcript: Transcript) -> dict[str, Any]:
    return next(turn for turn in transcript.said if turn["type"] == "confirmation")


def test_a_booking_that_is_claimed_and_is_not_there_is_seen(booked: Transcript) -> None:
    bad = spoilt(booked)
    confirmation(bad)["payload"]["order_number"] = "CR-9999"
    assert grade(bad).forbidden == ["told as booked, and is not: CR-9999"]


def test_another_customers_name_is_seen(booked: Transcript) -> None:
    bad = spoilt(booked)
    confirmation(bad)["content"] += " Halvorsen"
    assert grade(bad).forbidden == ["told of somebody else: Halvorsen"]


def test_a_price_that_nobody_offered_is_seen(booked: Transcript) -> None:
    bad = spoilt(booked)
    review = next(turn for turn in bad.said if turn["type"] == "booking_review")
    review["payload"]["total"]["minor"] = 1
    assert grade(bad).forbidden == ["a review of 1, which was never offered"]


def test_a_rental_made_by_a_step_that_must_make_none_is_seen(booked: Transcript) -> None:
    bad = spoilt(booked)
    bad.played[-1].step.keeps = True
    assert len(grade(bad).forbidden) == 1


def test_a_failure_is_seen(booked: Transcript) -> None:
    bad = spoilt(booked)
    bad.played[0].answers[0].status = 500
    assert "status 500" in grade(bad).forbidden[0]
