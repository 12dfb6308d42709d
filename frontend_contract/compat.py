"""Reading what another version wrote: newness is tolerated, wrongness is not, and nothing is ever lost.

Readers never raise. What they cannot take as a card stays readable as text (`UnknownTurn`), with the
original untouched; nobody writes back what they do not understand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType, UnionType
from typing import Any, Final, Literal, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, to_json

from frontend_contract.actions import ActionKind, ActionRef
from frontend_contract.additive import breaking_changes as breaking_changes
from frontend_contract.base import CONTRACT_VERSION, MAX_SAFE_INTEGER
from frontend_contract.events import STREAM_EVENT, EventBase, StreamEvent
from frontend_contract.gate import ContractViolation as ContractViolation
from frontend_contract.gate import check_turn as check_turn
from frontend_contract.gate import render_error_turn as render_error_turn
from frontend_contract.turns import TURN, Role, Status, TextTurn, Turn, TurnBase

FALLBACK_CONTENT: Final = "This message cannot be shown here."
"""Stands where a turn brings no text of its own."""

MAX_ACTIONS: Final = 24

UNKNOWN_AGENT: Final = "coordinator"
"""Whom a card of a newer node is put down to: the node that every message passes."""

Reason = Literal["unknown_type", "newer_major", "defect", "unreadable"]
"""Why a turn is not drawn as a card.

`unknown_type` and `newer_major` are news and no fault. `defect` is a known type with a wrong payload,
`unreadable` is no JSON object; both are faults of the writer and belong into telemetry.
"""

Raw = str | bytes | Mapping[str, Any]

_T = TypeVar("_T")
_Base = TypeVar("_Base", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class UnknownTurn:
    """A turn that is shown by its words: everything that can be said of it, and the original as it came."""

    raw: Raw
    """As received; pass this on, never a new serialisation."""
    reason: Reason
    error: str | None = None
    """What was wrong, without values; for `defect` and `unreadable`."""
    id: str = ""
    seq: int = 0
    """0 when it has none."""
    conversation_id: str = ""
    run_id: str = ""
    type: str = ""
    role: Role = "agent"
    agent: str = UNKNOWN_AGENT
    """As written, also a node that this version does not know."""
    content: str = FALLBACK_CONTENT
    """Never blank."""
    actions: tuple[ActionRef, ...] = ()
    """Those that can be offered: known kinds, and unknown ones that bring a label (kind `other`)."""
    lang: str = "en"
    status: Status = "final"


@dataclass(frozen=True, slots=True)
class UnknownEvent:
    """A stream event that is passed over. Its `seq` counts, so that the cursor advances."""

    raw: Raw
    reason: Reason
    error: str | None = None
    event: str = ""
    seq: int = 0
    """0 when it has none."""
    run_id: str = ""
    turn: UnknownTurn | None = None
    """When the event is known and only the turn in it is not: show this."""


@dataclass(frozen=True, slots=True)
class Upcaster:
    """One step from an older contract version to a newer one.

    `apply` gets a turn as a dict of its own and returns the same turn as the newer version writes it. It
    must be pure, and may raise `LookupError`, `TypeError`, `ValueError` or `AttributeError` on bad data.
    """

    from_version: str
    to_version: str
    apply: Callable[[dict[str, Any]], dict[str, Any]]


UPCASTERS: Final[tuple[Upcaster, ...]] = ()
"""All steps between published versions. There is one version so far."""


def _members(union: Any, tag: str) -> Mapping[str, type[Any]]:
    classes = get_args(get_args(union)[0])
    return MappingProxyType({get_args(cls.model_fields[tag].annotation)[0]: cls for cls in classes})


TURN_CLASSES: Final[Mapping[str, type[TurnBase]]] = _members(Turn, "type")
"""Every card type of this version, read from the union."""

EVENT_CLASSES: Final[Mapping[str, type[EventBase]]] = _members(StreamEvent, "event")
"""Every stream event of this version, read from the union."""


def read_turn(raw: Raw, *, upcasters: tuple[Upcaster, ...] = UPCASTERS) -> Turn | UnknownTurn:
    """Read one turn of any version. Never raises for any JSON value or broken JSON."""
    turn = _read_exact(TURN, raw)
    if turn is not None and turn.contract == CONTRACT_VERSION:
        return turn
    data, error = _parse(raw)
    if data is None:
        return UnknownTurn(raw=raw, reason="unreadable", error=error)
    return _read_tolerant(raw, data, upcasters)


def read_event(raw: Raw, *, upcasters: tuple[Upcaster, ...] = UPCASTERS) -> StreamEvent | UnknownEvent:
    """Read one stream event of any version. Never raises for any JSON value or broken JSON."""
    event = _read_exact(STREAM_EVENT, raw)
    if event is not None and _turn_is_current(event):
        return event
    data, error = _parse(raw)
    if data is None:
        return UnknownEvent(raw=raw, reason="unreadable", error=error)
    known = EVENT_CLASSES.get(_text(data, "event"))
    if known is None:
        return _unknown_event(raw, data, "unknown_type", None)
    turn = read_turn(data["turn"], upcasters=upcasters) if isinstance(data.get("turn"), dict) else None
    if isinstance(turn, UnknownTurn):
        return _unknown_event(raw, data, turn.reason, turn.error, turn)
    try:
        folded = _fold_model(known, data)
        if turn is not None:
            folded["turn"] = turn.model_dump(mode="json")
        return cast("StreamEvent", _validate(known, folded))
    except _WRONG as problem:
        return _unknown_event(raw, data, "defect", _explain(problem))


def fit(turn: Turn, accepts: frozenset[str] | None) -> Turn:
    """Return the turn as a client takes it that draws only the types in `accepts` (None: all).

    Another type, never other facts: the same words, actions and envelope as a text turn.
    """
    if accepts is None or turn.type in accepts or isinstance(turn, TextTurn):
        return turn
    envelope = {name: getattr(turn, name) for name in TurnBase.model_fields}
    return TextTurn.model_validate(envelope)


def _read_exact(adapter: TypeAdapter[_T], raw: Raw) -> _T | None:
    """Take the quick way, which holds for everything that this very version wrote; None otherwise."""
    try:
        return adapter.validate_json(to_json(raw) if isinstance(raw, Mapping) else raw, strict=True)
    except _WRONG:
        return None


def _turn_is_current(event: StreamEvent) -> bool:
    turn = getattr(event, "turn", None)
    return turn is None or turn.contract == CONTRACT_VERSION


def _parse(raw: Raw) -> tuple[dict[str, Any] | None, str | None]:
    try:
        data = dict(raw) if isinstance(raw, Mapping) else json.loads(raw)
    except (ValueError, RecursionError) as problem:
        return None, type(problem).__name__
    if not isinstance(data, dict):
        return None, f"a {type(data).__name__}, not an object"
    return data, None


def _read_tolerant(raw: Raw, data: dict[str, Any], upcasters: tuple[Upcaster, ...]) -> Turn | UnknownTurn:
    if _major(data.get("contract", CONTRACT_VERSION)) > _major(CONTRACT_VERSION):
        return _unknown_turn(raw, data, "newer_major")
    try:
        data = _upcast(data, upcasters)
    except _UPCASTER_ERRORS as problem:
        return _unknown_turn(raw, data, "defect", f"upcaster: {type(problem).__name__}")
    known = TURN_CLASSES.get(_text(data, "type"))
    if known is None:
        missing = not _text(data, "type")
        return _unknown_turn(raw, data, "defect" if missing else "unknown_type", "no type" if missing else None)
    try:
        return cast("Turn", _validate(known, _fold_model(known, data)))
    except _WRONG as problem:
        return _unknown_turn(raw, data, "defect", _explain(problem))


def _upcast(data: dict[str, Any], upcasters: tuple[Upcaster, ...]) -> dict[str, Any]:
    steps = {step.from_version: step for step in upcasters}
    while step := steps.pop(_text(data, "contract"), None):
        data = {**step.apply(json.loads(json.dumps(data))), "contract": step.to_version}
    return data


def _validate(model: type[_Base], data: dict[str, Any]) -> _Base:
    # Through JSON, where strict means what the schema says: dates are strings, numbers are not.
    return model.model_validate_json(json.dumps(data), strict=True)


# --- folding: make the news of a newer minor look like this version -------------------------------


def _fold_model(model: type[BaseModel], data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    return {name: _fold_field(name, field, data[name]) for name, field in model.model_fields.items() if name in data}


def _fold_field(name: str, field: FieldInfo, value: Any) -> Any:
    fallback = UNKNOWN_AGENT if name == "agent" else field.default
    return _fold(field.annotation, value, fallback)


def _fold(annotation: Any, value: Any, fallback: Any = None) -> Any:
    origin = get_origin(annotation)
    if origin is Literal:
        return _fold_enum(get_args(annotation), value, fallback)
    if origin in (Union, UnionType):
        present = [arg for arg in get_args(annotation) if arg is not type(None)]
        return value if value is None or len(present) != 1 else _fold(present[0], value, fallback)
    if origin is list and isinstance(value, list):
        (item,) = get_args(annotation)
        return _fold_actions(value) if item is ActionRef else [_fold(item, each) for each in value]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _fold_model(annotation, value)
    return value


def _fold_enum(members: tuple[Any, ...], value: Any, fallback: Any) -> Any:
    """Fold a new member into `other`, or into the field's default where the enum has no such member."""
    if not isinstance(value, str) or value in members:
        return value
    if "other" in members:
        return "other"
    return fallback if fallback in members else value


def _fold_actions(values: list[Any]) -> list[Any]:
    return [folded for value in values if (folded := _fold_action(value)) is not None]


def _fold_action(value: Any) -> Any:
    """Return the action as this version knows it; None for one that cannot be offered."""
    if not isinstance(value, dict):
        return value
    label = value.get("label")
    new_kind = isinstance(value.get("kind"), str) and value["kind"] not in get_args(ActionKind)
    if new_kind and not (isinstance(label, str) and label.strip()):
        return None
    needs = value.get("input", "none")
    if isinstance(needs, str) and needs not in get_args(ActionRef.model_fields["input"].annotation):
        return None  # nobody here knows how to ask for it
    return _fold_model(ActionRef, value)


# --- what can be said of a turn that is no card ---------------------------------------------------


def _unknown_turn(raw: Raw, data: dict[str, Any], reason: Reason, error: str | None = None) -> UnknownTurn:
    return UnknownTurn(
        raw=raw,
        reason=reason,
        error=error,
        id=_text(data, "id"),
        seq=_seq(data),
        conversation_id=_text(data, "conversation_id"),
        run_id=_text(data, "run_id"),
        type=_text(data, "type"),
        role=_member(Role, data.get("role"), "agent"),
        agent=_text(data, "agent") or UNKNOWN_AGENT,
        content=_content(data),
        actions=_offerable(data.get("actions")),
        lang=_text(data, "lang") or "en",
        status=_member(Status, data.get("status"), "final"),
    )


def _unknown_event(
    raw: Raw, data: dict[str, Any], reason: Reason, error: str | None, turn: UnknownTurn | None = None
) -> UnknownEvent:
    return UnknownEvent(
        raw=raw,
        reason=reason,
        error=error,
        event=_text(data, "event"),
        seq=_seq(data),
        run_id=_text(data, "run_id"),
        turn=turn,
    )


def _offerable(values: Any) -> tuple[ActionRef, ...]:
    found: list[ActionRef] = []
    for value in _fold_actions(values) if isinstance(values, list) else []:
        try:
            found.append(_validate(ActionRef, value))
        except _WRONG:
            continue
    return tuple(found[:MAX_ACTIONS])


def _content(data: dict[str, Any]) -> str:
    text = _text(data, "content")
    return text if text.strip() else FALLBACK_CONTENT


def _text(data: Mapping[str, Any], key: str) -> str:
    """Return a string that every output can encode; empty for anything else."""
    value = data.get(key)
    if not isinstance(value, str):
        return ""
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _seq(data: Mapping[str, Any]) -> int:
    value = data.get("seq")
    valid = isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MAX_SAFE_INTEGER
    return cast("int", value) if valid else 0


def _member(literal: Any, value: Any, fallback: Any) -> Any:
    return value if isinstance(value, str) and value in get_args(literal) else fallback


def _major(version: Any) -> int:
    major = version.partition(".")[0] if isinstance(version, str) else ""
    return int(major) if major.isascii() and major.isdecimal() and len(major) < 10 else 0


def _explain(problem: Exception) -> str:
    """Say where and what, never the value: it may be somebody's name or number."""
    if not isinstance(problem, ValidationError):
        return type(problem).__name__
    found = problem.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, item['loc'])) or '(whole)'}: {item['type']}" for item in found[:5])


_WRONG: Final = (ValidationError, PydanticSerializationError, ValueError, TypeError, RecursionError)
_UPCASTER_ERRORS: Final = (LookupError, TypeError, ValueError, AttributeError, RecursionError)
