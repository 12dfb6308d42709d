"""Lines of text for a screen of equal cells, where some letters take two."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

DOT = "\u00a0· "
"""Between the facts of one line. It stays with the fact before it when the line is broken."""


def cells(text: str) -> int:
    """Return how many columns a text takes: wide letters two, marks and invisible signs none."""
    return sum(_cells_of(char) for char in text)


def _cells_of(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def pad(text: str, columns: int) -> str:
    """Fill a text with spaces on its right."""
    return text + " " * max(0, columns - cells(text))


def wrap(text: str, width: int, first: str = "", rest: str | None = None) -> list[str]:
    """Break at ordinary spaces so that no line is wider than `width`; lines begin with `first`, then `rest`."""
    indent = first if rest is None else rest
    lines, line = [], first
    room = max(1, width - max(cells(first), cells(indent)))
    for word in _words(text, room):
        joined = line + word if line in (first, indent) else f"{line} {word}"
        if cells(joined) > width and line not in (first, indent):
            lines.append(line)
            joined = indent + word
        line = joined
    return [*lines, line.rstrip(" ")]


def _words(text: str, width: int) -> Iterator[str]:
    """Yield the words, those that fit nowhere in pieces."""
    for word in text.split(" "):
        piece, used = "", 0
        for char in word:
            if used + _cells_of(char) > width and piece:
                yield piece
                piece, used = "", 0
            piece, used = piece + char, used + _cells_of(char)
        if piece:
            yield piece


def paragraphs(text: str, width: int, first: str = "") -> list[str]:
    """Break a text of several lines; `first` stands before the first."""
    lines: list[str] = []
    for index, line in enumerate(text.split("\n")):
        lines += wrap(line, width, first if index == 0 else "", "")
    return lines


def facts(parts: Sequence[str], width: int, first: str = "", rest: str | None = None) -> list[str]:
    """Put facts on one line with dots between; none, no line. A short fact is never broken in two."""
    whole = width // 2
    present = [part.replace(" ", "\u00a0") if cells(part) <= whole else part for part in parts if part]
    return wrap(DOT.join(present), width, first, rest) if present else []


def pairs(rows: Sequence[tuple[str, str]], width: int, indent: str = "  ") -> list[str]:
    """Put labels and values in two columns; rows without a value are left out."""
    present = [(label, value) for label, value in rows if value]
    if not present:
        return []
    column = min(max(cells(label) for label, _ in present), max(1, width // 2 - cells(indent)))
    lines: list[str] = []
    for label, value in present:
        hanging = " " * (cells(indent) + column + 2)
        lines += wrap(value, width, pad(indent + label, cells(indent) + column) + "  ", hanging)
    return lines


def sums(rows: Sequence[tuple[str, str]], total: tuple[str, str], width: int) -> list[str]:
    """Put amounts flush right beside what they are for, a rule, and the total below."""
    every = [*rows, total]
    right = max(cells(amount) for _, amount in every)
    left = max(1, min(max(cells(text) for text, _ in every), width - right - 2))
    lines: list[str] = []
    for text, amount in rows:
        lines += _sum_row(text, amount, left, right)
    return [*lines, "-" * min(width, left + 2 + right), *_sum_row(*total, left, right)]


def _sum_row(text: str, amount: str, left: int, right: int) -> list[str]:
    *before, last = wrap(text, left)
    return [*before, pad(last, left) + "  " + " " * (right - cells(amount)) + amount]


def rule(width: int, sign: str = "-") -> str:
    """Return a line across the screen, forty columns at most."""
    return sign * min(width, 40)
