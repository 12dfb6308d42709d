"""The days of a vehicle as a row of small cells: which are free, which are taken, which were wished."""

from __future__ import annotations

from datetime import date
from itertools import groupby

from frontend_contract.facts import Period
from frontend_contract.payloads import DayStrip
from renderers.labels import Labels
from renderers.plain.layout import cells, pad

_CELL = 3
FREE, TAKEN, WISHED = ".", "x", "^"


def strip_lines(strip: DayStrip, wish: Period, labels: Labels, width: int) -> list[str]:
    """Draw the days month by month, as many to a row as fit."""
    days = _days(strip)
    captions = [labels.text("label.taken"), labels.text("label.your_wish"), *map(labels.month, range(1, 13))]
    column = max(map(cells, captions)) + 1
    per_row = max(1, (width - column) // _CELL)
    lines: list[str] = []
    for _, group in groupby(days, key=lambda item: (item[0].year, item[0].month)):
        month = list(group)
        for index in range(0, len(month), per_row):
            lines += _row(month[index : index + per_row], wish, labels, column)
    return lines


def _days(strip: DayStrip) -> list[tuple[date, bool]]:
    first = strip.start.toordinal()
    room = date.max.toordinal() - first + 1
    return [(date.fromordinal(first + index), taken) for index, taken in enumerate(strip.taken[:room])]


def _row(days: list[tuple[date, bool]], wish: Period, labels: Labels, column: int) -> list[str]:
    wished = [_is_wished(day, wish) for day, _ in days]
    rows = [
        (labels.month(days[0][0].month), [str(day.day) for day, _ in days]),
        (labels.text("label.taken"), [TAKEN if taken else FREE for _, taken in days]),
    ]
    if any(wished):
        rows.append((labels.text("label.your_wish"), [WISHED if flag else "" for flag in wished]))
    return [(pad(caption, column) + "".join(sign.rjust(_CELL) for sign in signs)).rstrip() for caption, signs in rows]


def _is_wished(day: date, wish: Period) -> bool:
    return wish.start <= day < wish.end or day == wish.start
