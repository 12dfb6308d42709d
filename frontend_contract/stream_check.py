"""The order that every event stream keeps, as one small state machine: for tests, and for logging in service."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from frontend_contract.compat import UnknownEvent
from frontend_contract.events import (
    TERMINAL_EVENTS,
    CardEvent,
    DoneEvent,
    ErrorEvent,
    ResyncRequired,
    RunStarted,
    StatusEvent,
    StreamEvent,
    TextDelta,
    TextEnd,
    TextStart,
    TurnUpdate,
)
from frontend_contract.turns import TurnBase, utf16_units

Rule = Literal[
    "first_event",
    "seq_gap",
    "other_run",
    "after_terminal",
    "text_not_open",
    "text_already_open",
    "delta_gap",
    "turn_mismatch",
    "open_text_at_done",
    "last_seq",
    "no_terminal",
]


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule."""

    rule: Rule
    seq: int
    """Of the event that broke it."""
    detail: str


@dataclass(slots=True)
class StreamCheck:
    """Watches one run. Feed it every event in order, then call `end`.

    `after` is the cursor of a resumed stream (0 from the start): what happened before it is not known, so
    a text may go on that was opened earlier.
    """

    after: int = 0
    _seq: int = field(init=False)
    _run_id: str | None = field(default=None, init=False)
    _terminal: str | None = field(default=None, init=False)
    _open: dict[str, int | None] = field(default_factory=dict, init=False)
    """Length so far in UTF-16 units per open text; None where the beginning was not seen."""
    _highest_turn: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._seq = self.after

    @property
    def finished(self) -> bool:
        """A terminal event was seen."""
        return self._terminal is not None

    def observe(self, event: StreamEvent | UnknownEvent) -> list[Violation]:
        """Take one event and return the rules that it breaks; none is right."""
        broken = [*self._check_place(event)]
        if not isinstance(event, UnknownEvent):
            broken += self._check_event(event)
        self._seq = max(self._seq, event.seq)
        if event.event in TERMINAL_EVENTS:
            self._terminal = self._terminal or event.event
        return [Violation(rule, event.seq, detail) for rule, detail in broken]

    def end(self) -> list[Violation]:
        """Tell what is missing now that nothing more comes."""
        return [] if self.finished else [Violation("no_terminal", self._seq, "the stream just stopped")]

    def _check_place(self, event: StreamEvent | UnknownEvent) -> list[tuple[Rule, str]]:
        broken: list[tuple[Rule, str]] = []
        if self._terminal:
            broken.append(("after_terminal", f"{event.event} after {self._terminal}"))
        if self._run_id is None and self.after == 0 and event.event not in ("run_started", "error", "resync_required"):
            broken.append(("first_event", f"{event.event} comes first"))
        if event.event == "run_started" and self._seq > 0:
            broken.append(("first_event", "run_started comes later"))
        if event.seq != self._seq + 1:
            broken.append(("seq_gap", f"{event.seq} after {self._seq}"))
        if self._run_id not in (None, event.run_id):
            broken.append(("other_run", "the run changed"))
        self._run_id = self._run_id or event.run_id
        return broken

    def _check_event(self, event: StreamEvent) -> list[tuple[Rule, str]]:
        match event:
            case TextStart():
                return self._start_text(event)
            case TextDelta():
                return self._grow_text(event)
            case TextEnd():
                return self._end_text(event)
            case CardEvent():
                self._note_turn(event.turn)
                return []
            case TurnUpdate():
                mismatch = event.turn is not None and event.turn.id != event.turn_id
                return [("turn_mismatch", event.turn_id)] if mismatch else []
            case DoneEvent():
                return self._close(event)
            case RunStarted() | StatusEvent() | ErrorEvent() | ResyncRequired():
                return []

    def _start_text(self, event: TextStart) -> list[tuple[Rule, str]]:
        broken: list[tuple[Rule, str]] = []
        if event.turn_id in self._open:
            broken.append(("text_already_open", event.turn_id))
        self._open[event.turn_id] = 0
        return broken

    def _grow_text(self, event: TextDelta) -> list[tuple[Rule, str]]:
        broken: list[tuple[Rule, str]] = []
        if event.turn_id not in self._open:
            if self.after == 0:
                broken.append(("text_not_open", event.turn_id))
            self._open[event.turn_id] = None
        length = self._open[event.turn_id]
        if length is not None and event.offset > length:
            broken.append(("delta_gap", f"offset {event.offset} at {length}"))
        # Repeats are harmless: the offset says where the piece belongs.
        self._open[event.turn_id] = max(length or 0, event.offset + utf16_units(event.delta))
        return broken

    def _end_text(self, event: TextEnd) -> list[tuple[Rule, str]]:
        broken: list[tuple[Rule, str]] = []
        if event.turn_id not in self._open and self.after == 0:
            broken.append(("text_not_open", event.turn_id))
        if event.turn.id != event.turn_id or event.turn.content != event.content:
            broken.append(("turn_mismatch", event.turn_id))
        self._open.pop(event.turn_id, None)
        self._note_turn(event.turn)
        return broken

    def _close(self, event: DoneEvent) -> list[tuple[Rule, str]]:
        broken: list[tuple[Rule, str]] = [("open_text_at_done", turn_id) for turn_id in self._open]
        if event.last_seq < self._highest_turn:
            broken.append(("last_seq", f"{event.last_seq} although turn {self._highest_turn} was sent"))
        return broken

    def _note_turn(self, turn: TurnBase) -> None:
        self._highest_turn = max(self._highest_turn, turn.seq)


def check_stream(events: Iterable[StreamEvent | UnknownEvent], *, after: int = 0) -> list[Violation]:
    """Return every violation of a whole stream."""
    check = StreamCheck(after=after)
    broken = [violation for event in events for violation in check.observe(event)]
    return broken + check.end()
