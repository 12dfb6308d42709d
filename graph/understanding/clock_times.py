"""Times of day: found and taken out, so that "at 3 in the afternoon" is not the 3rd."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graph.understanding.date_words import DateWords, one_space
from graph.understanding.lexicon import alternatives
from graph.understanding.text import LOOK_BACK_CHARS, before, blanked


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time of day with its place. `hhmm` is None for "morning" and for a bare "at 3"."""

    start: int
    end: int
    hhmm: str | None


class ClockReader:
    """Finds times of day."""

    def __init__(self, words: DateWords) -> None:
        self._words = words
        self._pm = _after_digit_too(words.words("pm_words"))
        self._am = _after_digit_too(words.words("am_words"))
        self._fixed = words.table("fixed_times")
        self._whole_day = words.flag("clock_of_24_hours")
        suffix = alternatives(words.words("clock_suffixes"))
        part = alternatives(words.words("day_parts"))
        at = words.patterns("time_at_patterns")
        half, past, to, half_to = (
            alternatives(words.words(name)) for name in ("half_past", "quarter_past", "quarter_to", "half_to")
        )
        marks, minute = alternatives(words.words("clock_marks")), alternatives(words.words("minute_words"))
        number = rf"(?:\d{{1,2}}|{alternatives(words.hour_words())})"
        stop = (
            rf"(?![\w%])(?!\s*(?:{words.suffix}|{words.fill('{months}')}|{words.patterns('not_clock_patterns')}|/"
            rf"|-\s*\d|\.\d|{alternatives(words.units)})(?!\w))(?![/\-]\d|\.\d)"
        )
        day_and = alternatives(words.words("and_words"))
        lead = rf"(?:(?:{part})\s+)?(?:(?:{at})\s+)?(?:(?:{part})\s+)?"
        after = rf"(?:\s*(?:{minute})(?!\w))?(?:\s*(?:{suffix}|{part})(?!\w))?"
        self._pattern = re.compile(
            rf"(?<!\w){lead}(?:"
            rf"(?P<h1>\d{{1,2}})(?::|\s?(?:{marks})\s?)(?P<m1>\d{{2}})(?!\d){after}"
            rf"|(?P<from>\d{{1,2}}(?::\d\d)?\s*(?:{words.patterns('connector_patterns')}|{day_and})\s*)?"
            rf"(?P<h2>{number})(?:[.](?P<m2>\d{{2}}))?\s*(?:{suffix})(?!\w)"
            rf"(?:\s*(?P<half2>{alternatives(words.words('half_behind'))})(?!\w))?(?:\s*(?:{part})(?!\w))?"
            rf")|(?<!\w)(?:{at})\s+(?P<h4>{number})\s*(?:{alternatives(words.words('led_clock_suffixes'))})(?!\w)"
            rf"|(?<!\w){lead}(?:"
            rf"(?P<rel>(?P<half>{half})|(?P<past>{past})|(?P<to>{to})|(?P<half_to>{half_to}))"
            rf"\s+(?P<h3>{number})(?!\w){after}"
            rf"|(?:(?P<fixed>{alternatives(self._fixed)})(?!\w))"
            rf")"
        )
        self._loose = re.compile(
            rf"(?<!\w)(?:(?:{part})\s+(?:(?:{at})\s+)?|(?:{at})\s+)(?P<h>{number}){stop}{after}|(?<!\w)(?:{part})(?!\w)"
        )
        self._relative = re.compile(rf"(?<!\w)(?:{words.fill('{relative}')})(?!\w)")
        self._after_month = re.compile(rf"(?<!\w)(?:{words.fill('{months}')})\.?\s*$")

    def take_out(self, text: str) -> tuple[str, list[ClockTime]]:
        """The text with times blanked (same length), and the times in order."""
        found: list[ClockTime] = []
        for pattern in (self._pattern, self._loose):
            for match in pattern.finditer(text):
                start = self._start(match, text)
                if start is not None:
                    found.append(ClockTime(start, match.end(), self._hhmm(match)))
            text = blanked(text, ((time.start, time.end) for time in found), " ")
        return text, sorted(found, key=lambda time: time.start)

    def _start(self, match: re.Match[str], text: str) -> int | None:
        """Where the time begins; None when it is none. What belongs to a day stays with the day."""
        start = match.start()
        lead = before(text, start)
        for day in self._relative.finditer(text, max(0, start - LOOK_BACK_CHARS), match.end()):
            # "this morning at 7" is a day, then a time.
            if day.start() <= start < day.end():
                start = day.end()
        if start >= match.end():
            return None
        if match.group()[0].isdigit() and self._after_month.search(lead):
            # "June 10 in the morning" is a date, then a part of the day.
            return match.start("h2") if _has(match, "from") else None
        return start

    def _hhmm(self, match: re.Match[str]) -> str | None:
        groups = match.groupdict()
        if groups.get("fixed"):
            return self._fixed[one_space(groups["fixed"])]
        word = groups.get("h1") or groups.get("h2") or groups.get("h3") or groups.get("h4") or groups.get("h")
        hour = self._words.value_of(word) if word else None
        if hour is None or hour > 24:
            return None
        late, early = self._pm.search(match.group()), self._am.search(match.group())
        if late and hour < 12:
            hour += 12
        if early and hour == 12:
            hour = 0
        hour, minute = _with_part_of_hour(hour, groups)
        spoken_in_full = self._whole_day and groups.get("h2")
        known = groups.get("h1") or late or early or spoken_in_full
        return f"{hour % 24:02d}:{minute:02d}" if known and minute < 60 else None


def _has(match: re.Match[str], name: str) -> bool:
    return name in match.re.groupindex and match[name] is not None


def _with_part_of_hour(hour: int, groups: dict[str, str | None]) -> tuple[int, int]:
    if groups.get("half") or groups.get("half2"):
        return hour, 30
    if groups.get("half_to"):
        return hour - 1, 30
    if groups.get("past"):
        return hour, 15
    if groups.get("to"):
        return hour - 1, 45
    return hour, int(groups.get("m1") or groups.get("m2") or 0)


def _after_digit_too(words: tuple[str, ...]) -> re.Pattern[str]:
    """ "9am" has no space before "am"."""
    return re.compile(rf"(?<![^\W\d])(?:{alternatives(words)})(?!\w)")
