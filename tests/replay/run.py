"""Runs scenarios and counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tests.replay.door import Door
from tests.replay.grade import Grade, grade
from tests.replay.play import Transcript, play
from tests.replay.scenario import Scenario
from tests.replay.world import World, Worlds

MakeDoor = Callable[[World], Door]


@dataclass(slots=True)
class Result:
    """All runs of one scenario."""

    scenario: Scenario
    grades: list[Grade] = field(default_factory=list)
    turn_seconds: list[float] = field(default_factory=list)
    transcript: Transcript | None = None
    """Of the first run."""

    @property
    def passed(self) -> bool:
        """Whether every run passed: one trial of pass^k."""
        return all(one.passed for one in self.grades)


async def run_one(scenario: Scenario, worlds: Worlds, *, k: int = 1, door: MakeDoor | None = None) -> Result:
    """Play and grade one scenario k times, each time from the seeded state."""
    result = Result(scenario)
    for _ in range(k):
        world = await worlds.at(scenario.clock)
        transcript = await play(scenario, world, door(world) if door else None)
        result.grades.append(grade(transcript))
        result.turn_seconds += transcript.turn_seconds
        result.transcript = result.transcript or transcript
    return result


async def run_all(scenarios: Iterable[Scenario], worlds: Worlds, *, k: int = 1) -> list[Result]:
    """Play and grade all, one after the other."""
    return [await run_one(scenario, worlds, k=k) for scenario in scenarios]


def share_passed(results: Iterable[Result]) -> float:
    """The share of scenarios of which every run passed: with k runs each, pass^k."""
    passed = [result.passed for result in results]
    return sum(passed) / len(passed) if passed else 0.0
