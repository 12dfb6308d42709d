"""JSON from somebody else, read once and for all: a key that stands twice, or a number that JSON lacks, is refused."""

from __future__ import annotations

import json
from typing import Any, NoReturn


def loads_strict(raw: str | bytes) -> Any:
    """Return the value.

    Raises:
        ValueError: no JSON, not UTF-8, nested too deeply, a key twice in one object, NaN or Infinity.
    """
    try:
        return json.loads(raw, object_pairs_hook=_object, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        # Two readers would take two different values: whoever checked may not be whoever acts.
        raise ValueError("a key stands twice")
    return found


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")
