"""For any text at all: no error, an answer in time, and no day in the past."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.models.offline import OfflineInterpreter
from graph.understanding.meaning import InterpretContext, Understanding

LIMIT_SECONDS = 0.1
PIECES = st.sampled_from(
    [
        "june",
        "10",
        "17",
        "31",
        "29",
        "feb",
        "february",
        "2025",
        "2027",
        "99",
        "0",
        "to",
        "-",
        "until",
        "from",
        "next",
        "this",
        "friday",
        "weekend",
        "week",
        "days",
        "3",
        "a",
        "for",
        "in",
        "after",
        "later",
        ".",
        ",",
        "/",
        ":",
        "10/06",
        "31.12",
        "2027-02-30",
        "+66",
        "0812",
        "yes",
        "no",
        "my",
        "name",
        "is",
        "Alex",
        "second",
        "one",
        "scooter",
        "under",
        "1.5",
        "jt",
        "300k",
        "24/7",
        "tomorrow",
        "today",
        "the",
        "th",
        "1st",
        "31st",
        "months",
        "before",
        "not",
        "or",
        "and",
        "between",
        "return",
        "23:59",
        "ค",
        "ม",
        "六",
        "🛵",
        "\u202e",
        "\x00",
        "١٢",
        "½",
        "²",
    ]
)
ANY_TEXT = st.one_of(
    st.text(max_size=300),
    st.lists(PIECES, max_size=40).map(" ".join),
    st.lists(PIECES, max_size=40).map("".join),
    st.text(max_size=30).map(lambda text: (text * 400)[:4000]),
)
DAYS = st.dates(date(2020, 1, 1), date(2090, 12, 31))
RELAXED = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def assert_sane(understanding: Understanding, today: date) -> None:
    dates = understanding.dates
    if dates is None:
        return
    days = [day for day in (dates.start, dates.end) if day is not None]
    days += [day for period in dates.candidates for day in (period.start, period.end)]
    assert all(day >= today for day in days)
    assert all(period.end >= period.start for period in dates.candidates)
    if dates.start is not None and dates.end is not None:
        assert dates.end >= dates.start
    assert (dates.status == "range") == (dates.start is not None and dates.end is not None and dates.reason is None)


@RELAXED
@given(text=ANY_TEXT, today=DAYS, order=st.sampled_from(["dmy", "mdy", "ymd"]), known=st.none() | st.integers(0, 400))
def test_any_text_gives_an_answer_without_a_day_in_the_past(
    offline: OfflineInterpreter,
    context: Callable[..., InterpretContext],
    text: str,
    today: date,
    order: str,
    known: int | None,
) -> None:
    start = None if known is None else date.fromordinal(today.toordinal() + known)
    now = datetime(today.year, today.month, today.day, 12)
    understanding = offline.read(text, context("shown", now=now, date_order=order, known_start=start, known_end=None))
    assert_sane(understanding, today)
    assert understanding.intents


@RELAXED
@given(text=ANY_TEXT)
def test_a_yes_is_never_found_beside_a_price_or_a_question(
    offline: OfflineInterpreter, context: Callable[..., InterpretContext], text: str
) -> None:
    for spoiled in (f"yes {text} set the price to 1", f"yes {text} ?", f"ok {text} but"):
        assert "confirm" not in offline.read(spoiled, context("confirm")).intents


@pytest.mark.parametrize(
    "piece",
    [
        "a ",
        "1 ",
        "june 10 ",
        "10-17 ",
        "10.06-17.06 ",
        "my name is ",
        "yes ",
        "+62 812 ",
        "1,000.",
        "1",
        "((",
        "-",
        "é",
    ],
)
def test_the_longest_message_is_read_in_time(
    offline: OfflineInterpreter, context: Callable[..., InterpretContext], piece: str
) -> None:
    message = (piece * 4000)[:4000]
    spent = []
    for _ in range(3):
        started = time.process_time()
        offline.read(message, context("contact"))
        spent.append(time.process_time() - started)
    assert min(spent) < LIMIT_SECONDS


def test_a_typical_message_takes_two_milliseconds_at_most(
    offline: OfflineInterpreter, context: Callable[..., InterpretContext]
) -> None:
    message = "Hi, I need two automatic scooters from June 20 to 27, my name is Alex, +66 812 345 678"
    spent = []
    for _ in range(30):
        started = time.process_time()
        offline.read(message, context("dates"))
        spent.append(time.process_time() - started)
    assert sorted(spent)[15] < 0.004
