"""Date items -> days. Pure calendar arithmetic: no word of any language, never a day in the past."""

from __future__ import annotations

import calendar
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from graph.understanding.date_items import DateItem
from graph.understanding.meaning import DateRange, DateReading, DateRefusal

MAX_YEARS_AHEAD = 12
SHORT_MONTH_CROSSING_DAYS = 14
"""A range like "28 to 3 July" crosses the month only if it stays this short; else its ends are crossed."""
LONGEST_WRAP_DAYS = 184
"""With both months named, a longer way round the year means that the ends are crossed."""


@dataclass(frozen=True, slots=True)
class DateRules:
    """What the company and the conversation say about days."""

    today: date
    order: Literal["dmy", "mdy", "ymd"]
    max_days: int
    known_start: date | None = None
    known_end: date | None = None


class DateProblem(Exception):
    """Understood but not usable; `reason` and `candidates` go into the reading."""

    def __init__(self, reason: DateRefusal, candidates: tuple[DateRange, ...] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.candidates = candidates


def add_months(day: date, months: int) -> date:
    """Same day of a later month, or its last day."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def make_range(start: date, end: date) -> tuple[DateRange, ...]:
    """One candidate."""
    return (DateRange(start=start, end=end),)


def ordered_numeric(items: list[DateItem], rules: DateRules) -> list[DateItem]:
    """Give all-digit dates one order: the company's, or the other if the whole range agrees on it."""
    pairs = [item.pair for item in items if item.pair]
    if not pairs:
        return items
    month_first = rules.order != "dmy"
    for first in (month_first, not month_first):
        if all(1 <= (a if first else b) <= 12 for a, b in pairs):
            return [_with_order(item, month_first=first) for item in items]
    raise DateProblem("unreadable")


def _with_order(item: DateItem, *, month_first: bool) -> DateItem:
    if item.pair is None:
        return item
    a, b = item.pair
    return replace(item, kind="day", pair=None, day=b if month_first else a, month=a if month_first else b)


def resolve(item: DateItem, rules: DateRules, earliest: date) -> date:
    """The first day on or after `earliest` that the item can mean. Raises DateProblem."""
    day = _resolve(item, rules, earliest)
    if day < rules.today:
        raise DateProblem("past", _next_period(item, rules))
    return _checked_weekday(item, day, rules, earliest)


def _resolve(item: DateItem, rules: DateRules, earliest: date) -> date:
    if item.kind == "offset":
        return add_months(rules.today + timedelta(days=item.offset_days or 0), item.offset_months)
    if item.kind == "weekday":
        return _resolve_weekday(item, rules, earliest)
    if item.kind == "weekend":
        return weekend(item, rules)[0]
    if item.kind == "day" and item.day is not None:
        return _resolve_day(item, item.day, rules, earliest)
    if item.kind == "nth_weekday" and item.day is not None:
        return _resolve_nth_weekday(item, item.day, rules, earliest)
    raise DateProblem("unreadable")


def _resolve_weekday(item: DateItem, rules: DateRules, earliest: date) -> date:
    weekday = item.weekday or 0
    if item.offset_days:
        monday = rules.today - timedelta(days=rules.today.weekday())
        return monday + timedelta(days=item.offset_days + weekday)
    first = rules.today + timedelta(days=1) if item.which == "next" else earliest
    first = max(first, earliest)
    return first + timedelta(days=(weekday - first.weekday()) % 7)


def _resolve_day(item: DateItem, day: int, rules: DateRules, earliest: date) -> date:
    if item.month is not None and item.year is not None:
        return _real_day(item.year, item.month, day)
    if item.month is not None:
        return _next_yearly(item.month, day, earliest)
    if item.month_shift is not None:
        month = add_months(rules.today.replace(day=1), item.month_shift)
        return _real_day(month.year, month.month, day)
    return _next_monthly(day, earliest)


def _resolve_nth_weekday(item: DateItem, number: int, rules: DateRules, earliest: date) -> date:
    """ "the first Friday of July": this year's if it is still to come."""
    day_one = replace(item, kind="day", day=1, weekday=None)
    for after in (earliest.replace(day=1), add_months(earliest.replace(day=1), 1)):
        first = _resolve_day(day_one, 1, rules, after)
        day = first + timedelta(days=((item.weekday or 0) - first.weekday()) % 7 + 7 * (number - 1))
        if day.month != first.month:
            raise DateProblem("no_such_day")
        if day >= earliest:
            break
    return day


def _real_day(year: int, month: int, day: int) -> date:
    try:
        return date(year, month, day)
    except ValueError:
        raise DateProblem("no_such_day") from None


def _next_yearly(month: int, day: int, earliest: date) -> date:
    for year in range(earliest.year, earliest.year + MAX_YEARS_AHEAD):
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if found >= earliest:
            return found
    raise DateProblem("no_such_day")


def _next_monthly(day: int, earliest: date) -> date:
    if not 1 <= day <= 31:
        raise DateProblem("no_such_day")
    first = earliest.replace(day=1)
    for months in range(14):
        month = add_months(first, months)
        if day <= calendar.monthrange(month.year, month.month)[1] and month.replace(day=day) >= earliest:
            return month.replace(day=day)
    raise DateProblem("no_such_day")


def _next_period(item: DateItem, rules: DateRules) -> tuple[DateRange, ...]:
    """The next such day, for a day that is past."""
    if item.kind != "day" or item.day is None:
        return ()
    try:
        if item.month is not None:
            day = _next_yearly(item.month, item.day, rules.today)
        else:
            day = _next_monthly(item.day, rules.today)
    except DateProblem:
        return ()
    return make_range(day, day)


def _checked_weekday(item: DateItem, day: date, rules: DateRules, earliest: date) -> date:
    if item.kind != "day" or item.weekday is None or day.weekday() == item.weekday:
        return day
    nearest = day + timedelta(days=(item.weekday - day.weekday() + 3) % 7 - 3)
    if nearest < max(rules.today, earliest):
        nearest += timedelta(days=7)
    raise DateProblem("weekday_conflict", make_range(day, day) + make_range(nearest, nearest))


def weekend(item: DateItem, rules: DateRules) -> tuple[date, date]:
    """Saturday and Sunday of the weekend meant; the rest of it when it has begun."""
    monday = rules.today - timedelta(days=rules.today.weekday())
    weeks = 1 if item.which == "next" else 0
    saturday = monday + timedelta(days=5 + 7 * weeks + (item.offset_days or 0))
    return max(saturday, rules.today), saturday + timedelta(days=1)


def nth_week(item: DateItem, rules: DateRules) -> tuple[DateRange, ...]:
    """The two ways to count the weeks of a month: by sevens from the 1st, or from its first Monday."""
    first = _resolve(replace(item, kind="day", day=1), rules, rules.today.replace(day=1))
    by_sevens = first + timedelta(days=7 * ((item.day or 1) - 1))
    monday = by_sevens + timedelta(days=-by_sevens.weekday() % 7)
    starts = [day for day in dict.fromkeys((by_sevens, monday)) if day >= rules.today]
    if not starts:
        raise DateProblem("past")
    return tuple(DateRange(start=day, end=day + timedelta(days=7)) for day in starts)


def rest_of(unit: str, today: date) -> tuple[date, date]:
    """Today and the last day of the current week, month or year."""
    if unit == "month":
        return today, add_months(today.replace(day=1), 1) - timedelta(days=1)
    if unit == "year":
        return today, date(today.year, 12, 31)
    if unit != "week":
        return today, today
    return today, today + timedelta(days=6 - today.weekday())


def resolve_range(first: DateItem, last: DateItem, rules: DateRules) -> tuple[date, date]:
    """Both ends. Raises DateProblem with repairs for crossed ends, past days and wrong weekdays."""
    first, last = _share_month(first, last, rules)
    try:
        start = resolve(first, rules, _start_anchor(first, rules))
    except DateProblem as problem:
        raise _with_end(problem, last, rules) from None
    try:
        end = _resolve_end(first, last, start, rules)
    except DateProblem as problem:
        if problem.reason == "weekday_conflict":
            fixed = tuple(DateRange(start=start, end=c.start) for c in problem.candidates if c.start >= start)
            raise DateProblem("weekday_conflict", fixed) from None
        raise
    _refuse_running_period(first, start, end, rules)
    return start, end


def _share_month(first: DateItem, last: DateItem, rules: DateRules) -> tuple[DateItem, DateItem]:
    """ "10 to 17 June": the end that names a month gives it to the end that does not."""
    if last.joined and first.kind == last.kind == "weekday" and last.offset_days and not first.offset_days:
        same_week = (first.weekday or 0) <= (last.weekday or 0)
        return (replace(first, offset_days=last.offset_days) if same_week else first), last
    if first.kind != "day" or last.kind != "day" or first.day is None or last.day is None:
        return first, last
    if first.month is None and first.month_shift is None and last.month is not None:
        return _month_before(first, last, rules), last
    if first.month_shift is None and first.month is None and last.month_shift is not None:
        return replace(first, month_shift=last.month_shift), last
    if first.month is not None and first.year is None and last.year is not None and last.month is not None:
        wraps = (first.month, first.day) > (last.month, last.day)
        return replace(first, year=last.year - 1 if wraps else last.year), last
    return first, last


def _month_before(first: DateItem, last: DateItem, rules: DateRules) -> DateItem:
    day, month = first.day or 0, last.month or 1
    if day > (last.day or 0):
        year = last.year or rules.today.year
        before = add_months(date(year, month, 1), -1)
        length = calendar.monthrange(before.year, before.month)[1] - day + (last.day or 0)
        if length <= SHORT_MONTH_CROSSING_DAYS:
            return replace(first, month=before.month, year=before.year if last.year else None)
    return replace(first, month=month, year=last.year)


def _start_anchor(first: DateItem, rules: DateRules) -> date:
    if first.kind == "day" and first.month is None and rules.known_start is not None:
        return max(rules.today, rules.known_start.replace(day=1))
    return rules.today


def _resolve_end(first: DateItem, last: DateItem, start: date, rules: DateRules) -> date:
    if last.kind == "weekday" and not last.offset_days:
        return resolve(last, rules, start + timedelta(days=1 if last.weekday == start.weekday() else 0))
    if last.kind == "weekend":
        return max(start, weekend(last, rules)[0])
    if last.kind == "day" and last.year is None and last.month_shift is None:
        return _resolve_open_end(first, last, start, rules)
    end = resolve(last, rules, rules.today)
    if end < start:
        raise DateProblem("end_before_start", make_range(end, start))
    return end


def _resolve_open_end(first: DateItem, last: DateItem, start: date, rules: DateRules) -> date:
    end = resolve(last, rules, start)
    if last.month is None:
        crossed = (end - start).days > SHORT_MONTH_CROSSING_DAYS and end.day < start.day
    else:
        crossed = (end - start).days > LONGEST_WRAP_DAYS
    if crossed:
        raise DateProblem("end_before_start", _swapped(first, last, rules))
    return end


def _swapped(first: DateItem, last: DateItem, rules: DateRules) -> tuple[DateRange, ...]:
    if last.month is None and first.month is not None:
        last = replace(last, month=first.month, year=first.year)
    try:
        start = resolve(last, rules, rules.today)
        end = resolve(first, rules, start)
    except DateProblem:
        return ()
    return make_range(start, end) if 0 <= (end - start).days <= LONGEST_WRAP_DAYS else ()


def _with_end(problem: DateProblem, last: DateItem, rules: DateRules) -> DateProblem:
    """Complete the repairs of a bad first day with the last day."""
    repaired: list[DateRange] = []
    for candidate in problem.candidates:
        try:
            end = resolve(replace(last, year=None), rules, candidate.start)
        except DateProblem:
            continue
        repaired.append(DateRange(start=candidate.start, end=end))
    return DateProblem(problem.reason, tuple(repaired))


def _refuse_running_period(first: DateItem, start: date, end: date, rules: DateRules) -> None:
    """ "10-17 June" said on 12 June: the rest of this one, or next year's. A question, not a guess."""
    if first.kind != "day" or first.month is None or first.year is not None:
        return
    if (start - rules.today).days < LONGEST_WRAP_DAYS:
        return
    earlier_end = add_months(end, -12)
    if add_months(start, -12) < rules.today <= earlier_end:
        raise DateProblem("past", make_range(rules.today, earlier_end) + make_range(start, end))


def reading_of(start: date, end: date, rules: DateRules) -> DateReading:
    """A range, or a refusal when it is longer than the company rents."""
    if end < start:
        return DateReading(status="refused", reason="end_before_start", candidates=make_range(end, start))
    days = max(1, (end - start).days)
    if days > rules.max_days:
        return DateReading(status="refused", reason="too_long", start=start, end=end, days=days)
    return DateReading(status="range", start=start, end=end, days=None)
