"""Words -> date-like items with their place in the text. Nothing is resolved here."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from graph.understanding.lexicon import Lexicon, alternatives, join_patterns

Role = Literal["start", "end"]
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
    use: Literal["length", "longer", "later", "earlier"] = "length"


class DateLexer:
    """Finds date items and durations with patterns built once from a lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._months = lexicon.months()
        self._weekdays = lexicon.weekdays()
        self._relative = {word: int(value) for word, value in lexicon.mapping("dates.relative").items()}
        self._units = lexicon.mapping("dates.units")
        self._suffix = lexicon.text("dates.ordinal_suffix")
        self._next = frozenset(lexicon.words("dates.next_words"))
        self._patterns = self._build()
        self._lead_in = re.compile(rf"(?:{lexicon.patterns('dates.month_lead_patterns')})\s+(?:the\s+)?$")
        self._past_lead = re.compile(rf"(?<!\w)(?:{lexicon.patterns('dates.past_lead_patterns')})\s+$")
        self._whole = re.compile(rf"(?<!\w)(?:{lexicon.patterns('dates.whole_patterns')})\s+(?:the\s+)?$")
        self._next_month = lexicon.compiled("dates.next_month_patterns")
        self._rate_lead = re.compile(rf"(?:{lexicon.patterns('dates.rate_lead_patterns')})\s*$|[$€£\d]\s*$")
        self._ahead = re.compile(rf"\s+(?:{lexicon.patterns('dates.ahead_patterns')})(?!\w)")
        self._later = re.compile(rf"\s*(?:{lexicon.patterns('dates.later_patterns')})(?!\w)")
        self._earlier = re.compile(rf"\s*(?:{lexicon.patterns('dates.earlier_patterns')})(?!\w)")
        self._longer = re.compile(rf"\s*(?:{lexicon.patterns('dates.longer_patterns')})(?!\w)")
        self._extend = re.compile(rf"(?<!\w)(?:{lexicon.patterns('dates.extend_patterns')})\s+$")
        self._for = re.compile(rf"(?<!\w)(?:{lexicon.patterns('dates.duration_lead_patterns')})\s+$")
        self._duration = self._duration_pattern()

    def _build(self) -> list[tuple[str, re.Pattern[str]]]:
        lex = self._lexicon
        month = f"(?P<month>{alternatives(self._months)})\\.?"
        weekday = alternatives(self._weekdays)
        wd_before = rf"(?:(?P<wd>{weekday})\.?s?\s*[,.]?\s*(?:the\s+|on\s+the\s+)?)?"
        wd_after = rf"(?:\s*[,(]?\s*(?:on\s+a\s+|a\s+)?(?P<wd2>{weekday})(?!\w)\)?)?"
        ordinal = alternatives(lex.ordinals)
        day = rf"(?:(?P<d>\d{{1,2}})\s?(?:{self._suffix})?|(?P<ord>{ordinal}))"
        year = r"(?:\s*,?\s*(?P<year>20\d\d|25[4-9]\d|'\d\d)(?![\d-]))?"
        units = alternatives(self._units)
        this = alternatives(lex.words("dates.this_words"))
        nxt = alternatives(self._next)
        glue = rf"\s*(?:{join_patterns(lex.words('dates.date_glue_patterns'))}|[-,./])?\s*(?:the\s+)?"
        tail_next = lex.patterns("dates.next_week_tail_patterns")
        tail_this = lex.patterns("dates.this_week_tail_patterns")
        shift = (
            rf"\s+(?:of\s+)?(?:the\s+)?(?P<shift>{lex.patterns('dates.next_month_patterns')}"
            rf"|{lex.patterns('dates.this_month_patterns')})"
        )
        texts = [
            ("iso", r"(?<![\d-])(?P<year>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?![\d])"),
            (
                "numeric",
                rf"(?<![\d.,/:-]){wd_before}(?P<a>\d{{1,2}})(?P<sep>[./-])(?P<b>\d{{1,2}})"
                rf"(?:(?P=sep)(?P<year>\d{{4}}|\d{{2}}))?(?![\d%])(?![./:-]\d)",
            ),
            (
                "md",
                rf"(?<!\w){wd_before}{month}\s*[,.]?\s*(?:the\s+)?{day}(?![\d:]|[.,]\d)(?!\w)(?!\s*(?:{units})\b){year}{wd_after}",
            ),
            ("dm", rf"(?<![\w.,:/]){wd_before}(?:the\s+)?{day}{glue}{month}(?!\w){year}{wd_after}"),
            ("day_shift", rf"(?<!\w){wd_before}(?:the\s+)?{day}{shift}(?!\w)"),
            ("relative", rf"(?<!\w)(?P<rel>{alternatives(self._relative)})(?!\w)"),
            (
                "in_n",
                rf"(?<!\w)in\s+(?P<n>{lex.number_pattern()})\s+(?P<unit>{alternatives(self._units)})(?:'|s')?"
                rf"(?:\s+time)?(?!\w)",
            ),
            (
                "n_from",
                rf"(?<!\w)(?P<n>{lex.number_pattern()})\s+(?P<unit>{alternatives(self._units)})\s+"
                rf"(?:{lex.patterns('dates.from_now_patterns')}"
                rf"|(?:{lex.patterns('dates.anchor_patterns')})\s+(?P<wd>{weekday}|tomorrow))(?!\w)",
            ),
            (
                "weekend",
                rf"(?<!\w)(?:(?:the\s+)?(?P<which>{this}|{nxt})\s+)?(?P<we>"
                rf"{alternatives(lex.words('dates.weekend_words'))})(?!\w)"
                rf"(?P<after>\s+(?:{lex.patterns('dates.after_next_patterns')}))?",
            ),
            (
                "weekday",
                rf"(?<!\w)(?:(?P<tail0>{tail_next})\s+(?:on\s+)?)?(?:(?:the\s+)?(?P<which>{this}|{nxt})\s+)?"
                rf"(?P<wd>{weekday})(?!\w)(?:\s+(?:(?P<tailn>{tail_next})|(?P<tailt>{tail_this}))(?!\w))?",
            ),
            ("week", rf"(?<!\w)(?:{lex.patterns('dates.week_period_patterns')})(?!\w)"),
            ("month", rf"(?<!\w)(?:(?P<which>{nxt})\s+)?{month}(?:\s+(?P<year>20\d\d))?(?!\w)"),
            ("next_month", rf"(?<!\w)(?:{lex.patterns('dates.next_month_patterns')})(?!\w)"),
            ("bare", rf"(?<![\w.,:/#]){wd_before}(?:the\s+)?(?P<d>\d{{1,2}})\s?(?:{self._suffix})(?!\w)"),
            ("the_ord", rf"(?<!\w){wd_before}the\s+(?:(?P<ord>{ordinal})|(?P<d>\d{{1,2}})(?![\d:.,/]))(?!\w)"),
        ]
        return [(name, re.compile(text)) for name, text in texts]

    def _duration_pattern(self) -> re.Pattern[str]:
        number = self._lexicon.number_pattern()
        more = self._lexicon.patterns("dates.longer_patterns")
        units = alternatives(self._units)
        return re.compile(
            rf"(?<![\w.,])(?P<n>{number})[\s-]*(?:(?P<more>{more})\s+)?(?:full\s+|whole\s+)?(?P<unit>{units})(?!\w)"
            rf"|(?<!\w)(?P<more2>{more})\s+(?P<unit2>{units})(?!\w)|(?<!\w)for\s+the\s+(?P<one>{units})(?!\w)"
        )

    def items(self, text: str) -> tuple[list[DateItem], str]:
        """All items in the order of the text, and the text with them masked."""
        found: list[DateItem] = []
        masked = text
        for name, pattern in self._patterns:
            for match in pattern.finditer(masked):
                item = self._item(name, match, text)
                if item is not None:
                    found.append(item)
            for item in found:
                masked = masked[: item.start] + "\x1e" * (item.end - item.start) + masked[item.end :]
        return sorted(found, key=lambda item: item.start), masked

    def durations(self, text: str) -> list[Duration]:
        """All lengths of time that are not a rate ("a day") and not a distance from a day ("2 days before")."""
        found = []
        for match in self._duration.finditer(text):
            length = self._length(match, text)
            if length is not None:
                found.append(length)
        return found

    def _length(self, match: re.Match[str], text: str) -> Duration | None:
        before, after = text[: match.start()], text[match.end() :]
        word = match["n"] or "one"
        unit = self._units[re.sub(r"\s+", " ", match["unit"] or match["unit2"] or match["one"])]
        count = 1 if match["n"] is None else self._lexicon.value_of(word)
        if count is None or count == 0 or self._ahead.match(after):
            return None
        later, earlier = self._later.match(after), self._earlier.match(after)
        longer = bool(match["more"] or match["more2"] or self._longer.match(after) or self._extend.search(before))
        bare_article = match["n"] in ("a", "an") and not (later or earlier or longer)
        if bare_article and unit in ("day", "week", "month") and self._is_rate(before, unit):
            return None
        days, months = self._days(count, unit)
        use: Literal["length", "longer", "later", "earlier"] = "length"
        if longer:
            use = "longer"
        elif later and (later := later):
            use = "later"
        elif earlier:
            use = "earlier"
        tail = later or earlier or (self._longer.match(after) if longer else None)
        return Duration(match.start(), match.end() + (tail.end() if tail else 0), days, months, use)

    def _is_rate(self, before: str, unit: str) -> bool:
        if self._rate_lead.search(before) or before.endswith(("\x1f ", "\x1f")):
            return True
        return unit == "day" and not self._for.search(before)

    def _days(self, count: int, unit: str) -> tuple[int, int]:
        if unit == "month":
            return 0, count
        if unit == "hour":
            return max(1, -(-count // 24)), 0
        return count * {"day": 1, "week": 7, "fortnight": 14}[unit], 0

    def _item(self, name: str, match: re.Match[str], text: str) -> DateItem | None:
        groups = match.groupdict()
        base = DateItem("day", *match.span(), weekday=self._weekday(groups))
        if name in ("iso", "numeric"):
            return self._from_digits(name, base, groups)
        if name in ("md", "dm"):
            return replace(base, day=self._day(groups), month=self._month(groups), year=_year(groups.get("year")))
        if name == "day_shift":
            return replace(base, day=self._day(groups), month_shift=self._shift(groups["shift"]))
        if name in ("bare", "the_ord"):
            return replace(base, day=self._day(groups))
        if name in ("month", "next_month"):
            return self._from_month(name, base, groups, text)
        return self._from_words(name, base, groups, text)

    def _from_digits(self, name: str, base: DateItem, groups: dict[str, str | None]) -> DateItem | None:
        if name == "iso":
            year, month, day = (int(groups[key] or 0) for key in ("year", "m", "d"))
            return replace(base, day=day, month=month, year=_gregorian(year))
        first, second = int(groups["a"] or 0), int(groups["b"] or 0)
        possible = (1 <= first <= 31 and 1 <= second <= 12) or (1 <= first <= 12 and 1 <= second <= 31)
        plain = groups["year"] is None
        if not possible or (first, second, groups["sep"]) == (24, 7, "/"):
            return None
        if plain and groups["sep"] == "." and len(groups["b"] or "") < 2:
            return None
        return replace(base, kind="numeric", pair=(first, second), year=_year(groups["year"]))

    def _from_month(self, name: str, base: DateItem, groups: dict[str, str | None], text: str) -> DateItem | None:
        if name == "next_month":
            return replace(base, kind="month", month_shift=1)
        before = text[: base.start]
        led = bool(self._lead_in.search(before) or groups["which"] or groups["year"])
        alone = not text[base.end :].strip(" .?!") and not before.strip()
        if not led and not alone:
            return None
        which: Literal["", "past", "whole"] = "past" if self._past_lead.search(before) else ""
        if self._whole.search(before):
            which = "whole"
        return replace(base, kind="month", month=self._month(groups), year=_year(groups["year"]), which=which)

    def _from_words(self, name: str, base: DateItem, groups: dict[str, str | None], text: str) -> DateItem | None:
        past = bool(self._past_lead.search(text[: base.start]))
        if name == "relative":
            word = re.sub(r"\s+", " ", groups["rel"] or "")
            return replace(base, kind="offset", offset_days=self._relative[word], weekday=None)
        if name in ("in_n", "n_from"):
            return self._from_distance(base, groups)
        if past:
            return replace(base, kind="offset", offset_days=-1, weekday=None, which="past")
        if name == "week":
            return replace(base, kind="week", which="next")
        if name == "weekend":
            which = self._which(groups)
            later = groups["after"] is not None
            return replace(base, kind="weekend", which="next" if later else which, offset_days=7 if later else 0)
        in_next_week = groups["tail0"] or groups["tailn"]
        which = "this" if groups["tailt"] else self._which(groups)
        return replace(base, kind="weekday", which=which, offset_days=7 if in_next_week else None)

    def _from_distance(self, base: DateItem, groups: dict[str, str | None]) -> DateItem | None:
        count = self._lexicon.value_of(groups["n"] or "")
        if count is None:
            return None
        days, months = self._days(count, self._units[groups["unit"] or ""])
        if anchor in self._weekdays:
            return replace(
                base, kind="shift_from", weekday=self._weekdays[anchor], offset_days=days, offset_months=months
            )
        days += self._relative.get(anchor or "", 0)
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
        word = re.sub(r"\s+", " ", groups.get("ord") or "")
        return self._lexicon.ordinals.get(word)

    def _month(self, groups: dict[str, str | None]) -> int | None:
        return self._months.get((groups["month"] or "").rstrip(".")) or self._months.get(groups["month"] or "")

    def _shift(self, words: str | None) -> int:
        return 1 if self._next_month.fullmatch(words or "") else 0


def _year(digits: str | None) -> int | None:
    if not digits:
        return None
    number = int(digits.strip("'"))
    return _gregorian(number + 2000 if number < 100 else number)


def _gregorian(year: int) -> int:
    """Years of the Thai calendar are 543 ahead."""
    return year - 543 if 2540 <= year < 2640 else year
