"""Periods in words."""

from __future__ import annotations

from datetime import date

from graph.cards.desk import Desk
from graph.tools.wire import PeriodWire
from graph.writing.formats import day


def span(desk: Desk, start: date, end: date, days: int) -> str:
    """Write "from Sunday 20 June to Sunday 27 June, 7 days"."""
    today = desk.context.now_local().date()
    return desk.phrases.say(
        "span",
        start=day(start, desk.lang, today=today),
        end=day(end, desk.lang, today=today),
        days=desk.phrases.say("days", count=days),
    )


def span_of(desk: Desk, period: PeriodWire) -> str:
    """Write a period of the wire."""
    return span(desk, period.start, period.end, period.days)


def day_of(desk: Desk, value: date) -> str:
    """Write one day with its weekday, and its year when it is not this year's."""
    return day(value, desk.lang, today=desk.context.now_local().date())
