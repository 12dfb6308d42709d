"""Whether a provider may be asked now: the breaker of the tools with a pause, and a token bucket."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from graph.tools.breaker import Breaker

Monotonic = Callable[[], float]
"""Seconds that only grow."""
FAILURES_TO_OPEN: Final = 3
OPEN_SECONDS: Final = 15.0
MAX_PAUSE_SECONDS: Final = 300.0


class ProviderBreaker(Breaker):
    """Opens after failures in a row, and for as long as a provider asks to be left alone."""

    __slots__ = ()

    def pause(self, seconds: float) -> None:
        """Open for so long, at most `MAX_PAUSE_SECONDS`; never shorter than it would be open anyway."""
        until = self.monotonic() + min(seconds, MAX_PAUSE_SECONDS)
        self._open_until = max(until, self._open_until or until)
        self._is_probing = False


class TokenBucket:
    """At most so many calls a minute, with a burst of a quarter of them. Zero means no limit."""

    def __init__(self, monotonic: Monotonic, *, calls_per_minute: int) -> None:
        self._monotonic = monotonic
        self._per_second = calls_per_minute / 60
        self._most = max(calls_per_minute / 4, 1.0)
        self._level = self._most
        self._filled_at = monotonic()

    def take(self) -> bool:
        """Take one call out; False when there is none."""
        if self._per_second == 0:
            return True
        now = self._monotonic()
        self._level = min(self._most, self._level + (now - self._filled_at) * self._per_second)
        self._filled_at = now
        if self._level < 1:
            return False
        self._level -= 1
        return True
