"""Evidence of one message -> intents and slots. Slots decide first, then the open question, then words."""

from __future__ import annotations

from dataclasses import dataclass

from graph.understanding.answers import Answer
from graph.understanding.intents import Signals
from graph.understanding.meaning import (
    Budget,
    DateReading,
    Intent,
    InterpretContext,
    NameReading,
    PhoneReading,
    Reference,
    Understanding,
)
from graph.understanding.vehicles import VehicleWish

_YES_QUESTIONS = frozenset({"accept_quote", "confirm_booking", "vehicle", "period"})
_TASKS: tuple[Intent, ...] = (
    "search",
    "ask_price",
    "ask_vehicle",
    "ask_company",
    "ask_date",
    "ask_alternatives",
    "more",
    "show_booking",
    "select",
)
_FIRST: tuple[Intent, ...] = ("out_of_scope", "handoff", "reset", "set_price", "cancel_booking", "change_booking")
_POLITE: tuple[Intent, ...] = ("help", "goodbye", "thanks", "greet")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything the readers found in one message."""

    text: str
    bare: str
    """Without contact data, price, dates and positions."""
    lang: str | None
    answer: Answer
    signals: Signals
    dates: DateReading | None
    wish: VehicleWish
    budget: Budget | None
    phone: PhoneReading | None
    email: str | None
    name: NameReading | None
    reference: Reference | None
    takes: bool
    office: str | None

    @property
    def has_contact(self) -> bool:
        """A name, phone or email was given."""
        return bool(self.phone or self.email or self.name)

    @property
    def has_wish(self) -> bool:
        """Something about the vehicle was said."""
        wish = self.wish
        named = wish.category or wish.brand or wish.model or wish.search_text
        return bool(named or wish.gearbox or wish.seats or wish.quantity or self.budget)


def decide(evidence: Evidence, context: InterpretContext) -> Understanding:
    """Put the intents in order, most important first, and fill the slots."""
    intents = _intents(evidence, context)
    wish = evidence.wish
    return Understanding(
        intents=tuple(intents) or ("unclear",),
        confidence=0.9 if intents else 0.0,
        dates=evidence.dates,
        category=wish.category,
        brand=wish.brand,
        model=wish.model,
        search_text=wish.search_text,
        budget=evidence.budget,
        gearbox=wish.gearbox,
        seats=wish.seats,
        quantity=wish.quantity,
        office=evidence.office,
        sort=_sort(evidence),
        reference=evidence.reference if "select" in intents or _points(intents) else None,
        name=evidence.name,
        phone=evidence.phone,
        email=evidence.email,
        topic=evidence.signals.topic if "ask_company" in intents else None,
        lang=evidence.lang,
    )


def _points(intents: list[Intent]) -> bool:
    return any(intent in intents for intent in ("ask_price", "ask_vehicle", "search", "confirm"))


def _sort(evidence: Evidence) -> str | None:
    return "price" if evidence.signals.has("search") and "cheap" in evidence.text else None


def _intents(evidence: Evidence, context: InterpretContext) -> list[Intent]:
    signals = dict(evidence.signals.at)
    _settle(signals, evidence, context)
    found: list[Intent] = [intent for intent in _FIRST if intent in signals]
    yes_no = _yes_or_no(evidence, context, blocked=bool(found))
    tasks = sorted((intent for intent in _TASKS if intent in signals), key=lambda intent: signals[intent])
    if yes_no == "confirm":
        found.append("confirm")
    found.extend(tasks)
    if evidence.has_contact:
        found.append("give_contact")
    if evidence.dates is not None and "search" not in found:
        found.append("give_dates")
    if yes_no == "deny":
        found.insert(0, "deny") if evidence.answer.no_only else found.append("deny")
    found.extend(intent for intent in _POLITE if intent in signals)
    return found


def _settle(signals: dict[Intent, int], evidence: Evidence, context: InterpretContext) -> None:
    """Add what the slots say, drop what the words only seem to say."""
    if _is_selection(evidence, context):
        signals.setdefault("select", 0)
        if not evidence.wish.category or evidence.reference:
            signals.pop("search", None)
    elif evidence.has_wish and "ask_vehicle" not in signals and "set_price" not in signals:
        signals.setdefault("search", 0)
    if "ask_company" in signals and not (evidence.has_wish or evidence.dates):
        signals.pop("search", None)


def _is_selection(evidence: Evidence, context: InterpretContext) -> bool:
    return evidence.reference is not None


def _yes_or_no(evidence: Evidence, context: InterpretContext, *, blocked: bool) -> str | None:
    answer = evidence.answer
    if answer.yes and not blocked:
        return "confirm"
    polite = evidence.signals.has("thanks", "goodbye")
    if answer.weak_yes and not blocked and not polite and context.open_question in _YES_QUESTIONS:
        return "confirm"
    return "deny" if answer.no else None
