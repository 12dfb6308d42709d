"""What a cancellation costs: steps by the time left, integers only, never more than the total."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.rules.cancellation import CancelPolicy, CancelStep, cancel_terms, policy_problems, read_policy

PICKUP = datetime(2027, 6, 20, 2, tzinfo=UTC)

steps = st.builds(CancelStep, st.integers(0, 500), st.integers(0, 100), st.integers(0, 40))
policies = st.lists(steps, min_size=1, max_size=5, unique_by=lambda s: s.hours_before).map(
    lambda found: CancelPolicy(tuple(sorted(found, key=lambda s: -s.hours_before)))
)


def test_no_policy_is_no_fee_that_is_known() -> None:
    terms = cancel_terms(CancelPolicy(), 100_000, 3, PICKUP, PICKUP - timedelta(days=9))
    assert (terms.fee_minor, terms.free_until) == (None, None)


def test_after_the_last_step_everything_is_due() -> None:
    policy = read_policy([{"hours_before": 24, "fee_percent": 10}])
    assert cancel_terms(policy, 100_000, 3, PICKUP, PICKUP - timedelta(hours=24)).fee_minor == 10_000
    assert cancel_terms(policy, 100_000, 3, PICKUP, PICKUP - timedelta(hours=23)).fee_minor == 100_000


@pytest.mark.parametrize(
    "step",
    [
        {},
        {"hours_before": -1},
        {"hours_before": 1, "fee": 3},
        {"hours_before": 1, "fee_percent": 101},
        {"hours_before": 1, "fee_percent": None},
        {"hours_before": 10**12},
        {"hours_before": 1, "fee_days": 10**9},
    ],
)
def test_a_policy_that_is_none_is_refused(step: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="cancellation policy"):
        read_policy([step])


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ([(48, 0), (24, 50), (0, 100)], []),
        ([(0, 100), (48, 0)], []),  # in any order
        ([(24, 50), (24, 60)], [(1, "two steps begin 24 hours")]),
        ([(0, 0), (24, 50), (48, 0)], [(0, "costs nothing again")]),
        ([(48, 0), (24, 101)], [(1, "out of range")]),
    ],
)
def test_a_policy_that_contradicts_itself_is_named_by_step(steps: list[tuple[int, int]], told: Any) -> None:
    found = list(policy_problems([{"hours_before": hours, "fee_percent": percent} for hours, percent in steps]))
    assert [place for place, _ in found] == [place for place, _ in told]
    assert all(words in problem for (_, problem), (_, words) in zip(found, told, strict=True))


@given(policies, st.integers(0, 10**9), st.integers(1, 40), st.integers(0, 3000))
def test_a_fee_is_a_whole_number_between_nought_and_the_total(
    policy: CancelPolicy, total_minor: int, days: int, hours: int
) -> None:
    fee = cancel_terms(policy, total_minor, days, PICKUP, PICKUP - timedelta(hours=hours)).fee_minor
    assert type(fee) is int
    assert 0 <= fee <= total_minor


@given(policies, st.integers(1, 10**9), st.integers(1, 40))
def test_it_is_free_at_the_told_instant(policy: CancelPolicy, total_minor: int, days: int) -> None:
    until = cancel_terms(policy, total_minor, days, PICKUP, PICKUP).free_until
    if until is not None:
        assert cancel_terms(policy, total_minor, days, PICKUP, until).fee_minor == 0
