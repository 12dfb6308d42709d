"""Words that claim something, of all languages that have a file in `claims/`, and CLDR's names. Data, read once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, Final, Literal

from babel import Locale
from babel.numbers import get_currency_name, list_currencies

from graph.writing.formats import babel_locale

Status = Literal["booked", "held", "free", "changed", "cancelled"]

_NAMED_CURRENCIES: Final = (
    *("USD", "EUR", "GBP", "JPY", "CNY", "KRW", "THB", "IDR", "RUB", "VND", "INR", "AUD", "CAD", "SGD", "MYR"),
    *("PHP", "CHF", "AED", "TRY", "MXN", "BRL", "ZAR", "NZD", "HKD"),
)
"""Those whose names are looked for; codes are known of all."""
SIGNS: Final[Mapping[str, frozenset[str]]] = {
    "$": frozenset({"USD", "AUD", "CAD", "SGD", "NZD", "HKD", "MXN"}),
    "us$": frozenset({"USD"}),
    "€": frozenset({"EUR"}),
    "£": frozenset({"GBP"}),
    "¥": frozenset({"JPY", "CNY"}),
    "₩": frozenset({"KRW"}),
    "฿": frozenset({"THB"}),
    "₫": frozenset({"VND"}),
    "₽": frozenset({"RUB"}),
    "₹": frozenset({"INR"}),
    "rp": frozenset({"IDR"}),
    "rm": frozenset({"MYR"}),
}
"""Sign of a currency -> the currencies that it may mean."""
_SOME_WORDS: Final = r"\s+(?:\w+\s+){0,3}"
_LETTER: Final = r"[^\W\u0590-\uffff]"
"""A letter or digit of a script that has spaces."""
CODES: Final = frozenset(list_currencies())


@dataclass(frozen=True, slots=True)
class NumberWords:
    """How a language spells numbers."""

    values: Mapping[str, int]
    scales: Mapping[str, int]
    run: re.Pattern[str]
    """A run of number words, joiners inside."""
    token: re.Pattern[str]
    single_needs: re.Pattern[str] | None
    """What has to follow a lone word of one sign, or two such words."""
    units: frozenset[str] = frozenset()
    """Number words that count days when they stand behind a number ("칠일": seven days)."""


@dataclass(frozen=True, slots=True)
class ClaimWords:
    """The claim words of one language."""

    numbers: NumberWords
    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    """Lower-case name -> 0 (Monday) to 6."""
    short_weekdays: Mapping[str, int]
    """The same for short names, which mean a day only in front of a date."""
    currencies: Mapping[str, frozenset[str]]
    """Lower-case name, sign -> ISO codes."""
    decimal_comma: bool
    dates: re.Pattern[str]
    """A day written out. Groups: year, month or name, day, weekday, each with a number behind it."""


@lru_cache(maxsize=32)
def claim_words(lang: str) -> ClaimWords:
    """Return the words of one language; without a file of its own, CLDR's names alone."""
    data = _read(lang)
    locale = babel_locale(lang)
    months = _names(locale, "months", "wide") | _names(locale, "months", "abbreviated")
    weekdays, shorts = _names(locale, "days", "wide"), _names(locale, "days", "abbreviated")
    return ClaimWords(
        numbers=_number_words(data),
        months=months,
        weekdays=weekdays,
        short_weekdays=shorts,
        currencies=_currencies(locale),
        decimal_comma=locale.number_symbols["latn"]["decimal"] == ",",
        dates=_date_pattern(data.get("dates", {}), months, {**weekdays, **shorts}),
    )


@lru_cache(maxsize=1)
def status_pattern() -> re.Pattern[str]:
    """Claims of a status, in any of the languages: whoever lies may do it in another one. Groups name the status."""
    stems: dict[str, list[str]] = {"booked": [], "held": [], "free": [], "changed": [], "cancelled": []}
    for file in resources.files(__package__).joinpath("claims").iterdir():
        if file.name.endswith(".toml") and file.name != "messages.toml":
            data = tomllib.loads(file.read_text(encoding="utf-8"))
            for status, words in data.get("status", {}).items():
                stems[status] += words
    groups = (f"(?P<{status}>{'|'.join(_stem(word) for word in words)})" for status, words in stems.items())
    return re.compile("|".join(groups), re.IGNORECASE)


def _stem(word: str) -> str:
    """The beginning of a word, so that "unavailable" is another one; scripts without spaces have no such mark."""
    has_spaces = word[0] < "\u0590"
    return (r"(?<![^\W\d_])" if has_spaces else "") + re.escape(word).replace(r"\ \*\ ", _SOME_WORDS).replace(
        r"\ ", r"\s+"
    )


@lru_cache(maxsize=1)
def message_needs() -> Mapping[str, str]:
    """Message of the catalogue -> what has to be known before it is said; empty text: nothing."""
    data = tomllib.loads(_file("messages.toml"))
    return {**dict.fromkeys(data["harmless"]["messages"], ""), **data["needs"]}


def _read(lang: str) -> dict[str, Any]:
    path = resources.files(__package__).joinpath("claims", f"{lang}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _file(name: str) -> str:
    return resources.files(__package__).joinpath("claims", name).read_text(encoding="utf-8")


def _any_of(words: Iterable[str]) -> str:
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in ordered)


def _number_words(data: Mapping[str, Any]) -> NumberWords:
    values, scales = data.get("numbers", {}), data.get("scales", {})
    word = _any_of([*values, *scales]) or r"(?!)"
    joiner = _any_of(data.get("joiners", ())) or r"(?!)"
    avoid = "".join(f"(?!{re.escape(word)})" for word in data.get("not_numbers", ()))
    if data.get("without_spaces"):
        run = rf"{avoid}(?:{word})(?:\s?{avoid}(?:{word}))*"
    else:
        # A German number is one word, an English one is several.
        part = rf"(?:{word})(?:(?:{joiner})?(?:{word}))*"
        # Beside a script without spaces it needs none either.
        run = rf"(?<!{_LETTER}){part}(?:(?:\s+|\s*(?:{joiner})\s*|\s+(?:{joiner})\s+){part})*(?!{_LETTER})"
    needs = data.get("single_needs")
    return NumberWords(
        values,
        scales,
        re.compile(run, re.IGNORECASE),
        re.compile(word, re.IGNORECASE),
        re.compile(needs) if needs else None,
        frozenset(data.get("units", ())),
    )


def any_word(words: Iterable[str]) -> str:
    """Return an alternation of whole words, longest first; scripts without spaces have no ends of words."""
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(rf"(?<!\w){re.escape(w)}(?!\w)" if w[0] < "\u0590" else re.escape(w) for w in ordered) or r"(?!)"


def _date_pattern(data: Mapping[str, Any], months: Iterable[str], weekdays: Iterable[str]) -> re.Pattern[str]:
    name, weekday = _any_of(months) or r"(?!)", any_word(weekdays)
    suffix, joiner, article = (
        rf"(?:{_any_of(data.get(key, ())) or '(?!)'})" for key in ("suffixes", "joiners", "articles")
    )
    day = rf"(?<!\d)(?P<day>\d{{1,2}})(?!\d){suffix}?"
    year = rf"(?:,?\s*(?:{joiner}\s+)?(?P<year>\d{{4}})(?!\d))?"
    shapes = (
        *data.get("shapes", ()),
        r"(?<!\d)(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})(?!\d)",
        rf"{day}\.?\s*(?:{joiner}\s+)?(?P<name>{name})(?!\w)\.?{year}",
        rf"(?<!\w)(?P<name>{name})\.?\s+{day}{year}",
        r"(?<![\d.,/])(?P<day>\d{1,2})(?P<sep>[./])(?P<month>\d{1,2})(?P=sep)(?P<year>\d{4})(?!\d)",
    )
    numbered = "|".join(re.sub(r"\(\?P(<|=)(\w+)", rf"(?P\g<1>\g<2>{n}", shape) for n, shape in enumerate(shapes))
    lead = rf"(?:(?P<weekday90>{weekday})[.,]*\s*(?:{article}\s*)?)?"
    trail = rf"(?:\s*[,(]?\s*(?P<weekday91>{weekday})\)?)?"
    return re.compile(rf"{lead}(?:{numbered}){trail}", re.IGNORECASE)


def _names(locale: Locale, table: str, width: str) -> dict[str, int]:
    tables: Any = locale.months if table == "months" else locale.days
    found: dict[str, int] = {}
    for context in ("format", "stand-alone"):
        for number, name in tables[context][width].items():
            found[str(name).lower().rstrip(".")] = int(number)
    return {name: number for name, number in found.items() if not name[0].isdigit()}


def _currencies(locale: Locale) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = dict(SIGNS)
    for code in _NAMED_CURRENCIES:
        for count in (None, 1, 2, 5):
            name = str(get_currency_name(code, count, locale=locale)).lower()
            # "US dollars" and "dollars": the last word is what people say.
            for form in {name, name.split()[-1] if name.isascii() else name}:
                found[form] = found.get(form, frozenset()) | {code}
    return found
