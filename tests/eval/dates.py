"""Rental periods: the project's own sixty, customers' rental wishes, and general calendar talk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import islice
from typing import Any

from graph.understanding.meaning import DateReading
from tests.eval.frame import LANGUAGES, Measure, rows, share
from tests.eval.reading import asks, period_of, read_dates, shown

SGD_TODAY = "2019-03-01"
SGD_FILES = ("sgd_train_rental_slot_turns.jsonl", "sgd_dev_rental_slot_turns.jsonl")
CALENDAR_TYPES = ("date", "daterange", "datetime", "datetimerange")


def measures() -> Iterator[Measure]:
    yield from ranges60()
    yield from clinc()
    yield from sgd()
    yield from calendar_talk()
    yield from no_date()
    yield from nlupp_pairs()


def ranges60() -> Iterator[Measure]:
    """Both ends right, in nine languages."""
    count: Counter[str] = Counter()
    wrong: list[str] = []
    for row in rows("ranges60.jsonl"):
        dates = read_dates(row["text"], row["today"], row["lang"])
        count["all"] += 1
        if period_of(dates) in {(row["start"], row["end"]), *map(tuple, row.get("accept") or [])}:
            count["right"] += 1
        else:
            wrong.append(f"{row['lang']} {row['text']} -> {shown(dates)}")
    yield Measure(
        "ranges60",
        "start and end right",
        share(count["right"], count["all"]),
        0.95,
        cases=count["all"],
        examples=tuple(wrong),
    )


def clinc() -> Iterator[Measure]:
    """Clear ranges are read; what is ambiguous or contradicts itself is asked."""
    count: Counter[str] = Counter()
    wrong: list[str] = []
    guessed: list[str] = []
    for row in rows("clinc_car_rental_dates_work.jsonl"):
        expected, dates = row["expected"], read_dates(row["text"], row["reference_date"], date_order="mdy")
        kind = expected["kind"]
        count[kind] += 1
        note = f"{row['text']} -> {shown(dates)}"
        if kind == "clear":
            right = period_of(dates) == (expected["start"], expected["end"])
            count["right"] += right
            wrong += [] if right else [note]
        elif kind in ("ambiguous", "weekday_conflict"):
            count["asked"] += asks(dates)
            guessed += [] if asks(dates) else [note]
    doubtful = count["ambiguous"] + count["weekday_conflict"]
    yield Measure(
        "CLINC rental",
        "clear ranges right",
        share(count["right"], count["clear"]),
        0.97,
        cases=count["clear"],
        examples=tuple(wrong),
    )
    yield Measure(
        "CLINC rental",
        "ambiguous leads to a question",
        share(count["asked"], doubtful),
        1.0,
        cases=doubtful,
        examples=tuple(guessed),
    )


def spoken_days(row: dict[str, Any]) -> dict[str, str]:
    """The rental days that stand in this turn's words, by slot."""
    slots = row["new_slots"].items()
    return {k: v["canonical"] for k, v in slots if v["how"] == "spoken" and k in ("pickup_date", "dropoff_date")}


def sgd(every: int = 1) -> Iterator[Measure]:
    """Spoken pick-up and return days. A lone return day is completed by a known start, as in a conversation."""
    count: Counter[str] = Counter()
    wrong: list[str] = []
    seen: set[tuple[str, str]] = set()
    turns = (row for name in SGD_FILES for row in rows(name))
    for row in islice(turns, 0, None, every):
        days = spoken_days(row)
        key = (row["utterance"], str(sorted(days.items())))
        if not days or key in seen:
            continue
        seen.add(key)
        dates = read_dates(row["utterance"], SGD_TODAY)
        given = slots_of(dates, days, row["asked"])
        for slot, day in days.items():
            count["slots"] += 1
            count["found"] += day in given.values()
            count["role"] += given.get(slot) == day
        if any(given.get(slot) != day for slot, day in days.items()):
            wrong.append(f"{row['utterance']} {days} -> {shown(dates)}")
    yield Measure(
        "SGD rental turns",
        "days of date slots right",
        share(count["found"], count["slots"]),
        0.97,
        cases=count["slots"],
        examples=tuple(wrong),
    )
    yield Measure(
        "SGD rental turns", "which of the two right", share(count["role"], count["found"]), 0.95, cases=count["found"]
    )


def slots_of(dates: DateReading | None, days: dict[str, str], asked: list[str]) -> dict[str, str]:
    """The slots that a conversation would fill: a lone day answers the question that was asked."""
    if dates is None:
        return {}
    found = {"pickup_date": str(dates.start or ""), "dropoff_date": str(dates.end or "")}
    lone = dates.status == "start" and "dropoff_date" in asked and "pickup_date" not in asked
    if lone and len(days) == 1:
        found = {"pickup_date": "", "dropoff_date": str(dates.start)}
    return {slot: day for slot, day in found.items() if day}


def calendar_talk() -> Iterator[Measure]:
    """Recognizers and chrono: general calendar talk, where the point is to ask rather than guess."""
    by_lang: Counter[tuple[str, str]] = Counter()
    wrong: list[str] = []
    for row in calendar_rows():
        dates = read_dates(row["text"], row["reference_date"], row["lang"], date_order=order_of(row))
        verdict = judged(dates, row["expected"])
        if dates is None and str(row["expected"].get("start"))[:10] == row["reference_date"][:10]:
            continue  # "in 5 minutes": a time of the same day, there is no rental day in it
        by_lang[row["lang"], verdict] += 1
        if verdict == "wrong":
            wrong.append(
                f"{row['lang']} {row['reference_date'][:10]} {row['text']} -> {shown(dates)}"
                f" instead of {row['expected'].get('start')} {row['expected'].get('end')}"
            )
    total = Counter[str]()
    for (_, verdict), number in by_lang.items():
        total[verdict] += number
    cases = sum(total.values())
    yield Measure("Recognizers + chrono", "right", share(total["right"], cases), 0.60, cases=cases)
    yield Measure(
        "Recognizers + chrono",
        "silently wrong",
        share(total["wrong"], cases),
        0.05,
        "less",
        cases,
        examples=tuple(wrong),
    )
    for lang in LANGUAGES:
        mine = {verdict: by_lang[lang, verdict] for verdict in ("right", "wrong", "asked")}
        number = sum(mine.values())
        if number:
            yield Measure(f"- {lang}", "right", share(mine["right"], number), cases=number)
            yield Measure(f"- {lang}", "silently wrong", share(mine["wrong"], number), cases=number)


def no_date() -> Iterator[Measure]:
    """Texts of the same files in which the labels see no time at all."""
    read: list[str] = []
    cases = 0
    for row in rows("recognizers_work.jsonl"):
        if row["lang"] not in LANGUAGES or row["expected"]["type"] != "none" or not row["reference_date"]:
            continue
        cases += 1
        dates = read_dates(row["text"], row["reference_date"], row["lang"])
        if not asks(dates):
            read.append(f"{row['lang']} {row['text']} -> {shown(dates)}")
    yield Measure(
        "Texts without a date", "a day read", share(len(read), cases), 0.05, "less", cases, examples=tuple(read)
    )


def calendar_rows() -> Iterator[dict[str, Any]]:
    """The usable rows of both files in our languages that name a day."""
    for row in rows("recognizers_work.jsonl"):
        usable = row["useful_for_rental"] and row["resolution_checked"] and row["passes_in"] and row["reference_date"]
        if usable and row["lang"] in LANGUAGES and row["expected"]["type"] in CALENDAR_TYPES:
            yield row
    for row in rows("dates_other_work.jsonl"):
        usable = row["source"] == "chrono" and row["useful_for_rental"] and row["reference_date"]
        if usable and row["lang"] in LANGUAGES and row["expected"].get("type") in CALENDAR_TYPES:
            yield row


def order_of(row: dict[str, Any]) -> str:
    """These files write digits as the country of the language does: English as in the United States."""
    return {"en": "mdy", "zh": "ymd", "ko": "ymd"}.get(row["lang"], "dmy")


def judged(dates: DateReading | None, expected: dict[str, Any]) -> str:
    """right, wrong (told days that are not meant) or asked."""
    if dates is None:
        return "asked"
    if dates.status == "refused" and dates.end is not None and dates.start is None:
        # "I'll go back on Friday": understood as the return day, the first day is asked for.
        return "right" if str(dates.end) == str(expected.get("start"))[:10] else "wrong"
    if asks(dates):
        return "asked"
    start, end = str(dates.start), str(dates.end or "")
    readings = [_days_of(one) for one in (expected, *(expected.get("other") or []))]
    if dates.status == "start":
        whole = any(start == first and (not last or expected["type"] != "daterange") for first, last in readings)
        partly = any(start == first for first, _ in readings)
        return "right" if whole else "asked" if partly else "wrong"
    right = any(start == first and end in (last, _day_before(last)) for first, last in readings)
    return "right" if right else "wrong"


def _days_of(expected: dict[str, Any]) -> tuple[str, str]:
    """ISO days of one reading; the times are left out."""
    return str(expected.get("start") or "")[:10], str(expected.get("end") or "")[:10]


def _day_before(day: str) -> str:
    """Some of these ranges end on the day after their last one."""
    return str(date.fromisoformat(day) - timedelta(days=1)) if day else ""


def nlupp_pairs() -> Iterator[Measure]:
    """From and to of hotel customers, where the labels agree with each other (they were made one by one)."""
    count: Counter[str] = Counter()
    wrong: list[str] = []
    for row in rows("nlupp_hotels_work.jsonl"):
        if not row.get("pair_consistent"):
            continue
        pair = tuple(_labelled(row["slots"].get(slot)) for slot in ("date_from", "date_to"))
        dates = read_dates(row["text"], row["reference_date"])
        count["all"] += 1
        right = period_of(dates) == pair
        count["right"] += right
        count["wrong"] += not right and not asks(dates)
        wrong += [] if right else [f"{row['text']} {pair} -> {shown(dates)}"]
    yield Measure(
        "NLU++ pairs",
        "from and to right",
        share(count["right"], count["all"]),
        cases=count["all"],
        examples=tuple(wrong),
    )
    yield Measure("NLU++ pairs", "silently wrong", share(count["wrong"], count["all"]), cases=count["all"])


def _labelled(slot: dict[str, Any] | None) -> str | None:
    value = slot.get("value") if slot else None
    if not isinstance(value, dict) or not {"year", "month", "day"} <= set(value):
        return None
    return f"{value['year']:04d}-{value['month']:02d}-{value['day']:02d}"
