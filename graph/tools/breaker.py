"""What does not work is left alone for a while: one circuit breaker for each tool or model, for the whole process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic as system_monotonic
from typing import Final, Literal

BreakerState = Literal["closed", "open", "half_open"]
FAILURES_TO_OPEN: Final = 5
OPEN_SECONDS: Final = 2.0
MAX_OPEN_SECONDS: Final = 30.0
MAX_PAUSE_SECONDS: Final = 300.0


@dataclass(frozen=True, slots=True)
class Trouble:
    """What an operator may know of something that fails."""

    state: BreakerState
    failures: int
    """Calls in a row that failed."""
    failing_seconds: float
    """Since the first of them."""
    reason: str
    """Of the last one; empty where none was told."""


@dataclass(slots=True)
class Breaker:
    """Closed until some calls in a row failed; then open; then one probe decides.

    Each failed probe doubles the time it stays open, up to `MAX_OPEN_SECONDS`.
    """

    monotonic: Callable[[], float]
    failures_to_open: int = FAILURES_TO_OPEN
    first_open_seconds: float = OPEN_SECONDS
    _failures: int = 0
    _open_seconds: float = 0.0
    _open_until: float | None = None
    _is_probing: bool = False
    _failing_from: float | None = None
    _reason: str = ""

    @property
    def state(self) -> BreakerState:
        """Where it stands now."""
        if self._open_until is None:
            return "closed"
        return "open" if self.monotonic() < self._open_until else "half_open"

    def enter(self) -> bool:
        """Ask to make a call; True obliges the caller to tell how it ended. Of a half-open breaker one may."""
        if self.state == "closed":
            return True
        if self.state == "open" or self._is_probing:
            return False
        self._is_probing = True
        return True

    def succeeded(self) -> None:
        """The back end answered; a refusal is an answer."""
        self._failures, self._open_until, self._is_probing = 0, None, False
        self._failing_from, self._reason = None, ""

    def failed(self, reason: str = "") -> None:
        """It did not answer, or said that it cannot."""
        self._failures += 1
        self._reason = reason
        if self._failing_from is None:
            self._failing_from = self.monotonic()
        if self._is_probing:
            self._open_for(min(self._open_seconds * 2, MAX_OPEN_SECONDS))
        elif self._failures >= self.failures_to_open and self._open_until is None:
            self._open_for(self.first_open_seconds)
        self._is_probing = False

    def left(self) -> None:
        """The call was given up by us: nothing is known."""
        self._is_probing = False

    def pause(self, seconds: float) -> None:
        """Open for as long as it asks to be left alone, at most `MAX_PAUSE_SECONDS`; never shorter than anyway."""
        until = self.monotonic() + min(seconds, MAX_PAUSE_SECONDS)
        self._open_until = max(until, self._open_until or until)
        self._is_probing = False

    def trouble(self) -> Trouble | None:
        """How it fails; None while it works."""
        if self._failing_from is None:
            return None
        return Trouble(self.state, self._failures, self.monotonic() - self._failing_from, self._reason)

    def _open_for(self, seconds: float) -> None:
        self._open_seconds = seconds
        self._open_until = self.monotonic() + seconds


class Breakers:
    """The breakers of one process, by tool. Runs come and go; what they learnt of the back end stays."""

    def __init__(
        self,
        monotonic: Callable[[], float] = system_monotonic,
        *,
        failures_to_open: int = FAILURES_TO_OPEN,
        open_seconds: float = OPEN_SECONDS,
    ) -> None:
        self._monotonic = monotonic
        self._failures_to_open = failures_to_open
        self._open_seconds = open_seconds
        self._breakers: dict[str, Breaker] = {}

    def of(self, tool: str) -> Breaker:
        """Return the breaker of one tool."""
        if tool not in self._breakers:
            self._breakers[tool] = Breaker(self._monotonic, self._failures_to_open, self._open_seconds)
        return self._breakers[tool]

    def troubles(self) -> dict[str, Trouble]:
        """Tool -> how it fails, of those that do, open or not yet: since when and why."""
        return {tool: trouble for tool, breaker in self._breakers.items() if (trouble := breaker.trouble())}
