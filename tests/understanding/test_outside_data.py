"""Measured against sentences that nobody here wrote. Thresholds sit just under the figures that were seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any

from graph.models.offline import OfflineInterpreter
from graph.understanding.meaning import DateReading, InterpretContext
from graph.understanding.phones import find_phone
from graph.understanding.text import fold

EVERY = 5
"""Of the big files every fifth row is read, to keep the suite quick; the figures of all rows are alike."""
Rows = Callable[[str], Iterator[dict[str, Any]]]


def read(offline: OfflineInterpreter, text: str, today: str, **changes: Any) -> DateReading | None:
    context = InterpretContext(now=datetime.fromisoformat(f"{today}T10:00"), **changes)
    return offline.read(text, context).dates


def is_range(dates: DateReading | None, periods: list[list[str]]) -> bool:
    return dates is not None and dates.status == "range" and [str(dates.start), str(dates.end)] in periods


def test_all_thirty_english_rental_ranges_are_right(offline: OfflineInterpreter, outside_rows: Rows) -> None:
    wrong = [
        row["text"]
        for row in outside_rows("ranges60.jsonl")
        if row["lang"] == "en"
        and not is_range(
            read(offline, row["text"], row["today"], max_days=60),
            [[row["start"], row["end"]], *(row.get("accept") or [])],
        )
    ]
    assert wrong == []


def test_other_languages_are_rarely_answered_wrongly(offline: OfflineInterpreter, outside_rows: Rows) -> None:
    wrong = [
        row["text"]
        for row in outside_rows("ranges60.jsonl")
        if row["lang"] != "en"
        and (dates := read(offline, row["text"], row["today"], max_days=60)) is not None
        and dates.status == "range"
        and not is_range(dates, [[row["start"], row["end"]]])
    ]
    assert len(wrong) <= 1


def rental_turns(outside_rows: Rows) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    for name in ("sgd_train_rental_slot_turns.jsonl", "sgd_dev_rental_slot_turns.jsonl"):
        for row in outside_rows(name):
            slots = row["new_slots"].items()
            days = {
                k: v["canonical"] for k, v in slots if v["how"] == "spoken" and k in ("pickup_date", "dropoff_date")
            }
            yield row, days


def test_spoken_pickup_and_return_days_are_right_and_wrong_answers_rarer_than_none(
    offline: OfflineInterpreter, outside_rows: Rows
) -> None:
    seen: set[str] = set()
    count: Counter[str] = Counter()
    for row, days in rental_turns(outside_rows):
        if len(days) != 2 or row["utterance"] in seen:
            continue
        seen.add(row["utterance"])
        dates = read(offline, row["utterance"], "2019-03-01")
        if is_range(dates, [[days["pickup_date"], days["dropoff_date"]]]):
            count["right"] += 1
        else:
            count["wrong" if dates is not None and dates.status == "range" else "none"] += 1
    assert count["right"] / sum(count.values()) >= 0.96
    assert count["wrong"] <= 3 < count["none"]


def test_turns_without_a_rental_day_rarely_read_one(offline: OfflineInterpreter, outside_rows: Rows) -> None:
    turns = read_days = 0
    for row, _ in islice(rental_turns(outside_rows), 0, None, EVERY):
        if any("date" in slot for slot in row["new_slots"]):
            continue
        turns += 1
        dates = read(offline, row["utterance"], "2019-03-01")
        read_days += dates is not None and dates.status in ("range", "start")
    assert read_days / turns <= 0.003


def test_nothing_but_a_yes_confirms_a_booking(offline: OfflineInterpreter, outside_rows: Rows) -> None:
    false: list[str] = []
    plain_yes = found = 0
    for row in islice(outside_rows("sgd_train_replies_after_offer_or_confirm.jsonl"), 0, None, EVERY):
        question = "confirm_booking" if row["after"] == "CONFIRM" else "accept_quote"
        context = InterpretContext(now=datetime(2027, 5, 31), open_question=question)
        confirms = "confirm" in offline.read(row["user"], context).intents
        if confirms and "yes" not in row["labels"]:
            false.append(row["user"])
        if row["after"] == "CONFIRM" and row["labels"] == ["yes"]:
            plain_yes += 1
            found += confirms
    assert false == []
    assert found / plain_yes >= 0.7


def test_spellings_of_valid_numbers_are_read(offline: OfflineInterpreter, outside_rows: Rows) -> None:
    count: Counter[str] = Counter()
    for row in islice(outside_rows("phones_work.jsonl"), 0, None, EVERY):
        region = row["needs_default_region"] or row["region"]
        found = find_phone(fold(f"my number is {row['text']} thanks"), region, asked=False)
        e164 = found[0].e164 if found else None
        count["right" if e164 == row["e164"] else "none" if e164 is None else "wrong"] += 1
    assert count["right"] / sum(count.values()) >= 0.99
    assert count["wrong"] <= 3


def test_dates_and_codes_are_no_phones(outside_rows: Rows) -> None:
    false = [
        row["text"]
        for row in outside_rows("phones_tricky.jsonl")
        if row["label"] == "not_a_phone"
        and (found := find_phone(fold(row["text"]), row["region"], asked=False)) is not None
        and found[0].e164
    ]
    assert false == []


def test_names_are_found_where_they_are_given_and_rarely_elsewhere(
    offline: OfflineInterpreter, outside_rows: Rows
) -> None:
    count: Counter[str] = Counter()
    for row in islice(outside_rows("restaurant8k_train.jsonl"), 0, None, EVERY):
        names = {slot["slot"]: slot["text"] for slot in row["slots"] if "name" in slot["slot"]}
        asked = bool({"first_name", "last_name"} & set(row["asked"]))
        context = InterpretContext(now=datetime(2027, 5, 31), open_question="name" if asked else "none")
        name = offline.read(row["text"], context).name
        wanted = " ".join(names[slot] for slot in ("first_name", "last_name") if slot in names)
        if not wanted:
            count["false" if name else "silent"] += 1
        elif name is None:
            count["asked none" if asked else "none"] += 1
        else:
            right = name.full.lower() == wanted.lower()
            count["wrong" if not right else "asked right" if asked else "right"] += 1
    assert count["asked right"] / (count["asked right"] + count["asked none"]) >= 0.93
    assert count["wrong"] <= 4
    assert count["false"] / (count["false"] + count["silent"]) <= 0.006
