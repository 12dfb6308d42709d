"""Who a customer is: phones, identities from a channel, and masks."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

import phonenumbers
from phonenumbers import Leniency, NumberParseException, PhoneNumber, PhoneNumberFormat, PhoneNumberMatcher

_SHOWN_DIGITS = 3
_MAX_PHONE_TEXT: Final = 250
_NUMBER_ONLY: Final = re.compile(r"\+?[0-9]{6,17}")
_MAX_TRIES: Final = 20
_APOSTROPHES: Final = dict.fromkeys(map(ord, "'`\u00b4\u02bc\u2019\u2018\u02bb\u200c\u200d"))
_LETTERS: Final = str.maketrans(
    {"ł": "l", "đ": "d", "ø": "o", "\u0131": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ħ": "h", "ŧ": "t"}
)


def canonical_phone(text: str, region: str) -> str | None:
    """Return the first number of the text in E.164, or None when there is none.

    `region` (ISO 3166, "ID") is where a number without a country code is dialled from. Words around the number are
    left out and not read as digits; dates and times are no numbers.
    """
    typed = text.strip()[:_MAX_PHONE_TEXT]
    number = _abroad(typed) or (_parsed(typed, region) if _NUMBER_ONLY.fullmatch(typed) else _found(typed, region))
    return None if number is None else str(phonenumbers.format_number(number, PhoneNumberFormat.E164))


def _abroad(text: str) -> PhoneNumber | None:
    """The number behind "00", which most of the world dials for the plus sign, whatever this region dials."""
    number = _parsed(f"+{text[2:]}", "ZZ") if text.startswith("00") else None
    return number if number is not None and phonenumbers.is_valid_number(number) else None


def _parsed(text: str, region: str) -> PhoneNumber | None:
    try:
        number = phonenumbers.parse(text, region)
    except NumberParseException:
        return None
    return number if phonenumbers.is_possible_number(number) else None


def _found(text: str, region: str) -> PhoneNumber | None:
    for leniency in (Leniency.VALID, Leniency.POSSIBLE):
        for match in PhoneNumberMatcher(text, region, leniency=leniency, max_tries=_MAX_TRIES):
            return match.number
    return None


def searchable(*names: str) -> str:
    """Return names as they are searched: case, accents and apostrophes do not count, in any script.

    >>> searchable("Siobhán", "O'Neil")
    'siobhan oneil'
    """
    text = " ".join(names).casefold().translate(_APOSTROPHES).translate(_LETTERS)
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    folded = unicodedata.normalize("NFC", bare).casefold()
    return " ".join("".join(c if _is_of_a_word(c) else " " for c in folded).split())


def _is_of_a_word(letter: str) -> bool:
    # Vowel signs of Thai, Devanagari and others are marks (M), and part of the word.
    return unicodedata.category(letter)[0] in "LNM"


def actor_contact(actor: str) -> tuple[str, str] | None:
    """Return (kind, value) of the identity that a channel vouches for; None for nobody."""
    if not actor:
        return None
    channel, _, name = actor.partition(":")
    if channel == "telegram" and name.isdigit():
        return ("telegram_id", name)
    return ("session", actor)


def mask_phone(phone: str) -> str:
    """Return the number with all but the country's first digits and the last three hidden."""
    if not phone:
        return ""
    hidden = "•" * max(0, len(phone) - 3 - _SHOWN_DIGITS)
    return f"{phone[:3]}{hidden}{phone[-_SHOWN_DIGITS:]}"
