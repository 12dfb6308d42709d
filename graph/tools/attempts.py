"""One call, tried as often as its tool allows, inside one deadline.

An attempt that is late is not thrown away: its repeat goes beside it, and the first answer counts. So a slow back end
is waited for as long as the deadline says, and a lost answer costs a second instead of the whole deadline.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from graph.tools.transport import TransportDown
from graph.tools.wire import ToolError, Wire

DEADLINE_SECONDS: Final = 3.0
ATTEMPT_SECONDS: Final = 0.9
RETRIES: Final = 2
BACKOFF_SECONDS: Final = (0.05, 0.15)
WORTH_A_REPEAT: Final = frozenset({"timeout", "unavailable", "rate_limited", "in_progress"})

TIMEOUT: Final = ToolError(code="timeout", message="no answer in time", retryable=True)
UNREACHABLE: Final = ToolError(code="unavailable", message="the booking desk cannot be reached", retryable=True)


async def _sleep(seconds: float) -> None:
    await asyncio.sleep(seconds)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long and how often. Sleep and chance are handed in, so that a test waits for nothing."""

    deadline_seconds: float = DEADLINE_SECONDS
    """For the whole call with all its attempts."""
    attempt_seconds: float = ATTEMPT_SECONDS
    """After that a repeat is sent beside it."""
    retries: int = RETRIES
    backoff_seconds: tuple[float, ...] = BACKOFF_SECONDS
    sleep: Callable[[float], Awaitable[None]] = _sleep
    chance: Callable[[], float] = random.random  # noqa: S311 - spreads retries, keeps no secret
    """From 0 to 1: many chats that failed at one moment do not come back at one moment."""

    def pause(self, attempt: int, asked_seconds: float | None) -> float:
        """Seconds before the next attempt: half fixed, half by chance; at least what the other side asked for."""
        most = self.backoff_seconds[min(attempt, len(self.backoff_seconds)) - 1]
        return max(most * (0.5 + 0.5 * self.chance()), asked_seconds or 0.0)


def patience_for(deadline_seconds: float, *, in_process: bool) -> Patience:
    """Return the patience with a back end.

    In our own process nothing is lost on the way, and a repeat beside a slow call would only slow it more.
    """
    share = 1.0 if in_process else ATTEMPT_SECONDS / DEADLINE_SECONDS
    return Patience(deadline_seconds=deadline_seconds, attempt_seconds=deadline_seconds * share)


@dataclass(frozen=True, slots=True)
class Reply:
    """What one attempt gave."""

    outcome: Wire
    """The tool's result, or a ToolError."""
    retry_after_seconds: float | None = None

    @property
    def error(self) -> ToolError | None:
        """The error, if it is one."""
        return self.outcome if isinstance(self.outcome, ToolError) else None

    @property
    def is_final(self) -> bool:
        """A repeat would bring nothing else."""
        return self.error is None or self.error.code not in WORTH_A_REPEAT


Attempt = Callable[[], Awaitable[Reply]]


async def first_answer(attempt: Attempt, patience: Patience, *, may_repeat: bool) -> tuple[Wire, int]:
    """Return the outcome and how many attempts were made. Never takes longer than the deadline.

    Whatever an attempt raises except TransportDown is a bug of ours and goes on up.
    """
    race = _Race(attempt, patience, tries=1 + (patience.retries if may_repeat else 0))
    try:
        async with asyncio.timeout(patience.deadline_seconds):
            await race.run()
    except TimeoutError:
        if race.last is None or race.running:
            race.last = Reply(TIMEOUT)
    finally:
        race.stop()
    return (race.last or Reply(TIMEOUT)).outcome, race.made


class _Race:
    """The attempts of one call."""

    def __init__(self, attempt: Attempt, patience: Patience, tries: int) -> None:
        self._attempt = attempt
        self._patience = patience
        self._tries = tries
        self.running: set[asyncio.Task[Reply]] = set()
        self.last: Reply | None = None
        self.made = 0

    async def run(self) -> None:
        """Start attempts until one gives a final answer or all have failed."""
        while True:
            if self.made < self._tries:
                self.made += 1
                self.running.add(asyncio.create_task(self._one()))
            if await self._hear() or (not self.running and self.made >= self._tries):
                return
            if self.made < self._tries:
                asked = self.last.retry_after_seconds if self.last else None
                await self._patience.sleep(self._patience.pause(self.made, asked))

    async def _hear(self) -> bool:
        """Wait for an answer; True when it is final. Returns early when it is time for a repeat."""
        while self.running:
            limit = self._patience.attempt_seconds if self.made < self._tries else None
            done, self.running = await asyncio.wait(self.running, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                self.last = task.result()
                if self.last.is_final:
                    return True
            if self.made < self._tries:
                return False
        return False

    async def _one(self) -> Reply:
        try:
            return await self._attempt()
        except TransportDown:
            return Reply(UNREACHABLE)

    def stop(self) -> None:
        """Give up what still runs, without waiting for it: a transport that ignores this must not hold the chat."""
        for task in self.running:
            task.cancel()
            task.add_done_callback(_forget)


def _forget(task: asyncio.Task[Reply]) -> None:
    if not task.cancelled():
        task.exception()
