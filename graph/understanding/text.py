"""Text as typed beside text as read: folding, masking, repairing, with a way back to the typed words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from graph.understanding.marks import unmarked

MAX_CHARS = 4000
LOOK_BACK_CHARS = 80
MASK = "\x1f"
"""Stands where a phone number, a price or a date was taken out: no reader reads across it."""

_DASHES = dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212, 0xFE63, 0xFF0D, 0x2043), "-")
_SINGLE_QUOTES = dict.fromkeys((0x2018, 0x2019, 0x201B, 0x60, 0xB4, 0x2BC, 0x2032), "'")
_DOUBLE_QUOTES = dict.fromkeys((0x201C, 0x201D, 0x201E, 0xAB, 0xBB, 0x2033), '"')
_TABLE = _DASHES | _SINGLE_QUOTES | _DOUBLE_QUOTES | {0xFF5E: "~", 0x301C: "~", 0x2192: ">", 0x2026: "..."}
_SARA_AM, _NIKHAHIT_AA = "\u0e33", "\u0e4d\u0e32"
"""One Thai vowel, two spellings: NFKC would take apart what everybody types as one sign."""
_CONTROL = {"Cc", "Cs", "Co", "Cn"}
_DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\u200b\u2060")


@dataclass(frozen=True, slots=True)
class Folded:
    """Lower-case text for reading, and where each of its characters came from in `typed`."""

    typed: str
    text: str
    origin: tuple[int, ...]

    def as_typed(self, start: int, end: int) -> str:
        """The typed words behind `text[start:end]`."""
        if start >= end:
            return ""
        first, last = self.origin[start], self.origin[end - 1]
        return self.typed[first : last + 1].strip()

    def without(self, spans: Iterable[tuple[int, int]]) -> Folded:
        """The same text with these spans of `text` masked; lengths stay."""
        return Folded(self.typed, blanked(self.text, spans, MASK), self.origin)

    def replaced(self, changes: Iterable[tuple[int, int, str]]) -> Folded:
        """The same text with spans of `text` rewritten; every new character points at the old word."""
        letters: list[str] = []
        origin: list[int] = []
        at = 0
        for start, end, word in sorted(changes):
            letters.append(self.text[at:start] + word)
            origin.extend(self.origin[at:start])
            origin.extend(_spread(self.origin[start:end], len(word)))
            at = end
        letters.append(self.text[at:])
        origin.extend(self.origin[at:])
        return Folded(self.typed, "".join(letters), tuple(origin))


def without_marks(folded: Folded) -> Folded:
    """The same message with plain letters for marked ones; every letter still points at the typed one."""
    if folded.text.isascii():
        return folded
    letters = [unmarked(sign) for sign in folded.text]
    origin = [at for at, plain in zip(folded.origin, letters, strict=True) for _ in plain]
    return Folded(folded.typed, "".join(letters), tuple(origin))


def _spread(old: tuple[int, ...], length: int) -> list[int]:
    return [old[min(index, len(old) - 1)] if index < length - 1 else old[-1] for index in range(length)]


def printable(message: str) -> str:
    """The message without control signs and direction overrides; line breaks become spaces."""
    if message.isascii() and message.isprintable():
        return message[:MAX_CHARS]
    kept = (
        " " if sign in "\n\r\t\v\f\u2028\u2029" else sign
        for sign in message[:MAX_CHARS]
        if sign in "\n\r\t\v\f\u2028\u2029" or (sign not in _DIRECTION and unicodedata.category(sign) not in _CONTROL)
    )
    return unicodedata.normalize("NFC", "".join(kept)).replace(_NIKHAHIT_AA, _SARA_AM)


def fold(message: str) -> Folded:
    """Fold a message: compatibility forms, digits, dashes, quotes and case become plain. Never raises."""
    typed = printable(message)
    if typed.isascii():
        return Folded(typed, typed.lower().replace("`", "'"), tuple(range(len(typed))))
    letters: list[str] = []
    origin: list[int] = []
    for index, sign in enumerate(typed):
        plain = _plain(sign)
        letters.append(plain)
        origin.extend([index] * len(plain))
    return Folded(typed, "".join(letters), tuple(origin))


def _plain(sign: str) -> str:
    if sign == _SARA_AM:
        return sign
    if sign.isascii():
        return "'" if sign == "`" else sign.lower()
    if sign.isdigit():
        return str(unicodedata.digit(sign))
    plain = unicodedata.normalize("NFKC", _TABLE.get(ord(sign), sign)).translate(_TABLE)
    return plain.lower()


def before(text: str, at: int) -> str:
    """The words right before a place; short, so that reading stays linear in the length of the message."""
    return text[max(0, at - LOOK_BACK_CHARS) : at]


def blanked(text: str, spans: Iterable[tuple[int, int]], sign: str) -> str:
    """The text with these spans overwritten by one sign; lengths stay."""
    letters = list(text)
    for start, end in spans:
        letters[start:end] = sign * (end - start)
    return "".join(letters)


def is_wordless(text: str) -> bool:
    """True if nothing in it can be read: only signs, emoji or spaces."""
    return not any(sign.isalnum() for sign in text)


def squeeze(text: str) -> str:
    """Masks and runs of spaces -> one space."""
    return re.sub(rf"[\s{MASK}]+", " ", text).strip()
