"""Dates, money and lists as words. Gregorian calendar and Latin digits, whatever the locale."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal

from babel import Locale
from babel.dates import format_date, format_skeleton, format_time
from babel.lists import format_list
from babel.numbers import format_decimal, get_decimal_symbol

from graph.writing.catalog import FALLBACK, load_catalog, spoken_language


def babel_locale(lang: str) -> Locale:
    """Return the locale for a BCP 47 tag; English where the tag is unknown."""
    try:
        return Locale.parse(lang.replace("-", "_"))
    except (ValueError, LookupError):
        return Locale.parse(FALLBACK)


def money(minor: int, currency: str, exponent: int, lang: str) -> str:
    """Write an amount as code and number, without decimals when it is whole: "IDR 1,120,000"."""
    amount = Decimal(minor).scaleb(-exponent)
    whole = amount == amount.to_integral_value()
    pattern = "#,##0" if whole else "#,##0." + "0" * exponent
    return f"{currency} {format_decimal(amount, format=pattern, locale=babel_locale(lang))}"


def decimal_mark(lang: str) -> str:
    """The sign before the decimals in Latin digits: "." or ","."""
    return get_decimal_symbol(babel_locale(lang), numbering_system="latn")


def day(value: date, lang: str, *, year: bool = False, today: date | None = None) -> str:
    """Write a day with its weekday: "Sunday 20 June". The year is added when asked or when it is not this year's."""
    with_year = year or (today is not None and value.year != today.year)
    shape = load_catalog(spoken_language(lang))["format.day_year" if with_year else "format.day"]
    return format_date(value, shape, locale=babel_locale(lang))


def short_day(value: date, lang: str) -> str:
    """Write a day without its weekday: "13 June"."""
    locale = babel_locale(lang)
    if locale.language == "en":
        return format_date(value, "d MMMM", locale=locale)
    return format_skeleton("MMMMd", datetime.combine(value, time()), locale=locale)


def clock_time(value: datetime, lang: str) -> str:
    """Write a local time of day: "15:52"."""
    return format_time(value.time(), "HH:mm", locale=babel_locale(lang))


def listed(items: Sequence[str], lang: str) -> str:
    """Write a list: "a, b and c"."""
    return format_list(list(items), locale=babel_locale(lang)).replace(", and ", " and ")


def plural_form(count: int, lang: str) -> str:
    """Return the CLDR plural category of a count."""
    return str(babel_locale(lang).plural_form(count))
