"""Questions about the shop: each topic of a message is answered, once."""

from __future__ import annotations

from typing import Final

from graph.policy.turn import Turn
from graph.understanding.clauses import clauses_of

_MOST: Final = 3
_OFFICE_CARD: Final = frozenset({"hours", "address", "phone"})
"""Topics that one card answers."""
_SPEAKS_FOR_ITSELF: Final = frozenset({"price_fixed", "reset", "person", "other_currency", "out_of_scope"})
"""Answers beside which the same words are not taken for a question too."""


def answer_company(turn: Turn) -> bool:
    """Answer the questions about the shop beside whatever else the message leads to."""
    if not turn.wants("ask_company"):
        return False
    topics = topics_of(turn)
    asked_after = bool(turn.plan.says or turn.plan.steps)
    # The open question comes back once, after the last answer; where something follows, that asks its own.
    turn.plan.says[:0] = [
        {"say": "company", "topic": topic, "leads_on": topic == topics[-1] and not asked_after} for topic in topics
    ]
    return True


def answer_the_rest(turn: Turn) -> None:
    """Answer a question about the shop that no rule has answered."""
    said = {saying["say"] for saying in turn.plan.says}
    if turn.plan.has_answer and not said & {"company", *_SPEAKS_FOR_ITSELF} and topics_of(turn) != ["general"]:
        answer_company(turn)


def topics_of(turn: Turn) -> list[str]:
    """What is asked about, in order; what nobody has words for only where it is asked alone."""
    first = turn.u.topic or "general"
    heard = [clause.topic for clause in clauses_of(turn.text, turn.lang) if clause.topic is not None]
    found: list[str] = []
    for topic in dict.fromkeys([*heard, first] if first in heard else [first, *heard]):
        if topic not in _OFFICE_CARD or not _OFFICE_CARD & set(found):
            found.append(topic)
    return [topic for topic in found if topic != "general"][:_MOST] or ["general"]
