"""The same rental periods in every language: tables `dates/<code>.txt`, changes of a known period, any mixture."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.models.offline import OfflineInterpreter
from graph.understanding import lexicon
from graph.understanding.dates import DateReader
from graph.understanding.lexicon import lexicon_codes, load_lexicon
from graph.understanding.meaning import DateRange, DateReading, InterpretContext

TABLES = Path(__file__).with_name("dates")
JUNE_20_27: dict[str, Any] = {"known_start": date(2027, 6, 20), "known_end": date(2027, 6, 27)}
Read = Callable[..., DateReading | None]


def lines_of(code: str) -> list[tuple[str, str]]:
    lines = (TABLES / f"{code}.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(" | ") for line in lines if not line.startswith("#"))
    return [(phrase.strip(), reading.strip()) for phrase, reading in pairs]


def all_lines() -> list[tuple[str, str, str]]:
    codes = sorted(path.stem for path in TABLES.glob("*.txt"))
    return [(code, phrase, reading) for code in codes for phrase, reading in lines_of(code)]


def changes() -> list[list[str]]:
    lines = TABLES.with_name("date_changes.txt").read_text(encoding="utf-8").splitlines()
    return [line.split(" | ") for line in lines if not line.startswith("#")]


def shown(dates: DateReading | None) -> str:
    def period(one: DateRange) -> str:
        return f"{one.start}..{one.end}"

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
            return " ".join([f"{dates.status}:{dates.reason or ''}", *map(period, dates.candidates)])


@pytest.fixture
def read(offline: OfflineInterpreter, context: Callable[..., InterpretContext]) -> Read:
    def reading(phrase: str, lang: str, **changes: Any) -> DateReading | None:
        return offline.read(phrase, context("dates", lang=lang, **changes)).dates

    return reading


class Recorded:
    """A lexicon that remembers what was asked of it."""

    def __init__(self, code: str) -> None:
        self._lexicon = load_lexicon(code)
        self.asked: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._lexicon, name)

        def method(*paths: str) -> Any:
            self.asked |= {path for path in paths if path.startswith("dates.")}
            return found(*paths)

        return method if callable(found) else found


@pytest.mark.parametrize("code", lexicon_codes())
def test_every_key_of_a_languages_dates_is_read_by_somebody(code: str) -> None:
    """A misspelt key would mean nothing, and nobody would notice."""
    recorded: Any = Recorded(code)
    DateReader(recorded)
    file = Path(lexicon.__file__).parent / code / "dates.toml"
    keys = {f"dates.{key}" for key in tomllib.loads(file.read_text(encoding="utf-8"))["dates"]}
    by_the_lexicon_itself = {"dates.locale", "dates.months", "dates.weekdays"}
    assert keys - recorded.asked - by_the_lexicon_itself == set()


def test_every_language_of_the_lexicon_has_a_table() -> None:
    assert {path.stem for path in TABLES.glob("*.txt")} == set(lexicon_codes()) - {"en"}


@pytest.mark.parametrize(("code", "phrase", "reading"), all_lines())
def test_a_phrase_means_the_same_days_in_its_language(read: Read, code: str, phrase: str, reading: str) -> None:
    assert shown(read(phrase, code, max_days=31)) == reading


@pytest.mark.parametrize(("code", "phrase", "reading"), changes())
def test_a_change_is_read_against_the_known_period(read: Read, code: str, phrase: str, reading: str) -> None:
    assert shown(read(phrase, code, **JUNE_20_27)) == reading


@pytest.mark.parametrize("code", lexicon_codes())
def test_digits_follow_the_order_of_the_company_in_every_language(read: Read, code: str) -> None:
    assert shown(read("6/7", code, date_order="mdy")) == "2027-06-07"
    assert shown(read("6/7", code, date_order="dmy")) == "2027-07-06"


def test_next_monday_said_on_a_sunday_is_a_question_with_both_mondays(read: Read) -> None:
    sunday = datetime(2027, 6, 6, 12)
    offered = "ambiguous: 2027-06-07..2027-06-07 2027-06-14..2027-06-14"
    assert shown(read("next monday", "en", now=sunday)) == offered
    assert shown(read("nächsten Montag", "de", now=sunday)) == offered
    assert shown(read("next thursday", "en", now=sunday)) == "2027-06-10"


PIECES = {code: [word for phrase, _ in lines_of(code) for word in phrase.split()] for code in lexicon_codes()[1:]}
NUMBERS = [
    "0",
    "1",
    "10",
    "31",
    "99",
    "2027",
    "10.6.",
    "10/06",
    "-",
    "/",
    ",",
    "?",
    "999999",
    "12:30",
    "\uff11\uff12",
    "๑๒",
]
SOME_TEXT = st.sampled_from(sorted(PIECES)).flatmap(
    lambda code: st.tuples(
        st.just(code),
        st.lists(st.sampled_from(PIECES[code] + NUMBERS), max_size=14),
        st.sampled_from([" ", ""]),
    )
)


@settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(drawn=SOME_TEXT, today=st.dates(date(2020, 1, 1), date(2090, 12, 31)), known=st.none() | st.integers(0, 400))
def test_any_mixture_of_a_languages_words_gives_days_in_order_and_none_in_the_past(
    read: Read, drawn: tuple[str, list[str], str], today: date, known: int | None
) -> None:
    code, words, gap = drawn
    start = None if known is None else date.fromordinal(today.toordinal() + known)
    now = datetime(today.year, today.month, today.day, 12)
    dates = read(gap.join(words), code, now=now, known_start=start, known_end=None)
    if dates is None:
        return
    days = [day for day in (dates.start, dates.end) if day is not None]
    days += [day for period in dates.candidates for day in (period.start, period.end)]
    assert all(day >= today for day in days)
    assert all(period.end >= period.start for period in dates.candidates)
    if dates.start is not None and dates.end is not None:
        assert dates.end >= dates.start
