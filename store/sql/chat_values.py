"""What goes into and comes out of the conversation store. Frozen values; no table row leaves `store.sql`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, Protocol, TypeAlias

from store.errors import InvalidData, StoreError

MAX_BODY_BYTES: Final = 256 * 1024
"""Of one incoming message as JSON: 50,000 letters of four bytes fit."""
MAX_TURN_BYTES: Final = 256 * 1024
"""Of one turn as sent."""
MAX_DEDUPE_KEY_LETTERS: Final = 200

Channel: TypeAlias = Literal["web", "terminal", "telegram"]
MessageKind: TypeAlias = Literal["message", "action"]
MessageState: TypeAlias = Literal["received", "running", "done"]
ActionStatus: TypeAlias = Literal["usable", "used", "superseded", "expired"]


class StaleClaim(StoreError):
    """The claim is no longer ours: another runner took the message over or finished it. Nothing was written.

    The answer, if there is one, is in the store: read it instead of running again. `facts["state"]` says how it stands.
    """

    code = "stale_claim"


class InConversation(Protocol):
    """Anything that says which conversation of which company."""

    @property
    def company_id(self) -> int:
        """The tenant."""

    @property
    def conversation_id(self) -> str:
        """The public id."""


@dataclass(frozen=True, slots=True)
class ConversationRef:
    """One conversation of one company; whoever holds it has been let in."""

    company_id: int
    conversation_id: str
    channel: Channel
    locale: str | None
    lang: str | None
    """Language of the last answer (BCP 47), None before the first."""
    accepts: tuple[str, ...] | None
    """Card types the client draws; None means all."""
    created_at: datetime


@dataclass(frozen=True, slots=True)
class OpenedConversation:
    """A new conversation and the secret that opens it. The secret is not kept anywhere else."""

    conversation: ConversationRef
    token: str = field(repr=False)

    @property
    def conversation_id(self) -> str:
        """The public id."""
        return self.conversation.conversation_id


@dataclass(frozen=True, slots=True)
class InboxRef:
    """Names one message in the inbox. `inbox_id` rises in order of arrival."""

    company_id: int
    conversation_id: str
    inbox_id: int


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to run one message until `lease_until`, longer by `renew`, void once somebody else claims it."""

    inbox: InboxRef
    run_id: str
    owner: str
    fence: int
    """Higher than every earlier claim of this conversation."""
    attempts: int
    """1 on the first try."""
    lease_until: datetime


@dataclass(frozen=True, slots=True)
class InboxMessage:
    """A message as it was accepted, and how it stands."""

    inbox: InboxRef
    channel: Channel
    kind: MessageKind
    body: Any
    dedupe_key: str | None
    state: MessageState
    attempts: int
    run_id: str
    first_seq: int | None
    """First and last turn of the answer, the customer's own turn included; None until done or without turns."""
    last_seq: int | None
    received_at: datetime
    done_at: datetime | None


@dataclass(frozen=True, slots=True)
class Claimed:
    """Ours to run now: a new message with none before it, or a repeat of one that nobody is running."""

    claim: Claim
    repeated: bool


@dataclass(frozen=True, slots=True)
class Queued:
    """Stored; `ahead` earlier messages of the conversation are not done yet."""

    inbox: InboxRef
    run_id: str
    ahead: int


@dataclass(frozen=True, slots=True)
class InProgress:
    """A repeat of a message that is being run or waits for its turn."""

    inbox: InboxRef
    run_id: str


@dataclass(frozen=True, slots=True)
class AlreadyDone:
    """A repeat of an answered message: its turns are `first_seq` to `last_seq`."""

    inbox: InboxRef
    run_id: str
    first_seq: int | None
    last_seq: int | None


Accepted: TypeAlias = Claimed | Queued | InProgress | AlreadyDone


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A turn to be stored."""

    id: str
    role: str
    agent: str | None
    type: str
    contract: str
    lang: str
    status: str
    content: str
    created_at: datetime
    encode: Callable[[int], bytes]
    """Gets the turn's number and returns the bytes as sent. Called inside the transaction: pure and quick."""


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn as it was written."""

    conversation_id: str
    seq: int
    id: str
    run_id: str
    inbox_id: int
    role: str
    agent: str | None
    type: str
    contract: str
    lang: str
    status: str
    """What holds now."""
    status_changed: bool
    """True when `raw` still tells the status of the time of writing; otherwise serve `raw` as it is."""
    content: str
    raw: bytes
    sha256: str
    """Of `raw` when it was written."""
    created_at: datetime

    @property
    def intact(self) -> bool:
        """Whether `raw` is what was written."""
        return hashlib.sha256(self.raw).hexdigest() == self.sha256


@dataclass(frozen=True, slots=True)
class ActionRecord:
    """An action of a turn of the same run."""

    id: str
    turn_id: str
    kind: str
    arguments: Mapping[str, Any]
    once: bool
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class ActionState:
    """An action as the server holds it."""

    id: str
    turn_id: str
    kind: str
    arguments: Mapping[str, Any]
    once: bool
    status: ActionStatus
    used_by_inbox_id: int | None
    """The message whose answer used it."""


@dataclass(frozen=True, slots=True)
class ToolCallRecord:
    """One tool call for the audit: digests and allow-listed arguments, never names or phones."""

    call_id: str
    tool: str
    argument_digest: str
    arguments: Mapping[str, Any]
    result_digest: str | None
    ok: bool
    error_code: str | None
    started_at: datetime
    duration_ms: int
    attempts: int
    idempotency_key_digest: str | None = None


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Everything one run leaves behind, in the order in which the customer sees it."""

    turns: tuple[TurnRecord, ...]
    actions: tuple[ActionRecord, ...] = ()
    superseded_turn_ids: tuple[str, ...] = ()
    """Older cards that this answer replaces; their unused actions go with them."""
    used_action_id: str | None = None
    """The action that the customer took."""
    tool_calls: tuple[ToolCallRecord, ...] = ()
    lang: str | None = None
    """The conversation's language from now on; None leaves it."""


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """What was written."""

    inbox: InboxRef
    run_id: str
    turns: tuple[StoredTurn, ...]
    superseded_turn_ids: tuple[str, ...]
    """Those that were really there and not superseded before."""


def canonical_json(value: object, *, what: str, max_bytes: int) -> bytes:
    """Encode as JSON in UTF-8 with sorted keys.

    Raises:
        InvalidData: not JSON, or more than `max_bytes`; the message names `what`.
    """
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidData(f"{what} is not JSON", facts={"field": what}) from error
    encoded = text.encode("utf-8", "surrogatepass")
    check_size(encoded, what=what, max_bytes=max_bytes)
    return encoded


def check_size(data: bytes, *, what: str, max_bytes: int) -> None:
    """Refuse more than `max_bytes`.

    Raises:
        InvalidData: too long.
    """
    if len(data) > max_bytes:
        facts = {"field": what, "max_bytes": max_bytes, "bytes": len(data)}
        raise InvalidData(f"{what} is too long", facts=facts)


def check_text(value: str, *, what: str) -> str:
    """Return the text if both engines can store it.

    Raises:
        InvalidData: it holds NUL or half a surrogate pair.
    """
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise _cannot_store(what) from error
    if "\x00" in value:
        raise _cannot_store(what)
    return value


def _cannot_store(what: str) -> InvalidData:
    return InvalidData(f"{what} holds a character that cannot be stored", facts={"field": what})
