"""What may be said: facts of tools, cards and the passport, sorted by what a sentence could claim with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from graph.writing.spelled import plain_digits

_ISO_DAY: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2}).*)?")
_CLOCK: Final = re.compile(r"\d{1,2}:\d{2}")
_CODE: Final = re.compile(r"[a-z_]+|[A-Z]{3}|\d{1,4}")
"""A word of the program, a currency, a small number: no name that a sentence would repeat."""
_DURATIONS: Final = frozenset({"days", "min_days", "max_days", "shift_days", "quantity"})
_SPECS: Final = frozenset({"engine_cc", "power_hp", "gears", "seats", "helmets", "year"})
_COUNTED: Final = frozenset({"", "vehicles", "options", "offices", "rentals", "items", "candidates", "conflicts"})
"""Lists whose length somebody may tell."""
_NO_NUMBERS: Final = frozenset(
    {
        "minor",
        "exponent",
        "weekday",
        "width",
        "height",
        "version",
        "latitude",
        "longitude",
        "observed_at",
        "confidence",
        "matching_total",
        "page",
        "page_size",
    }
)
_NO_TEXTS: Final = frozenset(
    {
        *("ref", "uuid", "slug", "drawing", "gearbox", "category", "strategy", "currency", "tz", "timezone", "url"),
        *("image_url", "source", "status", "quote_uuid", "rental_uuid", "vehicle_uuid", "client_uuid", "call_id"),
    }
)
"""The program's own names, which no sentence repeats."""
_STARTS: Final = frozenset({"start", "start_date", "pickup_at"})
_ENDS: Final = frozenset({"end", "end_date", "return_at"})


@dataclass(slots=True)
class Known:
    """Facts by kind."""

    dates: set[date] = field(default_factory=set)
    starts: set[date] = field(default_factory=set)
    ends: set[date] = field(default_factory=set)
    pairs: set[tuple[date, date]] = field(default_factory=set)
    """Two days that one fact holds, in the order in which they may be said."""
    times: set[str] = field(default_factory=set)
    """Local, HH:MM."""
    weekdays: set[int] = field(default_factory=set)
    money: set[tuple[Decimal, str]] = field(default_factory=set)
    money_at: dict[str, set[tuple[Decimal, str]]] = field(default_factory=dict)
    """By the name of the field: a deposit is no total."""
    percents: set[Decimal] = field(default_factory=set)
    durations: set[Decimal] = field(default_factory=set)
    counts: set[Decimal] = field(default_factory=set)
    parts: set[Decimal] = field(default_factory=set)
    """Numbers of single lines, such as how many of each kind: no sum of anything."""
    specs: set[Decimal] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    """Names, numbers of orders, rules of the shop: to be repeated to the letter."""
    subject: str = ""
    """The vehicle that the card is about, where it is about one."""
    vehicles: set[str] = field(default_factory=set)
    """The names among them that are vehicles'."""

    def learn(self, *values: Any) -> Known:
        """Take facts in: JSON values, dates, and models dumped to them."""
        for value in values:
            self._learn("", value)
        return self

    def _learn(self, key: str, value: Any) -> None:
        match value:
            case bool() | None:
                return
            case int() | float() | Decimal():
                self._number(key, Decimal(str(value)))
            case datetime() | date():
                self._text(key, value.isoformat())
            case str():
                self._text(key, value)
            case dict():
                self._mapping(key, value)
            case _ if isinstance(value, Iterable):
                self._list(key, list(value))

    def _number(self, key: str, value: Decimal) -> None:
        if key == "weekday":
            self.weekdays.add(int(value))
        elif key == "percent":
            self.percents.add(abs(value))
        elif key in _DURATIONS:
            self.durations.add(abs(value))
        elif key in _SPECS:
            self.specs.add(value)
        elif key not in _NO_NUMBERS and not key.endswith("_minor"):
            self.counts.add(abs(value))

    def _text(self, key: str, value: str) -> None:
        if key in _NO_TEXTS or len(value) < 2:
            return
        found = _ISO_DAY.fullmatch(value) if value[0].isdigit() else None
        if found:
            self._day(key, found)
        elif _CLOCK.fullmatch(value):
            self.times.add(value.zfill(5))
        elif not _CODE.fullmatch(value):
            self.texts.add(plain_digits(value))
            if key in {"name", "vehicle_name", "brand", "model"}:
                self.vehicles.add(plain_digits(value))

    def _day(self, key: str, found: re.Match[str]) -> None:
        year, month, day, hour, minute = found.groups()
        value = date(int(year), int(month), int(day))
        self.dates.add(value)
        if key in _STARTS:
            self.starts.add(value)
        if key in _ENDS:
            self.ends.add(value)
        if hour is not None and key != "observed_at":
            self.times.add(f"{hour}:{minute}")

    def _list(self, key: str, items: Sequence[Any]) -> None:
        if key in _COUNTED:
            self.counts.add(Decimal(len(items)))
        if items and all(type(item) is int for item in items):
            self.parts |= {Decimal(item) for item in items}
            return
        for item in items:
            self._learn(key, item)

    def _mapping(self, place: str, value: Mapping[Any, Any]) -> None:
        minor, exponent, currency = (value.get(name) for name in ("minor", "exponent", "currency"))
        if isinstance(minor, int) and isinstance(exponent, int) and isinstance(currency, str):
            amount = (abs(Decimal(minor).scaleb(-exponent)), currency)
            self.money.add(amount)
            self.money_at.setdefault(place, set()).add(amount)
            return
        for key, item in value.items():
            self._learn(str(key), item)
        self._pairs(value)

    def _pairs(self, value: Mapping[Any, Any]) -> None:
        days = {key: day for key, item in value.items() if (day := _as_day(item)) is not None}
        if len(days) < 2:
            return
        for first, one in days.items():
            for second, other in days.items():
                is_backwards = first in _ENDS or second in _STARTS
                if first != second and not is_backwards:
                    self.pairs.add((one, other))
        starts = [days[key] for key in days if key in _STARTS]
        ends = [days[key] for key in days if key in _ENDS]
        self.durations |= {Decimal((end - start).days) for start in starts for end in ends}


def _as_day(value: Any) -> date | None:
    text = value.isoformat() if isinstance(value, date) else value
    found = _ISO_DAY.fullmatch(text) if isinstance(text, str) and text[:1].isdigit() else None
    return date(*(int(part) for part in found.groups()[:3])) if found else None
