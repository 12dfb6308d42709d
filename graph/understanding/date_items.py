"""Words -> date-like items with their place in the text. Nothing is resolved here."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from graph.understanding.date_lengths import length_of
from graph.understanding.date_words import DateWords, one_space
from graph.understanding.text import before, blanked

Role = Literal["start", "end"]
ItemKind = Literal["day", "numeric", "weekday", "offset", "weekend", "week", "month", "rest", "nth_week", "nth_weekday"]
Which = Literal["", "this", "next", "past", "whole"]
Groups = dict[str, str | None]


@dataclass(frozen=True, slots=True)
class DateItem:
    """One date-like thing. Which fields are set depends on `kind`.

    `day`: day, perhaps month and year, perhaps weekday. `numeric`: `pair` still without an order.
    `weekday`: weekday and `which`. `offset`: days (or months) from today. `weekend`, `week`: `which`, `offset_days`.
    `month`: a month without a day. `rest`: what is left of the current `unit`. `nth_week`: week `day` of a month.
    `nth_weekday`: weekday number `day` of a month.
    """

    kind: ItemKind
    start: int
    end: int
    day: int | None = None
    month: int | None = None
    year: int | None = None
    weekday: int | None = None
    pair: tuple[int, int] | None = None
    offset_days: int | None = None
    offset_months: int = 0
    which: Which = ""
    month_shift: int | None = None
    """Months from the current one, for "the 10th of next month"."""
    role: Role | None = None
    joined: bool = False
    """Joined to the item before it by a range sign or word, with nothing else between."""
    unit: str = ""
    postposed: bool = False
    """Its "next" stands behind it and may be meant for both ends ("lundi à mercredi prochain")."""


_DASH_AFTER = re.compile(r"\.?\s*-\s*\d")
_TAKEN = "\x02"
"""Stands where an item was found; unlike a space, no shape reads across it."""
_WEEKDAY_BEFORE = r"(?:{wd}\.?\s*,?\s*(?:(?:{lead})\s*)?)?"
_ISO = r"(?<![\d-])(?P<year>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?![\d])"
_NUMERIC = (
    rf"(?<![\w.,/:]){_WEEKDAY_BEFORE}(?P<a>\d{{1,2}})(?P<sep>[./])\s?(?P<b>\d{{1,2}})"
    r"(?:(?P=sep)\s?(?P<year>\d{4}|\d{2}))?(?![\w%])(?![./:]\d)"
)
_DASHED = rf"(?<![\w.,/:-]){_WEEKDAY_BEFORE}(?P<a>\d{{1,2}})(?P<sep>-)(?P<b>\d{{1,2}})-(?P<year>\d{{4}})(?![\w-])"
_DIGIT_SHAPES = [("iso", _ISO), ("numeric", _NUMERIC), ("numeric", _DASHED)]


_WITHOUT_LEAD = frozenset({"day", "numeric", "weekday"})


@dataclass(frozen=True, slots=True)
class _Shape:
    kind: str
    pattern: re.Pattern[str]
    not_after: re.Pattern[str] | None = None
    only_after: re.Pattern[str] | None = None


class DateLexer:
    """Finds date items with patterns built once from the words of a language."""

    def __init__(self, words: DateWords) -> None:
        self._words = words
        digits = [_Shape(kind, re.compile(words.fill(text))) for kind, text in _DIGIT_SHAPES]
        self._shapes = digits + [_shape(shape) for shape in words.shapes("shapes")]
        self._next_month = words.whole("next_month_patterns")
        self._month_lead = words.leading("month_lead_patterns")
        self._past_lead = words.leading("past_lead_patterns", r"\s*$")
        self._past_behind = words.trailing("past_behind_patterns")
        self._whole = words.leading("whole_patterns")
        self._day_lead = re.compile(rf"(?<!\w)(?:{words.day_lead}|{words.patterns('start_preps')})\s*$")
        self._dotted = words.flag("dotted_dates")
        self._thai_short_years = words.flag("buddhist_short_years")

    def items(self, text: str) -> tuple[list[DateItem], str]:
        """All items in the order of the text, and the text with them masked."""
        found: list[DateItem] = []
        masked = text
        for shape in self._shapes:
            fresh = [item for match in shape.pattern.finditer(masked) if (item := self._found(shape, match, text))]
            if fresh:
                found.extend(fresh)
                masked = blanked(masked, ((item.start, item.end) for item in fresh), _TAKEN)
        return sorted(found, key=lambda item: item.start), masked

    def _found(self, shape: _Shape, match: re.Match[str], text: str) -> DateItem | None:
        lead = before(text, match.start()) if shape.not_after or shape.only_after else ""
        if shape.not_after is not None and shape.not_after.search(lead):
            return None
        if shape.only_after is not None and not shape.only_after.search(lead):
            return None
        return self._item(shape.kind, match, text)

    def _item(self, kind: str, match: re.Match[str], text: str) -> DateItem | None:
        groups = match.groupdict()
        start = _start_of(match) if kind in _WITHOUT_LEAD else match.start()
        base = DateItem("day", start, match.end(), weekday=self._weekday(groups))
        if kind == "iso":
            digits = {key: int(groups[key] or 0) for key in ("year", "m", "d")}
            return replace(base, day=digits["d"], month=digits["m"], year=_gregorian(digits["year"]))
        if kind == "numeric":
            return self._from_digits(base, groups, match)
        if kind == "day":
            shift = self._shift(groups)
            day, month, year = self._day(groups), self._month(groups), self._year(groups)
            return replace(base, day=day, month=month, year=year, month_shift=shift)
        if kind == "holiday":
            month, day = self._words.holidays[one_space(groups["holiday"])]
            return replace(base, day=day, month=month, year=self._year(groups))
        if kind == "month":
            return self._from_month(base, groups, text)
        return self._from_words(kind, base, groups, text)

    def _from_digits(self, base: DateItem, groups: Groups, match: re.Match[str]) -> DateItem | None:
        first, second = int(groups["a"] or 0), int(groups["b"] or 0)
        possible = (1 <= first <= 31 and 1 <= second <= 12) or (1 <= first <= 12 and 1 <= second <= 31)
        plain = groups["year"] is None
        # "24/7" is not the 24th of July; "1.5" and "4.5" are amounts.
        if not possible or (plain and (first, second, groups["sep"]) == (24, 7, "/")):
            return None
        spaced = match.string[match.end("a") + 1] == " "
        short = plain and groups["sep"] == "." and (len(groups["b"] or "") < 2 or spaced)
        told = self._is_dotted_day(match) or (not spaced and _in_range(match))
        if (short and not told) or (spaced and not self._dotted):
            return None
        return replace(base, kind="numeric", pair=(first, second), year=self._year(groups))

    def _is_dotted_day(self, match: re.Match[str]) -> bool:
        """Where dates are written "10.6.", a dot behind the month or a word before the day tells them from amounts."""
        behind = match.string[match.end() : match.end() + 1] == "."
        return self._dotted and (behind or self._day_lead.search(before(match.string, match.start("a"))) is not None)

    def _from_month(self, base: DateItem, groups: Groups, text: str) -> DateItem | None:
        shift = self._shift(groups)
        if shift is not None:
            return replace(base, kind="month", month_shift=shift)
        lead = before(text, base.start)
        led = bool(self._month_lead.search(lead) or groups.get("which") or groups.get("year"))
        alone = not text[base.end :].strip(" .?!") and not lead.strip()
        which: Which = "past" if self._past_lead.search(lead) or self._is_past(text, base) else ""
        if self._whole.search(lead):
            which = "whole"
        if not led and not alone and not which:
            return None
        return replace(base, kind="month", month=self._month(groups), year=self._year(groups), which=which)

    def _is_past(self, text: str, item: DateItem) -> bool:
        return self._past_behind.match(text, item.end) is not None

    def _from_words(self, kind: str, base: DateItem, groups: Groups, text: str) -> DateItem | None:
        if kind == "relative":
            offset = self._words.relative[one_space(groups["rel"])]
            return replace(base, kind="offset", offset_days=offset, weekday=None)
        if kind == "distance":
            return self._from_distance(base, groups)
        if kind == "rest":
            return replace(base, kind="rest", unit=self._words.units[one_space(groups["unit"])])
        if kind in ("nth_week", "nth_weekday"):
            number, shift = self._day(groups), self._shift(groups)
            named: ItemKind = "nth_week" if kind == "nth_week" else "nth_weekday"
            return replace(base, kind=named, day=number, month=self._month(groups), month_shift=shift)
        if self._past_lead.search(before(text, base.start)) or self._is_past(text, base):
            return replace(base, kind="offset", offset_days=-1, weekday=None, which="past")
        return self._from_week(kind, base, groups)

    def _from_week(self, kind: str, base: DateItem, groups: Groups) -> DateItem | None:
        shift = self._week_shift(groups)
        if kind == "week" and shift == 0:
            return None
        if kind == "week":
            return replace(base, kind="week", which="next", offset_days=7 * (shift or 1))
        if kind == "weekend":
            weeks = (2 if groups.get("after") else 0) + (shift or 0)
            return replace(base, kind="weekend", which=self._which(groups), offset_days=7 * weeks)
        which = "this" if shift == 0 else self._which(groups)
        behind = which == "next" and not groups.get("which")
        return replace(base, kind="weekday", which=which, offset_days=7 * shift if shift else None, postposed=behind)

    def _week_shift(self, groups: Groups) -> int | None:
        words = groups.get("week0") or groups.get("week")
        return self._words.week_shifts.get(one_space(words)) if words else None

    def _from_distance(self, base: DateItem, groups: Groups) -> DateItem | None:
        if groups.get("fixed"):
            days = self._words.lengths[one_space(groups["fixed"])]
            return replace(base, kind="offset", offset_days=days, weekday=None)
        word = groups.get("n")
        count = self._words.value_of(word) if word else 1
        if count is None:
            return None
        unit = self._words.units[one_space(groups["unit"])]
        days, months = (count // 24, 0) if unit == "hour" else length_of(count, unit)
        return replace(base, kind="offset", offset_days=days, offset_months=months, weekday=None)

    def _which(self, groups: Groups) -> Which:
        said = [word for name in ("which", "which2") if (word := groups.get(name))]
        if not said:
            return ""
        return "next" if any(one_space(word) in self._words.next for word in said) else "this"

    def _weekday(self, groups: Groups) -> int | None:
        word = groups.get("wd") or groups.get("wd2")
        return self._words.weekdays.get(one_space(word)) if word else None

    def _day(self, groups: Groups) -> int | None:
        if groups.get("d"):
            return self._words.value_of(one_space(groups["d"]))
        return self._words.ordinals.get(one_space(groups.get("ord")))

    def _month(self, groups: Groups) -> int | None:
        digits = groups.get("m")
        if digits:
            return self._words.value_of(digits)
        word = one_space(groups.get("month"))
        return self._words.months.get(word) or self._words.months.get(word.rstrip("."))

    def _shift(self, groups: Groups) -> int | None:
        words = groups.get("shift")
        if not words:
            return None
        return 1 if self._next_month.fullmatch(words) else 0

    def _year(self, groups: Groups) -> int | None:
        digits = groups.get("year")
        if not digits:
            return None
        number = int(digits.strip("'"))
        if number >= 100:
            return _gregorian(number)
        buddhist = _gregorian(2500 + number)
        return buddhist if self._thai_short_years and buddhist < 2500 else 2000 + number


def _shape(shape: dict[str, str]) -> _Shape:
    leads = {key: re.compile(rf"(?:{shape[key]})$") for key in ("not_after", "only_after") if key in shape}
    return _Shape(shape["kind"], re.compile(shape["pattern"]), **leads)


def _start_of(match: re.Match[str]) -> int:
    """Where the day itself begins: the small words before it belong to whoever reads its role."""
    return min((match.start(name) for name, text in match.groupdict().items() if text), default=match.start())


def _in_range(match: re.Match[str]) -> bool:
    """ "20.6.-27.6.": beside a dash a one-digit month is no decimal."""
    return bool(
        _DASH_AFTER.match(match.string, match.end()) or before(match.string, match.start()).rstrip().endswith("-")
    )


def _gregorian(year: int) -> int:
    """Years of the Thai calendar are 543 ahead."""
    return year - 543 if 2540 <= year < 2640 else year
