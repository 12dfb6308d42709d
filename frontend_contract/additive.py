"""Comparing two published schemas: inside a major version only additions are allowed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

_PROSE: Final = frozenset({"description", "title", "default", "examples", "$id", "$schema", "discriminator"})
_UPPER: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_LOWER: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_HANDLED: Final = frozenset(
    {"$defs", "properties", "required", "enum", "const", "anyOf", "oneOf", "items", "additionalProperties", "type"}
    | set(_UPPER)
    | set(_LOWER)
)


def breaking_changes(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Return one line for each change that a reader or a stored turn of the old schema would not survive.

    Allowed: a new type, a new optional field or one with a default, a new enum value, a new member of a
    union, a wider bound, other prose. Everything else is breaking. Empty list: additive only.
    """
    return sorted(set(_compare("contract", old, new)) | set(_compare_definitions(old, new)))


def _compare_definitions(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    new_definitions = new.get("$defs", {})
    for name, definition in old.get("$defs", {}).items():
        if name not in new_definitions:
            yield f"{name}: type removed"
        else:
            yield from _compare(name, definition, new_definitions[name])


def _compare(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    yield from _compare_values(path, old, new)
    yield from _compare_types(path, old, new)
    yield from _compare_fields(path, old, new)
    yield from _compare_variants(path, old, new)
    yield from _compare_bounds(path, old, new)
    yield from _compare_inner(path, old, new)
    for key in sorted((set(old) | set(new)) - _HANDLED - _PROSE):
        if old.get(key) != new.get(key):
            yield f"{path}: {key} changed"


def _compare_types(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    if old.get("type") != new.get("type"):
        yield f"{path}: type changed"


def _compare_values(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Compare enums; a constant is an enum of one."""
    before, after = _values(old), _values(new)
    if before is None and after is not None:
        yield f"{path}: limited to certain values"
    elif before is not None and after is None:
        yield f"{path}: no longer limited to certain values"
    for value in before or []:
        if after is not None and value not in after:
            yield f"{path}: value {value!r} removed"


def _values(node: dict[str, Any]) -> list[Any] | None:
    if "const" in node:
        return [node["const"]]
    return node.get("enum")


def _compare_fields(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    before, after = old.get("properties", {}), new.get("properties", {})
    was, now = set(old.get("required", [])), set(new.get("required", []))
    for name, field in before.items():
        where = f"{path}.{name}"
        if name not in after:
            yield f"{where}: field removed"
            continue
        yield from _compare(where, field, after[name])
        if name in was and name not in now:
            yield f"{where}: no longer always present"
    for name in sorted(now - was):
        # Absent in what is stored already; only a default can fill it.
        if "default" not in after.get(name, {}):
            yield f"{path}.{name}: made required"


def _compare_variants(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for key in ("anyOf", "oneOf"):
        before, after = old.get(key), new.get(key)
        if (before is None) != (after is None):
            yield f"{path}: type changed"
            continue
        left = {_bare(variant) for variant in after or []}
        for variant in before or []:
            if _bare(variant) not in left:
                yield f"{path}: variant {_name(variant)} removed"


def _compare_bounds(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for key in _UPPER:
        if key in new and new[key] < old.get(key, float("inf")):
            yield f"{path}: {key} tightened"
    for key in _LOWER:
        if key in new and new[key] > old.get(key, float("-inf")):
            yield f"{path}: {key} tightened"


def _compare_inner(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for key in ("items", "additionalProperties"):
        before, after = old.get(key), new.get(key)
        if isinstance(before, dict) and isinstance(after, dict):
            yield from _compare(f"{path}[]", before, after)
        elif before != after:
            yield f"{path}: {key} changed"


def _bare(node: Any) -> str:
    """Return a comparable form without prose."""
    if isinstance(node, dict):
        node = {key: value for key, value in node.items() if key not in _PROSE}
    return json.dumps(node, sort_keys=True)


def _name(variant: dict[str, Any]) -> str:
    return str(variant.get("$ref", variant.get("type", "?"))).rsplit("/", 1)[-1]
