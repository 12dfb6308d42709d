"""What the passport stores: one document per checkpoint, one per pending write.

A checkpoint document is `{"c": checkpoint, "m": metadata, "p": parent id or None, "f": framework channels}`,
a write document `{"ch": channel, "v": value, "p": task path}` with `"f": 1` when the value is tagged.

LangGraph puts a few values of its own into its own channels (`Send`, `Interrupt`, sets of barriers, tuples).
They are kept apart under `"f"` as tagged lists, out of a closed list of types: no name is ever looked up, and
because every list and dictionary is tagged too, no customer's data can pose as a tag.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from langgraph.checkpoint.base import Checkpoint, CheckpointMetadata
from langgraph.checkpoint.serde.types import ERROR

from store.passport.errors import PassportUnreadable
from store.passport.plain import is_plain

_FRAMEWORK_PREFIXES: Final = ("__", "branch:to:", "join:")


def checkpoint_document(checkpoint: Checkpoint, metadata: Mapping[str, Any], parent_id: str | None) -> dict[str, Any]:
    """Return the document of a checkpoint; values that are not plain stay for the serializer to refuse."""
    plain: dict[str, Any] = {}
    framework: dict[str, Any] = {}
    for channel, value in checkpoint["channel_values"].items():
        if _is_framework_channel(channel) and not is_plain(value):
            framework[channel] = _tag(value)
        else:
            plain[channel] = value
    rest = {key: _as_lists(value) for key, value in checkpoint.items() if key != "channel_values"}
    return {
        "c": {**rest, "channel_values": plain},
        "m": _as_lists(dict(metadata)),
        "p": parent_id,
        "f": framework,
    }


def read_checkpoint_document(document: Any) -> tuple[Checkpoint, CheckpointMetadata, str | None]:
    """Return checkpoint, metadata and parent id; raises `PassportUnreadable` for another shape."""
    try:
        checkpoint, metadata, parent_id = document["c"], document["m"], document["p"]
        values = checkpoint["channel_values"]
        values.update({channel: _untag(value) for channel, value in document["f"].items()})
        shapes = (checkpoint["id"], str), (metadata, dict), (checkpoint["channel_versions"], dict)
        if not all(isinstance(value, kind) for value, kind in (*shapes, (checkpoint["versions_seen"], dict))):
            raise TypeError
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise PassportUnreadable("the document has another shape", reason="document") from error
    return checkpoint, metadata, parent_id


def write_document(channel: str, value: Any, task_path: str) -> dict[str, Any]:
    """Return the document of one pending write."""
    if channel == ERROR and isinstance(value, BaseException):
        # The class name only: the text of an exception may carry a token or an address.
        value = type(value).__name__
    if is_plain(value) or not (_is_framework_channel(channel) or _is_overwrite(value)):
        return {"ch": channel, "v": value, "p": task_path}
    return {"ch": channel, "v": _tag(value), "p": task_path, "f": 1}


def read_write_document(document: Any) -> tuple[str, Any, str]:
    """Return channel, value and task path; raises `PassportUnreadable` for another shape."""
    try:
        value = _untag(document["v"]) if document.get("f") else document["v"]
        channel, task_path = document["ch"], document["p"]
        if not isinstance(channel, str) or not isinstance(task_path, str):
            raise TypeError
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise PassportUnreadable("the document has another shape", reason="document") from error
    return channel, value, task_path


def _is_framework_channel(channel: str) -> bool:
    return channel.startswith(_FRAMEWORK_PREFIXES)


def _framework_type(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "langgraph.types" else ""


def _is_overwrite(value: Any) -> bool:
    return _framework_type(value) == "Overwrite"


def _as_lists(value: Any) -> Any:
    """Turn tuples into lists inside metadata and version maps, where LangGraph itself allows for it."""
    if type(value) in (list, tuple):
        return [_as_lists(item) for item in value]
    if type(value) is dict:
        return {key: _as_lists(item) for key, item in value.items()}
    return value


def _tag(value: Any) -> Any:
    kind = type(value)
    if kind is list or kind is tuple:
        return ["list" if kind is list else "tuple", [_tag(item) for item in value]]
    if kind is set:
        return ["set", [_tag(item) for item in sorted(value)]]
    if kind is dict:
        return ["dict", {key: _tag(item) for key, item in value.items()}]
    return _tag_framework(value)


def _tag_framework(value: Any) -> Any:
    match _framework_type(value):
        case "Send" if value.timeout is None:
            return ["send", value.node, _tag(value.arg)]
        case "Interrupt":
            return ["interrupt", value.id, _tag(value.value), _tag(value.response_schema)]
        case "Overwrite":
            return ["overwrite", _tag(value.value)]
    return value


def _untag(tagged: Any) -> Any:
    if type(tagged) is not list:
        return tagged
    return _READERS[tagged[0]](*tagged[1:])


def _read_dict(items: dict[str, Any]) -> dict[str, Any]:
    return {key: _untag(item) for key, item in items.items()}


# langgraph.types costs nearly a second of imports, which a process that only reads plain chats never needs.
def _read_send(node: str, arg: Any) -> Any:
    from langgraph.types import Send

    return Send(node, _untag(arg))


def _read_interrupt(interrupt_id: str, value: Any, response_schema: Any) -> Any:
    from langgraph.types import Interrupt

    return Interrupt(_untag(value), interrupt_id, response_schema=_untag(response_schema))


def _read_overwrite(value: Any) -> Any:
    from langgraph.types import Overwrite

    return Overwrite(_untag(value))


_READERS: Final[Mapping[str, Callable[..., Any]]] = {
    "list": lambda items: [_untag(item) for item in items],
    "tuple": lambda items: tuple(_untag(item) for item in items),
    "set": lambda items: {_untag(item) for item in items},
    "dict": _read_dict,
    "send": _read_send,
    "interrupt": _read_interrupt,
    "overwrite": _read_overwrite,
}
