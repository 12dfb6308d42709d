"""Facts to strings: numbers, money, days and times of one language.

Every screen of ours says the same: Gregorian calendar, Latin digits, the office's own time, the year where
it matters. Words come from `renderers.catalogs`.
"""

from __future__ import annotations

import re
from datetime import date, datetime, tzinfo
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from babel import Locale, UnknownLocaleError
from babel.dates import get_day_names, get_month_names, get_timezone_location, get_timezone_name
from babel.numbers import format_decimal

from frontend_contract.base import MAX_SAFE_INTEGER
from frontend_contract.facts import Money, Period
from renderers.catalogs import FALLBACK, Catalog, load_catalog
from renderers.safe_text import safe_name

NO_BREAK_SPACE = "\u00a0"
_FRACTION = re.compile(r"0\.[0#]+")


class Labels:
    """The voice of one language. Immutable; nothing in it raises for facts that passed the contract."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._locale = _babel_locale(catalog.locale)
        self._weekdays = get_day_names("abbreviated", locale=self._locale)
        self._months = get_month_names("abbreviated", locale=self._locale)

    @property
    def locale(self) -> str:
        """The language that is really spoken, which may be the fallback."""
        return self.catalog.locale

    # --- words ---

    def has(self, key: str) -> bool:
        """Tell whether the catalogue knows a key."""
        return key in self.catalog.messages

    def text(self, key: str, /, **values: str) -> str:
        """Return a sentence; the key itself where no catalogue has it."""
        message = self.catalog.messages.get(key, key)
        pattern = message if isinstance(message, str) else message["other"]
        return pattern.format_map(values)

    def count(self, key: str, n: int, /, **values: str) -> str:
        """Return a counted sentence in the plural form of the language, e.g. "7 days"."""
        message = self.catalog.messages.get(key, key)
        if not isinstance(message, str):
            message = message.get(self._locale.plural_form(abs(n)), message["other"])
        return message.format_map({"n": self.number(n), **values})

    def name(self, text: str) -> str:
        """Return somebody's name or other foreign words, made harmless."""
        return safe_name(text)

    # --- numbers and money ---

    def number(self, n: int) -> str:
        """Return a whole number with separators, e.g. "1,332"."""
        return self._decimal(Decimal(n), 0) if abs(n) <= MAX_SAFE_INTEGER else str(n)

    def amount(self, money: Money) -> str:
        """Return the amount without its currency: "1,120,000", "99.99"; decimals only where it has a fraction."""
        whole = money.minor % 10**money.exponent == 0
        value = Decimal(money.minor).scaleb(-money.exponent)
        return self._decimal(value, 0 if whole else money.exponent)

    def money(self, money: Money) -> str:
        """Return code and amount as one unbreakable unit: "IDR 1,120,000" (with U+00A0 between them)."""
        return f"{money.currency}{NO_BREAK_SPACE}{self.amount(money)}"

    def difference(self, money: Money) -> str:
        """Return a difference in words: "IDR 140,000 more", "IDR 520,000 less", "same price"."""
        if money.minor == 0:
            return self.text("price.same")
        size = money.model_copy(update={"minor": abs(money.minor)})
        return self.text("price.more" if money.minor > 0 else "price.less", money=self.money(size))

    def price_for(self, total: Money, days: int) -> str:
        """Return e.g. "IDR 1,120,000 for 7 days"."""
        return self.text("price.for", money=self.money(total), days=self.count("days", days))

    def per_day(self, money: Money) -> str:
        """Return e.g. "IDR 160,000 a day"."""
        return self.text("price.per_day", money=self.money(money))

    def _decimal(self, value: Decimal, places: int) -> str:
        pattern = self._locale.decimal_formats[None].pattern
        fraction = f"0.{'0' * places}" if places else "0"
        pattern = _FRACTION.sub(fraction, pattern)
        return format_decimal(value, format=pattern, locale=self._locale, numbering_system="latn")

    # --- days ---

    def weekday(self, weekday: int) -> str:
        """Return the short name of a weekday; 0 is Monday."""
        return str(self._weekdays[weekday])

    def month(self, month: int) -> str:
        """Return the short name of a month, 1 to 12."""
        return str(self._months[month])

    def day(self, day: date) -> str:
        """Return e.g. "Sun 20 Jun 2027"."""
        return self.text("date.day", **self._parts(day, day))

    def day_short(self, day: date) -> str:
        """Return e.g. "Sun 20 Jun", for a second mention."""
        return self.text("date.day_short", **self._parts(day, day))

    def span(self, start: date, end: date) -> str:
        """Return e.g. "Sun 20 – Sun 27 Jun 2027"; what both days share is said once."""
        if start == end:
            return self.day(start)
        return self.text(f"date.span.{_shared(start, end)}", **self._parts(start, end))

    def span_short(self, start: date, end: date) -> str:
        """Return e.g. "20–27 Jun 2027"."""
        key = "day" if start == end else _shared(start, end)
        return self.text(f"date.short.{key}", **self._parts(start, end))

    def period(self, period: Period) -> str:
        """Return pick-up day, return day and length: "Sun 20 – Sun 27 Jun 2027, 7 days"."""
        dates = self.span(period.start, period.end)
        return self.text("date.and_days", dates=dates, days=self.count("days", period.days))

    def period_short(self, period: Period) -> str:
        """Return e.g. "20–27 Jun 2027, 7 days"."""
        dates = self.span_short(period.start, period.end)
        return self.text("date.and_days", dates=dates, days=self.count("days", period.days))

    def day_at(self, day: date, time: str) -> str:
        """Return a day with an office-local time: "Sun 20 Jun 2027, 10:00"."""
        return self.text("date.and_time", date=self.day(day), time=time)

    def _parts(self, first: date, second: date) -> dict[str, str]:
        parts: dict[str, str] = {}
        for index, day in enumerate((first, second), start=1):
            parts[f"weekday{index}"] = self.weekday(day.weekday())
            parts[f"day{index}"] = str(day.day)
            parts[f"month{index}"] = self.month(day.month)
            parts[f"year{index}"] = str(day.year)
        return parts

    # --- times ---

    def clock(self, instant: datetime, tz: str | None = None) -> str:
        """Return the time of day in the office's zone, "15:52"; without a zone, in the instant's own offset."""
        return to_zone(instant, tz).strftime("%H:%M")

    def zone(self, instant: datetime, tz: str | None) -> str:
        """Return the name of the zone, e.g. "Central Indonesia Time"; empty where it is not known."""
        zone = find_zone(tz)
        if zone is None:
            return "UTC" if not instant.utcoffset() else ""
        name = get_timezone_name(to_zone(instant, tz), width="long", locale=self._locale)
        if not name.startswith("GMT"):
            return name
        city = get_timezone_location(zone, locale=self._locale, return_city=True)
        return self.text("time.zone_of", city=city)

    def moment(self, instant: datetime, tz: str | None = None, *, now: datetime | None = None) -> str:
        """Return a time, with its day unless that is the day of `now`, and the zone's name.

        E.g. "15:52 (Central Indonesia Time)" or "Tue 1 Jun 2027, 08:00 (Central Indonesia Time)".
        """
        local = to_zone(instant, tz)
        time = self.clock(instant, tz)
        if now is None or to_zone(now, tz or local.tzinfo).date() != local.date():
            time = self.day_at(local.date(), time)
        zone = self.zone(instant, tz)
        return self.text("time.with_zone", time=time, zone=zone) if zone else time

    def wait(self, seconds: int) -> str:
        """Return a length of time in words, rounded up: "4 minutes", "2 hours"."""
        minutes = max(1, -(-seconds // 60))
        return self.count("minutes", minutes) if minutes < 90 else self.count("hours", -(-minutes // 60))


def labels_for(locale: str) -> Labels:
    """Return the labels nearest to a BCP 47 tag; English where there is no catalogue. Never raises."""
    return Labels(load_catalog(locale))


def find_zone(tz: str | None) -> ZoneInfo | None:
    """Return an IANA zone; None for a name that this machine does not have."""
    try:
        return ZoneInfo(tz) if tz else None
    except (KeyError, ValueError, OSError):
        return None


def to_zone(instant: datetime, tz: str | tzinfo | None) -> datetime:
    """Return the instant on the clocks of a zone; unchanged where the zone is not known."""
    zone = find_zone(tz) if isinstance(tz, str) else tz
    try:
        return instant.astimezone(zone) if zone else instant
    except (OverflowError, ValueError):
        return instant


def _shared(start: date, end: date) -> str:
    """Tell the smallest thing that two days do not have to say twice."""
    if start.year != end.year:
        return "years"
    return "month" if start.month == end.month else "year"


def _babel_locale(tag: Any) -> Locale:
    try:
        return Locale.parse(str(tag).replace("-", "_"))
    except (ValueError, UnknownLocaleError):
        return Locale.parse(FALLBACK)
