"""Names, phones and yes, measured on public data: what a customer says of themselves, and what may book."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from graph.understanding.clear_yes import is_clear_yes
from graph.understanding.phones import find_phone
from graph.understanding.text import fold
from tests.eval.frame import Measure, rows, share
from tests.eval.reading import interpreter
from tests.eval.words import context_for


def measures() -> Iterator[Measure]:
    """The rows of this module."""
    yield from _names()
    yield from _phones()
    yield from _replies()


def _names() -> Iterator[Measure]:
    count: Counter[str] = Counter()
    wrong: list[str] = []
    for row in rows("restaurant8k_train.jsonl"):
        names = {slot["slot"]: slot["text"] for slot in row["slots"] if "name" in slot["slot"]}
        asked = bool({"first_name", "last_name"} & set(row["asked"]))
        heard = interpreter().read(row["text"], context_for(open_question="name" if asked else "none")).name
        wanted = " ".join(names[slot] for slot in ("first_name", "last_name") if slot in names)
        if not wanted:
            count["false" if heard else "silent"] += 1
            continue
        right = heard is not None and heard.full.lower() == wanted.lower()
        count["right" if right else "wrong"] += 1
        if not right:
            wrong.append(f"{row['text']} ({wanted}) -> {heard.full if heard else 'none'}")
    given, others = count["right"] + count["wrong"], count["false"] + count["silent"]
    yield Measure("restaurant8k names", "right", share(count["right"], given), 0.93, "more", given, "", tuple(wrong))
    yield Measure(
        "restaurant8k names", "taken where none was given", share(count["false"], others), 0.01, "less", others
    )


def _phones() -> Iterator[Measure]:
    right, wrong, count = 0, [], 0
    for row in rows("phones_work.jsonl"):
        count += 1
        region = row["needs_default_region"] or row["region"]
        found = find_phone(fold(f"my number is {row['text']} thanks"), region, asked=False)
        if found is not None and found[0].e164 == row["e164"]:
            right += 1
        else:
            wrong.append(f"{row['text']} ({row['e164']}) -> {found[0].e164 if found else 'none'}")
    yield Measure("phones", "right", share(right, count), 0.97, "more", count, "", tuple(wrong))
    dates = [row for row in rows("phones_tricky.jsonl") if row["label"] == "not_a_phone"]
    taken = [
        row["text"]
        for row in dates
        if (found := find_phone(fold(row["text"]), row["region"], asked=False)) is not None and found[0].e164
    ]
    yield Measure("phones", "dates and codes taken for one", len(taken), 0, "less", len(dates), "", tuple(taken))


def _replies() -> Iterator[Measure]:
    """As the coordinator decides: the interpreter hears a yes, and before a booking the closed list agrees."""
    booked = plain = 0
    missed: list[str] = []
    false: list[str] = []
    others = 0
    for row in rows("sgd_train_replies_after_offer_or_confirm.jsonl"):
        asked = "confirm_booking" if row["after"] == "CONFIRM" else "accept_quote"
        heard = interpreter().read(row["user"], context_for(open_question=asked, phase="confirming"))
        yes = "confirm" in heard.intents
        books = yes and row["after"] == "CONFIRM" and is_clear_yes(row["user"], heard.lang or "en")
        if "yes" not in row["labels"]:
            others += 1
            if yes:
                false.append(row["user"])
        elif row["after"] == "CONFIRM" and row["labels"] == ["yes"]:
            plain += 1
            booked += books
            if not books:
                missed.append(row["user"])
    yield Measure("SGD replies", "booked on a yes", share(booked, plain), 0.97, "more", plain, "", tuple(missed))
    yield Measure("SGD replies", "yes heard in anything else", len(false), 0, "less", others, "", tuple(false))
