"""Plays a scenario against a door and keeps all that was said and what the database held after each step."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any, Final

from anyio import to_thread

from tests.replay.door import Answer, Chat, Door, Turn
from tests.replay.scenario import Scenario, Step
from tests.replay.snapshot import Snapshot, rentals_now, take
from tests.replay.world import World

WAIT_SECONDS: Final = 20.0
_OF_THE_PROCESS: Final = frozenset({"restart", "later", "tool", "passport_lost"})
"""Events that a null agent does not notice: it runs in no process of the product."""


@dataclass(slots=True)
class Played:
    """One step, played."""

    step: Step
    answers: list[Answer] = field(default_factory=list)
    missing: str = ""
    """Why it could not be played: the button is not there."""
    rentals: dict[int, tuple[str, str, str, int]] = field(default_factory=dict)
    """Rental id -> (status, start, end, total) after the step; those of strangers left out."""
    seconds: float = 0.0

    @property
    def said(self) -> list[Turn]:
        """The agent's turns of this step."""
        return [turn for answer in self.answers for turn in answer.said]


@dataclass(slots=True)
class Transcript:
    """A whole conversation."""

    scenario: Scenario
    played: list[Played]
    before: Snapshot
    after: Snapshot
    others: frozenset[int]

    @property
    def said(self) -> list[Turn]:
        """All that the agent said."""
        return [turn for played in self.played for turn in played.said]

    @property
    def turn_seconds(self) -> list[float]:
        """Time of each message or press."""
        return [played.seconds for played in self.played if played.answers and not played.step.burst]


class Missing(Exception):
    """There is no such button."""


class Customer:
    """One customer's screen: what is on it, and the last thing that was sent."""

    def __init__(self, chat: Chat, name: str) -> None:
        self._chat, self._name = chat, name
        self._shown: list[Turn] = []
        self._count = 0
        self._last: Any = None

    async def say(self, words: str) -> Answer:
        """Say something."""
        key = self._next_key()
        self._last = lambda: self._chat.say(words, key)
        return self._saw(await self._last())

    async def press(self, step: Step) -> list[Answer]:
        """Press a button, as often as the step says, all at once."""
        action = self._find(step)
        sends = [self._press(action, self._next_key(), step.input) for _ in range(step.times)]
        self._last = sends[-1]
        answers = await asyncio.gather(*(send() for send in sends))
        return [self._saw(answer) for answer in answers]

    async def again(self) -> Answer:
        """The network delivers the last one once more."""
        if self._last is None:
            raise Missing("nothing was sent yet")
        answer: Answer = await self._last()
        return answer

    def _press(self, action: str, key: str, given: dict[str, Any] | None) -> Any:
        return lambda: self._chat.press(action, key, given)

    def _find(self, step: Step) -> str:
        cards = self._shown if step.oldest else self._shown[::-1]
        for turn in cards:
            found = [action["id"] for action in turn.get("actions", []) if action["kind"] == step.press]
            if len(found) > step.nth:
                return str(found[step.nth])
        raise Missing(f"no button {step.press!r} (number {step.nth})")

    def _saw(self, answer: Answer) -> Answer:
        self._shown += [turn for turn in answer.said if turn["id"] not in {seen["id"] for seen in self._shown}]
        return answer

    def _next_key(self) -> str:
        self._count += 1
        return f"{self._name}{self._count}"


async def play(scenario: Scenario, world: World, door: Door | None = None) -> Transcript:
    """Play all steps. `world` must be in its seeded state; `door` is the world's own unless a null agent's is given."""
    before = await to_thread.run_sync(take, world.database_file)
    customers: dict[str, Customer] = {}
    played: list[Played] = []
    for step in scenario.steps:
        if step.by not in customers:
            customers[step.by] = Customer(await (door or world).open(scenario.company), step.by)
        played.append(await _play_step(step, customers[step.by], world, scenario, door is None))
    await world.services.chat.drain()
    after = await to_thread.run_sync(take, world.database_file)
    return Transcript(scenario, played, before, after, frozenset(world.others))


async def _play_step(step: Step, customer: Customer, world: World, scenario: Scenario, real: bool) -> Played:
    played = Played(step)
    began = time.perf_counter()
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            played.answers = await _act(step, customer, world, scenario, real)
    except Missing as error:
        played.missing = str(error)
    except TimeoutError:
        played.missing = "no answer in time"
    played.seconds = time.perf_counter() - began
    played.rentals = await to_thread.run_sync(_rentals, world)
    return played


async def _act(step: Step, customer: Customer, world: World, scenario: Scenario, real: bool) -> list[Answer]:
    if step.say is not None:
        return await _say(step, customer)
    if step.press is not None:
        return await customer.press(step)
    if step.burst is not None:
        return await _burst(step.burst, customer, world)
    if step.again:
        return [await customer.again()]
    if real or step.event not in _OF_THE_PROCESS:
        await world.event(str(step.event), step.args, scenario.company)
    return []


async def _say(step: Step, customer: Customer) -> list[Answer]:
    answers = [await customer.say(str(step.say))]
    if step.or_else is not None and [turn["type"] for turn in answers[0].said] != step.like:
        answers.append(await customer.say(step.or_else))
    return answers


async def _burst(messages: list[str], customer: Customer, world: World) -> list[Answer]:
    """Each is sent when the one before is accepted, not when it is answered: the order is the customer's."""
    sent: list[asyncio.Task[Answer]] = []
    accepted = await world.waiting()
    for words in messages:
        sent.append(asyncio.create_task(customer.say(words)))
        accepted += 1
        while await world.waiting() < accepted and not sent[-1].done():  # noqa: ASYNC110  (the database has no event)
            await asyncio.sleep(0)
    return list(await asyncio.gather(*sent))


def _rentals(world: World) -> dict[int, tuple[str, str, str, int]]:
    found = rentals_now(world.database_file)
    return {
        key: (row.status, row.start, row.end, row.total_minor) for key, row in found.items() if key not in world.others
    }
