"""Day numbers without a month, which are dates only because of the words and dates beside them."""

from __future__ import annotations

import re

from graph.understanding.date_items import DateItem
from graph.understanding.date_words import DateWords
from graph.understanding.lexicon import alternatives
from graph.understanding.text import LOOK_BACK_CHARS, before


class BareDays:
    """Finds "10" in "10 to 17 June", in "June 10 and 12" and in "from 10 to 17"."""

    def __init__(self, words: DateWords) -> None:
        connector, day_and = words.patterns("connector_patterns"), alternatives(words.words("and_words"))
        lead = rf"(?:(?:{words.day_lead})\s*)*"
        self._and = re.compile(rf"\s*,?\s*(?:{day_and})\s*{lead}")
        self._between = re.compile(rf"(?<!\w)(?:{alternatives(words.words('between_words'))})\s+{lead}$")
        self._between_behind = re.compile(rf"\s*(?:{alternatives(words.words('between_posts'))})(?!\w)")
        self._ordinals = words.ordinals
        suffix, ordinal = rf"(?:{words.suffix})?", alternatives(words.ordinals)
        both = rf"(?:{connector}|{day_and}|{words.patterns('or_patterns')}|{words.patterns('move_joints')})"
        self._before = re.compile(
            rf"(?:^|[\s(,])(?:(?P<d>\d{{1,2}})\s?{suffix}\.?|(?P<o>{ordinal}))\s*(?P<c>{both})\s*{lead}$"
        )
        counted, not_bare = words.patterns("counted_patterns"), words.patterns("not_bare_patterns")
        not_day = rf"(?!\d|[.,:/]\d|%|\s*(?:{alternatives(words.units)}|{counted}|{not_bare})(?!\w))"
        self._after = re.compile(rf"\s*(?P<c>{both})\s*{lead}(?P<d>\d{{1,2}})(?:{suffix})(?!\w){not_day}")
        back = rf"(?:{words.patterns('end_verbs')}|{words.patterns('end_preps')})"
        self._back = re.compile(rf"(?<!\w){back}\s+{lead}(?P<d>\d{{1,2}}){suffix}(?!\w){not_day}")
        one = rf"(?:\d{{1,2}}\s?{suffix}|{ordinal})"
        self._more = re.compile(rf"(?:\s*,\s*{one}(?!\w))*\s*,?\s*(?:{day_and})\s*{lead}{one}(?!\w){not_day}")
        self._one = re.compile(rf"(?P<d>\d{{1,2}})|(?P<o>{ordinal})")
        begin = rf"(?:{words.patterns('start_preps')}|{words.patterns('bare_leads')})"
        polite = words.patterns("polite_patterns")
        self._pair = re.compile(
            rf"(?<!\w)(?:{begin})\s+{lead}(?P<a>\d{{1,2}}){suffix}\.?\s*(?:{both})\s*{lead}(?P<b>\d{{1,2}}){suffix}"
            rf"(?!\w){not_day}|^\s*(?P<a2>\d{{1,2}})\s*(?:{connector})\s*(?P<b2>\d{{1,2}})\s*(?:{polite})?[.!]?\s*$"
        )

    def added(self, text: str, items: list[DateItem]) -> list[DateItem]:
        """The items with the bare days, in the order of the text."""
        if not any(item.kind in ("day", "numeric", "weekday") for item in items):
            return sorted(items + self._pairs(text), key=lambda item: item.start)
        found: list[DateItem] = []
        for index, item in enumerate(items):
            if item.kind not in ("day", "numeric"):
                continue
            found.extend(self._listed(text, item))
            floor = items[index - 1].end if index else 0
            ceiling = items[index + 1].start if index + 1 < len(items) else len(text)
            found.extend(self._neighbours(text, item, floor, ceiling))
        return sorted(items + found, key=lambda item: item.start)

    def is_between(self, text: str, start: int, end: int) -> bool:
        """Whether the words around say "between ... and ..."."""
        return bool(self._between.search(before(text, start)) or self._between_behind.match(text, end))

    def _pairs(self, text: str) -> list[DateItem]:
        match = self._pair.search(text)
        if match is None:
            return []
        a, b = ("a", "b") if match["a"] else ("a2", "b2")
        if not all(1 <= int(match[name]) <= 31 for name in (a, b)) or "/" in text[match.end(a) : match.start(b)]:
            return []
        return [
            DateItem("day", *match.span(a), day=int(match[a])),
            DateItem("day", *match.span(b), day=int(match[b])),
        ]

    def _neighbours(self, text: str, item: DateItem, floor: int, ceiling: int) -> list[DateItem]:
        floor = max(floor, item.start - LOOK_BACK_CHARS)
        ahead = self._before.search(text[floor : item.start])
        if ahead is not None:
            name = "d" if ahead["d"] else "o"
            start, end = floor + ahead.start(name), floor + ahead.start("c")
            day = self._value(ahead)
            # Joined by "and" it is no range either, but to leave it out would be a guess.
            return [DateItem("day", start, end, day=day)]
        after = self._after.match(text, item.end, ceiling)
        if after is not None and self._is_range(after["c"], text, item.start, after.end()):
            return [DateItem("day", *after.span("d"), day=int(after["d"]))]
        back = self._back.search(text, item.end, min(ceiling, item.end + LOOK_BACK_CHARS))
        if item.kind == "day" and item.month is not None and back is not None:
            return [DateItem("day", *back.span("d"), day=int(back["d"]))]
        return []

    def _listed(self, text: str, item: DateItem) -> list[DateItem]:
        """ "June 10, 12 and 14": single days, which is never a range."""
        match = self._more.match(text, item.end)
        if match is None or self.is_between(text, item.start, match.end()):
            return []
        found = [(one, self._value(one)) for one in self._one.finditer(text, match.start(), match.end())]
        return [DateItem("day", *one.span(), day=day) for one, day in found]

    def _value(self, match: re.Match[str]) -> int:
        return int(match["d"] or self._ordinals.get(" ".join((match["o"] or "").split()), 0))

    def _is_range(self, sign: str, text: str, start: int, end: int) -> bool:
        """ "and" makes a range only after "between"."""
        return not self._and.fullmatch(sign) or self.is_between(text, start, end)
