"""Which of two dates is the first day and which the return day."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from graph.understanding.date_items import DateItem, Role
from graph.understanding.lexicon import Lexicon, alternatives
from graph.understanding.text import LOOK_BACK_CHARS, before

_SENTENCE_END = re.compile(r"[.!?;\n](?=\s|$)")
_APPOSITION = re.compile(r"\s*[,(]\s*(?:the\s+)?")
_WINDOW_CHARS = 70


class RoleReader:
    """Reads the words before, between and after date items."""

    def __init__(self, lexicon: Lexicon) -> None:
        fill = rf"(?:\s|,|(?<!\w)(?:{lexicon.patterns('dates.between_patterns')})(?!\w))*$"
        start, end = lexicon.patterns("dates.start_preps"), lexicon.patterns("dates.end_preps")
        self._prep = re.compile(rf"(?<!\w)(?:(?P<start>{start})|(?P<end>{end})){fill}")
        start, end = lexicon.patterns("dates.start_verbs"), lexicon.patterns("dates.end_verbs")
        self._verb = re.compile(rf"(?<!\w)(?:(?P<end>{end})|(?P<start>{start}))(?!\w)")
        lead = lexicon.patterns("dates.after_lead_patterns")
        self._after = re.compile(rf"[\s,(:-]*(?:(?:{lead})\s+)*(?:(?P<end>{end})|(?P<start>{start}))(?!\w)")
        connector = lexicon.patterns("dates.connector_patterns")
        self._joint = re.compile(rf"\.?\s*,?\s*(?:{connector})\s*(?:(?:on|the)\s+)*")
        self._or = re.compile(rf"[\s,]*(?:{lexicon.patterns('dates.or_patterns')})[\s,]*(?:from|the|on)?\s*")
        self._and = re.compile(rf"\s*,?\s*(?:{alternatives(lexicon.words('dates.and_words'))})\s*(?:the\s+)?")
        between = alternatives(lexicon.words("dates.between_words"))
        self._between = re.compile(rf"(?<!\w)(?:{between})\s+(?:the\s+|on\s+)?$")
        suffix = lexicon.text("dates.ordinal_suffix")
        both = rf"(?:{connector}|{alternatives(lexicon.words('dates.and_words'))})"
        ordinal = alternatives(lexicon.ordinals)
        self._ordinals = lexicon.ordinals
        self._bare_before = re.compile(
            rf"(?:^|[\s(,])(?:(?P<d>\d{{1,2}})\.?|(?P<o>{ordinal}))\s*(?P<c>{both})\s*(?:the\s+)?$"
        )
        units = alternatives(lexicon.mapping("dates.units"))
        not_day = rf"(?!\d|[.,:/]\d|%|\s*(?:{units}|{lexicon.patterns('money.not_money_patterns')})(?!\w))"
        self._bare_after = re.compile(rf"\s*(?P<c>{both})\s*(?:the\s+)?(?P<d>\d{{1,2}})(?:{suffix})?(?!\w){not_day}")
        comma = r"(?:\s*,\s*\d{1,2}(?!\w))*"
        both_and = alternatives(lexicon.words("dates.and_words"))
        self._bare_more = re.compile(
            rf"{comma}\s*,?\s*(?:{both_and})\s*(?:the\s+)?\d{{1,2}}(?:{suffix})?(?!\w){not_day}"
        )
        lead_start = lexicon.patterns("dates.start_preps")
        self._bare_pair = re.compile(
            rf"(?<!\w)(?:{lead_start})\s+(?:the\s+)?(?P<a>\d{{1,2}})\s*(?:{both})\s*(?:the\s+)?(?P<b>\d{{1,2}})"
            rf"(?!\w){not_day}|^\s*(?P<a2>\d{{1,2}})\s*(?:{connector})\s*(?P<b2>\d{{1,2}})\s*(?:please)?[.!]?\s*$"
        )
        self._cut = re.compile(rf"(?<!\w)(?:{lexicon.patterns('dates.cut_patterns')})\s+(?:the\s+|on\s+|from\s+)*$")

    def assign(self, text: str, items: list[DateItem]) -> list[DateItem]:
        """Add bare day numbers that belong to an item, drop what is ruled out, and give roles."""
        items = self._with_bare_days(text, items)
        items = self._with_joints(text, items)
        items = self._without_cut(text, items)
        return self._with_roles(text, items)

    def has_choice(self, text: str, items: list[DateItem]) -> bool:
        """Two items joined by "or"."""
        return any(self._or.fullmatch(text[a.end : b.start]) for a, b in pairwise(items))

    def listed(self, text: str, items: list[DateItem]) -> bool:
        """Two items joined only by "and", which is not a range."""
        return bool(self._and.fullmatch(text[items[0].end : items[1].start]))

    def renamed(self, text: str, items: list[DateItem]) -> bool:
        """ "tomorrow, 5 June": one day named twice, and the names disagree."""
        first, second = items
        gap = text[first.end : second.start]
        return first.kind == "offset" and second.kind == "day" and _APPOSITION.fullmatch(gap) is not None

    def _with_bare_days(self, text: str, items: list[DateItem]) -> list[DateItem]:
        if not any(item.kind in ("day", "numeric", "weekday") for item in items):
            return items + self._bare_pairs(text)
        added: list[DateItem] = []
        for index, item in enumerate(items):
            if item.kind not in ("day", "numeric"):
                continue
            added.extend(self._bare_list(text, item))
            floor = items[index - 1].end if index else 0
            ceiling = items[index + 1].start if index + 1 < len(items) else len(text)
            added.extend(self._bare_neighbours(text, item, floor, ceiling))
        return sorted(items + added, key=lambda item: item.start)

    def _bare_pairs(self, text: str) -> list[DateItem]:
        match = self._bare_pair.search(text)
        if match is None:
            return []
        a, b = ("a", "b") if match["a"] else ("a2", "b2")
        if not all(1 <= int(match[name]) <= 31 for name in (a, b)) or "/" in text[match.end(a) : match.start(b)]:
            return []
        return [
            DateItem("day", *match.span(a), day=int(match[a])),
            DateItem("day", *match.span(b), day=int(match[b])),
        ]

    def _bare_neighbours(self, text: str, item: DateItem, floor: int, ceiling: int) -> list[DateItem]:
        floor = max(floor, item.start - LOOK_BACK_CHARS)
        ahead = self._bare_before.search(text[floor : item.start])
        if ahead is not None:
            name = "d" if ahead["d"] else "o"
            start, end = floor + ahead.start(name), floor + ahead.end(name)
            day = int(ahead["d"] or self._ordinals.get(" ".join((ahead["o"] or "").split()), 0))
            return [DateItem("day", start, end, day=day)] if self._range_sign(ahead["c"], text, start) else []
        after = self._bare_after.match(text, item.end, ceiling)
        if after is not None and self._range_sign(after["c"], text, item.start):
            return [DateItem("day", *after.span("d"), day=int(after["d"]))]
        return []

    def _bare_list(self, text: str, item: DateItem) -> list[DateItem]:
        """ "June 10, 12 and 14": single days, which is never a range."""
        match = self._bare_more.match(text, item.end)
        if match is None or self._between.search(before(text, item.start)):
            return []
        days = re.finditer(r"\d{1,2}", match.group())
        return [DateItem("day", match.start() + d.start(), match.start() + d.end(), day=int(d.group())) for d in days]

    def _range_sign(self, sign: str, text: str, at: int) -> bool:
        """ "and" makes a range only after "between"."""
        return not self._and.fullmatch(sign) or bool(self._between.search(before(text, at)))

    def _with_joints(self, text: str, items: list[DateItem]) -> list[DateItem]:
        joined = items[:1]
        for item in items[1:]:
            last = joined[-1]
            gap = text[last.end : item.start]
            between = self._and.fullmatch(gap) and self._between.search(before(text, last.start))
            if (self._joint.fullmatch(gap) or between) and not last.joined and last.kind != "month":
                joined[-1] = replace(last, role="start")
                item = replace(item, role="end", joined=True)
            joined.append(item)
        return joined

    def _without_cut(self, text: str, items: list[DateItem]) -> list[DateItem]:
        """ "12 to 15 instead of 10 to 13": drop what the customer took back."""
        if len(items) < 2:
            return items
        kept: list[DateItem] = []
        cutting = False
        for item in items:
            cutting = bool(self._cut.search(before(text, item.start))) or (cutting and item.joined)
            if not cutting:
                kept.append(item)
        return kept or items

    def _with_roles(self, text: str, items: list[DateItem]) -> list[DateItem]:
        done: list[DateItem] = []
        floor = 0
        for index, item in enumerate(items):
            ceiling = items[index + 1].start if index + 1 < len(items) else len(text)
            role, floor = (item.role, item.end) if item.role else self._role(text, item, floor, ceiling)
            done.append(replace(item, role=role))
        return done

    def _role(self, text: str, item: DateItem, floor: int, ceiling: int) -> tuple[Role | None, int]:
        """The item's role, and where the words of the next item begin."""
        window = text[max(floor, item.start - _WINDOW_CHARS) : item.start]
        window = _SENTENCE_END.split(window)[-1]
        prep = self._prep.search(window)
        if prep is not None:
            return _role_of(prep), item.end
        verbs = list(self._verb.finditer(window))
        if verbs:
            return _role_of(verbs[-1]), item.end
        after = self._after.match(text, item.end, ceiling)
        if after is not None:
            return _role_of(after), after.end()
        return None, item.end


def _role_of(match: re.Match[str]) -> Role:
    return "start" if match["start"] else "end"
