"""The events of one run, in order: written by the run, read by any number of streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final

from fastapi.sse import format_sse_event

from frontend_contract.compat import UnknownTurn
from frontend_contract.events import (
    TERMINAL_EVENTS,
    CardEvent,
    DoneEvent,
    ErrorEvent,
    EventBase,
    RunStarted,
    StatusEvent,
    TextDelta,
    TextEnd,
    TextStart,
    TurnUpdate,
)
from frontend_contract.turns import TextTurn, Turn, utf16_units

HEARTBEAT_SECONDS: Final = 12.0
_DELTA_WORDS: Final = 6


class RunLog:
    """An append-only log. Reading it does not consume it, and a reader that leaves changes nothing."""

    def __init__(self) -> None:
        self._events: list[EventBase] = []
        self._grown = asyncio.Event()

    @property
    def is_closed(self) -> bool:
        """Whether the terminal event was written."""
        return bool(self._events) and self._events[-1].event in TERMINAL_EVENTS  # type: ignore[attr-defined]

    def add(self, kind: type[EventBase], run_id: str, **fields: Any) -> None:
        """Append one event; after the terminal one nothing more."""
        if self.is_closed:
            return
        self._events.append(kind(seq=len(self._events) + 1, run_id=run_id, **fields))
        self._grown.set()

    def fail(self, code: str, message: str, *, retryable: bool) -> None:
        """Close the log without an answer, whatever came before."""
        run_id = self._events[-1].run_id if self._events else "none"
        self.add(ErrorEvent, run_id, code=code, message=message, retryable=retryable)

    async def read(self) -> AsyncIterator[EventBase | None]:
        """Yield every event from the first; None when nothing came for a heartbeat."""
        at = 0
        while True:
            while at < len(self._events):
                yield self._events[at]
                at += 1
            if self.is_closed:
                return
            self._grown.clear()
            try:
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await self._grown.wait()
            except TimeoutError:
                yield None


class RunEvents:
    """Writes the events of one run. Cards and texts come after they were stored. Without a log it is silent."""

    def __init__(self, log: RunLog | None, run_id: str, conversation_id: str, user_turn_id: str | None = None) -> None:
        self._log = log
        self._run_id = run_id
        self.user_turn_id = user_turn_id
        self._add(RunStarted, conversation_id=conversation_id, user_turn_id=user_turn_id)

    def status(self, code: str, node: str) -> None:
        """Tell what the agent is doing."""
        self._add(StatusEvent, code=code, agent=node)

    def turn(self, turn: Turn | UnknownTurn) -> None:
        """Send one stored turn."""
        if isinstance(turn, UnknownTurn):
            return
        if isinstance(turn, TextTurn) and turn.role == "agent":
            self._text(turn)
        else:
            self._add(CardEvent, turn=turn)

    def replaced(self, turn_id: str) -> None:
        """Tell that an older card no longer counts."""
        self._add(TurnUpdate, turn_id=turn_id, status="superseded")

    def done(self, last_seq: int, *, input_required: bool, idempotent: bool) -> None:
        """Close the run."""
        outcome = "input_required" if input_required else "success"
        self._add(DoneEvent, outcome=outcome, last_seq=last_seq, idempotent=idempotent)

    def failed(self, code: str, message: str, *, retryable: bool) -> None:
        """Close the run without an answer."""
        self._add(
            ErrorEvent, code=code, message=message, retryable=retryable, retry_after_ms=2000 if retryable else None
        )

    def _text(self, turn: TextTurn) -> None:
        self._add(TextStart, turn_id=turn.id, agent=turn.agent)
        offset = 0
        for piece in _pieces(turn.content):
            self._add(TextDelta, turn_id=turn.id, offset=offset, delta=piece)
            offset += utf16_units(piece)
        self._add(TextEnd, turn_id=turn.id, content=turn.content, turn=turn)

    @property
    def is_silent(self) -> bool:
        """Whether nobody listens."""
        return self._log is None

    def _add(self, kind: type[EventBase], **fields: Any) -> None:
        if self._log is not None:
            self._log.add(kind, self._run_id, **fields)


def _pieces(text: str) -> list[str]:
    """Cut a text after every few words; the pieces add up to it."""
    words = text.split(" ")
    lines = [" ".join(words[i : i + _DELTA_WORDS]) for i in range(0, len(words), _DELTA_WORDS)]
    return [line + " " for line in lines[:-1]] + lines[-1:]


async def as_sse(log: RunLog) -> AsyncIterator[bytes]:
    """Write the log as server-sent events, with a comment as heartbeat."""
    async for event in log.read():
        if event is None:
            yield format_sse_event(comment="still here")
            continue
        name = str(event.event)  # type: ignore[attr-defined]  # every event has its literal name
        yield format_sse_event(data_str=event.model_dump_json(), event=name, id=f"{event.run_id}:{event.seq}")
