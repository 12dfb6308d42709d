"""Which of two dates is the first day and which the return day."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from graph.understanding.date_bare_days import BareDays
from graph.understanding.date_items import DateItem, Role
from graph.understanding.date_words import DateWords
from graph.understanding.lexicon import alternatives
from graph.understanding.text import before

_SENTENCE_END = re.compile(r"(?<!\d)[.!?;\n](?=\s|$)|[。]")
_WINDOW_CHARS = 70
MAX_JOINT_CHARS = 9


@dataclass(frozen=True, slots=True)
class Assigned:
    """The items that count, with their roles, and those that the customer took back."""

    items: list[DateItem]
    dropped: list[DateItem]


class RoleReader:
    """Reads the words before, between and after date items."""

    def __init__(self, words: DateWords) -> None:
        self._bare = BareDays(words)
        fill = rf"(?:\s|,|(?<!\w)(?:{words.patterns('between_patterns')}|{words.day_lead})(?!\w)|(?:{words.article}))*$"
        start, end = words.patterns("start_preps"), words.patterns("end_preps")
        self._prep = re.compile(rf"(?<!\w)(?:(?P<start>{start})|(?P<end>{end}))(?!\w){fill}")
        verb_start, verb_end = words.patterns("start_verbs"), words.patterns("end_verbs")
        self._verb = re.compile(rf"(?<!\w)(?:(?P<end>{verb_end})|(?P<start>{verb_start}))(?!\w)")
        self._both = re.compile(rf"\s*(?:{alternatives(words.words('and_words'))}|/|,)\s*(?:(?:{words.article})\s*)*")
        posts = rf"(?:(?P<end>{words.patterns('end_posts')})|(?P<start>{words.patterns('start_posts')}))"
        self._post = re.compile(rf"\s*{posts}(?!\w)")
        lead = words.patterns("after_lead_patterns")
        self._after = re.compile(rf"[\s,(:-]*(?:(?:{lead})\s+)*(?:(?P<end>{verb_end})|(?P<start>{verb_start}))(?!\w)")
        connector = words.patterns("connector_patterns")
        self._joint = re.compile(rf"\.?\s*,?\s*(?:{connector})\s*(?:(?:{words.day_lead})\s*)*")
        self._or = re.compile(rf"[\s,]*(?:{words.patterns('or_patterns')})[\s,]*(?:(?:{start}|{words.day_lead})\s*)*")
        self._and = re.compile(rf"\s*,?\s*(?:{alternatives(words.words('and_words'))})\s*(?:(?:{words.day_lead})\s*)*")
        self._apposition = re.compile(rf"\s*[,(]\s*(?:(?:{words.day_lead})\s*)*")
        self._cut = re.compile(rf"(?<!\w)(?:{words.patterns('cut_patterns')})\s+(?:(?:{words.day_lead}|{start})\s*)*$")
        self._move = words.whole("move_patterns")
        self._move_target = words.whole("move_targets")
        self._move_joint = re.compile(rf"\s*(?:{words.patterns('move_joints')})\s*(?:(?:{words.day_lead})\s*)*")
        self._move_post = words.trailing("move_posts")
        self._period_joint = re.compile(rf"\s*(?:{words.patterns('period_joints')})\s*")
        self._cut_post = words.trailing("cut_posts")

    def assign(self, text: str, items: list[DateItem], times: list[tuple[int, int]]) -> Assigned:
        """Add bare day numbers that belong to an item, drop what is ruled out, and give roles.

        `times`: where times of day stood; "1:30 to 4" is no 4th.
        """
        known = len(items)
        items = self._bare.added(text, items)
        if len(items) > known and times:
            items = [item for item in items if item.end - item.start > 2 or not _beside_time(text, item, times)]
        items = self._with_joints(text, items)
        kept, dropped = self._without_cut(text, items)
        return Assigned(self._with_roles(text, kept), dropped)

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
        return first.kind == "offset" and second.kind == "day" and self._apposition.fullmatch(gap) is not None

    def moves(self, text: str, first: DateItem, last: DateItem) -> bool:
        """ "change it from the 10th to the 12th": two days, and no period between them."""
        gap = text[first.end : last.start]
        if self._move_joint.fullmatch(gap):
            return True
        if self._move_post.match(text, last.end) and not self._period_joint.fullmatch(gap):
            return True
        lead = text[max(0, first.start - _WINDOW_CHARS) : first.start]
        verbs = list(self._move.finditer(lead))
        return bool(verbs) and self._move_target.search(lead, verbs[-1].end()) is None

    def _with_joints(self, text: str, items: list[DateItem]) -> list[DateItem]:
        joined = items[:1]
        for item in items[1:]:
            last = joined[-1]
            gap = text[last.end : item.start]
            between = self._and.fullmatch(gap) and self._bare.is_between(text, last.start, item.end)
            if (self._joint.fullmatch(gap) or between) and not last.joined and last.kind != "month":
                joined[-1] = replace(last, role="start")
                item = replace(item, role="end", joined=True)
            joined.append(item)
        return joined

    def _without_cut(self, text: str, items: list[DateItem]) -> tuple[list[DateItem], list[DateItem]]:
        """ "12 to 15 instead of 10 to 13": drop what the customer took back."""
        if len(items) < 2:
            return items, []
        kept: list[DateItem] = []
        dropped: list[DateItem] = []
        for index, item in enumerate(items):
            follows = item.joined and bool(dropped) and index > 0 and dropped[-1] is items[index - 1]
            cut = follows or self._is_cut(text, item)
            (dropped if cut else kept).append(item)
        return (kept, dropped) if kept else (items, [])

    def _is_cut(self, text: str, item: DateItem) -> bool:
        return bool(self._cut.search(before(text, item.start)) or self._cut_post.match(text, item.end))

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
        post = self._post.match(text, item.end, ceiling)
        if post is not None:
            return _role_of(post), post.end()
        prep = self._prep.search(window)
        if prep is not None:
            return _role_of(prep), item.end
        verbs = list(self._verb.finditer(window))
        if len(verbs) > 1 and self._both.fullmatch(window[verbs[-2].end() : verbs[-1].start()]):
            # "pick-up and return on the 9th and the 10th": in the order said.
            return "start", item.end
        if verbs:
            return _role_of(verbs[-1]), item.end
        after = self._after.match(text, item.end, ceiling)
        if after is not None:
            return _role_of(after), after.end()
        return None, item.end


def _beside_time(text: str, item: DateItem, times: list[tuple[int, int]]) -> bool:
    """A bare number joined to a time of day by nothing but a range word."""
    return any(end <= item.start <= end + MAX_JOINT_CHARS and text[end : item.start].strip() for _, end in times)


def _role_of(match: re.Match[str]) -> Role:
    return "start" if match["start"] else "end"
