"""Facts become the same words on every screen: office time, Gregorian days, Latin digits, right decimals."""

from __future__ import annotations

import re
import string
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import get_args

import pytest

from frontend_contract.actions import ActionKind
from frontend_contract.facts import Category, Money, OpeningHours, Period, PriceLine
from frontend_contract.payloads import ContactRequestPayload
from frontend_contract.turns import Role, Status
from renderers.catalogs import available, load_catalog, make_catalog
from renderers.labels import Labels, labels_for
from renderers.phrases import opening_hours, price_line

NBSP = "\u00a0"


def money(minor: int, currency: str, exponent: int) -> Money:
    return Money(minor=minor, currency=currency, exponent=exponent)


def period(start: str, end: str, days: int) -> Period:
    return Period(start=date.fromisoformat(start), end=date.fromisoformat(end), days=days, tz="Asia/Makassar")


def speaking(locale: str, **messages: object) -> Labels:
    """English words, but the numbers and names of days of another language."""
    return Labels(make_catalog({"locale": locale, "messages": messages}, load_catalog("en")))


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        (money(1_120_000, "IDR", 0), "IDR 1,120,000"),
        (money(1_120_000_00, "IDR", 2), "IDR 1,120,000"),
        (money(36_000, "JPY", 0), "JPY 36,000"),
        (money(300_000, "VND", 0), "VND 300,000"),
        (money(9_999, "EUR", 2), "EUR 99.99"),
        (money(9_990, "EUR", 2), "EUR 99.90"),
        (money(9_900, "EUR", 2), "EUR 99"),
        (money(5, "USD", 2), "USD 0.05"),
        (money(37_125, "JOD", 3), "JOD 37.125"),
        (money(12_500, "JOD", 3), "JOD 12.500"),
        (money(12_000, "JOD", 3), "JOD 12"),
        (money(0, "IDR", 0), "IDR 0"),
        (money(-280_000, "IDR", 0), "IDR -280,000"),
        (money(2**53 - 1, "EUR", 2), "EUR 90,071,992,547,409.91"),
    ],
)
def test_money_is_its_code_and_the_right_decimals(labels: Labels, amount: Money, shown: str) -> None:
    assert labels.money(amount) == shown.replace(" ", NBSP, 1)
    assert labels.amount(amount) == shown.split(" ")[1]


@pytest.mark.parametrize(
    ("locale", "shown"),
    [("de", "1.120.000,50"), ("hi", "11,20,000.50"), ("ar-EG", "1,120,000.50"), ("fa", "1,120,000.50")],
)
def test_other_languages_group_their_own_way_in_latin_digits(locale: str, shown: str) -> None:
    assert re.sub("[\u200e\u200f\u061c]", "", speaking(locale).amount(money(112_000_050, "EUR", 2))) == shown


@pytest.mark.parametrize(
    ("minor", "shown"), [(140_000, "IDR 140,000 more"), (-520_000, "IDR 520,000 less"), (0, "same price")]
)
def test_a_difference_is_said_in_words(labels: Labels, minor: int, shown: str) -> None:
    assert labels.difference(money(minor, "IDR", 0)).replace(NBSP, " ") == shown


@pytest.mark.parametrize(
    ("given", "long", "short"),
    [
        (("2027-06-20", "2027-06-27", 7), "Sun 20 – Sun 27 Jun 2027, 7 days", "20–27 Jun 2027, 7 days"),
        (("2027-06-27", "2027-07-04", 7), "Sun 27 Jun – Sun 4 Jul 2027, 7 days", "27 Jun – 4 Jul 2027, 7 days"),
        (
            ("2026-12-30", "2027-01-02", 3),
            "Wed 30 Dec 2026 – Sat 2 Jan 2027, 3 days",
            "30 Dec 2026 – 2 Jan 2027, 3 days",
        ),
        (("2027-06-20", "2027-06-21", 1), "Sun 20 – Mon 21 Jun 2027, 1 day", "20–21 Jun 2027, 1 day"),
        (("2027-06-20", "2027-06-20", 1), "Sun 20 Jun 2027, 1 day", "20 Jun 2027, 1 day"),
        (
            ("2026-06-20", "2027-06-20", 365),
            "Sat 20 Jun 2026 – Sun 20 Jun 2027, 365 days",
            "20 Jun 2026 – 20 Jun 2027, 365 days",
        ),
    ],
)
def test_a_period_says_what_its_days_share_once(
    labels: Labels, given: tuple[str, str, int], long: str, short: str
) -> None:
    assert labels.period(period(*given)) == long
    assert labels.period_short(period(*given)) == short


@pytest.mark.parametrize("locale", ["th", "ar-EG", "fa", "ko", "de", "ru", "zh-Hant", "he", "ne", "my"])
def test_every_language_counts_gregorian_years_in_latin_digits(locale: str) -> None:
    shown = speaking(locale).day(date(2027, 6, 20))
    assert re.findall(r"\d+", shown)[-1] == "2027"
    assert " 20 " in shown
    assert all(char in string.digits for char in shown if char.isdigit())


@pytest.mark.parametrize(
    ("instant", "tz", "shown"),
    [
        ("2027-05-31T07:52:00+00:00", "Asia/Makassar", "15:52 (Central Indonesia Time)"),
        ("2027-05-31T07:52:00+00:00", "Europe/Athens", "10:52 (Eastern European Summer Time)"),
        ("2027-05-31T16:30:00+00:00", "Asia/Makassar", "Tue 1 Jun 2027, 00:30 (Central Indonesia Time)"),
        ("2027-05-31T07:52:00+00:00", "Asia/Amman", "10:52 (Amman time)"),
        ("2027-05-31T15:52:00+08:00", None, "15:52"),
        ("2027-05-31T07:52:00+00:00", None, "07:52 (UTC)"),
        ("2027-05-31T15:52:00+08:00", "Mars/Olympus", "15:52"),
        ("2027-05-31T15:52:00+08:00", "../../etc/passwd", "15:52"),
        ("2027-05-31T15:52:00+08:00", "\x00", "15:52"),
    ],
)
def test_a_time_is_the_offices_own_and_says_so(labels: Labels, instant: str, tz: str | None, shown: str) -> None:
    now = datetime(2027, 5, 31, 7, 37, tzinfo=UTC)
    assert labels.moment(datetime.fromisoformat(instant), tz, now=now) == shown


def test_a_time_at_the_end_of_the_calendar_does_not_fail(labels: Labels) -> None:
    last = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
    first = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=8)))
    assert "9999" in labels.moment(last, "Asia/Makassar")
    assert labels.moment(first, "America/New_York", now=last)


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "1 minute"), (61, "2 minutes"), (240, "4 minutes"), (7_200, "2 hours")]
)
def test_a_wait_is_rounded_up(labels: Labels, seconds: int, shown: str) -> None:
    assert labels.wait(seconds) == shown


def test_plurals_follow_the_language() -> None:
    russian = speaking("ru", days={"one": "{n} день", "few": "{n} дня", "many": "{n} дней", "other": "{n} дня"})
    assert [russian.count("days", n) for n in (1, 3, 7, 21, 11)] == ["1 день", "3 дня", "7 дней", "21 день", "11 дней"]


def test_a_plural_form_that_is_missing_falls_back_to_other() -> None:
    assert speaking("ru", days={"other": "{n} дн."}).count("days", 3) == "3 дн."


def test_equal_weekdays_that_follow_each_other_are_one_row(labels: Labels) -> None:
    hours = [OpeningHours(weekday=day, opens="08:00", closes="18:00") for day in (0, 1, 2, 4)]
    hours += [OpeningHours(weekday=2, opens="20:00", closes="22:00")]
    assert opening_hours(hours, labels, today=4) == [
        ("Mon – Tue", "08:00–18:00"),
        ("Wed", "08:00–18:00, 20:00–22:00"),
        ("Thu", "closed"),
        ("Fri", "08:00–18:00 (today)"),
        ("Sat – Sun", "closed"),
    ]
    assert opening_hours([], labels) == []


@pytest.mark.parametrize("tag", ["en", "en-GB", "EN_us", "xx", "", "-", "zz-ZZ-x-private", "../en", "en\x00"])
def test_a_language_without_a_file_speaks_english(tag: str) -> None:
    assert labels_for(tag).locale == "en"


def test_a_word_that_a_language_lacks_is_said_in_english() -> None:
    assert speaking("de", included="inklusive").text("included") == "inklusive"
    assert speaking("de").text("closed") == "closed"
    assert speaking("tlh-unknown").day(date(2027, 6, 20)) == "Sun 20 Jun 2027"


def test_foreign_words_are_never_read_as_a_pattern(labels: Labels) -> None:
    evil = "{n.__class__} {0} %s"
    assert labels.text("reason.other_vehicle", vehicle=evil) == f"on a {evil}"
    assert labels.count("line.several", 2, name=evil) == f"2 × {evil}"


# --- the catalogues themselves ---


def placeholders(message: object) -> set[str]:
    forms = [message] if isinstance(message, str) else list(dict(message).values())  # type: ignore[call-overload]
    return {name for form in forms for _, name, _, _ in string.Formatter().parse(form) if name}


@pytest.mark.parametrize("locale", sorted(available()))
def test_a_catalogue_has_the_keys_and_blanks_of_english(locale: str) -> None:
    english, other = load_catalog("en").messages, load_catalog(locale).messages
    assert set(other) == set(english)
    for key, message in other.items():
        assert placeholders(message) == placeholders(english[key]), key
        assert isinstance(message, str) or "other" in message, key


def test_every_word_of_the_contract_has_its_words() -> None:
    literals = {
        "category": get_args(Category),
        "rental": ("pending", "confirmed", "active", "completed", "cancelled", "rejected", "other"),
        "contact": ("name", "phone", "other"),
        "status": set(get_args(Status)) - {"final"},
        "speaker": set(get_args(Role)) - {"agent"},
        "action": set(get_args(ActionKind)) - {"other"},
        "line": set(get_args(PriceLine.model_fields["code"].annotation)),
    }
    assert ContactRequestPayload.model_fields["need"]
    missing = [f"{g}.{v}" for g, values in literals.items() for v in values if not labels_for("en").has(f"{g}.{v}")]
    assert missing == []


def test_every_key_that_the_code_speaks_is_in_the_catalogue(labels: Labels) -> None:
    root = Path(__file__).parents[2] / "renderers"
    sources = [root / "labels.py", root / "phrases.py", *(root / "plain").glob("*.py")]
    called = re.compile(r"(?:labels|self|voice)\.(?:text|count)\(\s*\"([^\"]+)\"|\"(label\.[a-z_]+)\"")
    keys = {key for path in sources for pair in called.findall(path.read_text(encoding="utf-8")) for key in pair if key}
    assert len(keys) > 40
    assert {key for key in keys if not labels.has(key)} == set()


def test_a_price_line_is_named_by_what_it_is(labels: Labels) -> None:
    unit = money(30_000, "IDR", 0)
    line = PriceLine(code="extra", amount=money(60_000, "IDR", 0), quantity=2, unit_amount=unit, name="dry bag")
    assert price_line(line, labels) == "2 × dry bag × 30,000"
    assert price_line(line.model_copy(update={"name": None, "unit_amount": None, "quantity": 1}), labels) == "Extra"
    discount = PriceLine(code="length_discount", amount=money(-1, "IDR", 0))
    assert price_line(discount, labels) == "Discount for a longer rental"
    assert price_line(discount.model_copy(update={"percent": 20, "min_days": 7}), labels) == "20% off from 7 days"
