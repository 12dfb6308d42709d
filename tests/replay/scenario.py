"""Golden conversations as data: what is said and what happens, and what must be true at the end.

A file under `scenarios/` is a list of scenarios. `$name` in a message is a phrase of `tables/phrases.yaml` in the
scenario's language; a scenario with `langs` is one scenario a language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

HERE: Final = Path(__file__).parent
Fact = int | date | str
"""Money in minor units, a day, or `kind:value` (`card:conflict`, `notice:price_fixed`, `reason:...`, `$order`), else
letters that have to be in what is said."""
Phrases = dict[str, dict[str, list[str]]]
"""Name -> language -> the plain wording, then paraphrases."""

_NAME: Final = re.compile(r"\$([a-z_0-9]+)")


class Strict(BaseModel):
    """No unknown keys: a misspelt expectation would be none."""

    model_config = ConfigDict(extra="forbid")


class Step(Strict):
    """One thing that happens. Exactly one of `say`, `press`, `burst`, `again`, `event`."""

    say: str | None = None
    press: str | None = None
    """Kind of an action; the newest card that has it."""
    nth: int = 0
    oldest: bool = False
    """Press the oldest card that ever had it: a button that the customer scrolled back to."""
    input: dict[str, Any] | None = None
    or_else: str | None = None
    """Said after it when the answer is not `like` the one to the plain words: a customer who sees that they were
    not understood."""
    like: list[str] = []
    """Types of the cards that the plain words lead to."""
    times: int = Field(default=1, ge=1, le=3)
    """Pressed so often at once: a double tap."""
    burst: list[str] | None = None
    """Said one after the other, without waiting for an answer."""
    again: bool = False
    """The last message or press is delivered once more, with its key."""
    event: str | None = None
    """Something that the customer did not do: see `world.py`."""
    args: dict[str, Any] = {}
    by: str = "a"
    """Which chat; `b` is another customer's."""
    tells: list[Fact] = []
    """What the answer to this step has to tell."""
    tells_any: list[Fact] = []
    hides: list[Fact] = []
    """What it must not."""
    keeps: bool = False
    """No rental may be made or changed by this step."""

    @model_validator(mode="after")
    def _one_thing(self) -> Step:
        given = [self.say is not None, self.press is not None, self.burst is not None, self.again, bool(self.event)]
        if sum(given) != 1:
            raise ValueError("a step is exactly one of say, press, burst, again, event")
        return self


class Expected(Strict):
    """What must be so at the end."""

    rentals: list[str] = []
    """`vehicle | first day..return day | status | total_minor | name | phone`, in any order; nothing else may exist."""
    told: list[Fact] = Field(min_length=1)
    """Told anywhere in the conversation."""
    told_any: list[Fact] = []
    """At least one of these."""
    hidden: list[Fact] = []
    """Told nowhere: effects that must not happen in words."""
    changes_shop: bool = False
    """An event of the scenario changes the shop's own tables, or a rental that was there."""


class Scenario(Strict):
    """One golden conversation."""

    id: str = Field(pattern=r"^[a-z0-9-]+$")
    purpose: str
    persona: str = ""
    tags: list[str] = Field(min_length=1)
    lang: str = "en"
    company: str = "coral-rentals"
    clock: str = "2027-05-31T15:30"
    steps: list[Step] = Field(min_length=1)
    expect: Expected
    speaks: str | None = None
    """Language of the last answer; the scenario's when not given, "any" for no check."""


class Rental(Strict):
    """An expected rental."""

    vehicle: str
    start: str
    end: str
    status: Literal["pending", "confirmed", "active", "completed", "cancelled", "rejected"]
    total_minor: int
    name: str
    phone: str

    @classmethod
    def parse(cls, line: str) -> Rental:
        vehicle, period, status, total, name, phone = (part.strip() for part in line.split("|"))
        start, _, end = period.partition("..")
        fields: Any = {"status": status, "total_minor": int(total.replace("_", "")), "name": name, "phone": phone}
        return cls(vehicle=vehicle, start=start, end=end, **fields)


def load_phrases() -> Phrases:
    """Read the table of phrases."""
    raw = yaml.safe_load((HERE / "tables" / "phrases.yaml").read_text(encoding="utf-8"))
    return {
        name: {lang: [words] if isinstance(words, str) else list(words) for lang, words in by_lang.items()}
        for name, by_lang in raw.items()
    }


def load_scenarios() -> list[Scenario]:
    """Read every scenario, one for each of its languages."""
    phrases = load_phrases()
    found = [
        scenario
        for path in sorted((HERE / "scenarios").glob("*.yaml"))
        for raw in yaml.safe_load(path.read_text(encoding="utf-8"))
        for scenario in _expand(raw, phrases)
    ]
    names = [scenario.id for scenario in found]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"two scenarios have one id: {sorted(twice)}")
    return found


def _expand(raw: dict[str, Any], phrases: Phrases) -> Iterator[Scenario]:
    raw = dict(raw)
    langs = raw.pop("langs", None)
    for lang in langs or [raw.get("lang", "en")]:
        values = {**raw, "lang": lang, "id": f"{raw['id']}-{lang}" if langs else raw["id"]}
        values["steps"] = [_step(step, lang, phrases) for step in raw["steps"]]
        values["expect"] = _filled(raw["expect"], lang, phrases)
        yield Scenario.model_validate(values)


def _step(raw: Any, lang: str, phrases: Phrases) -> Any:
    return _filled({"say": raw} if isinstance(raw, str) else raw, lang, phrases)


def _filled(value: Any, lang: str, phrases: Phrases) -> Any:
    if isinstance(value, str):
        return _NAME.sub(lambda found: _phrase(found, lang, phrases), value)
    if isinstance(value, list):
        return [_filled(item, lang, phrases) for item in value]
    if isinstance(value, dict):
        return {key: _filled(item, lang, phrases) for key, item in value.items()}
    return value


def _phrase(found: re.Match[str], lang: str, phrases: Phrases) -> str:
    if found[1] == "order":
        return found[0]
    return phrases[found[1]][lang][0]
