"""The frame of `make eval`: what a measure is, where the data lies, how the table looks.

A module of this folder that has `measures()` takes part. It yields `Measure`s; where data or a package is missing
it raises `Absent` with the reason, and the table says so.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

HERE = Path(__file__).parent
DATA = HERE.parents[1].parent / "shared" / "data"
LANGUAGES = ("en", "ko", "th", "id", "ru", "de", "fr", "es", "zh")
_NO_MEASURE = {"__main__", "frame", "reading"}
_SHOWN_EXAMPLES = 5


class Absent(Exception):
    """A measure cannot be taken here; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One row of the table. `value` and `target` have the same unit; `cases` says over how many cases."""

    name: str
    measure: str
    value: float
    target: float | None = None
    better: Literal["more", "less"] = "more"
    cases: int = 0
    unit: str = ""
    examples: tuple[str, ...] = ()
    """Some of the cases that went wrong, for the person who reads the table."""

    @property
    def met(self) -> bool:
        """Whether the target is reached; a measure without one always is."""
        if self.target is None:
            return True
        return self.value >= self.target if self.better == "more" else self.value <= self.target

    def shown(self) -> str:
        """The value as the table shows it."""
        return f"{self.value:.3f}".rstrip("0").rstrip(".") + (f" {self.unit}" if self.unit else "")

    def wanted(self) -> str:
        """The target as the table shows it."""
        if self.target is None:
            return ""
        return f"{'>=' if self.better == 'more' else '<='} {self.target:g}{f' {self.unit}' if self.unit else ''}"


def rows(name: str) -> Iterator[dict[str, Any]]:
    """Rows of a file of the outside data. Raises Absent when it is not beside the checkout."""
    path = DATA / name
    if not path.is_file():
        raise Absent(f"{name} is not in ../shared/data")
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines)


def share(part: int, whole: int) -> float:
    """`part / whole`, 0 for nothing."""
    return part / whole if whole else 0.0


def module_names() -> list[str]:
    """The modules of this folder that may hold measures, in the order of the table."""
    return sorted(path.stem for path in HERE.glob("*.py") if path.stem not in _NO_MEASURE and path.stem[0] != "_")


def collect(names: list[str], tell: Callable[[str], None]) -> list[Measure | tuple[str, str]]:
    """Run the modules; a module that cannot run gives (name, reason) instead of measures."""
    found: list[Measure | tuple[str, str]] = []
    for name in names:
        tell(name)
        measures = getattr(importlib.import_module(f"tests.eval.{name}"), "measures", None)
        if measures is None:
            continue
        try:
            found.extend(measures())
        except Absent as absent:
            found.append((name, str(absent)))
    return found


def table(found: list[Measure | tuple[str, str]]) -> str:
    """Markdown: one line a measure, what could not be measured at the end."""
    lines = ["| set | measure | cases | result | target | met |", "|---|---|---:|---:|---:|---|"]
    for row in found:
        if isinstance(row, Measure):
            met = "" if row.target is None else ("yes" if row.met else "**no**")
            lines.append(f"| {row.name} | {row.measure} | {row.cases or ''} | {row.shown()} | {row.wanted()} | {met} |")
    lines += [f"| {row[0]} | not measured: {row[1]} |  |  |  |  |" for row in found if not isinstance(row, Measure)]
    return "\n".join(lines) + "\n"


def examples(found: list[Measure | tuple[str, str]]) -> str:
    """Some cases of every measure that went wrong."""
    parts = [
        f"\n{row.name}, {row.measure}:\n" + "\n".join(f"  {one}" for one in row.examples[:_SHOWN_EXAMPLES])
        for row in found
        if isinstance(row, Measure) and row.examples
    ]
    return "\n".join(parts)
