"""When the customer wants to ride: one message -> one `DateReading`, or None.

Asks instead of guessing: two readings give `ambiguous`, impossible days give `refused` with repairs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from graph.understanding.clock_times import ClockReader, ClockTime
from graph.understanding.date_items import DateItem, DateLexer
from graph.understanding.date_lengths import Duration, LengthReader
from graph.understanding.date_readings import corrected, parts_of, read_parts
from graph.understanding.date_resolver import DateProblem, DateRules, reading_of
from graph.understanding.date_roles import RoleReader
from graph.understanding.date_words import DateWords
from graph.understanding.lexicon import Lexicon
from graph.understanding.meaning import DateReading, InterpretContext
from graph.understanding.text import MASK, Folded

MAX_ITEMS = 8
"""More dates than this in one message are a question anyway."""
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class DateFinding:
    """What was read, and which spans of the text it used."""

    reading: DateReading | None
    spans: tuple[Span, ...]
    firm: tuple[Span, ...] = ()
    """Those whose numbers can be nothing else: a day with its month, a length."""


class DateReader:
    """Reads dates, ranges and lengths of one language."""

    def __init__(self, lexicon: Lexicon) -> None:
        words = DateWords(lexicon)
        self._lexer = DateLexer(words)
        self._lengths = LengthReader(words)
        self._clock = ClockReader(words)
        self._roles = RoleReader(words)
        self._same = words.whole("same_dates_patterns")
        self._vague = words.whole("vague_patterns")
        self._not_date = words.whole("not_date_patterns")

    def read(self, folded: Folded, context: InterpretContext) -> DateFinding:
        """Read one message whose phone numbers and prices are masked. Never raises."""
        text = self._not_date.sub(lambda match: MASK * len(match.group()), folded.text)
        text, times = self._clock.take_out(text)
        found, masked = self._lexer.items(text)
        assigned = self._roles.assign(text, found[:MAX_ITEMS], [(time.start, time.end) for time in times])
        items = assigned.items
        durations = [one for one in self._lengths.read(masked) if items or one.use != "before"]
        spans = (*((i.start, i.end) for i in items), *((d.start, d.end) for d in durations))
        firm = _firm(items, durations)
        rules = rules_of(context)
        reading = self._decide(text, items, durations, rules)
        if reading is not None and assigned.dropped:
            reading = corrected(reading, assigned.dropped, rules)
        if reading is None:
            return DateFinding(None, spans, firm)
        reading = _with_possible_choices(reading, rules)
        spans = spans or _spans(self._same.search(text) or self._vague.search(text))
        phrase = _phrase(folded, spans)
        reading = reading.model_copy(update={"phrase": phrase, "pickup_time": _pickup_time(items, times)})
        return DateFinding(reading, spans, firm)

    def _decide(
        self, text: str, items: list[DateItem], durations: list[Duration], rules: DateRules
    ) -> DateReading | None:
        if not items and not durations:
            return self._without_items(text, rules)
        try:
            return read_parts(text, parts_of(items, durations), rules, self._roles)
        except DateProblem as problem:
            return _refusal(problem)
        except (OverflowError, ValueError):
            # Arithmetic beyond the calendar ("in 999999 weeks").
            return _refusal(DateProblem("unreadable"))

    def _without_items(self, text: str, rules: DateRules) -> DateReading | None:
        if self._same.search(text) and rules.known_start and rules.known_end:
            return reading_of(rules.known_start, rules.known_end, rules)
        if self._vague.search(text):
            return _refusal(DateProblem("unreadable"))
        return None


def rules_of(context: InterpretContext) -> DateRules:
    """The part of the context that the calendar needs."""
    return DateRules(
        today=context.now.date(),
        order=context.date_order,
        max_days=context.max_days,
        known_start=context.known_start,
        known_end=context.known_end,
    )


def _spans(match: re.Match[str] | None) -> tuple[Span, ...]:
    return (match.span(),) if match else ()


def _firm(items: list[DateItem], durations: list[Duration]) -> tuple[Span, ...]:
    days = [item for item in items if item.pair or (item.day and item.month)]
    return (*((item.start, item.end) for item in days), *((one.start, one.end) for one in durations))


def _phrase(folded: Folded, spans: tuple[Span, ...]) -> str:
    if not spans:
        return ""
    return folded.as_typed(min(start for start, _ in spans), max(end for _, end in spans))[:200]


def _with_possible_choices(reading: DateReading, rules: DateRules) -> DateReading:
    """No choice is offered that could not be booked; a question without choices stays a question."""
    kept = tuple(one for one in dict.fromkeys(reading.candidates) if rules.today <= one.start <= one.end)
    if kept == reading.candidates:
        return reading
    if reading.status == "ambiguous" and not kept:
        return _refusal(DateProblem("unreadable"))
    return reading.model_copy(update={"candidates": kept})


def _refusal(problem: DateProblem) -> DateReading:
    return DateReading(status="refused", reason=problem.reason, candidates=problem.candidates)


def _pickup_time(items: list[DateItem], times: list[ClockTime]) -> str | None:
    """The time that stands nearest to the first day."""
    known = [time for time in times if time.hhmm]
    starts = [item for item in items if item.role != "end"]
    if not known or not starts:
        return None
    for time in known:
        nearest = min(items, key=lambda item: max(item.start - time.end, time.start - item.end))
        if nearest.role != "end":
            return time.hhmm
    return None
