"""Every claim of a sentence needs a fact behind it. What cannot be backed never reaches the customer.

A claim is a number in whatever script or words, a date, a time, an amount of money, the name of a vehicle, or a word
such as "free", "booked", "held". Who wrote the sentence does not matter: a template that was filled wrongly fails like
a model's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from graph.writing.claim_words import CODES, ClaimWords, any_word, claim_words, message_needs, status_pattern
from graph.writing.known import Known
from graph.writing.spelled import Number, find_numbers, find_spelled, plain_digits, scale_after
from graph.writing.templates import Match, duration_pattern, find_templates, vocabulary

ClaimKind = Literal["number", "date", "weekday", "time", "money", "duration", "name", "status"]
_MASK: Final = "\0"
_SENTENCE_END: Final = re.compile(r"[.!?。]\s?|\n")
_TIME: Final = re.compile(r"(?<!\d)(\d{1,2}):(\d{2})(?!\d)")
_NAME: Final = re.compile(r"(?<![\w'’])[A-Z][A-Za-z0-9\u00C0-\u024F'’-]+")
_PERCENT: Final = re.compile(r"\s?%")
_MONEY_SLOTS: Final = {
    "total": ("total", "new_total", "total_price", "wish_total"),
    "deposit": ("deposit",),
    "fee": ("fee", "cancel_fee"),
    "old": ("old_total",),
}
"""What a message calls an amount -> the fields that it may come from."""
_SUM_SLOTS: Final = frozenset({"number", "Number"})
_PERIOD_SLOTS: Final = frozenset({"start", "end"})


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim that nothing backs."""

    kind: ClaimKind
    text: str


@dataclass(frozen=True, slots=True)
class Situation:
    """What is known to be the case; words of status are checked against it."""

    booked: bool = False
    held: bool = False
    free: bool = False
    changed: bool = False
    cancelled: bool = False
    quoted: bool = False

    def bears(self, need: str) -> bool:
        """Whether a sentence with this need may be said."""
        return not need or bool(getattr(self, need))


def unbacked(
    content: str,
    known: Known,
    lang: str,
    *,
    situation: Situation | None = None,
    names: Iterable[str] = (),
) -> list[Claim]:
    """Return the claims of `content` that no fact backs, in no order.

    `names` are all names of vehicles that the company has: one of them that is no fact here is another vehicle.
    """
    if not content.strip():
        return []
    return _Reading(content, known, lang, situation or Situation(), tuple(names)).check()


@dataclass(slots=True)
class _Reading:
    """One text under the glass."""

    content: str
    known: Known
    lang: str
    situation: Situation
    names: tuple[str, ...]
    words: ClaimWords = field(init=False)
    plain: str = field(init=False)
    """The content in plain digits."""
    text: str = field(init=False)
    """The same; what has been recognised is blanked out."""
    messages: tuple[Match, ...] = field(init=False)
    found: list[Claim] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.words = claim_words(self.lang)
        self.text = self.plain = plain_digits(self.content)
        self.messages = tuple(find_templates(self.content, self.lang))

    def check(self) -> list[Claim]:
        self._blank_known_texts()
        self._check_status()
        self._check_dates()
        self._check_times()
        self._check_numbers()
        self._check_names()
        return self.found

    def _blank(self, start: int, end: int) -> None:
        self.text = self.text[:start] + _MASK * (end - start) + self.text[end:]

    def _claim(self, kind: ClaimKind, start: int, end: int) -> None:
        self.found.append(Claim(kind, self.content[start:end]))

    def _is_fixed(self, start: int, end: int) -> bool:
        """These signs are the catalogue's own words: somebody has read them."""
        return any(message.fixes(start, end) for message in self.messages)

    # ---- names and texts that are repeated to the letter -------------------------------------------------

    def _blank_known_texts(self) -> None:
        for fact in sorted(self.known.texts, key=len, reverse=True):
            start = self.text.find(fact)
            while start >= 0:
                end = start + len(fact)
                if self._is_whole(start, end):
                    self._blank(start, end)
                start = self.text.find(fact, end)

    def _is_whole(self, start: int, end: int) -> bool:
        """Not a part of a longer word or number: "PCX 16" does not back "PCX 160"."""
        before, after = self.text[start - 1 : start], self.text[end : end + 1]
        first, last = self.text[start], self.text[end - 1]
        return not (_same_word(before, first) or _same_word(last, after))

    def _check_names(self) -> None:
        for name in self.names:
            for hit in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", self.text):
                if not self._is_fixed(*hit.span()):
                    self._claim("name", *hit.span())
        self._check_subject()
        usual = vocabulary(self.lang) | vocabulary("en")
        for hit in _NAME.finditer(self.text):
            word = hit.group()
            is_known = word in usual or word in CODES or word.lower() in self._calendar()
            if not is_known and not self._begins_sentence(hit.start()):
                self._claim("name", *hit.span())

    def _check_subject(self) -> None:
        """What a message of a card says of a vehicle, it says of the card's; what comes next may be about another."""
        if not self.known.subject:
            return
        for message in self.messages:
            for slot, start, end in message.filled:
                is_own = slot == "vehicle" and not message.key.startswith("next.")
                if is_own and self.known.subject not in self.content[start:end]:
                    self._claim("name", start, end)

    def _calendar(self) -> set[str]:
        return {*self.words.months, *self.words.weekdays, *self.words.short_weekdays, *self.words.currencies}

    def _begins_sentence(self, start: int) -> bool:
        return not re.search(r"[^\s\"'“„«(]", re.split(r"[.!?:\n]\s*", self.text[:start])[-1])

    # ---- status --------------------------------------------------------------------------------------------

    def _check_status(self) -> None:
        needs = message_needs()
        for hit in status_pattern().finditer(self.text):
            covering = [message for message in self.messages if message.fixes(*hit.span())]
            # A translation may use such a word where English has none: the key says what the message claims.
            wanted = [needs.get(message.key, "") for message in covering] or [str(hit.lastgroup)]
            if not any(self.situation.bears(need) for need in wanted):
                self._claim("status", *hit.span())

    # ---- dates and times -------------------------------------------------------------------------------------

    def _check_dates(self) -> None:
        said: list[tuple[int, int, date]] = []
        for start, end, value in list(self._dates()):
            if value is None:
                self._claim("date", start, end)
            else:
                said.append((start, end, value))
            self._blank(start, end)
        self._check_pairs(said)
        self._check_roles(said)
        for hit in _weekday_pattern(self.lang).finditer(self.text):
            number = self.words.weekdays[hit.group().lower()]
            if number not in self.known.weekdays | {day.weekday() for day in self.known.dates}:
                self._claim("weekday", *hit.span())

    def _dates(self) -> Iterator[tuple[int, int, date | None]]:
        """Yield (start, end, day); None for a day that no fact holds, or that has another weekday."""
        for hit in self.words.dates.finditer(self.text):
            if self._is_fixed(*hit.span()):
                continue
            parts = {name.rstrip("0123456789"): text for name, text in hit.groupdict().items() if text is not None}
            yield hit.start(), hit.end(), self._known_day(parts)

    def _known_day(self, parts: dict[str, str]) -> date | None:
        named = self.words.months.get(parts.get("name", "").lower())
        month, day = named or int(parts.get("month", 0)), int(parts["day"])
        fits = [
            value
            for value in self.known.dates
            if (value.month, value.day) == (month, day) or (not named and (value.day, value.month) == (month, day))
        ]
        if "year" in parts:
            fits = [value for value in fits if value.year == int(parts["year"])]
        if "weekday" in parts:
            fits = [value for value in fits if value.weekday() == self._weekday(parts["weekday"])]
        return min(fits, default=None)

    def _weekday(self, name: str) -> int:
        return {**self.words.short_weekdays, **self.words.weekdays}[name.lower()]

    def _check_pairs(self, said: list[tuple[int, int, date]]) -> None:
        """Two days of one sentence are a period, or two days of one fact."""
        for (start, end, one), (later, until, other) in pairwise(said):
            between = self.text[end:later]
            # Thai ends its sentences with a space: whatever else is told in between parts the two days as well.
            if _SENTENCE_END.search(between) or len(between) > 40 or re.search(r"[\d\0]", between):
                continue
            if (one, other) not in self.known.pairs:
                self._claim("date", start, until)

    def _check_roles(self, said: list[tuple[int, int, date]]) -> None:
        """Where a message names a first or a last day, it is one."""
        for message in self.messages:
            for slot, start, end in message.filled:
                first = next((day for a, b, day in said if start <= a and b <= end), None)
                if slot in _PERIOD_SLOTS and first is not None:
                    allowed = self.known.starts if slot == "start" else self.known.ends
                    if allowed and first not in allowed:
                        self._claim("date", start, end)

    def _check_times(self) -> None:
        for hit in _TIME.finditer(self.text):
            if f"{hit.group(1):0>2}:{hit.group(2)}" not in self.known.times and not self._is_fixed(*hit.span()):
                self._claim("time", *hit.span())
            self._blank(*hit.span())

    # ---- numbers -----------------------------------------------------------------------------------------------

    def _check_numbers(self) -> None:
        digits = find_numbers(self.text, decimal_comma=self.words.decimal_comma)
        spelled = list(find_spelled(self.text, self.words.numbers))
        if self.lang != "en":
            spelled += find_spelled(self.text, claim_words("en").numbers)
        for number in [*digits, *spelled]:
            if not self._is_fixed(number.start, number.end):
                self._check_number(number)

    def _check_number(self, number: Number) -> None:
        factor, end = scale_after(self.text, number.end, self.words.numbers)
        value = None if number.value is None else number.value * factor
        currencies, start, end = self._currency_at(number.start, end)
        if currencies is not None:
            allowed = self._money_of(start, end)
            if not any((value, currency) in allowed for currency in currencies):
                self._claim("money", start, end)
            self._blank(start, end)
        elif _PERCENT.match(self.text, end):
            if value not in self.known.percents:
                self._claim("number", start, end)
        elif duration_pattern(self.lang).match(self.text, end):
            if value not in self.known.durations:
                self._claim("duration", start, end)
        elif value is None or value not in self._loose(self._slots(start, end)):
            self._claim("number", start, end)

    def _money_of(self, start: int, end: int) -> set[tuple[Decimal, str]]:
        """Amounts that may stand here: where a message names the total, no deposit may stand in its place."""
        fields = [name for slot in self._slots(start, end) for name in _MONEY_SLOTS.get(slot, ())]
        found = {amount for name in fields for amount in self.known.money_at.get(name, ())}
        return found or self.known.money

    def _slots(self, start: int, end: int) -> set[str]:
        return {slot for message in self.messages for slot, a, b in message.filled if a <= start and end <= b}

    def _loose(self, slots: set[str]) -> set[Decimal]:
        """Numbers that stand for themselves; what a vehicle has may be said where it is named."""
        is_named = any(name in self.plain for name in self.known.vehicles)
        years = {Decimal(day.year) for day in self.known.dates}
        parts = set() if slots & _SUM_SLOTS else self.known.parts
        return self.known.counts | years | parts | (self.known.specs if is_named else set())

    def _currency_at(self, start: int, end: int) -> tuple[frozenset[str] | None, int, int]:
        """Return (currencies, start, end) of the amount that the number is part of."""
        before, after = _currency_patterns(self.lang)
        hit = before.search(self.text[max(0, start - 30) : start])
        if hit:
            return self._codes(hit.group(1)), start - len(hit.group()), end
        hit = after.match(self.text, end)
        if hit:
            return self._codes(hit.group(1)), start, hit.end()
        return None, start, end

    def _codes(self, word: str) -> frozenset[str]:
        return frozenset({word}) if word in CODES else self.words.currencies.get(word.lower(), frozenset())


def cut(content: str, claims: Iterable[Claim]) -> str:
    """Return the sentences of `content` that hold none of the claims; empty when none is left."""
    ends = [hit.end() for hit in _SENTENCE_END.finditer(content)]
    edges = [0, *ends, len(content)]
    sentences = [content[start:end] for start, end in pairwise(edges)]
    bad = [claim.text for claim in claims]
    return "".join(sentence for sentence in sentences if not any(text in sentence for text in bad)).strip()


def _same_word(one: str, other: str) -> bool:
    return bool(one and other) and one.isascii() and other.isascii() and one.isalnum() and other.isalnum()


@lru_cache(maxsize=32)
def _weekday_pattern(lang: str) -> re.Pattern[str]:
    return re.compile(any_word(claim_words(lang).weekdays), re.IGNORECASE)


@lru_cache(maxsize=32)
def _currency_patterns(lang: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what stands before an amount, at the end of a text, and what stands after one."""
    signs = [re.escape(word) for word in sorted(claim_words(lang).currencies, key=len, reverse=True)]
    word = rf"(?:(?-i:{'|'.join(sorted(CODES))})|{'|'.join(signs)})"
    gap = r"[\s\N{NO-BREAK SPACE}]*(?:of\s|de\s)?"
    before = re.compile(rf"(?<![^\W\d_])({word}){gap}$", re.IGNORECASE)
    after = re.compile(rf"{gap}({word})(?![a-zA-Z])", re.IGNORECASE)
    return before, after
