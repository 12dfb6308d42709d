"""The prompt: instruction, today, phase, open question, what was shown, the company's words. Nothing else."""

from __future__ import annotations

from importlib import resources

from graph.understanding.meaning import InterpretContext, OptionHint

PROMPT_VERSION = "interpret.v1"
MAX_OPTIONS = 20
MAX_WORDS = 120
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def load_prompt(version: str = PROMPT_VERSION) -> str:
    """The template of a version."""
    return resources.files("graph.models").joinpath("prompts", f"{version}.txt").read_text(encoding="utf-8")


def fill_prompt(template: str, context: InterpretContext) -> str:
    """The system message for one turn."""
    vocabulary = context.vocabulary
    values = {
        "today": context.now.date().isoformat(),
        "weekday": _WEEKDAYS[context.now.weekday()],
        "phase": context.phase,
        "open_question": context.open_question,
        "options": "; ".join(map(_shown, context.options[:MAX_OPTIONS])) or "nothing",
        "brands": _listed(vocabulary.brands),
        "models": _listed(vocabulary.models),
        "categories": _listed(vocabulary.categories),
        "offices": _listed(vocabulary.offices),
    }
    for name, value in values.items():
        template = template.replace("{" + name + "}", value)
    return template


def _shown(option: OptionHint) -> str:
    words = (option.colour, option.brand, option.model, option.label)
    return _clean(f"{option.position}. {' '.join(word for word in words if word)}")


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(_clean(word) for word in words[:MAX_WORDS]) or "none"


def _clean(word: str) -> str:
    """One line, without braces: a name that somebody typed must not look like a part of the prompt."""
    return " ".join(word.replace("{", "(").replace("}", ")").split())[:80]
