"""A person's name, taken only where it is introduced or asked for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from graph.understanding.lexicon import NEVER, Lexicon, alternatives, whole_words
from graph.understanding.meaning import NameReading
from graph.understanding.text import MASK, Folded, before

_MAX_WORDS = 5
_MAX_CHARS = 80
_LONGEST_CONTACT_CHARS = 200
_INSIDE_NAMES = frozenset("'.-`\u2019\u00b4\u02bc\u00b7")
_END = re.compile(r"[,;:!?()\"\n/|]")
_PIECE = re.compile(rf"[^\s{MASK}]+")
_RUN = re.compile(r"(?<!\\)[^\W\d_][^\s\d_()|?\[\]\\.*+:!=,<>{}^$\"'/-]+")
"""Words inside the expressions of a lexicon; in Thai with their marks, which are no letters."""
_SMALL_NAME_WORDS = 2

Found = tuple[NameReading, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int
    typed: str
    last: bool
    """Ends its clause."""
    touches: bool = False
    """Nothing was typed between it and the word before: cut out of one word of a script without spaces."""


class NameReader:
    """Reads names of one language's sentences; the names themselves may be in any script."""

    def __init__(self, lexicon: Lexicon) -> None:
        strong = set(lexicon.words("names.lead_patterns")) - set(lexicon.words("names.weak_lead_patterns"))
        weak = lexicon.words("names.weak_lead_patterns")
        self._strong = re.compile(rf"(?<![\w'])(?:{_longest_first(strong)})\s*(?::|=|-)?\s*\"?(?=\S)")
        self._weak = re.compile(rf"(?<![\w'])(?:{_longest_first(weak)})\s*(?::)?\s+(?=\S)")
        self._booking = whole_words(alternatives(lexicon.words("names.booking_words")))
        self._booked_for = re.compile(rf"(?<!\w)(?:{lexicon.patterns('names.booked_for_patterns')})\s+(?=\S)")
        self._split = lexicon.compiled("names.split_patterns")
        self._stop = frozenset(lexicon.words("names.stop_patterns"))
        answers = (*lexicon.words("answers.strong"), *lexicon.words("answers.weak"))
        single = {word for word in answers if " " not in word}
        vehicles = set(lexicon.lists("vehicles.categories")) | set(lexicon.mapping("vehicles.colours"))
        self._particles = frozenset(lexicon.words("names.particles"))
        self._not = frozenset(lexicon.words("names.not_names")) | single | vehicles | set(lexicon.numbers)
        self._not |= frozenset(lexicon.ordinals) | frozenset(lexicon.months())
        self._also = frozenset(lexicon.words("names.also_names"))
        self._not -= self._particles | (self._also & frozenset(lexicon.months()))
        self._colours = frozenset(lexicon.mapping("vehicles.colours"))
        self._surnames = frozenset(lexicon.words("names.surnames")) | self._colours
        """Ordinary words that are a name behind a first name ("Mia Brown")."""
        self._known = frozenset(run for text in lexicon.strings() for run in _RUN.findall(text)) - self._also
        self._months = frozenset(lexicon.months())
        self._self_lead = lexicon.compiled("names.self_lead_patterns")
        self._titles = frozenset(lexicon.words("names.titles"))
        self._trail = re.compile(rf"\s+(?:{lexicon.patterns('names.trail_patterns')})(?!\w)")
        polite = (*lexicon.words("answers.filler"), *lexicon.words("answers.strong"), *lexicon.words("answers.weak"))
        self._filler = re.compile(rf"(?<![\w'])(?:{alternatives(polite)})(?![\w'])")
        self._not_owner = re.compile(rf"(?<!\w)(?:{lexicon.patterns('names.not_owner_patterns')})\s+$")
        self._no_name_ending = re.compile(rf"\w+(?:{lexicon.patterns('names.not_name_endings')})")

    def introduced(
        self, folded: Folded, *, asked: bool, with_phone: bool, blocked: frozenset[str] = frozenset()
    ) -> Found | None:
        """A name after "my name is", "I'm", "under the name of"; `blocked` are words of the company."""
        for match in self._strong.finditer(folded.text):
            found = self._after(folded, match, sure=True, strong=True)
            if found is not None:
                return found
        for match in self._weak.finditer(folded.text):
            found = self._after(folded, match, sure=asked or with_phone)
            if found is not None:
                return found
        return self._before(folded) or self._booked(folded, blocked)

    def _booked(self, folded: Folded, blocked: frozenset[str]) -> Found | None:
        """ "A booking for Anna Berg": only two words or more with capitals, none of them an ordinary one."""
        booking = self._booking.search(folded.text)
        for match in self._booked_for.finditer(folded.text, booking.end()) if booking else ():
            words = self._plain_name(folded, match.end(), blocked)
            if len(words) >= 2:
                return self._reading(words, 0.8), (words[0].start, words[-1].end)
        return None

    def leading(self, folded: Folded, blocked: frozenset[str]) -> Found | None:
        """Where a name was asked for: "Anna Berg, two scooters tomorrow"."""
        words = self._plain_name(folded, 0, blocked)
        if not words or (len(words) < 2 and not words[-1].last):
            return None
        return self._reading(words, 0.8), (words[0].start, words[-1].end)

    def _plain_name(self, folded: Folded, at: int, blocked: frozenset[str]) -> list[_Word]:
        """The words at a place, if all have capitals and none is an ordinary one."""
        words = self._take(self._words(folded, folded.text, at, whole=False), folded)
        plain = [folded.text[word.start : word.end] for word in words]
        if any(text in blocked for text in plain) or self._has_ordinary(words, plain):
            return []
        return words if all(_has_letter(word.typed) and _is_upper(word.typed) for word in words) else []

    def _before(self, folded: Folded) -> Found | None:
        """ "Omega Woodring is my name", "Jana Picariello here."."""
        match = self._trail.search(folded.text)
        if match is None:
            return None
        clause = re.split(rf"[.,;:!?{MASK}]", before(folded.text, match.start()))[-1]
        words = self._words(folded, folded.text, match.start() - len(clause), whole=False)
        words = [word for word in words if word.end <= match.start()]
        plain = [folded.text[word.start : word.end] for word in words]
        if not 1 <= len(words) <= 3 or self._has_ordinary(words, plain) or any(text in self._stop for text in plain):
            return None
        if not all(_is_name_word(word.typed) for word in words) or not any(_has_letter(w.typed) for w in words):
            return None
        return self._reading(words, 0.9), (words[0].start, match.end())

    def left_over(self, folded: Folded, blocked: frozenset[str], *, with_phone: bool = False) -> Found | None:
        """The words that remain beside the phone number, if they look like a name and nothing else."""
        if len(folded.text) > _LONGEST_CONTACT_CHARS:
            return None
        lone = folded.typed.strip(" .!,")
        if (lone.lower() in self._also and _is_capital(lone)) or (lone.lower() in self._colours and _is_upper(lone)):
            start = folded.text.index(lone.lower())
            return NameReading(full=lone, first=lone, confidence=0.8), (start, start + len(lone))
        text = self._filler.sub(lambda match: MASK * len(match.group()), folded.text)
        words = self._words(folded, text, 0, whole=True)
        if not words or len(words) > _MAX_WORDS:
            return None
        plain = [folded.text[word.start : word.end] for word in words]
        free = self._free_words(words, plain, blocked, with_phone=with_phone)
        if any(word in self._not or word in blocked or word in self._stop for word in plain if word not in free):
            return None
        if not all(_is_name_word(word.typed) for word in words) or not any(_has_letter(w.typed) for w in words):
            return None
        return self._reading(words, 0.8), (words[0].start, words[-1].end)

    def _free_words(
        self, words: list[_Word], plain: list[str], blocked: frozenset[str], *, with_phone: bool
    ) -> frozenset[str]:
        """Ordinary words that belong to a name here: "Weiss" behind a first name; alone it may be a colour."""
        capital = all(_is_capital(word.typed) for word in words)
        if len(words) == 1:
            return self._colours if with_phone and capital else frozenset()
        free = {text for text, word in zip(plain, words, strict=True) if text in self._also and _is_capital(word.typed)}
        names = [text for text in plain if text not in self._surnames and text not in blocked]
        unknown = bool(names) and not any(text in self._known for text in names)
        small = len(words) == _SMALL_NAME_WORDS and plain[0] in names and all(word.typed[0].islower() for word in words)
        small = small and self._no_name_ending.fullmatch(plain[0]) is None
        if unknown and (capital or small):
            free |= self._surnames
        if unknown and capital and with_phone and plain[0] in names:
            # A make that is sold here is a surname as well ("Henry Ford"); beside a phone number nobody wishes.
            free |= blocked
        return frozenset(free)

    def _after(self, folded: Folded, match: re.Match[str], *, sure: bool, strong: bool = False) -> Found | None:
        if self._not_owner.search(before(folded.text, match.start())):
            return None
        words = self._take(self._words(folded, folded.text, match.end(), whole=False), folded)
        if not words or self._cannot_begin(words[0], folded, strong=strong):
            return None
        capital = all(_is_capital(word.typed) for word in words)
        # A script without capitals shows no name behind a lead of its own language.
        capital = capital and (match.group().isascii() or any(word.typed[0].isupper() for word in words))
        first = folded.text[words[0].start : words[0].end]
        if not sure and (first in self._months or not (capital or self._unknown_pair(match, words, folded))):
            return None
        last = self._surname(folded, words[-1].end)
        end = last[-1].end if last else words[-1].end
        confidence = 1.0 if sure else 0.9 if capital else 0.6
        return self._reading([*words, *last], confidence), (match.start(), end)

    def _cannot_begin(self, word: _Word, folded: Folded, *, strong: bool) -> bool:
        """An ordinary word; after "my name is" a capital makes it a name all the same ("Will", "Red")."""
        plain = folded.text[word.start : word.end]
        named = word.typed[0].isupper() or (_has_no_case(word.typed) and plain in self._surnames)
        return plain in self._not and not (strong and named)

    def _has_ordinary(self, words: list[_Word], plain: list[str]) -> bool:
        """An ordinary word among them that is no surname where it stands."""
        behind_first = bool(plain) and plain[0] not in self._known
        rest = zip(plain[1:], words[1:], strict=True)
        free = {text for text, word in rest if behind_first and text in self._surnames and _is_capital(word.typed)}
        return any(text in self._not and text not in free for text in plain)

    def _unknown_pair(self, lead: re.Match[str], words: list[_Word], folded: Folded) -> bool:
        """ "i'm kathryne brazier": two small words that are no words of a sentence."""
        plain = [folded.text[word.start : word.end] for word in words]
        unknown = not any(word in self._not or self._no_name_ending.fullmatch(word) for word in plain)
        return len(words) == 2 and unknown and self._self_lead.fullmatch(lead.group().strip()) is not None

    def _surname(self, folded: Folded, at: int) -> list[_Word]:
        match = self._split.match(folded.text, re.compile(r"[\s,]*").match(folded.text, at).end())  # type: ignore[union-attr]
        if match is None:
            return []
        return self._take(self._words(folded, folded.text, match.end(), whole=False), folded)[:2]

    def _take(self, words: list[_Word], folded: Folded) -> list[_Word]:
        """The leading words that can belong to a name."""
        taken: list[_Word] = []
        for index, word in enumerate(words[:_MAX_WORDS]):
            plain = folded.text[word.start : word.end]
            if not taken and plain.rstrip(".") in self._titles:
                continue
            ends = word.last or index + 1 == len(words) or folded.text[slice(*_span(words[index + 1]))] in self._stop
            if not _is_name_word(word.typed) or self._stops(word, plain, first=not taken, ends=ends):
                break
            if self._ends_before(word, taken, plain):
                break
            taken.append(word)
            if word.last:
                break
        while len(taken) > 1 and folded.text[taken[-1].start : taken[-1].end] in self._particles:
            taken.pop()
        return taken if any(_has_letter(word.typed) for word in taken) else []

    def _stops(self, word: _Word, plain: str, *, first: bool, ends: bool) -> bool:
        """A word of the sentence rather than of the name; "An" with a capital may be either."""
        if plain in self._also and _is_capital(word.typed):
            return False
        if plain in self._surnames and not first and (ends or _is_upper(word.typed)):
            return False
        return plain in self._stop or (not first and plain in self._not)

    def _ends_before(self, word: _Word, taken: list[_Word], plain: str) -> bool:
        """After two words with capitals a small word is no surname ("Leonard Maysonet needs")."""
        capitals = [one for one in taken if _is_capital(one.typed)]
        return len(capitals) >= 2 and not _is_capital(word.typed) and plain not in self._particles

    def _words(self, folded: Folded, text: str, at: int, *, whole: bool) -> list[_Word]:
        words: list[_Word] = []
        for match in _PIECE.finditer(text, at):
            start, end = match.span()
            if not whole and MASK in text[at:start]:
                break
            piece = match.group()
            cut = _END.search(piece)
            last = cut is not None or (piece.endswith(".") and len(piece) > 3)
            end = (
                start + cut.start()
                if cut and not whole
                else start + len(piece.rstrip(',;:!?()."' if len(piece) > 2 else ',;:!?()"'))
            )
            if end > start:
                touches = bool(words) and folded.origin[start] == folded.origin[words[-1].end - 1] + 1
                words.append(_Word(start, end, folded.as_typed(start, end), last, touches))
            if last and not whole:
                break
            if len(words) > _MAX_WORDS + 2:
                break
        return words

    def _reading(self, words: list[_Word], confidence: float) -> NameReading:
        names: list[str] = []
        for word in words:
            names[-1:] = [names[-1] + word.typed] if word.touches and names else [*names[-1:], word.typed]
        full = " ".join(names)[:_MAX_CHARS].strip()
        # Both parts together are what was typed, pictures included: a rental is booked under them.
        given = next(n for n, name in enumerate(names, start=1) if _has_letter(name))
        first, last = " ".join(names[:given]), " ".join(names[given:])
        return NameReading(full=full, first=first, last=last, confidence=confidence)


def _longest_first(patterns: Iterable[str]) -> str:
    return "|".join(text.replace(" ", r"\s+") for text in sorted(patterns, key=lambda t: -len(t))) or NEVER


def _is_capital(word: str) -> bool:
    return not word[0].isalpha() or word[0].lower() == word[0].upper() or word[0].isupper()


def _is_upper(word: str) -> bool:
    """A real capital: scripts without capitals have none."""
    return word[0].isupper()


def _has_no_case(word: str) -> bool:
    return word[0].lower() == word[0].upper()


def _span(word: _Word) -> tuple[int, int]:
    return word.start, word.end


def _has_letter(word: str) -> bool:
    return any(sign.isalpha() for sign in word)


def _is_name_word(word: str) -> bool:
    """Letters of any script with marks, apostrophes, hyphens, dots; or pictures."""
    return all(sign in _INSIDE_NAMES or unicodedata.category(sign)[0] in "LM" or _is_picture(sign) for sign in word)


def _is_picture(sign: str) -> bool:
    return unicodedata.category(sign) in ("So", "Sk", "Cf")
