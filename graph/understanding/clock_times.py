"""Times of day: found and taken out, so that "at 3 in the afternoon" is not the 3rd."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graph.understanding.lexicon import Lexicon, alternatives
from graph.understanding.text import before, blanked


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time of day with its place. `hhmm` is None for "morning" and for a bare "at 3"."""

    start: int
    end: int
    hhmm: str | None


class ClockReader:
    """Finds times of day."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._pm = _after_digit_too(lexicon.words("dates.pm_words"))
        self._am = _after_digit_too(lexicon.words("dates.am_words"))
        self._fixed = lexicon.mapping("dates.fixed_times")
        suffix = alternatives(lexicon.words("dates.clock_suffixes"))
        part = alternatives(lexicon.words("dates.day_parts"))
        at = lexicon.patterns("dates.time_at_patterns")
        month = alternatives(lexicon.months())
        half, past, to = (
            alternatives(lexicon.words(f"dates.{name}")) for name in ("half_past", "quarter_past", "quarter_to")
        )
        number = rf"(?:\d{{1,2}}|{alternatives(w for w, n in lexicon.numbers.items() if 0 < n <= 12 and len(w) > 2)})"
        stop = (
            rf"(?![\w%])(?!\s*(?:{lexicon.text('dates.ordinal_suffix')}|{month}|of\s|/|-\s*\d|\.\d"
            rf"|{alternatives(lexicon.mapping('dates.units'))})(?!\w))(?![/\-]\d|\.\d)"
        )
        lead = rf"(?:(?:{part})\s+)?(?:(?:{at})\s+)?(?:(?:{part})\s+)?"
        after = rf"(?:\s*(?:{suffix}|{part})(?!\w))?"
        self._pattern = re.compile(
            rf"(?<!\w){lead}(?:"
            rf"(?P<h1>\d{{1,2}})(?::|h)(?P<m1>\d{{2}})(?!\d){after}"
            rf"|(?P<h2>{number})(?:[.](?P<m2>\d{{2}}))?\s*(?:{suffix})(?!\w)"
            rf"|(?P<rel>(?P<half>{half})|(?P<past>{past})|(?P<to>{to}))\s+(?P<h3>{number})(?!\w){after}"
            rf"|(?:(?P<fixed>{alternatives(self._fixed)})(?!\w))"
            rf")"
        )
        self._loose = re.compile(
            rf"(?<!\w)(?:(?:{part})\s+(?:(?:{at})\s+)?|(?:{at})\s+)(?P<h>{number}){stop}{after}|(?<!\w)(?:{part})(?!\w)"
        )
        self._after_month = re.compile(rf"(?<!\w)(?:{month})\.?\s*$")

    def take_out(self, text: str) -> tuple[str, list[ClockTime]]:
        """The text with times blanked (same length), and the times in order."""
        found: list[ClockTime] = []
        for pattern in (self._pattern, self._loose):
            for match in pattern.finditer(text):
                # "June 10 in the morning" is a date, then a part of the day.
                if self._after_month.search(before(text, match.start())) and match.group()[0].isdigit():
                    continue
                found.append(ClockTime(*match.span(), self._hhmm(match)))
            text = blanked(text, ((time.start, time.end) for time in found), " ")
        return text, sorted(found, key=lambda time: time.start)

    def _hhmm(self, match: re.Match[str]) -> str | None:
        groups = match.groupdict()
        if groups.get("fixed"):
            return self._fixed[groups["fixed"]]
        word = groups.get("h1") or groups.get("h2") or groups.get("h3") or groups.get("h")
        hour = self._lexicon.value_of(word) if word else None
        if hour is None or hour > 24:
            return None
        minute = int(groups.get("m1") or groups.get("m2") or 0)
        late, early = self._pm.search(match.group()), self._am.search(match.group())
        if late and hour < 12:
            hour += 12
        if early and hour == 12:
            hour = 0
        if groups.get("half"):
            minute = 30
        elif groups.get("past"):
            minute = 15
        elif groups.get("to"):
            hour, minute = hour - 1, 45
        known = groups.get("h1") or late or early
        return f"{hour % 24:02d}:{minute:02d}" if known and minute < 60 else None


def _after_digit_too(words: tuple[str, ...]) -> re.Pattern[str]:
    """ "9am" has no space before "am"."""
    return re.compile(rf"(?<![^\W\d])(?:{alternatives(words)})(?!\w)")
