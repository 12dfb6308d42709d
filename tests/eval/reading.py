"""Ways to read a text with the offline interpreter and to compare dates; shared by the measures."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

from graph.models.offline import OfflineInterpreter
from graph.understanding.meaning import DateReading, InterpretContext


@cache
def interpreter() -> OfflineInterpreter:
    """One interpreter for all measures: its readers are built once."""
    return OfflineInterpreter()


def read_dates(text: str, today: str, lang: str = "en", **changes: Any) -> DateReading | None:
    """What the whole interpreter says about when; `today` is an ISO day or time."""
    values: dict[str, Any] = {"max_days": 184, **changes}
    context = InterpretContext(now=datetime.fromisoformat(f"{today[:10]}T10:00"), lang=lang, **values)
    return interpreter().read(text, context).dates


def asks(dates: DateReading | None) -> bool:
    """Whether the customer is asked, instead of told days that nobody named."""
    return dates is None or dates.status in ("ambiguous", "refused", "duration")


def period_of(dates: DateReading | None) -> tuple[str, str] | None:
    """ISO days of a clear range."""
    if dates is None or dates.status != "range":
        return None
    return str(dates.start), str(dates.end)


def shown(dates: DateReading | None) -> str:
    """A reading in a few characters, for examples."""
    if dates is None:
        return "nothing"
    days = [str(day) for day in (dates.start, dates.end) if day]
    choices = [f"{one.start}..{one.end}" for one in dates.candidates]
    return " ".join([dates.status, dates.reason or "", "..".join(days), *choices]).strip()
