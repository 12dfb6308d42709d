"""Items and lengths of one message -> what they say about when. No word of any language."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import pairwise

from graph.understanding.date_items import DateItem
from graph.understanding.date_lengths import Duration
from graph.understanding.date_resolver import (
    DateProblem,
    DateRules,
    add_months,
    make_range,
    nth_week,
    ordered_numeric,
    reading_of,
    resolve,
    resolve_range,
    rest_of,
    weekend,
)
from graph.understanding.date_roles import RoleReader
from graph.understanding.meaning import DateRange, DateReading

MAX_WORD_CHARS = 8
"""At most an article stands between "before" and the day."""
MIDWEEK = 2
"""Monday and Tuesday lie nearer to the weekend before them."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What was found, sorted by what it can say."""

    items: list[DateItem]
    length: Duration | None
    shift: Duration | None
    context: DateItem | None


def parts_of(items: list[DateItem], durations: list[Duration]) -> Parts:
    """Sort items and lengths. Raises DateProblem when two lengths disagree."""
    months = [item for item in items if item.kind == "month"]
    rest = [item for item in items if item.kind != "month"]
    lengths = [item for item in durations if item.use == "length"]
    others = [item for item in durations if item.use not in ("length", "before")]
    if any(_counts_back_from(length, items) for length in durations):
        raise DateProblem("unreadable")
    lengths = _without_nights(lengths)
    if len({(one.days, one.months) for one in lengths}) > 1:
        raise DateProblem("unreadable")
    if len({one.use for one in others}) > 1:
        raise DateProblem("unreadable")
    context = months[0] if months else None
    if context is not None and context.which == "past" and not rest:
        raise DateProblem("past")
    rest = [_in_month(item, context) for item in rest]
    return Parts(_in_week(rest), lengths[0] if lengths else None, others[0] if others else None, context)


def _counts_back_from(length: Duration, items: list[DateItem]) -> bool:
    """ "2 days before Christmas": neither the day nor the length is what was asked for."""
    return length.use == "before" and any(0 <= item.start - length.end <= MAX_WORD_CHARS for item in items)


def _without_nights(lengths: list[Duration]) -> list[Duration]:
    """ "4 days, 3 nights" is one length: the nights count what is rented."""
    nights = [one for one in lengths if one.nights]
    days = [one for one in lengths if not one.nights]
    if len(nights) == len(days) == 1 and days[0].days == nights[0].days + 1:
        return nights
    return lengths


def _in_month(item: DateItem, month: DateItem | None) -> DateItem:
    if month is None or item.kind != "day" or item.month is not None or item.month_shift is not None:
        return item
    return replace(item, month=month.month, year=month.year, month_shift=month.month_shift)


def _in_week(items: list[DateItem]) -> list[DateItem]:
    """ "next week from monday to friday": the week only places the weekdays."""
    if not any(item.kind == "weekday" for item in items):
        return items
    weeks = [item for item in items if item.kind in ("week", "weekend")]
    shifts = [item.offset_days or 7 for item in weeks if item.kind == "week" or item.which == "next"]
    return [
        replace(item, offset_days=shifts[0]) if shifts and item.kind == "weekday" and not item.offset_days else item
        for item in items
        if item.kind not in ("week", "weekend")
    ]


def read_parts(text: str, parts: Parts, rules: DateRules, roles: RoleReader) -> DateReading:
    """The reading of everything that was found. Raises DateProblem when it is not usable."""
    items = _without_repeats(parts.items, rules)
    if not items:
        return _read_without_day(parts, rules)
    items = ordered_numeric(items, rules)
    for index, item in enumerate(items):
        other = _week_after(item, rules, items[:index])
        if other is not None:
            return _either(text, items, index, other, parts, rules, roles)
    return _read_items(text, items, parts, rules, roles)


def _week_after(item: DateItem, rules: DateRules, before: list[DateItem]) -> DateItem | None:
    """The other thing that "next Monday" can mean: said the day before it, or beside "this Monday"."""
    if item.kind != "weekday" or item.which != "next" or item.offset_days:
        return None
    day = resolve(item, rules, rules.today)
    named = [resolve(one, rules, rules.today) for one in before if one.kind == "weekday" and one.which == "this"]
    beside_this = any(day.isocalendar()[:2] == one.isocalendar()[:2] for one in named)
    if (day - rules.today).days != 1 and not beside_this:
        return None
    return replace(item, kind="offset", offset_days=(day - rules.today).days + 7, weekday=None, which="")


def _either(
    text: str, items: list[DateItem], index: int, other: DateItem, parts: Parts, rules: DateRules, roles: RoleReader
) -> DateReading:
    """Both readings as choices."""
    plain = replace(other, offset_days=(other.offset_days or 7) - 7)
    found: list[DateRange] = []
    for item in (plain, other):
        reading = _read_items(text, [*items[:index], item, *items[index + 1 :]], parts, rules, roles)
        if reading.start is None:
            return reading
        found.append(DateRange(start=reading.start, end=reading.end or reading.start))
    return DateReading(status="ambiguous", candidates=tuple(found))


def _read_items(text: str, items: list[DateItem], parts: Parts, rules: DateRules, roles: RoleReader) -> DateReading:
    if len(items) > 2 or roles.has_choice(text, items):
        return _read_choice(text, items, rules, roles)
    if len(items) == 2:
        return _read_two(text, items, parts, rules, roles)
    return _read_one(items[0], parts, rules)


def _without_repeats(items: list[DateItem], rules: DateRules) -> list[DateItem]:
    """ "tomorrow, 2 June" names one day twice; so does a date that is said again."""
    kept: list[DateItem] = []
    for item in items:
        days = [_day_or_none(other, rules) for other in kept]
        day = _day_or_none(item, rules)
        if day is not None and day in days and not item.joined:
            index = days.index(day)
            kept[index] = replace(kept[index], role=kept[index].role or item.role)
            continue
        kept.append(item)
    return kept


def _day_or_none(item: DateItem, rules: DateRules) -> date | None:
    try:
        return resolve(ordered_numeric([item], rules)[0], rules, rules.today)
    except (DateProblem, ValueError, OverflowError):
        return None


def _read_without_day(parts: Parts, rules: DateRules) -> DateReading:
    shift = parts.shift
    if shift is not None and rules.known_start is not None:
        return _read_shift(shift, rules)
    if parts.context is not None and parts.context.which == "whole":
        return _read_whole_month(parts.context, rules)
    if parts.context is not None:
        length = parts.length
        days = _length_days(length, rules.today) if length else None
        return DateReading(status="refused", reason="unreadable", days=days)
    length = parts.length or shift
    if length is None or (shift is not None and shift.use != "longer"):
        raise DateProblem("unreadable")
    if rules.known_start is not None and parts.length is not None:
        return reading_of(rules.known_start, _after(rules.known_start, length), rules)
    return DateReading(status="duration", days=_length_days(length, rules.today))


def _length_days(length: Duration, today: date) -> int:
    return max(1, (_after(today, length) - today).days)


def _after(start: date, length: Duration) -> date:
    return add_months(start, length.months) + timedelta(days=length.days)


def _read_shift(shift: Duration, rules: DateRules) -> DateReading:
    start, end = rules.known_start, rules.known_end
    if start is None:
        raise DateProblem("unreadable")
    if shift.use == "longer":
        return reading_of(start, _after(end or start, shift), rules)
    if shift.use == "shorter":
        return reading_of(start, (end or start) - timedelta(days=_length_days(shift, start)), rules)
    sign = 1 if shift.use in ("later", "start_later") else -1
    move = timedelta(days=shift.days * sign)
    moved = add_months(start, shift.months * sign) + move
    if moved < rules.today:
        raise DateProblem("past")
    if end is None:
        return DateReading(status="start", start=moved)
    if shift.use.startswith("start"):
        both = make_range(moved, moved + (end - start))
        return DateReading(status="ambiguous", candidates=(make_range(moved, end) if moved <= end else ()) + both)
    return reading_of(moved, moved + (end - start), rules)


def _read_whole_month(item: DateItem, rules: DateRules) -> DateReading:
    start = resolve(replace(item, kind="day", day=1, which=""), rules, rules.today)
    return reading_of(start, add_months(start, 1), rules)


def _read_one(item: DateItem, parts: Parts, rules: DateRules) -> DateReading:
    if item.which == "past":
        raise DateProblem("past")
    if item.kind == "week":
        return _read_week(item, parts, rules)
    if item.kind == "rest":
        return reading_of(*rest_of(item.unit, rules.today), rules)
    if item.kind == "nth_week":
        return _choice(nth_week(item, rules))
    if item.kind == "weekend" and parts.length is None and item.role != "end":
        start, end = weekend(item, rules)
        return reading_of(start, max(start, end), rules)
    length = parts.length or (parts.shift if parts.shift and parts.shift.use == "later" else None)
    if item.role == "end" or _answers_end(item, length, rules):
        return _read_end_only(item, length, rules)
    if length is None:
        return DateReading(status="start", start=resolve(item, rules, _anchor(item, rules)))
    try:
        start = resolve(item, rules, _anchor(item, rules))
    except DateProblem as problem:
        longer = tuple(DateRange(start=c.start, end=_after(c.start, length)) for c in problem.candidates)
        raise DateProblem(problem.reason, longer) from None
    return reading_of(start, _after(start, length), rules)


def _anchor(item: DateItem, rules: DateRules) -> date:
    """A bare day of the month is looked for from the month already spoken of."""
    if item.kind == "day" and item.month is None and rules.known_start is not None:
        return max(rules.today, rules.known_start.replace(day=1))
    return rules.today


def _answers_end(item: DateItem, length: Duration | None, rules: DateRules) -> bool:
    """The first day is known and the last is not: a lone later day answers "until when?"."""
    if rules.known_start is None or rules.known_end is not None or item.role is not None or length:
        return False
    day = _day_or_none(item, replace(rules, today=max(rules.today, rules.known_start)))
    return day is not None and day > rules.known_start


def _read_end_only(item: DateItem, length: Duration | None, rules: DateRules) -> DateReading:
    if length is not None:
        end = resolve(item, rules, rules.today)
        start = end - timedelta(days=_length_days(length, end))
        if start < rules.today:
            raise DateProblem("past")
        return reading_of(start, end, rules)
    if rules.known_start is not None and rules.known_start >= rules.today:
        end = resolve(item, rules, rules.known_start)
        return reading_of(rules.known_start, end, rules)
    end = resolve(item, rules, rules.today)
    return DateReading(status="refused", reason="unreadable", end=end)


def _read_week(item: DateItem, parts: Parts, rules: DateRules) -> DateReading:
    if parts.length is not None:
        return DateReading(status="refused", reason="unreadable", days=_length_days(parts.length, rules.today))
    monday = rules.today - timedelta(days=rules.today.weekday()) + timedelta(days=item.offset_days or 7)
    return reading_of(monday, monday + timedelta(days=7), rules)


def _choice(periods: tuple[DateRange, ...]) -> DateReading:
    if len(periods) == 1:
        return DateReading(status="range", start=periods[0].start, end=periods[0].end)
    return DateReading(status="ambiguous", candidates=periods)


def _read_two(text: str, items: list[DateItem], parts: Parts, rules: DateRules, roles: RoleReader) -> DateReading:
    first, last = items
    if first.role is not None and first.role == last.role:
        raise DateProblem("same_role_twice", _guesses(items, rules))
    if first.role == "end" or (first.role is None and last.role == "start" and not last.joined):
        first, last = last, first
    if roles.moves(text, items[0], items[1]):
        return _read_move(items[0], items[1], rules)
    if first.kind in ("weekend", "week") and last.kind == "day":
        return _read_around(first, last, rules)
    start, end = resolve_range(first, last, rules)
    if last.postposed and first.kind == "weekday" and not first.which and not first.offset_days:
        later = make_range(start + timedelta(days=7), end + timedelta(days=7))
        return DateReading(status="ambiguous", candidates=make_range(start, end) + later)
    reading = reading_of(start, end, rules)
    if not last.joined and roles.listed(text, items):
        return DateReading(status="ambiguous", candidates=make_range(start, end))
    if roles.renamed(text, items):
        return DateReading(status="ambiguous", candidates=make_range(start, start) + make_range(end, end))
    if parts.length is not None and _after(start, parts.length) != end and reading.status == "range":
        other = _after(start, parts.length)
        return DateReading(status="ambiguous", candidates=make_range(start, end) + make_range(start, other))
    return reading


def _read_move(old: DateItem, new: DateItem, rules: DateRules) -> DateReading:
    """One end of the known period is moved; which one, the old day tells. Else it is a question."""
    new = _with_month_of(new, old)
    day = resolve(new, rules, rules.today)
    start, end, was = rules.known_start, rules.known_end, _day_or_none(_with_month_of(old, new), rules)
    if start is None or end is None:
        return _choice((*_guesses([old, new], rules), *make_range(day, day)))
    if was not in (start, end):
        # No end of what is known can have moved: these are the new days.
        return _choice(_guesses([old, new], rules) or make_range(day, day))
    if was == end and day >= start:
        return reading_of(start, day, rules)
    kept = make_range(day, end) if day <= end else ()
    return _choice((*kept, *make_range(day, day + (end - start))))


def _with_month_of(item: DateItem, other: DateItem) -> DateItem:
    if item.kind != "day" or item.month is not None or item.month_shift is not None:
        return item
    return replace(item, month=other.month, year=other.year, month_shift=other.month_shift)


def _read_around(period: DateItem, item: DateItem, rules: DateRules) -> DateReading:
    """ "the week of 12 June", "the weekend of 12 June"."""
    day = resolve(item, rules, rules.today)
    weekend_day = 5 if day.weekday() >= MIDWEEK else -2
    first = day + timedelta(days=(weekend_day if period.kind == "weekend" else 0) - day.weekday())
    start = max(first, rules.today)
    return reading_of(start, max(start, first + timedelta(days=1 if period.kind == "weekend" else 7)), rules)


def corrected(reading: DateReading, dropped: list[DateItem], rules: DateRules) -> DateReading:
    """ "not the 20th, the 22nd": the day taken back tells which end of the known period is meant."""
    start, end, new = rules.known_start, rules.known_end, reading.start
    if reading.status != "start" or new is None or start is None or end is None or len(dropped) != 1:
        return reading
    old = _day_or_none(dropped[0], replace(rules, today=max(rules.today, start.replace(day=1))))
    if old == start and new <= end:
        return reading_of(new, end, rules)
    if old == end and new >= start:
        return reading_of(start, new, rules)
    return reading


def _guesses(items: list[DateItem], rules: DateRules) -> tuple[DateRange, ...]:
    try:
        return make_range(*resolve_range(items[0], items[1], rules))
    except DateProblem:
        return ()


def _read_choice(text: str, items: list[DateItem], rules: DateRules, roles: RoleReader) -> DateReading:
    """ "10-12 June or 15-17 June": offer each range; anything else with so many days is a question."""
    found: list[DateRange] = []
    for index, item in enumerate(items[1:], start=1):
        if item.joined:
            found.extend(make_range(*resolve_range(items[index - 1], item, rules)))
    pairs = sum(item.joined for item in items)
    if len(items) == 4 and pairs == 2 and not roles.has_choice(text, items) and roles.moves(text, items[1], items[2]):
        return reading_of(found[1].start, found[1].end, rules)
    if found and pairs * 2 == len(items) and roles.has_choice(text, items):
        return DateReading(status="ambiguous", candidates=tuple(found))
    if not found and len(items) == 2:
        days = [resolve(item, rules, rules.today) for item in items]
        return DateReading(status="ambiguous", candidates=tuple(DateRange(start=day, end=day) for day in days))
    if not found:
        return _read_days(items, rules)
    raise DateProblem("unreadable", tuple(found[:1]))


def _read_days(items: list[DateItem], rules: DateRules) -> DateReading:
    """ "12th, 13th and 14th": days in a row may mean a return on the last or on the day after."""
    days = [resolve(items[0], rules, rules.today)]
    for item in items[1:]:
        days.append(resolve(item, rules, days[-1]))
    if any((b - a).days != 1 for a, b in pairwise(days)):
        raise DateProblem("unreadable")
    after = days[-1] + timedelta(days=1)
    return DateReading(status="ambiguous", candidates=make_range(days[0], days[-1]) + make_range(days[0], after))
