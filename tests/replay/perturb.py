"""The same conversation under the things that happen to conversations. The expected end stays, or is derived.

Each operator takes a scenario and the transcript of its plain run, and gives the changed scenario, or nothing where it
does not apply. All chance comes from the seeded `Random` that is handed in.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Final

from tests.replay.play import Transcript
from tests.replay.scenario import Expected, Phrases, Scenario, Step

Operator = Callable[[Scenario, Transcript, Random, Phrases], Scenario | None]

_WORD: Final = re.compile(r"\b[^\W\d_]{5,}\b")
_CONTACT: Final = re.compile(r"^(.*), (\+\d[\d -]+)$")
_PRESSED_ONCE: Final = frozenset({"confirm_booking", "confirm_change", "accept_quote", "select_vehicle"})
_NO_RACE: Final = frozenset(
    {"change", "cancellation", "after-sale", "race", "restart", "redelivery", "attack", "names"}
)
_FACTS_OF_A_LANGUAGE: Final = frozenset({"name", "phone", "contact"})


def typos(scenario: Scenario, plain: Transcript, random: Random, _phrases: Phrases) -> Scenario | None:
    """Two letters change places in a word of each message. Who is not understood says it again, plainly."""
    return _reworded(scenario, plain, "typos", lambda words: _misspelt(words, random))


def paraphrase(scenario: Scenario, plain: Transcript, random: Random, phrases: Phrases) -> Scenario | None:
    """Other words for the same."""

    def reword(words: str) -> str | None:
        others = _same_meaning(words, scenario.lang, phrases)
        return random.choice(others) if others else None

    return _reworded(scenario, plain, "paraphrase", reword)


def language_switch(scenario: Scenario, plain: Transcript, random: Random, phrases: Phrases) -> Scenario | None:
    """One message in another language, in the middle."""
    places = [
        (place, row)
        for place, step in enumerate(scenario.steps)
        if place and step.say and (row := _row_of(step.say, scenario.lang, phrases))
    ]
    if not places:
        return None
    place, row = random.choice(places)
    lang = random.choice(sorted(phrases[row].keys() - {scenario.lang}))
    steps = list(scenario.steps)
    steps[place] = _instead(steps[place], phrases[row][lang][0], plain, place)
    return _changed(scenario, f"language-{lang}", steps, speaks="any")


def bursts(scenario: Scenario, _plain: Transcript, _random: Random, phrases: Phrases) -> Scenario | None:
    """A greeting right before the first message, and name and phone as two messages, without waiting."""
    hello = phrases["hello"].get(scenario.lang, phrases["hello"]["en"])[0]
    steps = list(scenario.steps)
    if steps[0].say:
        steps[0] = steps[0].model_copy(update={"say": None, "burst": [hello, steps[0].say]})
    for place, step in enumerate(steps):
        parts = _CONTACT.match(step.say or "")
        if parts:
            steps[place] = step.model_copy(update={"say": None, "burst": list(parts.groups())})
    return None if steps == scenario.steps else _changed(scenario, "bursts", steps)


def double_taps(scenario: Scenario, _plain: Transcript, _random: Random, _phrases: Phrases) -> Scenario | None:
    """Each press twice, at once."""
    steps = [s.model_copy(update={"times": 2}) if s.press in _PRESSED_ONCE else s for s in scenario.steps]
    return None if steps == scenario.steps else _changed(scenario, "double-taps", steps)


def redelivery(scenario: Scenario, _plain: Transcript, _random: Random, _phrases: Phrases) -> Scenario | None:
    """Each message and press is delivered twice."""
    steps: list[Step] = []
    for step in scenario.steps:
        steps.append(step)
        if step.say or step.press:
            steps.append(Step(again=True, by=step.by, keeps=True))
    return _changed(scenario, "redelivery", steps)


def restart(scenario: Scenario, _plain: Transcript, random: Random, _phrases: Phrases) -> Scenario | None:
    """Another process goes on with the conversation."""
    if len(scenario.steps) < 2 or any(step.event in {"tool", "later"} for step in scenario.steps):
        return None
    place = random.randrange(1, len(scenario.steps))
    steps = [*scenario.steps[:place], Step(event="restart"), *scenario.steps[place:]]
    return _changed(scenario, f"restart-{place}", steps)


def someone_books(scenario: Scenario, plain: Transcript, _random: Random, _phrases: Phrases) -> Scenario | None:
    """Somebody else books the very vehicle before the step that books it: no rental, and ways out are told."""
    if len(scenario.expect.rentals) != 1 or _NO_RACE & set(scenario.tags):
        return None
    known = plain.before.rentals.keys()
    place = next((n for n, played in enumerate(plain.played) if played.rentals.keys() - known), None)
    if place is None:
        return None
    (made,) = plain.played[place].rentals.keys() - known
    row = plain.after.rentals[made]
    event = Step(event="someone_books", args={"vehicle": row.vehicle, "start": row.start, "end": row.end})
    lost = ["card:conflict", "card:alternative_periods"]
    last = scenario.steps[place].model_copy(update={"tells": [], "tells_any": lost, "keeps": True})
    steps = [*scenario.steps[:place], event, last]
    expect = Expected(told=[row.total_minor], told_any=list(lost), hidden=["card:confirmation"])
    return _changed(scenario, "someone-books", steps, expect=expect)


OPERATORS: Final[dict[str, Operator]] = {
    "typos": typos,
    "paraphrase": paraphrase,
    "bursts": bursts,
    "double taps": double_taps,
    "redelivery": redelivery,
    "language switch": language_switch,
    "restart": restart,
    "someone else books": someone_books,
}


# ---- helpers -----------------------------------------------------------------------------------------


def _changed(scenario: Scenario, how: str, steps: list[Step], **update: object) -> Scenario:
    return scenario.model_copy(update={"id": f"{scenario.id}+{how}", "steps": steps, **update})


def _reworded(scenario: Scenario, plain: Transcript, how: str, reword: Callable[[str], str | None]) -> Scenario | None:
    steps = list(scenario.steps)
    for place, step in enumerate(steps):
        words = reword(step.say) if step.say else None
        if words and words != step.say:
            steps[place] = _instead(step, words, plain, place)
    return None if steps == scenario.steps else _changed(scenario, how, steps)


def _instead(step: Step, words: str, plain: Transcript, place: int) -> Step:
    like = [turn["type"] for turn in plain.played[place].said]
    return step.model_copy(update={"say": words, "or_else": step.say, "like": like})


def _misspelt(words: str, random: Random) -> str | None:
    """Swap two inner letters of one common word; names, brands and numbers are left as they are."""
    if "+" in words:
        return None
    found = [one for one in _WORD.finditer(words) if one[0].islower() and one[0].upper() != one[0]]
    if not found:
        return None
    word = random.choice(found)
    place = word.start() + random.randrange(1, len(word[0]) - 2)
    return words[:place] + words[place + 1] + words[place] + words[place + 2 :]


def _row_of(words: str, lang: str, phrases: Phrases) -> str | None:
    rows = (name for name in phrases if name not in _FACTS_OF_A_LANGUAGE)
    return next((name for name in rows if words in phrases[name].get(lang, [])), None)


def _same_meaning(words: str, lang: str, phrases: Phrases) -> list[str]:
    for by_lang in phrases.values():
        if words in by_lang.get(lang, []):
            return [other for other in by_lang[lang] if other != words]
    return []
