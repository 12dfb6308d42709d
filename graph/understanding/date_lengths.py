"""Words -> lengths of time: what is a length, a distance or a price for a time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from graph.understanding.date_words import DateWords, one_space
from graph.understanding.text import LOOK_BACK_CHARS, MASK, before

LengthUse = Literal["length", "longer", "shorter", "later", "earlier", "start_later", "start_earlier", "before"]
_MAX_LENGTHS = 6
_UNIT_DAYS = {"day": 1, "night": 1, "week": 7, "fortnight": 14}


@dataclass(frozen=True, slots=True)
class Duration:
    """A length: `days`, or `months` of the calendar; `use` tells what it is for."""

    start: int
    end: int
    days: int
    months: int = 0
    use: LengthUse = "length"
    nights: bool = False
    """Counted in nights: "3 nights, 4 days" is one length said twice."""


class LengthReader:
    """Finds lengths with patterns built once from the words of a language."""

    def __init__(self, words: DateWords) -> None:
        self._words = words
        self._shapes = [
            (re.compile(shape["pattern"]), _ahead_of(shape)) for shape in words.shapes("lengths") if shape["pattern"]
        ]
        self._rate_lead = re.compile(rf"(?:{words.patterns('rate_lead_patterns')})\s*$|[$€£\d]\s*$")
        self._rate_behind = words.trailing("rate_behind_patterns")
        self._extend = words.leading("extend_patterns")
        self._return = words.leading("end_verbs", r"[^.!?]*$")
        self._pick_up = words.leading("pick_up_patterns", r"[^.!?]*$")
        self._for = words.leading("duration_lead_patterns")
        self._ahead = words.trailing("ahead_patterns")
        self._later = words.trailing("later_patterns")
        self._earlier = words.trailing("earlier_patterns")
        self._longer = words.trailing("longer_patterns")
        self._shorter = words.trailing("shorter_patterns")
        self._later_lead = words.leading("later_leads", r"\s*$")
        self._earlier_lead = words.leading("earlier_leads", r"\s*$")
        self._shorter_lead = words.leading("shorter_leads", r"\s*$")

    def read(self, text: str) -> list[Duration]:
        """All lengths of time that are not a rate ("a day") and not a distance from a day ("2 days before")."""
        found: list[Duration] = []
        for pattern, not_after in self._shapes:
            for match in pattern.finditer(text):
                if not_after is not None and not_after.search(before(text, match.start())):
                    continue
                length = self._length(match, text)
                if length is not None and not any(one.start < length.end and length.start < one.end for one in found):
                    found.append(length)
                if len(found) > _MAX_LENGTHS:
                    return found
        return found

    def _length(self, match: re.Match[str], text: str) -> Duration | None:
        groups = match.groupdict()
        lead, after = before(text, match.start()), text[match.end() : match.end() + LOOK_BACK_CHARS]
        unit, count = self._unit_and_count(groups)
        if not count:
            return None
        if self._ahead.match(after):
            return self._distance(match, count, unit, text)
        use, tail = self._use(groups, lead, after)
        if use == "length" and self._is_rate(groups.get("n"), count, unit, lead, after):
            return None
        days, months = length_of(count, unit)
        return Duration(match.start(), match.end() + tail, days, months, use, nights=unit == "night")

    def _distance(self, match: re.Match[str], count: int, unit: str, text: str) -> Duration | None:
        """ "2 days before ..." is no length; what it is a distance from stands behind it."""
        ahead = self._ahead.match(text, match.end())
        if ahead is None:
            return None
        days, months = length_of(count, unit)
        return Duration(match.start(), ahead.end(), days, months, "before")

    def _unit_and_count(self, groups: dict[str, str | None]) -> tuple[str, int | None]:
        fixed = groups.get("fixed")
        if fixed:
            return "day", self._words.lengths[one_space(fixed)]
        word = groups.get("n")
        return self._words.units[one_space(groups["unit"])], self._words.value_of(word) if word else 1

    def _use(self, groups: dict[str, str | None], lead: str, after: str) -> tuple[LengthUse, int]:
        """What the length is for, and how many letters behind it say so."""
        for pattern, lead_pattern, use in (
            (self._later, self._later_lead, "later"),
            (self._earlier, self._earlier_lead, "earlier"),
            (self._longer, self._extend, "longer"),
            (self._shorter, self._shorter_lead, "shorter"),
        ):
            behind = pattern.match(after)
            more = use == "longer" and groups.get("more")
            if behind or more or lead_pattern.search(lead):
                return self._of_one_end(use, lead), behind.end() if behind else 0
        return "length", 0

    def _of_one_end(self, use: str, lead: str) -> LengthUse:
        """ "return it one day later" moves the last day only, "pick it up a day later" the first."""
        if use == "longer":
            return "longer"
        if use == "shorter":
            return "shorter"
        if self._return.search(lead):
            return "longer" if use == "later" else "shorter"
        if self._pick_up.search(lead):
            return "start_later" if use == "later" else "start_earlier"
        return "later" if use == "later" else "earlier"

    def _is_rate(self, word: str | None, count: int, unit: str, lead: str, after: str) -> bool:
        """ "300 a day", "per week": a price for a time, not a length."""
        if count != 1:
            return False
        if self._rate_behind.match(after):
            return not self._for.search(lead)
        if word is not None and word.isdigit():
            return False
        if self._rate_lead.search(lead):
            return True
        if word is None:
            return False
        if lead.rstrip().endswith(MASK):
            return True
        return unit == "day" and word in self._words.rate_numbers and not self._for.search(lead)


def length_of(count: int, unit: str) -> tuple[int, int]:
    """Days and calendar months of a length. Hours within a day end on the same day; the price counts it as one."""
    if unit == "month":
        return 0, count
    if unit == "year":
        return 0, 12 * count
    if unit == "hour":
        return (0 if count < 24 else -(-count // 24)), 0
    return count * _UNIT_DAYS[unit], 0


def _ahead_of(shape: dict[str, str]) -> re.Pattern[str] | None:
    return re.compile(rf"(?:{shape['not_after']})$") if "not_after" in shape else None
