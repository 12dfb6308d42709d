"""Rental periods as local days of an office, and the days that they block."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

BLOCKING_STATUSES: Final = ("pending", "confirmed", "active")
"""A rental in one of these keeps its vehicle; the schema's guard names the same three."""

LAST_YEAR: Final = 2999
"""Later days are nonsense, and adding days to them overflows."""


@dataclass(frozen=True, slots=True)
class Block:
    """Half-open days `[start, end)` that a vehicle is not to be had."""

    start: date
    end: date

    def overlaps(self, other: Block) -> bool:
        """Whether one day is in both. Blocks that only touch do not overlap."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Period:
    """Pick-up day and return day. A same-day return is one day.

    Raises:
        ValueError: the return is before the pick-up, or the year is out of range.
    """

    start: date
    end: date

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError("the return day is before the pick-up day")
        if self.end.year > LAST_YEAR:
            raise ValueError("the year is out of range")

    @property
    def days(self) -> int:
        """Days that are paid for."""
        return max(1, (self.end - self.start).days)

    def block(self, turnaround_hours: int = 0) -> Block:
        """Days that this rental takes from the calendar; preparation time after it counts in whole days."""
        occupied_until = self.start + timedelta(days=self.days)
        return Block(self.start, occupied_until + timedelta(days=turnaround_days(turnaround_hours)))

    def shifted_to(self, start: date) -> Period:
        """Return the period of the same length that starts on `start`."""
        return Period(start, start + (self.end - self.start))


@dataclass(frozen=True, slots=True)
class Taken:
    """A rental that blocks, without client data."""

    period: Period
    block: Block
    status: str
    """The rental's, or "held" for a hold."""
    source: str
    order_number: str = ""
    """For staff; never shown to another customer."""


def turnaround_days(turnaround_hours: int) -> int:
    """Return the whole days that stay empty after a rental."""
    return -(-turnaround_hours // 24)


def conflicts_with(block: Block, taken: Iterable[Taken]) -> tuple[Taken, ...]:
    """Return those that overlap, earliest first."""
    return tuple(sorted((t for t in taken if t.block.overlaps(block)), key=lambda t: t.block.start))


def local_instant(day: date, at: time, timezone: str) -> datetime:
    """Return the wall-clock time of that day in the zone. A time that the clock skips moves on with it."""
    zone = ZoneInfo(timezone)
    # The round trip through UTC turns a skipped hour into one that exists.
    return datetime.combine(day, at, zone).astimezone(ZoneInfo("UTC")).astimezone(zone)
