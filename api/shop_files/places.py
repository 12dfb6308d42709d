"""YAML as text with places: every scalar stays what was written, every value knows its line and column.

Numbers are not read as numbers here: 0812 keeps its zero, 45.00 never becomes a binary fraction, and "no" is a word.
The models of the files say what is a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

MAX_NODES: Final = 500_000
_MAX_DEPTH: Final = 50
_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault and where it is. Lines and columns begin at 1; a table's column is a field of its line."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        """As compilers write it, so that editors can jump there."""
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


@dataclass(slots=True)
class Document:
    """What a file says, and where."""

    file: str
    data: Any = None
    places: dict[Path, tuple[int, int]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def problem(self, path: Path, message: str) -> Problem:
        """Return a fault at the deepest part of the path that the file has."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.places:
                line, column = self.places[path[:length]]
                return Problem(self.file, line, column, message)
        return Problem(self.file, 1, 1, message)


def read_yaml(text: str, file: str) -> Document:
    """Read a YAML file; faults of form are in `problems`."""
    document = Document(file)
    try:
        if _brackets_deep(text) > _MAX_DEPTH:
            raise RecursionError
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        message = getattr(error, "problem", None) or "this cannot be read"
        document.problems.append(Problem(file, line, column, f"not YAML: {message}"))
        return document
    except RecursionError:
        document.problems.append(Problem(file, 1, 1, "too deeply nested"))
        return document
    if root is None:
        document.problems.append(Problem(file, 1, 1, "the file is empty"))
        return document
    try:
        document.data = _value(root, (), document, _Budget())
    except _TooMuch:
        document.problems.append(Problem(file, 1, 1, "the file is too large, or its aliases repeat too much"))
    return document


def _brackets_deep(text: str) -> int:
    """How deep the brackets go; the YAML reader takes a second for a thousand of them, so nobody asks it."""
    deepest = depth = 0
    for sign in text:
        depth = depth + 1 if sign in "[{" else max(0, depth - 1) if sign in "]}" else depth
        deepest = max(deepest, depth)
    return deepest


class _TooMuch(Exception):
    """An alias in an alias in an alias."""


class _Budget:
    def __init__(self) -> None:
        self.left = MAX_NODES

    def spend(self, depth: int) -> None:
        self.left -= 1
        if self.left < 0 or depth > _MAX_DEPTH:
            raise _TooMuch


def _value(node: yaml.Node, path: Path, document: Document, budget: _Budget) -> Any:
    budget.spend(len(path))
    document.places[path] = (node.start_mark.line + 1, node.start_mark.column + 1)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, (*path, n), document, budget) for n, item in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        return dict(_pairs(node, path, document, budget))
    is_plain = isinstance(node, yaml.ScalarNode) and node.style is None
    return None if is_plain and node.value in _NULLS else node.value


def _pairs(node: yaml.MappingNode, path: Path, document: Document, budget: _Budget) -> Iterator[tuple[str, Any]]:
    seen: set[str] = set()
    for key_node, value_node in node.value:
        place = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
        if not isinstance(key_node, yaml.ScalarNode):
            document.problems.append(Problem(document.file, *place, "a name has to be a word"))
            continue
        key = str(key_node.value)
        if key in seen:
            document.problems.append(Problem(document.file, *place, f"{key!r} is there twice"))
        seen.add(key)
        yield key, _value(value_node, (*path, key), document, budget)
        document.places[(*path, key)] = place
