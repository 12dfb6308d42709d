"""The model's claims -> an `Understanding`, as far as the customer's own words bear them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeVar

from rapidfuzz import fuzz

from graph.models.offline import OfflineInterpreter
from graph.models.records import Note
from graph.models.wire import WireUnderstanding
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
from graph.understanding.text import fold, printable, squeeze

_T = TypeVar("_T")
_NAME_CUTOFF = 80
_DECIDED_BY_CODE = frozenset({"confirm", "deny", "unclear"})
_SAFETY: tuple[Intent, ...] = ("out_of_scope", "set_price", "ask_currency")
_MAX_SEATS, _MAX_QUANTITY = 60, 99


@dataclass(slots=True)
class Grounded:
    """The understanding that is left, and what was dropped on the way."""

    understanding: Understanding
    notes: tuple[Note, ...]


@dataclass(slots=True)
class _Check:
    """One message and what the rules read in it."""

    message: str
    context: InterpretContext
    rules: OfflineInterpreter
    offline: Understanding
    notes: list[Note] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.message = squeeze(fold(self.message).text)

    def drop(self, note: Note) -> None:
        self.notes.append(note)

    def said(self, words: str | None) -> bool:
        """True if these words stand in the message, as whole words where the script has words."""
        plain = squeeze(fold(words or "").text)
        if not plain:
            return False
        if not plain.isascii():
            return plain in self.message
        return re.search(rf"(?<![a-z0-9]){re.escape(plain)}(?![a-z0-9])", self.message) is not None

    def borne(self, value: _T | None, words: str | None, note: Note) -> _T | None:
        """The value if its words were said."""
        if value is None or self.said(words):
            return value
        self.drop(note)
        return None


def ground(
    wire: WireUnderstanding,
    message: str,
    context: InterpretContext,
    rules: OfflineInterpreter,
    offline: Understanding,
) -> Grounded:
    """Keep what the message bears; dates, phone, price and yes or no are read by the rules, from those words."""
    check = _Check(message, context, rules, offline)
    slots = {
        "dates": _dates(wire, check) or offline.dates,
        "category": check.borne(wire.category, wire.category_words, "category_not_said") or offline.category,
        "brand": _known(wire.brand, context.vocabulary.brands, check, "brand_not_said") or offline.brand,
        "model": _known(wire.model, context.vocabulary.models, check, "model_not_said") or offline.model,
        "search_text": _description(wire, check),
        "budget": _budget(wire, check) or offline.budget,
        "gearbox": check.borne(wire.gearbox, wire.gearbox_words, "gearbox_not_said") or offline.gearbox,
        "seats": _count(wire.seats, wire.seats_words, _MAX_SEATS, check, "seats_not_said") or offline.seats,
        "quantity": _count(wire.quantity, wire.quantity_words, _MAX_QUANTITY, check, "quantity_not_said")
        or offline.quantity,
        "office": _known(wire.office, context.vocabulary.offices, check, "office_not_said") or offline.office,
        "sort": offline.sort or ("price" if wire.cheapest_first else None),
        "reference": _reference(wire, check) or offline.reference,
        "name": _name(wire, check) or offline.name,
        "phone": _phone(wire, check) or offline.phone,
        "email": check.borne(wire.email, wire.email, "email_not_said") or offline.email,
        "lang": offline.lang or (wire.language if any(sign.isalpha() for sign in message) else None),
    }
    draft = Understanding.model_validate(slots | {"source": "live"})
    intents = _intents(wire, draft, check)
    topic = (wire.topic or offline.topic) if "ask_company" in intents else None
    update = {"intents": intents, "topic": topic, "confidence": 0.0 if intents == ("unclear",) else 0.8}
    return Grounded(draft.model_copy(update=update), tuple(check.notes))


def _dates(wire: WireUnderstanding, check: _Check) -> DateReading | None:
    if not wire.date_words:
        return None
    if not check.said(wire.date_words):
        check.drop("dates_not_said")
        return None
    whole = check.offline.dates
    # The whole message also holds the words around the copied ones ("until", "from").
    if whole is not None and _overlap(whole.phrase, wire.date_words):
        return whole
    reading = check.rules.read_dates(wire.date_words, check.context).reading
    if reading is None:
        check.drop("dates_unread")
        return None
    return reading


def _overlap(one: str, other: str) -> bool:
    a, b = squeeze(fold(one).text), squeeze(fold(other).text)
    return bool(a and b) and (a in b or b in a)


def _known(name: str | None, known: tuple[str, ...], check: _Check, note: Note) -> str | None:
    """The company's spelling of a name that the customer wrote, perhaps with a typing error."""
    if not name:
        return None
    spelled = next((one for one in known if one.lower() == name.strip().lower()), None)
    if spelled is None:
        check.drop(note)
        return None
    first = spelled.lower().split()[0]
    close = fuzz.partial_ratio(first, check.message) >= _NAME_CUTOFF and len(first) > 2
    if not check.said(spelled) and not close:
        check.drop(note)
        return None
    return spelled


def _description(wire: WireUnderstanding, check: _Check) -> str:
    said = check.borne(wire.description or None, wire.description, "description_not_said")
    return check.offline.search_text or (said or "")[:80]


def _budget(wire: WireUnderstanding, check: _Check) -> Budget | None:
    if not wire.budget_words:
        return None
    if not check.said(wire.budget_words):
        check.drop("budget_not_said")
        return None
    return check.rules.read(f"max {wire.budget_words}", check.context).budget


def _count(value: int | None, words: str | None, most: int, check: _Check, note: Note) -> int | None:
    if value is None:
        return None
    if not 1 <= value <= most:
        check.drop(note)
        return None
    return check.borne(value, words, note)


def _reference(wire: WireUnderstanding, check: _Check) -> Reference | None:
    if not wire.reference_words:
        return None
    if not check.said(wire.reference_words):
        check.drop("reference_not_said")
        return None
    return check.rules.read(wire.reference_words, check.context).reference


def _name(wire: WireUnderstanding, check: _Check) -> NameReading | None:
    if not wire.name:
        return None
    full = " ".join(printable(wire.name).split())
    letters = any(sign.isalpha() for sign in full)
    if not letters or any(sign.isdigit() for sign in full) or not check.said(full):
        check.drop("name_not_said")
        return None
    first, _, last = full.partition(" ")
    return NameReading(full=full, first=first, last=last, confidence=0.8)


def _phone(wire: WireUnderstanding, check: _Check) -> PhoneReading | None:
    if not wire.phone:
        return None
    digits = re.sub(r"\D", "", fold(wire.phone).text)
    if not digits or digits not in re.sub(r"\D", "", check.message):
        check.drop("phone_not_said")
        return None
    asked = check.context.model_copy(update={"open_question": "phone"})
    phone = check.rules.read(wire.phone, asked).phone
    if phone is None:
        check.drop("phone_invalid")
        return None
    return phone


def _intents(wire: WireUnderstanding, draft: Understanding, check: _Check) -> tuple[Intent, ...]:
    """The model's intents that something bears; yes and no only as the rules read them."""
    offline = check.offline.intents
    if "confirm" in wire.intents and "confirm" not in offline:
        check.drop("confirm_not_said")
    if "deny" in wire.intents and "deny" not in offline:
        check.drop("deny_not_said")
    found: list[Intent] = [intent for intent in _SAFETY if intent in offline]
    found += [intent for intent in offline if intent in ("confirm", "deny")]
    found += [intent for intent in wire.intents if intent not in _DECIDED_BY_CODE and _has_slot(intent, draft)]
    if draft.name or draft.phone or draft.email:
        found.append("give_contact")
    if draft.dates is not None and "search" not in found:
        found.append("give_dates")
    return tuple(dict.fromkeys(found)) or offline


def _has_slot(intent: Intent, draft: Understanding) -> bool:
    if intent == "select":
        return draft.reference is not None
    if intent == "give_contact":
        return bool(draft.name or draft.phone or draft.email)
    return intent != "give_dates" or draft.dates is not None
