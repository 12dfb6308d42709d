"""When an office is open. A weekday without an interval is closed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time, timedelta

_SEARCH_DAYS = 62
"""Longer than any holiday of an office; a season's closing is told as closed."""


@dataclass(frozen=True, slots=True)
class Interval:
    """One opening interval of one weekday (0 is Monday), office-local."""

    weekday: int
    opens: time
    closes: time


@dataclass(frozen=True, slots=True)
class OpeningHours:
    """All intervals of one office, and the days on which it keeps none of them."""

    intervals: tuple[Interval, ...]
    closed_days: frozenset[str] = frozenset()
    """Holidays: "2027-12-25" for one year, "12-25" for every year."""

    def on(self, day: date) -> tuple[Interval, ...]:
        """Return the intervals of that day, earliest first; empty when closed."""
        if self._is_holiday(day):
            return ()
        return tuple(sorted((i for i in self.intervals if i.weekday == day.weekday()), key=lambda i: i.opens))

    def is_open(self, day: date) -> bool:
        """Whether vehicles are handed over on that day at all."""
        return any(i.weekday == day.weekday() for i in self.intervals) and not self._is_holiday(day)

    def next_open(self, day: date) -> date | None:
        """Return the first open day on or after `day`, or None when there is none in two months."""
        days = (day + timedelta(days=n) for n in range(_SEARCH_DAYS))
        return next((d for d in days if self.is_open(d)), None)

    def last_open(self, day: date, not_before: date) -> date | None:
        """Return the last open day on or before `day`, or None when there is none from `not_before` on."""
        days = (day - timedelta(days=n) for n in range((day - not_before).days + 1))
        return next((d for d in days if self.is_open(d)), None)

    def _is_holiday(self, day: date) -> bool:
        written = day.isoformat()
        return written in self.closed_days or written[5:] in self.closed_days

    def handover(self, day: date, wished: time, not_before: time = time.min) -> time:
        """Return the wished time moved into the opening hours of that day.

        A day without hours keeps the wished time; `not_before` is for a pick-up that is still today.
        """
        wished = max(wished, not_before)
        intervals = self.on(day)
        for interval in intervals:
            if wished <= interval.closes:
                return max(wished, interval.opens)
        return intervals[-1].closes if intervals else wished
