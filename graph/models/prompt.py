"""The prompt: instruction, today, and one fenced line of data about this conversation. No person's data is in it."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from graph.understanding.meaning import InterpretContext, OptionHint

PROMPT_VERSION = "interpret.v2"
MAX_OPTIONS = 12
MAX_WORDS = 60
MAX_WORD_CHARS = 60
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def load_prompt(version: str = PROMPT_VERSION) -> str:
    """The template of a version."""
    return resources.files("graph.models").joinpath("prompts", f"{version}.txt").read_text(encoding="utf-8").rstrip()


def fill_prompt(template: str, context: InterpretContext) -> str:
    """The system message for one turn."""
    values = {
        "today": context.now.date().isoformat(),
        "weekday": _WEEKDAYS[context.now.weekday()],
        "lang": _clean(context.lang)[:12],
        # Last, so that no value of it is taken for a place to fill.
        "data": json.dumps(_data(context), ensure_ascii=False, separators=(",", ":")),
    }
    for name, value in values.items():
        template = template.replace("{" + name + "}", value)
    return template


def _data(context: InterpretContext) -> dict[str, Any]:
    """What helps to understand, as JSON: quoted, so that no name of a vehicle can end the fence."""
    vocabulary = context.vocabulary
    told: dict[str, Any] = {
        "phase": context.phase,
        "open_question": context.open_question if context.open_question != "none" else None,
        "dates_so_far": _dates(context),
        "chosen": _clean(context.chosen),
        "shown": [_shown(option) for option in context.options[:MAX_OPTIONS]],
        "brands": _listed(vocabulary.brands),
        "models": _listed(vocabulary.models),
        "offices": _listed(vocabulary.offices),
    }
    return {key: value for key, value in told.items() if value}


def _dates(context: InterpretContext) -> str:
    return " to ".join(day.isoformat() for day in (context.known_start, context.known_end) if day)


def _shown(option: OptionHint) -> str:
    words = (option.colour, option.brand, option.model, option.label)
    return f"{option.position}. {_clean(' '.join(word for word in words if word))}"


def _listed(words: tuple[str, ...]) -> list[str]:
    return [_clean(word) for word in words[:MAX_WORDS]]


def _clean(word: str) -> str:
    """One line, without braces or angle brackets, and not long: a name, not a paragraph."""
    plain = word.translate(str.maketrans("{}<>[]", "()()()"))
    return " ".join(plain.split())[:MAX_WORD_CHARS]
