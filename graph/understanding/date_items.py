"""Words -> date-like items with their place in the text. Nothing is resolved here."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from graph.understanding.lexicon import Lexicon, alternatives
from graph.understanding.text import LOOK_BACK_CHARS, MASK, before, blanked

Role = Literal["start", "end"]
LengthUse = Literal["length", "longer", "shorter", "later", "earlier", "start_later", "start_earlier"]
ItemKind = Literal["day", "numeric", "weekday", "offset", "weekend", "week", "month"]


@dataclass(frozen=True, slots=True)
class DateItem:
    """One date-like thing. Which fields are set depends on `kind`.

    `day`: day, perhaps month and year, perhaps weekday. `numeric`: `pair` still without an order.
    `weekday`: weekday and `which`. `offset`: days (or months) from today. `weekend`, `week`: `which`.
    `month`: a month without a day.
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
    which: Literal["", "this", "next", "past", "whole"] = ""
    month_shift: int | None = None
    """Months from the current one, for "the 10th of next month"."""
    role: Role | None = None
    joined: bool = False
    """Joined to the item before it by a range sign or word, with nothing else between."""


@dataclass(frozen=True, slots=True)
class Duration:
    """A length: `days`, or `months` of the calendar; `use` tells what it is for."""

    start: int
    end: int
    days: int
    months: int = 0
    use: LengthUse = "length"


_DASH_AFTER = re.compile(r"\.?\s*-\s*\d")
_MAX_LENGTHS = 6
_TAKEN = "\x1e"
_WEEKDAY_BEFORE = r"(?:{wd}\.?\s*,?\s*)?"
_ISO = r"(?<![\d-])(?P<year>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?![\d])"
_NUMERIC = (
    rf"(?<![\w.,/:]){_WEEKDAY_BEFORE}(?P<a>\d{{1,2}})(?P<sep>[./])(?P<b>\d{{1,2}})"
    r"(?:(?P=sep)(?P<year>\d{4}|\d{2}))?(?![\w%])(?![./:]\d)"
)
_DASHED = rf"(?<![\w.,/:-]){_WEEKDAY_BEFORE}(?P<a>\d{{1,2}})(?P<sep>-)(?P<b>\d{{1,2}})-(?P<year>\d{{4}})(?![\w-])"
_DIGIT_SHAPES = [("iso", _ISO), ("numeric", _NUMERIC), ("numeric", _DASHED)]


class DateLexer:
    """Finds date items and durations with patterns built once from a lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._months = lexicon.months()
        self._weekdays = lexicon.weekdays()
        self._relative = {word: int(value) for word, value in lexicon.mapping("dates.relative").items()}
        self._units = lexicon.mapping("dates.units")
        self._next = frozenset(lexicon.words("dates.next_words"))
        self._macros = self._make_macros()
        shapes = [(shape["kind"], shape["pattern"]) for shape in lexicon.shapes("dates.shapes")]
        self._shapes = [(kind, re.compile(self._fill(text))) for kind, text in _DIGIT_SHAPES + shapes]
        lengths = [shape["pattern"] for shape in lexicon.shapes("dates.lengths")]
        self._lengths = [re.compile(self._fill(text)) for text in lengths]
        self._next_month = lexicon.compiled("dates.next_month_patterns")
        self._month_lead = self._before("month_lead_patterns", r"\s+(?:the\s+)?$")
        self._past_lead = self._before("past_lead_patterns", r"\s+$")
        self._whole = self._before("whole_patterns", r"\s+(?:the\s+)?$")
        self._rate_lead = re.compile(rf"(?:{lexicon.patterns('dates.rate_lead_patterns')})\s*$|[$€£\d]\s*$")
        self._extend = self._before("extend_patterns", r"\s+$")
        self._return = self._before("end_verbs", r"[^.!?]*$")
        self._pick_up = self._before("pick_up_patterns", r"[^.!?]*$")
        self._for = self._before("duration_lead_patterns", r"\s+$")
        self._ahead = self._behind("ahead_patterns")
        self._later = self._behind("later_patterns")
        self._earlier = self._behind("earlier_patterns")
        self._longer = self._behind("longer_patterns")

    def _before(self, name: str, tail: str) -> re.Pattern[str]:
        return re.compile(rf"(?<!\w)(?:{self._lexicon.patterns('dates.' + name)}){tail}")

    def _behind(self, name: str) -> re.Pattern[str]:
        return re.compile(rf"\s*(?:{self._lexicon.patterns('dates.' + name)})(?!\w)")

    def _make_macros(self) -> dict[str, str]:
        lex = self._lexicon
        ordinal = alternatives(lex.ordinals)
        suffix = lex.text("dates.ordinal_suffix")
        weekdays = alternatives(self._weekdays)
        return {
            "month": rf"(?P<month>{alternatives(self._months)})\.?",
            "weekdays": weekdays,
            "wd": f"(?P<wd>{weekdays})",
            "ordinal": ordinal,
            "suffix": suffix,
            "day": rf"(?:(?P<d>\d{{1,2}})\s?(?:{suffix})?|(?P<ord>{ordinal}))",
            "year": r"(?:\s*,?\s*(?P<year>20\d\d|25[4-9]\d|'\d\d)(?![\d-]))?",
            "units": alternatives(self._units),
            "number": lex.number_pattern(),
            "this": alternatives(lex.words("dates.this_words")),
            "next": alternatives(self._next),
            "next_month": lex.patterns("dates.next_month_patterns"),
            "this_month": lex.patterns("dates.this_month_patterns"),
            "relative": alternatives(self._relative),
            "weekend": alternatives(lex.words("dates.weekend_words")),
            "counted": lex.patterns("money.not_money_patterns"),
            "longer": lex.patterns("dates.longer_patterns"),
        }

    def _fill(self, pattern: str) -> str:
        for name, text in self._macros.items():
            pattern = pattern.replace("{" + name + "}", text)
        return pattern

    def items(self, text: str) -> tuple[list[DateItem], str]:
        """All items in the order of the text, and the text with them masked."""
        found: list[DateItem] = []
        masked = text
        for kind, pattern in self._shapes:
            for match in pattern.finditer(masked):
                item = self._item(kind, match, text)
                if item is not None:
                    found.append(item)
            masked = blanked(masked, ((item.start, item.end) for item in found), _TAKEN)
        return sorted(found, key=lambda item: item.start), masked

    def durations(self, text: str) -> list[Duration]:
        """All lengths of time that are not a rate ("a day") and not a distance from a day ("2 days before")."""
        found: list[Duration] = []
        for pattern in self._lengths:
            for match in pattern.finditer(text):
                length = self._length(match, text)
                if length is not None and not any(one.start < length.end and length.start < one.end for one in found):
                    found.append(length)
                if len(found) > _MAX_LENGTHS:
                    return found
        return found

    def _length(self, match: re.Match[str], text: str) -> Duration | None:
        groups = match.groupdict()
        lead, after = before(text, match.start()), text[match.end() : match.end() + LOOK_BACK_CHARS]
        unit = self._units[_one_space(groups["unit"])]
        word = groups.get("n")
        count = self._lexicon.value_of(word) if word else 1
        later, earlier = self._later.match(after), self._earlier.match(after)
        longer = self._longer.match(after)
        moves = later or earlier or longer
        if not count or self._ahead.match(after) or (not moves and self._is_rate(word, unit, lead)):
            return None
        use: LengthUse = "length"
        if groups.get("more") or longer or self._extend.search(lead):
            use = "longer"
        elif later or earlier:
            use = "later" if later else "earlier"
            if self._return.search(lead):
                # "return it one day later" moves the last day only.
                use = "longer" if later else "shorter"
            elif self._pick_up.search(lead):
                use = "start_later" if later else "start_earlier"
        tail = longer or moves
        days, months = self._days(count, unit)
        return Duration(match.start(), match.end() + (tail.end() if tail else 0), days, months, use)

    def _is_rate(self, word: str | None, unit: str, lead: str) -> bool:
        """ "300 a day", "per week": a price for a time, not a length."""
        if word is None or word.isdigit() or self._lexicon.value_of(word) != 1:
            return False
        if self._rate_lead.search(lead) or lead.rstrip().endswith(MASK):
            return True
        return unit == "day" and word != "one" and not self._for.search(lead)

    def _days(self, count: int, unit: str) -> tuple[int, int]:
        if unit == "month":
            return 0, count
        if unit == "hour":
            return max(1, -(-count // 24)), 0
        return count * {"day": 1, "week": 7, "fortnight": 14}[unit], 0

    def _item(self, kind: str, match: re.Match[str], text: str) -> DateItem | None:
        groups = match.groupdict()
        base = DateItem("day", *match.span(), weekday=self._weekday(groups))
        if kind == "iso":
            year, month, day = (int(groups[key] or 0) for key in ("year", "m", "d"))
            return replace(base, day=day, month=month, year=_gregorian(year))
        if kind == "numeric":
            return _from_digits(base, groups, _in_range(match))
        if kind == "day":
            shift = self._shift(groups)
            return replace(
                base, day=self._day(groups), month=self._month(groups), year=_year(groups), month_shift=shift
            )
        if kind == "month":
            return self._from_month(base, groups, text)
        return self._from_words(kind, base, groups, text)

    def _from_month(self, base: DateItem, groups: dict[str, str | None], text: str) -> DateItem | None:
        shift = self._shift(groups)
        if shift is not None:
            return replace(base, kind="month", month_shift=shift)
        lead = before(text, base.start)
        led = bool(self._month_lead.search(lead) or groups["which"] or groups["year"])
        alone = not text[base.end :].strip(" .?!") and not lead.strip()
        which: Literal["", "past", "whole"] = "past" if self._past_lead.search(lead) else ""
        if self._whole.search(lead):
            which = "whole"
        if not led and not alone and not which:
            return None
        return replace(base, kind="month", month=self._month(groups), year=_year(groups), which=which)

    def _from_words(self, kind: str, base: DateItem, groups: dict[str, str | None], text: str) -> DateItem | None:
        if kind == "relative":
            offset = self._relative[_one_space(groups["rel"])]
            return replace(base, kind="offset", offset_days=offset, weekday=None)
        if kind == "distance":
            return self._from_distance(base, groups)
        if self._past_lead.search(before(text, base.start)):
            return replace(base, kind="offset", offset_days=-1, weekday=None, which="past")
        if kind == "week":
            return replace(base, kind="week", which="next")
        if kind == "weekend":
            later = groups["after"] is not None
            return replace(base, kind="weekend", which=self._which(groups), offset_days=7 if later else 0)
        in_next_week = groups["week0"] or groups["week"]
        which = "this" if groups["this_week"] else self._which(groups)
        return replace(base, kind="weekday", which=which, offset_days=7 if in_next_week else None)

    def _from_distance(self, base: DateItem, groups: dict[str, str | None]) -> DateItem | None:
        count = self._lexicon.value_of(groups["n"] or "")
        if count is None:
            return None
        days, months = self._days(count, self._units[_one_space(groups["unit"])])
        return replace(base, kind="offset", offset_days=days, offset_months=months, weekday=None)

    def _which(self, groups: dict[str, str | None]) -> Literal["", "this", "next"]:
        word = groups.get("which")
        if not word:
            return ""
        return "next" if word in self._next else "this"

    def _weekday(self, groups: dict[str, str | None]) -> int | None:
        word = groups.get("wd") or groups.get("wd2")
        return self._weekdays.get(word) if word else None

    def _day(self, groups: dict[str, str | None]) -> int | None:
        if groups.get("d"):
            return int(groups["d"] or 0)
        return self._lexicon.ordinals.get(_one_space(groups.get("ord")))

    def _month(self, groups: dict[str, str | None]) -> int | None:
        word = groups.get("month") or ""
        return self._months.get(word) or self._months.get(word.rstrip("."))

    def _shift(self, groups: dict[str, str | None]) -> int | None:
        words = groups.get("shift")
        if not words:
            return None
        return 1 if self._next_month.fullmatch(words) else 0


def _one_space(words: str | None) -> str:
    return re.sub(r"\s+", " ", words or "")


def _from_digits(base: DateItem, groups: dict[str, str | None], in_range: bool) -> DateItem | None:
    first, second = int(groups["a"] or 0), int(groups["b"] or 0)
    possible = (1 <= first <= 31 and 1 <= second <= 12) or (1 <= first <= 12 and 1 <= second <= 31)
    plain = groups["year"] is None
    # "24/7" is not the 24th of July; "1.5" and "4.5" are amounts.
    if not possible or (plain and (first, second, groups["sep"]) == (24, 7, "/")):
        return None
    if plain and groups["sep"] == "." and len(groups["b"] or "") < 2 and not in_range:
        return None
    return replace(base, kind="numeric", pair=(first, second), year=_year(groups))


def _in_range(match: re.Match[str]) -> bool:
    """ "20.6.-27.6.": beside a dash a one-digit month is no decimal."""
    return bool(
        _DASH_AFTER.match(match.string, match.end()) or before(match.string, match.start()).rstrip().endswith("-")
    )


def _year(groups: dict[str, str | None]) -> int | None:
    digits = groups.get("year")
    if not digits:
        return None
    number = int(digits.strip("'"))
    return _gregorian(number + 2000 if number < 100 else number)


def _gregorian(year: int) -> int:
    """Years of the Thai calendar are 543 ahead."""
    return year - 543 if 2540 <= year < 2640 else year
