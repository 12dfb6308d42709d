"""Price lines and chosen extras as plain JSON values, and back: how quotes, rentals and histories keep them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from typing import Any, Final

from store.rules.extras import ChosenExtra
from store.rules.prices import Line

_DAYS: Final = ("start", "end")


def lines_as_json(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """Return price lines as plain JSON values."""
    return [
        {key: value.isoformat() if isinstance(value, date) else value for key, value in asdict(line).items()}
        for line in lines
    ]


def lines_from_json(stored: Sequence[Mapping[str, Any]]) -> tuple[Line, ...]:
    """Return price lines that `lines_as_json` wrote."""
    return tuple(
        Line(**{**line, **{key: date.fromisoformat(line[key]) for key in _DAYS if line[key] is not None}})
        for line in stored
    )


def extras_as_json(extras: Sequence[ChosenExtra]) -> list[dict[str, Any]]:
    """Return chosen extras as plain JSON values."""
    return [asdict(extra) for extra in extras]


def extras_from_json(stored: Sequence[Mapping[str, Any]]) -> tuple[ChosenExtra, ...]:
    """Return chosen extras that `extras_as_json` wrote."""
    return tuple(ChosenExtra(**extra) for extra in stored)
