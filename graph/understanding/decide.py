"""Evidence of one message -> intents and slots. Slots decide first, then the open question, then words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

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

_YES_QUESTIONS = frozenset({"accept_quote", "confirm_booking", "confirm_change", "vehicle", "period"})
_TASKS: tuple[Intent, ...] = (
    "search",
    "ask_price",
    "ask_currency",
    "ask_vehicle",
    "ask_company",
    "ask_date",
    "ask_alternatives",
    "more",
    "show_booking",
    "select",
)
_AFTER_SALE: tuple[Intent, ...] = ("cancel_booking", "extend_booking", "change_booking")
_FIRST: tuple[Intent, ...] = ("out_of_scope", "handoff", "complain", "reset", "set_price", *_AFTER_SALE)
_POLITE: tuple[Intent, ...] = ("ask_bot", "help", "goodbye", "thanks", "smalltalk", "greet")


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
    cheap: bool
    cheaper: bool = False
    elsewhere: bool = False
    """The matter of another desk is spoken of (a bank, a film, homework)."""
    own_currency: bool = False
    """Currencies are named, and each is the shop's own."""
    aside: bool = False
    """The days belong to a question that is no matter of the shop."""

    @property
    def has_contact(self) -> bool:
        """A name, phone or email was given."""
        return bool(self.phone or self.email or self.name)

    @property
    def has_wish(self) -> bool:
        """Something about the vehicle was said."""
        return bool(self.wish.is_told or self.budget)


def decide(evidence: Evidence, context: InterpretContext) -> Understanding:
    """Put the intents in order, most important first, and fill the slots."""
    if evidence.aside:
        evidence = replace(evidence, dates=None, office=None)
    if _is_elsewhere(evidence):
        evidence = replace(evidence, dates=None, answer=Answer())
    if _is_new_search(evidence):
        evidence = replace(evidence, reference=None)
    if _asks_for_another_currency(evidence):
        # "How much is 540,000 in dollars today?" repeats a price: it sets no limit and moves no day.
        evidence = replace(evidence, budget=None, dates=None if _only_a_day(evidence) else evidence.dates)
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
        cheaper=_wants_cheaper(evidence, intents),
        reference=evidence.reference if "select" in intents or _points(intents) else None,
        name=evidence.name,
        phone=evidence.phone,
        email=evidence.email,
        topic=evidence.signals.topic if "ask_company" in intents else None,
        lang=evidence.lang,
    )


def _is_new_search(evidence: Evidence) -> bool:
    """ "show me scooters and what the PCX costs from 20 June": a name in a new search is no choice."""
    named = evidence.reference is not None and evidence.reference.kind == "named"
    return named and evidence.signals.has("search") and bool(evidence.wish.category or evidence.dates)


def _asks_for_another_currency(evidence: Evidence) -> bool:
    asked_how_to_pay = evidence.signals.topic == "payment"
    return evidence.signals.has("ask_currency") and not (evidence.own_currency or asked_how_to_pay)


def _only_a_day(evidence: Evidence) -> bool:
    return evidence.dates is not None and evidence.dates.status == "start" and not evidence.wish.is_told


def _points(intents: list[Intent]) -> bool:
    return any(intent in intents for intent in ("ask_price", "ask_vehicle", "search", "confirm"))


def _sort(evidence: Evidence) -> Literal["price", "price_desc"] | None:
    wants_list = evidence.signals.has("search", "ask_alternatives") or evidence.has_wish
    return "price" if wants_list and evidence.cheap else None


def _wants_cheaper(evidence: Evidence, intents: list[Intent]) -> bool:
    """ "Anything cheaper?" asks for more; "the cheaper one" picks, "make it cheaper" haggles."""
    return evidence.cheaper and evidence.reference is None and "search" in intents


def _is_elsewhere(evidence: Evidence) -> bool:
    """The matter of another desk, and nothing that a rental needs."""
    clear = evidence.dates is not None and evidence.dates.status in ("range", "start")
    wish = evidence.wish
    rental = wish.category or wish.brand or wish.model or wish.seats or wish.quantity or wish.gearbox
    return evidence.elsewhere and not (rental or clear or evidence.reference or evidence.has_contact)


def _intents(evidence: Evidence, context: InterpretContext) -> list[Intent]:
    signals = dict(evidence.signals.at)
    if _is_elsewhere(evidence):
        return ["out_of_scope"]
    _add_from_slots(signals, evidence)
    _drop_rivals(signals, evidence, context)
    found: list[Intent] = [intent for intent in _FIRST if intent in signals]
    yes_no = _yes_or_no(evidence, context, blocked=bool(found))
    if yes_no == "confirm":
        found.append("confirm")
        signals.pop("show_booking", None)
        if not evidence.has_wish:
            signals.pop("search", None)
    if _points_at_open_thing(evidence, confirmed=yes_no == "confirm"):
        signals.pop("select", None)
    found.extend(sorted((intent for intent in _TASKS if intent in signals), key=lambda intent: signals[intent]))
    if evidence.has_contact:
        found.append("give_contact")
    if evidence.dates is not None and "search" not in found:
        found.append("give_dates")
    if yes_no == "deny":
        _add_deny(found, evidence, context)
    found.extend(intent for intent in _POLITE if intent in signals)
    return found


def _points_at_open_thing(evidence: Evidence, *, confirmed: bool) -> bool:
    """ "I'll take it", "and if I take it for 10 days?": what is open already, not a new choice."""
    that = evidence.reference is not None and evidence.reference.kind == "that"
    return that and (confirmed or evidence.dates is not None)


def _add_from_slots(signals: dict[Intent, int], evidence: Evidence) -> None:
    """What the slots say: a pointer is a selection, a wish is a search."""
    last = len(evidence.text) + 1
    if evidence.reference is not None:
        signals.setdefault("select", last)
        if evidence.reference.kind in ("cheapest", "dearest") or not evidence.wish.category:
            signals.pop("search", None)
    elif evidence.has_wish and not {"ask_vehicle", "set_price", "complain", *_AFTER_SALE} & signals.keys():
        asked_of_company = "ask_company" in signals and not (evidence.wish.model or evidence.dates)
        if not asked_of_company:
            signals.setdefault("search", last)
    elif evidence.cheaper and not signals:
        signals["search"] = last


def _drop_rivals(signals: dict[Intent, int], evidence: Evidence, context: InterpretContext) -> None:
    """Where two intents share their words, keep the one that was meant."""
    if "ask_company" in signals and not (evidence.has_wish or evidence.dates):
        signals.pop("search", None)
    _settle_currency(signals, evidence)
    if evidence.phone is not None and context.open_question in ("contact", "phone"):
        # "call me on +62..." tells the number.
        signals.pop("handoff", None)
    if evidence.signals.topic == "cancellation":
        signals.pop("cancel_booking", None)
    if "ask_vehicle" in signals or "out_of_scope" in signals:
        signals.pop("select", None)
    if "set_price" in signals:
        signals.pop("ask_price", None)
        if not evidence.has_wish:
            signals.pop("search", None)
    _settle_after_sale(signals, evidence, context)
    if "thanks" in signals:
        signals.pop("help", None)
    talk = {"handoff", "out_of_scope", "smalltalk", "ask_bot", "help"} & signals.keys()
    if talk and not (evidence.has_wish or evidence.dates or evidence.reference):
        for rival in ("search", "ask_vehicle", "ask_alternatives"):
            signals.pop(rival, None)
    if "ask_alternatives" in signals and "search" in signals:
        # "What else do you have?" looks for nothing new by itself.
        if evidence.has_wish or evidence.dates:
            signals["search"] = len(evidence.text) + 1
        else:
            signals.pop("search")


def _settle_after_sale(signals: dict[Intent, int], evidence: Evidence, context: InterpretContext) -> None:
    """What concerns a booking that is made: no search, unless nothing is booked and days are spoken of."""
    if "extend_booking" in signals:
        signals.pop("change_booking", None)
    if set(_AFTER_SALE) & signals.keys():
        signals.pop("show_booking", None)
    if {"complain", *_AFTER_SALE} & signals.keys():
        signals.pop("search", None)
        signals.pop("select", None)
    if "ask_bot" in signals:
        signals.pop("handoff", None)
    if context.phase != "booked" and evidence.dates is not None and context.known_start is not None:
        # Before the sale these are other dates for what is looked for.
        signals.pop("change_booking", None)
        signals.pop("extend_booking", None)


def _settle_currency(signals: dict[Intent, int], evidence: Evidence) -> None:
    """The price in the shop's own currency is a price; in another one it is asked for nothing else."""
    if "ask_currency" not in signals:
        return
    if not _asks_for_another_currency(evidence):
        at = signals.pop("ask_currency")
        if evidence.signals.topic != "payment":
            signals.setdefault("ask_price", at)
    elif not (evidence.has_wish or evidence.dates or evidence.reference):
        for rival in ("ask_price", "search", "select"):
            signals.pop(rival, None)


def _add_deny(found: list[Intent], evidence: Evidence, context: InterpretContext) -> None:
    if "cancel_booking" in found and context.phase == "booked":
        return
    if evidence.answer.no_only:
        found.insert(0, "deny")
    elif not found or context.open_question in _YES_QUESTIONS:
        found.append("deny")


def _yes_or_no(evidence: Evidence, context: InterpretContext, *, blocked: bool) -> Literal["confirm", "deny"] | None:
    answer = evidence.answer
    # A price beside the yes is a condition, even where the words around it are all a yes.
    blocked = blocked or evidence.budget is not None
    if answer.yes and not blocked:
        return "confirm"
    polite = evidence.signals.has("thanks", "goodbye")
    if answer.weak_yes and not blocked and not polite and context.open_question in _YES_QUESTIONS:
        return "confirm"
    return "deny" if answer.no else None
