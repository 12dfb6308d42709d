"""Grades a transcript: the state of the database, the facts told, and the effects that must never happen."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from tests.replay.door import Turn
from tests.replay.facts import is_told
from tests.replay.play import Played, Transcript
from tests.replay.scenario import Fact, Rental
from tests.replay.snapshot import RentalRow, lost_rows, new_rows

_SCRIPTS: Final = {
    "th": r"[\u0e00-\u0e7f]",
    "ko": r"[\uac00-\ud7a3]",
    "zh": r"[\u4e00-\u9fff]",
    "ru": r"[\u0400-\u04ff]",
}
_BROKEN: Final = frozenset({"unavailable", "render_error"})


@dataclass(slots=True)
class Grade:
    """What was wrong; nothing is a pass."""

    state: list[str] = field(default_factory=list)
    speech: list[str] = field(default_factory=list)
    forbidden: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether all three are right."""
        return not (self.state or self.speech or self.forbidden)

    def lines(self) -> list[str]:
        """All faults, each with its kind."""
        kinds = (("state", self.state), ("speech", self.speech), ("forbidden", self.forbidden))
        return [f"{kind}: {fault}" for kind, faults in kinds for fault in faults]


def grade(transcript: Transcript) -> Grade:
    """Compare what happened with what the scenario expects."""
    return Grade(_state(transcript), _speech(transcript), _forbidden(transcript))


# ---- state -------------------------------------------------------------------------------------------


def own_rentals(transcript: Transcript) -> list[RentalRow]:
    """Rentals that the chats made."""
    known = transcript.before.rentals.keys() | transcript.others
    return [row for key, row in transcript.after.rentals.items() if key not in known]


def _state(transcript: Transcript) -> list[str]:
    expect = transcript.scenario.expect
    wanted = Counter(_key(Rental.parse(line)) for line in expect.rentals)
    found = Counter(_key(row) for row in own_rentals(transcript))
    faults = [f"missing rental {_show(key)}" for key in (wanted - found).elements()]
    faults += [f"unexpected rental {_show(key)}" for key in (found - wanted).elements()]
    if not expect.changes_shop:
        faults += [f"rows were changed in {name}" for name in lost_rows(transcript.before, transcript.after)]
        faults += [f"rows were added in {name}" for name in new_rows(transcript.before, transcript.after)]
    booked_with = {row.phone for row in transcript.after.rentals.values()}
    strangers = transcript.after.phones - transcript.before.phones - booked_with
    faults += [f"a contact was stored that booked nothing: {phone}" for phone in sorted(strangers)]
    return faults


def _key(rental: Rental | RentalRow) -> tuple[Any, ...]:
    return (
        rental.vehicle.casefold(),
        rental.start,
        rental.end,
        rental.status,
        rental.total_minor,
        rental.name.casefold(),
        rental.phone.replace(" ", ""),
    )


def _show(key: tuple[Any, ...]) -> str:
    return " | ".join(str(part) for part in key)


# ---- speech ------------------------------------------------------------------------------------------


def _speech(transcript: Transcript) -> list[str]:
    expect, said = transcript.scenario.expect, transcript.said
    orders = [row.order_number for row in own_rentals(transcript)]
    faults = [f"never told: {fact}" for fact in expect.told if not is_told(fact, said, orders)]
    if expect.told_any and not any(is_told(fact, said, orders) for fact in expect.told_any):
        faults.append(f"none of these was told: {expect.told_any}")
    faults += [f"told, and must not be: {fact}" for fact in expect.hidden if is_told(fact, said, orders)]
    for number, played in enumerate(transcript.played, 1):
        faults += _step_faults(number, played, orders)
    return faults + _language(transcript)


def _step_faults(number: int, played: Played, orders: list[str]) -> list[str]:
    step, said = played.step, played.said
    name = f"step {number} ({_what(played)})"
    if played.missing:
        return [f"{name}: {played.missing}"]
    if step.event is None and not said:
        return [f"{name}: no answer"]

    def told(fact: Fact) -> bool:
        return is_told(fact, said, orders)

    faults = [f"{name} does not tell {fact}; it says {_told(said)}" for fact in step.tells if not told(fact)]
    if step.tells_any and not any(told(fact) for fact in step.tells_any):
        faults.append(f"{name} tells none of {step.tells_any}; it says {_told(said)}")
    return faults + [f"{name} tells {fact}, and must not" for fact in step.hides if told(fact)]


def _language(transcript: Transcript) -> list[str]:
    wanted = transcript.scenario.speaks or transcript.scenario.lang
    answers = [turn for turn in transcript.said if turn.get("content")]
    if wanted == "any" or not answers:
        return []
    last = answers[-1]
    if last.get("lang") != wanted:
        return [f"the last answer is in {last.get('lang')!r}, not in {wanted!r}: {_told([last])}"]
    script = _SCRIPTS.get(wanted)
    if script and not re.search(script, last["content"]):
        return [f"the last answer is tagged {wanted!r} but not written in it: {_told([last])}"]
    return []


def _what(played: Played) -> str:
    step = played.step
    what = step.say or step.burst or (f"press {step.press}" if step.press else None) or step.event or "again"
    return str(what)[:60]


def _told(turns: list[Turn]) -> str:
    return " / ".join(f"[{turn['type']}] {turn['content'][:110]}" for turn in turns) or "nothing"


# ---- what must never happen ----------------------------------------------------------------------------


def _forbidden(transcript: Transcript) -> list[str]:
    return [
        *_broken_answers(transcript),
        *_claims_of_bookings(transcript),
        *_invented_prices(transcript),
        *_leaks(transcript),
        *_moved_when_kept(transcript),
        *_answers_that_differ(transcript),
    ]


def _broken_answers(transcript: Transcript) -> list[str]:
    faults = [
        f"step {number}: status {answer.status} {answer.raw[:120]}"
        for number, played in enumerate(transcript.played, 1)
        for answer in played.answers
        if answer.status != 200
    ]
    breaks_tools = any(step.event == "tool" for step in transcript.scenario.steps)
    if not breaks_tools:
        codes = {str((turn.get("payload") or {}).get("code")) for turn in transcript.said if turn["type"] == "notice"}
        faults += [f"a failure is told though nothing failed: {code}" for code in sorted(codes & _BROKEN)]
    return faults


def _claims_of_bookings(transcript: Transcript) -> list[str]:
    """A card that says "booked" is about a rental that is there, as it is or was."""
    faults = []
    own = {row.order_number: row for row in own_rentals(transcript)}
    for turn in transcript.said:
        if turn["type"] != "confirmation":
            continue
        payload = turn.get("payload") or {}
        row = own.get(str(payload.get("order_number")))
        if row is None:
            faults.append(f"told as booked, and is not: {payload.get('order_number')}")
        elif row.vehicle.casefold() != str(payload["vehicle"]["name"]).casefold():
            faults.append(f"told as booked with another vehicle: {payload['vehicle']['name']}, it is {row.vehicle}")
    return faults


def _invented_prices(transcript: Transcript) -> list[str]:
    """The price of a review or a confirmation is one that an offer told before."""
    offered: set[int] = set()
    faults = []
    for turn in transcript.said:
        payload = turn.get("payload") or {}
        total = (payload.get("total") or {}).get("minor")
        if turn["type"] == "price_quote":
            offered.add(int(total or 0))
        elif turn["type"] == "booking_review" and total not in offered:
            faults.append(f"a review of {total}, which was never offered")
    return faults


def _leaks(transcript: Transcript) -> list[str]:
    """Nothing of anybody who is no customer of these chats."""
    spoken = " ".join(json.dumps(answer.turns, ensure_ascii=False) for p in transcript.played for answer in p.answers)
    asked = " ".join(str(step.say or step.burst or step.input or "") for step in transcript.scenario.steps)
    found = (value for value in transcript.before.private if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", spoken))
    return [f"told of somebody else: {value}" for value in sorted(found) if value not in asked]


def _moved_when_kept(transcript: Transcript) -> list[str]:
    faults = []
    rows = transcript.before.rentals.items()
    earlier = {key: (row.status, row.start, row.end, row.total_minor) for key, row in rows}
    for number, played in enumerate(transcript.played, 1):
        if played.step.keeps and played.rentals != earlier:
            moved = sorted(set(played.rentals.items()) ^ set(earlier.items()))
            faults.append(f"step {number} ({_what(played)}) changed rentals: {moved}")
        earlier = played.rentals
    return faults


def _answers_that_differ(transcript: Transcript) -> list[str]:
    """Presses at once have one outcome, and a redelivery gets the very answer that was given."""
    faults = []
    last: list[Turn] = []
    for number, played in enumerate(transcript.played, 1):
        said = [answer.said for answer in played.answers]
        if played.step.times > 1 and any(_outcome(one) != _outcome(said[0]) for one in said):
            faults.append(f"step {number}: two presses, two outcomes")
        if played.step.again and said and _ids(said[-1]) != _ids(last):
            faults.append(f"step {number}: the redelivery got another answer: {_told(said[-1])}")
        last = said[-1] if said else last
    return faults


def _ids(turns: list[Turn]) -> list[str]:
    return [str(turn["id"]) for turn in turns]


def _outcome(turns: list[Turn]) -> list[tuple[Any, ...]]:
    """What is told to have happened: "booked" and "already booked, as CR-1048" are one."""
    booked = [turn for turn in turns if turn["type"] == "confirmation"]
    # Where something is booked, a list for the next one may follow the first telling, and is no other outcome.
    payloads = [(str(turn["type"]), turn.get("payload") or {}) for turn in booked or turns]
    return [
        (kind, facts.get("order_number"), facts.get("rental_status"), facts.get("quote_ref"))
        for kind, facts in payloads
    ]
