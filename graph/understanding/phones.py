"""Phone numbers: found, repaired and made E.164. Dates and prices are not phones."""

from __future__ import annotations

import re

import phonenumbers
from phonenumbers import Leniency, NumberParseException, PhoneNumber, PhoneNumberMatcher

from graph.understanding.meaning import PhoneReading
from graph.understanding.text import Folded

_RUN = re.compile(r"\+?\(?\d[\d\s().\-/]{3,30}\d(?![\d])|\+\d{5,20}")
_DATE_LIKE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|(?<!\d)\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)?\d{2}(?!\d)|(?<!\d)(?:19|20)\d{2}(?:0\d|1[0-2])[0-3]\d(?!\d)|\d{1,2}:\d{2}"
    r"|(?<!\d)\d{1,2}[./]\d{1,2}\.?\s*-\s*\d{1,2}[./]\d{1,2}(?!\d)"
)
_AMOUNT_LIKE = re.compile(r"[1-9]\d{0,2}(?:[.,]\d{3})+")
_MIN_ATTEMPT_DIGITS = 5
_MAX_TRIES = 12

Found = tuple[PhoneReading, tuple[int, int]]


def find_phone(folded: Folded, region: str, *, asked: bool) -> Found | None:
    """The first valid phone number, with its span in `folded.text`.

    `asked`: the open question is the phone, so that digits which are no valid number are reported
    as a problem instead of being left alone.
    """
    text = folded.text
    for start, end in _candidates(text):
        number = _valid(text[start:end], region)
        if number is not None:
            return _reading(folded, start, end, number), (start, end)
    for match in _library_matches(text, region):
        raw = match.raw_string
        if raw.startswith("+") or not (_DATE_LIKE.search(raw) or _AMOUNT_LIKE.fullmatch(raw)):
            return _reading(folded, match.start, match.end, match.number), (match.start, match.end)
    return _problem(folded, region, asked=asked)


def _candidates(text: str) -> list[tuple[int, int]]:
    spans = []
    for match in _RUN.finditer(text):
        start, end = match.span()
        raw = match.group()
        digits = sum(sign.isdigit() for sign in raw)
        explicit = raw.startswith(("+", "00"))
        before = text[start - 1] if start else " "
        if (not 7 <= digits <= 17 and not explicit) or before.isalnum() or before in "#$€£":
            continue
        if not explicit and (_DATE_LIKE.search(raw) or _AMOUNT_LIKE.fullmatch(raw)):
            continue
        spans.append((start, end))
    return spans[:_MAX_TRIES]


def _valid(raw: str, region: str) -> PhoneNumber | None:
    for spelling in _spellings(raw, region):
        try:
            number = phonenumbers.parse(spelling, region)
        except NumberParseException:
            continue
        if phonenumbers.is_valid_number(number):
            return number
    return None


def _spellings(raw: str, region: str) -> list[str]:
    """The number as typed, then the usual repairs: 00 prefix, missing plus, zero after the country code."""
    digits = re.sub(r"\D", "", raw)
    plus = raw.lstrip().startswith("+")
    spellings = ["+" + digits] if plus else []
    if digits.startswith("00"):
        spellings.append("+" + digits[2:])
    if not plus and len(digits) >= 10 and digits.startswith(str(phonenumbers.country_code_for_region(region))):
        # "62812..." typed without a plus: reading it as a local number would double the country code.
        spellings.append("+" + digits)
    if not plus:
        spellings.append(digits)
    if not digits.startswith("0") and len(digits) >= 10:
        spellings.append("+" + digits)
    for spelling in list(spellings):
        if spelling.startswith("+"):
            spellings.extend(_country_repairs(spelling))
    return spellings


def _country_repairs(spelling: str) -> list[str]:
    """`+62 0812...` -> `+62812...`, and a country code typed twice."""
    digits = spelling[1:]
    repairs = []
    for length in (1, 2, 3):
        code, rest = digits[:length], digits[length:]
        if not code or int(code) not in phonenumbers.COUNTRY_CODE_TO_REGION_CODE:
            continue
        if rest.startswith("0"):
            repairs.append("+" + code + rest.lstrip("0"))
        if rest.startswith(code):
            repairs.append("+" + rest)
            repairs.append("+" + code + rest[length:].lstrip("0"))
    return repairs


def _library_matches(text: str, region: str) -> list[phonenumbers.PhoneNumberMatch]:
    if sum(sign.isdigit() for sign in text) < _MIN_ATTEMPT_DIGITS:
        return []
    matcher = PhoneNumberMatcher(text, region, leniency=Leniency.VALID, max_tries=_MAX_TRIES)
    return list(matcher)


def _reading(folded: Folded, start: int, end: int, number: PhoneNumber) -> PhoneReading:
    e164 = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    return PhoneReading(raw=folded.as_typed(start, end), e164=e164)


def _problem(folded: Folded, region: str, *, asked: bool) -> Found | None:
    """Digits that were surely meant as a phone number but are none."""
    for match in _RUN.finditer(folded.text):
        raw = match.group()
        digits = sum(sign.isdigit() for sign in raw)
        if digits < _MIN_ATTEMPT_DIGITS or (not raw.startswith("+") and (not asked or _DATE_LIKE.search(raw))):
            continue
        problem = _why_invalid(raw, region)
        reading = PhoneReading(raw=folded.as_typed(*match.span()), problem=problem)
        return reading, match.span()
    return None


def _why_invalid(raw: str, region: str) -> str:
    try:
        number = phonenumbers.parse(raw, region)
    except NumberParseException as error:
        if error.error_type == NumberParseException.INVALID_COUNTRY_CODE:
            return "unknown_country"
        return "too_long" if error.error_type == NumberParseException.TOO_LONG else "too_short"
    reason = phonenumbers.is_possible_number_with_reason(number)
    names = {
        phonenumbers.ValidationResult.TOO_SHORT: "too_short",
        phonenumbers.ValidationResult.TOO_LONG: "too_long",
        phonenumbers.ValidationResult.INVALID_COUNTRY_CODE: "unknown_country",
    }
    return names.get(reason, "invalid")
