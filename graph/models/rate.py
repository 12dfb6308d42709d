"""How often a provider may be asked: a token bucket."""

from __future__ import annotations

from collections.abc import Callable

Monotonic = Callable[[], float]
"""Seconds that only grow."""


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
