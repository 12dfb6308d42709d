"""What a stream says, in order. Names are the SSE `event:`; the cursor is the SSE `id:` (`run_id:seq`)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from frontend_contract.base import CONTRACT_VERSION, ContractModel
from frontend_contract.turns import AgentName, Status, Turn


class EventBase(ContractModel):
    """Every event has its place in the run."""

    seq: int = Field(ge=1)
    """Rises by 1 inside the run; not the `seq` of turns."""
    run_id: str


class RunStarted(EventBase):
    """Always first, unless the run could not start (`error`)."""

    event: Literal["run_started"] = "run_started"
    contract: str = CONTRACT_VERSION
    conversation_id: str
    user_turn_id: str | None = None


class StatusEvent(EventBase):
    """What the agent is doing now. Transient, never stored."""

    event: Literal["status"] = "status"
    code: Literal["thinking", "searching", "checking_dates", "pricing", "booking", "other"]
    agent: AgentName


class TextStart(EventBase):
    """Text of a turn begins."""

    event: Literal["text_start"] = "text_start"
    turn_id: str
    agent: AgentName


class TextDelta(EventBase):
    """More text."""

    event: Literal["text_delta"] = "text_delta"
    turn_id: str
    offset: int = Field(ge=0)
    """Where it belongs, in UTF-16 units; makes repeats harmless."""
    delta: str


class TextEnd(EventBase):
    """The whole turn; its `content` wins over the deltas."""

    event: Literal["text_end"] = "text_end"
    turn_id: str
    content: str
    turn: Turn


class CardEvent(EventBase):
    """A whole turn, sent after it was stored."""

    event: Literal["card"] = "card"
    turn: Turn


class TurnUpdate(EventBase):
    """An older turn changed its state."""

    event: Literal["turn_update"] = "turn_update"
    turn_id: str
    status: Status
    turn: Turn | None = None


class ErrorEvent(EventBase):
    """The run failed; terminal."""

    event: Literal["error"] = "error"
    code: str
    message: str
    retryable: bool = False
    retry_after_ms: int | None = None


class DoneEvent(EventBase):
    """The run is complete; terminal."""

    event: Literal["done"] = "done"
    outcome: Literal["success", "input_required", "cancelled", "other"] = "success"
    last_seq: int
    """The last turn's `seq`."""
    idempotent: bool = False


class ResyncRequired(EventBase):
    """The cursor is too old: read the turns instead; terminal."""

    event: Literal["resync_required"] = "resync_required"
    last_seq: int


StreamEvent = Annotated[
    RunStarted
    | StatusEvent
    | TextStart
    | TextDelta
    | TextEnd
    | CardEvent
    | TurnUpdate
    | ErrorEvent
    | DoneEvent
    | ResyncRequired,
    Field(discriminator="event"),
]
"""Any event that this version can send."""

STREAM_EVENT: TypeAdapter[StreamEvent] = TypeAdapter(StreamEvent)
TERMINAL_EVENTS = frozenset({"error", "done", "resync_required"})
