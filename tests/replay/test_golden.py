"""Every golden conversation, once; and a seeded sample of what can happen to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest
import yaml

from tests.replay.perturb import OPERATORS
from tests.replay.run import Result
from tests.replay.scenario import HERE, Scenario, load_phrases, load_scenarios

SCENARIOS = load_scenarios()
KNOWN: dict[str, str] = yaml.safe_load((HERE / "known_failures.yaml").read_text(encoding="utf-8")) or {}
"""Scenario -> why it fails today. One that passes has to leave the list."""
SEED = 7
SAMPLE = 4
LEAST = {"correction": 25, "digression": 15, "attack": 15, "handoff": 10}
LEAST_DIFFERENT = {"correction": 20, "digression": 15, "attack": 15, "handoff": 10, "two-wishes": 6}
"""Where one conversation in nine languages counts once."""


def _cases(scenarios: list[Scenario]) -> list[object]:
    return [
        pytest.param(one, id=one.id, marks=[pytest.mark.xfail(strict=True, reason=KNOWN[one.id])])
        if one.id in KNOWN
        else pytest.param(one, id=one.id)
        for one in scenarios
    ]


def test_the_set_is_as_wide_as_it_claims() -> None:
    counted = Counter(tag for one in SCENARIOS for tag in one.tags)
    assert len(SCENARIOS) >= 150
    assert len({one.lang for one in SCENARIOS}) >= 5
    assert {tag: number for tag, number in LEAST.items() if counted[tag] < number} == {}
    assert len([one for one in SCENARIOS if {"change", "cancellation"} & set(one.tags)]) >= 15
    assert len([one for one in SCENARIOS if {"race", "redelivery", "restart"} & set(one.tags)]) >= 15


def test_it_is_as_wide_where_languages_of_one_conversation_count_once() -> None:
    different = {one.id.removesuffix(f"-{one.lang}"): set(one.tags) for one in SCENARIOS}
    counted = Counter(tag for tags in different.values() for tag in tags)
    assert {tag: number for tag, number in LEAST_DIFFERENT.items() if counted[tag] < number} == {}
    for group in ({"change", "cancellation"}, {"race", "redelivery", "restart"}):
        assert len([name for name, tags in different.items() if group & tags]) >= 15


def test_every_known_failure_is_a_scenario() -> None:
    assert KNOWN.keys() <= {one.id for one in SCENARIOS}


@pytest.mark.slow
@pytest.mark.parametrize("scenario", _cases(SCENARIOS))
def test_the_conversation_ends_as_it_should(replay: Callable[..., Result], scenario: Scenario) -> None:
    assert replay(scenario).grades[0].lines() == []


@pytest.mark.slow
@pytest.mark.parametrize("operator", OPERATORS)
def test_it_ends_so_under_what_happens_to_conversations(replay: Callable[..., Result], operator: str) -> None:
    """A seeded sample of the conversations that pass plainly; `python -m tests.replay --all` runs all."""
    random, phrases = Random(SEED), load_phrases()
    pool = [one for one in SCENARIOS if one.id not in KNOWN]
    random.shuffle(pool)
    faults: dict[str, list[str]] = {}
    played = 0
    for scenario in pool:
        if played == SAMPLE:
            break
        plain = replay(scenario).transcript
        assert plain is not None
        changed = OPERATORS[operator](scenario, plain, random, phrases)
        if changed is None:
            continue
        played += 1
        lines = replay(changed).grades[0].lines()
        if lines:
            faults[changed.id] = lines
    assert played == SAMPLE
    assert faults == {}
