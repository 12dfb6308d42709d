"""What a date phrase means: the table `dates.txt`, then what depends on the conversation or the company."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from graph.models.offline import OfflineInterpreter
from graph.understanding.meaning import DateRange, DateReading, InterpretContext

Read = Callable[..., DateReading | None]
TABLE = Path(__file__).with_name("dates.txt")
JUNE_20_27: dict[str, Any] = {"known_start": date(2027, 6, 20), "known_end": date(2027, 6, 27)}


@pytest.fixture
def read(offline: OfflineInterpreter, context: Callable[..., InterpretContext]) -> Read:
    def reading(phrase: str, **changes: Any) -> DateReading | None:
        return offline.read(phrase, context("dates", **changes)).dates

    return reading


def shown_range(period: DateRange) -> str:
    return f"{period.start}..{period.end}"


def shown(dates: DateReading | None) -> str:
    if dates is None:
        return "none"
    match dates.status:
        case "range":
            return f"{dates.start}..{dates.end}"
        case "start":
            return str(dates.start)
        case "duration":
            return f"{dates.days} days"
        case _:
            head = f"{dates.status}:{dates.reason or ''}"
            return " ".join([head, *map(shown_range, dates.candidates)])


def rows() -> list[list[str]]:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return [[part.strip() for part in line.split(" | ")] for line in lines if not line.startswith("#")]


@pytest.mark.parametrize(("phrase", "reading"), rows())
def test_a_phrase_means_these_days(read: Read, phrase: str, reading: str) -> None:
    assert shown(read(phrase)) == reading


@pytest.mark.parametrize(
    ("phrase", "reading"),
    [
        ("till the 23rd", "2027-06-20..2027-06-23"),
        ("a week later", "2027-06-27..2027-07-04"),
        ("one day earlier", "2027-06-19..2027-06-26"),
        ("same dates", "2027-06-20..2027-06-27"),
        ("2 more days", "2027-06-20..2027-06-29"),
        ("extend by 2 days", "2027-06-20..2027-06-29"),
        ("one day longer", "2027-06-20..2027-06-28"),
        ("make it 5 days", "2027-06-20..2027-06-25"),
        ("a month later", "2027-07-20..2027-07-27"),
        ("3 weeks earlier", "refused:past"),
        ("from the 22nd", "2027-06-22"),
        ("return it 2 days later", "2027-06-20..2027-06-29"),
        ("can I bring it back a day earlier", "2027-06-20..2027-06-26"),
        ("can I pick it up a day later", "ambiguous: 2027-06-21..2027-06-27 2027-06-21..2027-06-28"),
    ],
)
def test_a_change_is_read_against_the_known_dates(read: Read, phrase: str, reading: str) -> None:
    assert shown(read(phrase, **JUNE_20_27)) == reading


@pytest.mark.parametrize("phrase", ["the 23rd", "till the 23rd", "june 23", "for 3 days"])
def test_a_lone_later_day_completes_a_known_first_day(read: Read, phrase: str) -> None:
    assert shown(read(phrase, known_start=date(2027, 6, 20))) == "2027-06-20..2027-06-23"


def test_the_company_decides_which_number_is_the_month(read: Read) -> None:
    assert shown(read("6/7", date_order="mdy")) == "2027-06-07"
    assert shown(read("6/7", date_order="dmy")) == "2027-07-06"
    assert shown(read("12/06 - 17/06", date_order="mdy")) == "2027-06-12..2027-06-17"


def test_a_period_that_has_begun_is_a_question_and_not_next_year(read: Read) -> None:
    in_the_middle = datetime(2027, 6, 12, 9)
    offered = "refused:past 2027-06-12..2027-06-17 2028-06-10..2028-06-17"
    assert shown(read("10-17 June", now=in_the_middle)) == offered


def test_a_month_without_a_day_never_overflows_at_the_end_of_a_month(read: Read) -> None:
    assert shown(read("in february", now=datetime(2027, 1, 31))) == "refused:unreadable"


def test_the_day_is_taken_from_the_clock_of_the_office_and_not_of_the_machine(read: Read) -> None:
    assert shown(read("today", now=datetime(2031, 1, 1, 0, 5))) == "2031-01-01"


def test_the_words_that_were_read_are_kept_as_typed(read: Read) -> None:
    found = read("I want a Scooter from JUNE 20\u201327 pls")
    assert found is not None
    assert found.phrase == "JUNE 20\u201327"


def test_a_time_of_day_belongs_to_the_first_day(read: Read) -> None:
    found = read("pick up june 20 at half past 9 in the morning, return june 22 6pm")
    assert found is not None
    assert found.pickup_time == "09:30"


def test_an_end_without_a_known_start_is_kept_for_the_question(read: Read) -> None:
    found = read("until 5 june")
    assert found is not None
    assert (found.status, found.end) == ("refused", date(2027, 6, 5))
