"""Whole rental dialogues: after each turn of the customer, is everything that was agreed so far right?

As in the product, the customer's words are read by the interpreter, and what the other side proposed is taken over
from its own facts when the customer accepts it: an agent knows what it has shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any, Final

from graph.understanding.clear_yes import is_clear_yes
from graph.understanding.clock_times import ClockReader
from graph.understanding.date_words import DateWords
from graph.understanding.lexicon import load_lexicon
from graph.understanding.meaning import InterpretContext, OpenQuestion, Understanding, Vocabulary
from graph.understanding.text import fold
from tests.eval.frame import Measure, rows, share
from tests.eval.reading import interpreter

FILE: Final = "sgd_dev_rental_dialogues.jsonl"
SLOTS: Final = ("pickup_date", "dropoff_date", "pickup_time", "pickup_city", "type")
KINDS: Final = ("Compact", "Standard", "Full-size")
Goal = dict[str, str]
_ACCEPTS: Final = frozenset({"confirm", "select"})
_OTHER_CARS: Final = frozenset({"ask_alternatives", "more", "deny"})
_RENTAL: Final = frozenset({"GetCarsAvailable", "ReserveCar"})
_OWN_WORDS: Final = {
    **dict.fromkeys(("intermediate", "medium-sized", "medium sized", "mid-size", "midsize", "sedan"), "Standard"),
    **dict.fromkeys(("small", "economy", "subcompact", "hatchback"), "Compact"),
    **dict.fromkeys(("large", "spacious", "big", "full size", "full-sized", "roomy"), "Full-size"),
}
"""What such a shop would write as aliases into its file: other words for its kinds."""


def measures() -> Iterator[Measure]:
    dialogues = [row for row in rows(FILE) if row["annotation"] == "full"]
    shop = Shop(dialogues)
    turns = right = 0
    by_slot = dict.fromkeys(SLOTS, 0)
    wrong: list[str] = []
    for dialogue in dialogues:
        for words, heard, wanted in shop.turns(dialogue):
            turns += 1
            right += heard == wanted
            for slot in SLOTS:
                by_slot[slot] += heard.get(slot) == wanted.get(slot)
            if heard != wanted:
                wrong.append(f"{dialogue['dialogue_id']} {words} -> {heard} wanted {wanted}")
    name = "SGD whole dialogues"
    yield Measure(name, "joint goal accuracy", share(right, turns), 0.80, cases=turns, examples=tuple(wrong))
    for slot in SLOTS:
        yield Measure(f"- {slot}", "right after each turn", share(by_slot[slot], turns), cases=turns)


class Shop:
    """The world of the dialogues: its cities and kinds of cars, and what each spelling means."""

    def __init__(self, dialogues: list[dict[str, Any]]) -> None:
        self._meaning: dict[tuple[str, str], str] = {}
        for dialogue in dialogues:
            for action in (one for turn in dialogue["turns"] for one in turn.get("actions", [])):
                values = action.get("values", [])
                for value, canonical in zip(values, action.get("canonical", values), strict=False):
                    self._meaning[action.get("slot", ""), value] = canonical
        self._cities = {value: meant for (slot, value), meant in self._meaning.items() if slot == "pickup_city"}
        self._vocabulary = Vocabulary(models=tuple(sorted(KINDS)), offices=tuple(self._cities), aliases=_OWN_WORDS)
        self._clock = ClockReader(DateWords(load_lexicon("en")))

    def turns(self, dialogue: dict[str, Any]) -> Iterator[tuple[str, Goal, Goal]]:
        """Words, what is heard so far, what is agreed so far; for each turn of the customer about the rental."""
        heard: Goal = {}
        proposed: Goal = {}
        asked: set[str] = set()
        for turn in dialogue["turns"]:
            actions = turn.get("actions", [])
            if turn["speaker"] == "SYSTEM":
                # What is on the table stays there while a question about it is answered.
                proposed = self._proposed(actions) or proposed
                asked = {str(a[key]) for a in actions for key in ("slot", "act") if key in a}
                continue
            if turn.get("intent") not in _RENTAL or "state" not in turn:
                continue
            heard = self._hear(turn["utterance"], dialogue["reference_date"], heard, proposed, asked)
            yield turn["utterance"], heard, self._wanted(turn["state"], dialogue)

    def _proposed(self, actions: list[dict[str, Any]]) -> Goal:
        found: Goal = {}
        for action in actions:
            if action.get("slot") in SLOTS and action.get("values"):
                found[action["slot"]] = action.get("canonical", action["values"])[0]
        return found

    def _wanted(self, state: dict[str, list[str]], dialogue: dict[str, Any]) -> Goal:
        said = {slot: self._canonical(dialogue, slot, state[slot]) for slot in SLOTS if slot in state}
        return {slot: value for slot, value in said.items() if value != "dontcare"}

    def _canonical(self, dialogue: dict[str, Any], slot: str, values: list[str]) -> str:
        for turn in dialogue["turns"]:
            for action in turn.get("actions", []):
                if action.get("slot") == slot and action.get("values") and action["values"][0] in values:
                    return str(action.get("canonical", action["values"])[0])
        return self._meaning.get((slot, values[0]), values[0])

    def _hear(self, words: str, today: str, known: Goal, proposed: Goal, asked: set[str]) -> Goal:
        u = interpreter().read(words, self._context(today, known, asked))
        accepted = proposed if _accepts(words, u) else {}
        return {**known, **accepted, **self._dates(u, known, asked), **self._time(words, u), **self._wish(u)}

    def _context(self, today: str, known: Goal, asked: set[str]) -> InterpretContext:
        question: OpenQuestion = "none"
        if asked & {"pickup_date", "dropoff_date"}:
            question = "dates"
        if "pickup_city" in asked:
            question = "office"
        if "CONFIRM" in asked:
            question = "confirm_booking"
        elif "OFFER" in asked:
            question = "accept_quote"
        days = {key: known.get(slot) for key, slot in (("known_start", "pickup_date"), ("known_end", "dropoff_date"))}
        return InterpretContext(
            now=datetime.fromisoformat(f"{today[:10]}T10:00"),
            date_order="mdy",
            max_days=184,
            open_question=question,
            vocabulary=self._vocabulary,
            **{key: date.fromisoformat(day) for key, day in days.items() if day},
        )

    def _dates(self, u: Understanding, known: Goal, asked: set[str]) -> Goal:
        dates = u.dates
        if dates is None or (dates.start is None and dates.end is None):
            return {}
        if dates.status == "start" and dates.start and "dropoff_date" in asked and "pickup_date" not in asked:
            return {"dropoff_date": dates.start.isoformat()}
        ends = {"pickup_date": dates.start, "dropoff_date": dates.end}
        return {slot: day.isoformat() for slot, day in ends.items() if day is not None}

    def _time(self, words: str, u: Understanding) -> Goal:
        if u.dates is not None and u.dates.pickup_time:
            return {"pickup_time": u.dates.pickup_time}
        times = [time.hhmm for time in self._clock.take_out(fold(words).text)[1] if time.hhmm]
        return {"pickup_time": times[0]} if len(times) == 1 else {}

    def _wish(self, u: Understanding) -> Goal:
        found: Goal = {}
        if u.office:
            found["pickup_city"] = self._cities.get(u.office, u.office)
        if u.model:
            found["type"] = u.model
        return found


def _accepts(words: str, u: Understanding) -> bool:
    """A yes or a choice, perhaps with more behind it ("Yes. I need it until the 5th.")."""
    if _OTHER_CARS & set(u.intents):
        return False
    return bool(_ACCEPTS & set(u.intents)) or any(is_clear_yes(part) for part in re.split(r"[.,!]", words) if part)
