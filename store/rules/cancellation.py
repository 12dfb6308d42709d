"""What a cancellation costs. A policy is a list of steps by the time that is left until the pick-up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from store.rules.money import average_per_day, percent_of

_MOST: Final = {"hours_before": 24 * 366, "fee_percent": 100, "fee_days": 366}


@dataclass(frozen=True, slots=True)
class CancelStep:
    """Cancelling at least `hours_before` the pick-up costs a share of the total and the price of some days."""

    hours_before: int
    fee_percent: int = 0
    fee_days: int = 0

    def fee_minor(self, total_minor: int, days: int) -> int:
        """Return the fee in minor units; never more than the total."""
        fee = percent_of(total_minor, self.fee_percent) + self.fee_days * average_per_day(total_minor, days)
        return min(total_minor, fee)


@dataclass(frozen=True, slots=True)
class CancelPolicy:
    """The steps of a company, those with the most time left first. Without steps the shop decides case by case."""

    steps: tuple[CancelStep, ...] = ()


@dataclass(frozen=True, slots=True)
class CancelTerms:
    """What cancelling costs now. `fee_minor` is None when the shop has stored no policy."""

    fee_minor: int | None
    free_until: datetime | None
    """Until when it costs nothing; None when it never does, or nobody knows."""


def read_policy(steps: Iterable[Mapping[str, Any]]) -> CancelPolicy:
    """Return the policy of a company as its table holds it.

    Raises:
        ValueError: a step has an unknown field, or a value that is no whole number of its range.
    """
    read = [_step(step) for step in steps]
    return CancelPolicy(tuple(sorted(read, key=lambda step: -step.hours_before)))


def policy_problems(steps: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, str]]:
    """Name what is wrong with a policy as a shop wrote it: (place of the step, what); nothing when it may be used."""
    read: list[tuple[int, CancelStep]] = []
    for place, given in enumerate(steps):
        try:
            read.append((place, _step(given)))
        except ValueError as error:
            yield place, str(error)
    first_at: dict[int, int] = {}
    costs_from: int | None = None
    for place, step in sorted(read, key=lambda found: -found[1].hours_before):
        if first_at.setdefault(step.hours_before, place) != place:
            yield place, f"two steps begin {step.hours_before} hours before the pick-up"
        is_free = not step.fee_percent and not step.fee_days
        if is_free and costs_from is not None:
            yield place, f"it costs nothing again, after a fee from {costs_from} hours before the pick-up on"
        if not is_free and costs_from is None:
            costs_from = step.hours_before


def cancel_terms(policy: CancelPolicy, total_minor: int, days: int, pickup_at: datetime, now: datetime) -> CancelTerms:
    """Return what it costs to cancel at `now`. Later than the last step, everything is due."""
    if not policy.steps:
        return CancelTerms(None, None)
    left = pickup_at - now
    step = next((s for s in policy.steps if left >= timedelta(hours=s.hours_before)), None)
    fee_minor = total_minor if step is None else step.fee_minor(total_minor, days)
    free = [s.hours_before for s in policy.steps if s.fee_minor(total_minor, days) == 0]
    return CancelTerms(fee_minor, pickup_at - timedelta(hours=min(free)) if free else None)


def _step(given: Mapping[str, Any]) -> CancelStep:
    unknown = set(given) - {"hours_before", "fee_percent", "fee_days"}
    if unknown or "hours_before" not in given:
        raise ValueError(f"a step of the cancellation policy has hours_before, fee_percent, fee_days: {dict(given)}")
    step = CancelStep(**given)
    if not all(type(value) is int and 0 <= value <= _MOST[name] for name, value in asdict(step).items()):
        raise ValueError(f"a step of the cancellation policy is out of range: {dict(given)}")
    return step
