"""What the customer wants, measured: public English intents, out of scope, and our own messages in eight languages."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from graph.understanding.meaning import InterpretContext, OptionHint, Understanding, Vocabulary
from tests.eval.frame import HERE, LANGUAGES, Measure, rows, share
from tests.eval.reading import interpreter

NOW: Final = datetime.fromisoformat("2027-05-31T15:30+08:00")
OPTIONS: Final = (
    OptionHint(position=1, brand="Honda", model="PCX 160", colour="red"),
    OptionHint(position=2, brand="Yamaha", model="NMAX", colour="blue"),
    OptionHint(position=3, brand="Honda", model="Vario 125", colour="black"),
)
VOCABULARY: Final = Vocabulary(
    brands=("Honda", "Yamaha", "Toyota"),
    models=("PCX 160", "NMAX", "Vario 125", "Scoopy", "Avanza"),
    categories=("scooter", "motorcycle", "car", "boat", "bicycle"),
    offices=("Canggu", "Ubud"),
)
SITUATIONS: Final[dict[str, dict[str, Any]]] = {
    "select": {"open_question": "vehicle", "options": OPTIONS},
    "more": {"open_question": "vehicle", "options": OPTIONS},
    "ask_alternatives": {"open_question": "vehicle", "options": OPTIONS},
    "confirm": {"open_question": "confirm_booking", "phase": "confirming"},
    "deny": {"open_question": "confirm_booking", "phase": "confirming"},
    "give_contact": {"open_question": "contact", "phase": "quoting"},
    "cancel_booking": {"phase": "booked"},
    "change_booking": {"phase": "booked"},
    "extend_booking": {"phase": "booked"},
    "show_booking": {"phase": "booked"},
}
"""Where in a talk a message of this kind is said."""
CLINC: Final[dict[str, tuple[str, ...]]] = {
    "are_you_a_bot": ("ask_bot",),
    "who_do_you_work_for": ("ask_bot", "smalltalk", "ask_company"),
    "confirm_reservation": ("show_booking",),
    "cancel_reservation": ("cancel_booking",),
    "goodbye": ("goodbye",),
    "greeting": ("greet", "smalltalk"),
    "what_can_i_ask_you": ("help",),
    "no": ("deny",),
    "yes": ("confirm",),
    "car_rental": ("search",),
    "thank_you": ("thanks",),
    "cancel": ("deny", "cancel_booking", "reset", "goodbye"),
    "how_old_are_you": ("smalltalk", "ask_bot"),
    "tell_joke": ("out_of_scope", "smalltalk"),
}
"""The public intents that a rental desk has, and ours that answer them."""
CLINC_SITUATIONS: Final[dict[str, dict[str, Any]]] = {
    intent: {"open_question": "accept_quote", "phase": "quoting"} for intent in ("yes", "no", "cancel", "maybe")
}
REFUSED: Final = frozenset(
    ("out_of_scope", "unclear", "smalltalk", "ask_bot", "help", "greet", "thanks", "goodbye", "deny")
)
"""None of these leads to a call of a tool."""


def context_for(lang: str = "en", **changes: Any) -> InterpretContext:
    """A talk of a shop with a small fleet."""
    return InterpretContext(now=NOW, lang=lang, vocabulary=VOCABULARY, **changes)


def measures() -> Iterator[Measure]:
    """The rows of this module."""
    yield from clinc_intents()
    yield clinc_out_of_scope()
    yield from own_messages()
    yield from _speed()


def clinc_intents() -> Iterator[Measure]:
    """Public English intents that a rental desk has."""
    right, asked, wrong = 0, 0, []
    for row in rows("clinc150_train_subset.jsonl"):
        wanted = CLINC.get(row["clinc_intent"])
        if wanted is None:
            continue
        changes = CLINC_SITUATIONS.get(row["clinc_intent"], {})
        intents = interpreter().read(row["text"], context_for(**changes)).intents
        if intents == ("unclear",):
            asked += 1
        elif set(intents) & set(wanted):
            right += 1
        else:
            wrong.append(f"{row['clinc_intent']}: {row['text']} -> {' '.join(intents)}")
    answered = right + len(wrong)
    name = "CLINC intents, English"
    yield Measure(name, "right among those answered", share(right, answered), 0.95, "more", answered, "", tuple(wrong))
    yield Measure(name, "asked back", share(asked, asked + answered), 0.10, "less", asked + answered)


def clinc_out_of_scope() -> Measure:
    """Questions that no rental desk answers."""
    wrong, count = [], 0
    for row in rows("clinc150_train_subset.jsonl"):
        if row["role"] != "out_of_scope":
            continue
        count += 1
        intents = interpreter().read(row["text"], context_for()).intents
        if set(intents) - REFUSED:
            wrong.append(f"{row['text']} -> {' '.join(intents)}")
    good = share(count - len(wrong), count)
    return Measure("CLINC out of scope", "refused, no tool called", good, 0.95, "more", count, "", tuple(wrong))


def messages(lang: str) -> list[dict[str, Any]]:
    """Our own messages of one language, written before the rules read them."""
    path = HERE / "messages" / f"{lang}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def own_messages() -> Iterator[Measure]:
    """Messages of eight languages, written before the rules read them."""
    right = answered = asked = slots_right = slots = 0
    wrong: list[str] = []
    for lang in LANGUAGES[1:]:
        for row in messages(lang):
            heard = interpreter().read(row["text"], context_for(lang, **SITUATIONS.get(row["intent"], {})))
            slots += len(row["slots"])
            slots_right += sum(str(value_at(heard, path)) == str(value) for path, value in row["slots"].items())
            if heard.intents == ("unclear",):
                asked += 1
                continue
            answered += 1
            right += heard.intents[0] == row["intent"]
            if heard.intents[0] != row["intent"]:
                wrong.append(f"{lang}: {row['text']} ({row['intent']}) -> {' '.join(heard.intents)}")
    name = "own messages, eight languages"
    yield Measure(name, "first intent right among those answered", share(right, answered), 0.95, "more", answered, "",
                  tuple(wrong))  # fmt: skip
    yield Measure(name, "asked back", share(asked, asked + answered), 0.10, "less", asked + answered)
    yield Measure(name, "slots right", share(slots_right, slots), 0.95, "more", slots)


def value_at(heard: Understanding, path: str) -> object:
    """The value behind a dotted path; None where something on the way is missing."""
    node: object = heard
    for part in path.split("."):
        node = getattr(node, part, None)
    return node


def _speed() -> Iterator[Measure]:
    texts = [(lang, row["text"]) for lang in LANGUAGES[1:] for row in messages(lang)]
    texts += [("en", row["text"]) for row in list(rows("clinc150_train_subset.jsonl"))[::15]]
    for lang, text in texts:
        interpreter().read(text, context_for(lang))
    spent = []
    for lang, text in texts:
        started = time.process_time()
        interpreter().read(text, context_for(lang))
        spent.append((time.process_time() - started) * 1000)
    spent.sort()
    yield Measure("speed, nine languages", "median of one message", spent[len(spent) // 2], 5, "less", len(spent), "ms")
    yield Measure("speed, nine languages", "95th of 100", spent[len(spent) * 95 // 100], 15, "less", len(spent), "ms")
