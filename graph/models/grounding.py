"""The model's claims -> an `Understanding`, as far as the customer's own words bear them.

Where the rules read a slot themselves, the rules win: a model adds what they missed, and takes nothing away.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from graph.models.evidence import Check, NumberWords
from graph.models.offline import OfflineInterpreter
from graph.models.records import Note
from graph.models.wire import WireUnderstanding
from graph.understanding.lexicon import lexicon_codes
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

_DECIDED_BY_CODE = frozenset({"confirm", "deny", "unclear"})
_SAFETY: tuple[Intent, ...] = ("out_of_scope", "set_price", "ask_currency")
_ANSWERABLE = frozenset({"contact", "name", "phone", "accept_quote", "confirm_booking"})
_QUESTIONS: tuple[Intent, ...] = (
    "ask_company",
    "ask_vehicle",
    "ask_price",
    "ask_currency",
    "ask_date",
    "ask_bot",
    "help",
    "thanks",
)
_MAX_SEATS, _MAX_QUANTITY = 60, 99
_MAX_NAME_CHARS = 80
_MAX_DESCRIPTION_CHARS = 80
_EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s]+\.[^@\s]{2,}")
_DIGITS = re.compile(r"\d+")


@dataclass(slots=True)
class Grounded:
    """The understanding that is left, and what was dropped on the way."""

    understanding: Understanding
    notes: tuple[Note, ...]


def ground(
    wire: WireUnderstanding,
    message: str,
    context: InterpretContext,
    rules: OfflineInterpreter,
    offline: Understanding,
    numbers: NumberWords | None = None,
) -> Grounded:
    """Keep what the message bears; dates, phone, price and yes or no are read by the rules, from those words."""
    check = Check(message, context, rules, offline, numbers or NumberWords())
    draft = offline.model_copy(update=_slots(wire, check) | {"source": "live"})
    intents = _intents(wire, draft, check)
    topic = (wire.topic or offline.topic) if "ask_company" in intents else None
    update = {"intents": intents, "topic": topic, "confidence": 0.0 if intents == ("unclear",) else 0.8}
    # Validated once more: a copy is not.
    understanding = Understanding.model_validate(draft.model_copy(update=update).model_dump())
    return Grounded(understanding, tuple(check.notes))


def _slots(wire: WireUnderstanding, check: Check) -> dict[str, object]:
    offline, vocabulary = check.offline, check.context.vocabulary
    category = check.borne(wire.category, wire.category_words, "category_not_said")
    gearbox = check.borne(wire.gearbox, wire.gearbox_words, "gearbox_not_said")
    seats = check.counted(wire.seats, wire.seats_words, _MAX_SEATS, "seats_not_said")
    quantity = check.counted(wire.quantity, wire.quantity_words, _MAX_QUANTITY, "quantity_not_said")
    cheapest = "price" if check.borne(wire.cheapest_words, wire.cheapest_words, "cheapest_not_said") else None
    brand = _known(wire.brand, wire.vehicle_words, vocabulary.brands, check, "brand_not_said")
    model = _known(wire.model, wire.vehicle_words, vocabulary.models, check, "model_not_said")
    named = offline.brand or offline.model
    return {
        "dates": _dates(wire, check) or offline.dates,
        "category": offline.category or category,
        # One name of the rules stands for both: a brand of one and a model of another would match nothing.
        "brand": offline.brand if named else brand,
        "model": offline.model if named else model,
        "search_text": offline.search_text or ("" if brand or model else _description(wire, check)),
        "budget": _budget(wire, check) or offline.budget,
        "gearbox": offline.gearbox or gearbox,
        "seats": offline.seats or seats,
        "quantity": offline.quantity or quantity,
        "office": offline.office or _known(wire.office, wire.office, vocabulary.offices, check, "office_not_said"),
        "sort": offline.sort or cheapest,
        "reference": _reference(wire, check) or offline.reference,
        "name": _name(wire, check) or offline.name,
        "phone": _phone(wire, check) or offline.phone,
        "email": offline.email or _email(wire, check),
        "lang": offline.lang or _language(wire, check),
    }


def _language(wire: WireUnderstanding, check: Check) -> str | None:
    """The model's word for it, where the rules cannot tell and there are letters to tell it by."""
    code = (wire.language or "").split("-")[0].lower()
    return code if code in lexicon_codes() and any(sign.isalpha() for sign in check.message) else None


def _dates(wire: WireUnderstanding, check: Check) -> DateReading | None:
    if not wire.date_words:
        return None
    if not check.said(wire.date_words):
        check.drop("dates_not_said")
        return None
    whole = check.offline.dates
    # The whole message also holds the words around the copied ones ("until", "from").
    if whole is not None and _overlap(whole.phrase, wire.date_words):
        return whole
    reading = check.rules.read_dates(wire.date_words, _in_language(check)).reading
    if reading is None:
        check.drop("dates_unread")
        return None
    return reading


def _in_language(check: Check) -> InterpretContext:
    """The context for a few words: too short to tell their language by, they are of the message's."""
    return check.context.model_copy(update={"lang": check.lang})


def _overlap(one: str, other: str) -> bool:
    a, b = squeeze(fold(one).text), squeeze(fold(other).text)
    return bool(a and b) and (a in b or b in a)


def _known(name: str | None, words: str | None, known: tuple[str, ...], check: Check, note: Note) -> str | None:
    """The company's spelling of a name that the customer wrote, perhaps with a typing error or in another script."""
    if not name:
        return None
    spelled = next((one for one in known if one.lower() == name.strip().lower()), None)
    if spelled is not None and check.said(spelled):
        return spelled
    if spelled is not None and words and check.said(words) and check.resembles(words, spelled):
        return spelled
    check.drop(note)
    return None


def _description(wire: WireUnderstanding, check: Check) -> str:
    said = check.borne(wire.description or None, wire.description, "description_not_said")
    return " ".join(printable(said or "").split())[:_MAX_DESCRIPTION_CHARS]


def _budget(wire: WireUnderstanding, check: Check) -> Budget | None:
    if not wire.budget_words:
        return None
    if not check.said(wire.budget_words) or not _DIGITS.search(fold(wire.budget_words).text):
        check.drop("budget_not_said")
        return None
    if check.offline.budget is not None:
        return check.offline.budget
    context = _in_language(check)
    found = check.rules.read(wire.budget_words, context).budget
    # A bare number is a limit because the model says so; the rules want a word for it.
    found = found or check.rules.read(f"max {wire.budget_words}", context.model_copy(update={"lang": "en"})).budget
    if found is None:
        check.drop("budget_unread")
    return found


def _reference(wire: WireUnderstanding, check: Check) -> Reference | None:
    if not wire.reference_words:
        return None
    if not check.said(wire.reference_words):
        check.drop("reference_not_said")
        return None
    return check.offline.reference or check.rules.read(wire.reference_words, _in_language(check)).reference


def _name(wire: WireUnderstanding, check: Check) -> NameReading | None:
    if not wire.name:
        return None
    full = " ".join(printable(wire.name).split())
    letters = any(sign.isalpha() for sign in full)
    if not letters or len(full) > _MAX_NAME_CHARS or any(sign.isdigit() for sign in full) or not check.said(full):
        check.drop("name_not_said")
        return None
    if _is_taken(full, wire, check):
        check.drop("name_is_other_words")
        return None
    first, _, last = full.partition(" ")
    return NameReading(full=full, first=first, last=last, confidence=0.8)


def _is_taken(full: str, wire: WireUnderstanding, check: Check) -> bool:
    """Words that name a vehicle, a place, a time or a thing are nobody's name, unless the rules read them as one."""
    if check.offline.name is not None and _overlap(check.offline.name.full, full):
        return False
    vocabulary, offline = check.context.vocabulary, check.offline
    names = (*vocabulary.brands, *vocabulary.models, *vocabulary.offices)
    colours = tuple(option.colour for option in check.context.options if option.colour)
    claimed = (wire.category_words, wire.date_words, wire.vehicle_words, wire.budget_words, wire.description)
    read = (offline.dates.phrase if offline.dates else "", offline.reference.text if offline.reference else "")
    return any(_overlap(full, words) for words in (*names, *colours, *claimed, *read) if words)


def _phone(wire: WireUnderstanding, check: Check) -> PhoneReading | None:
    if not wire.phone:
        return None
    digits = "".join(_DIGITS.findall(fold(wire.phone).text))
    if not digits:
        return None
    # As one piece of the message: digits of a date and of a price are not put together to a number.
    pieces = ("".join(_DIGITS.findall(piece)) for piece in re.findall(r"\+?\d[\d\s().\-/]*", check.message))
    if not any(digits in piece for piece in pieces):
        check.drop("phone_not_said")
        return None
    if check.offline.phone is not None:
        return check.offline.phone
    asked = check.context.model_copy(update={"open_question": "phone"})
    phone = check.rules.read(wire.phone, asked).phone
    if phone is None:
        check.drop("phone_invalid")
        return None
    return phone


def _email(wire: WireUnderstanding, check: Check) -> str | None:
    if not wire.email:
        return None
    if check.said(wire.email) and _EMAIL.fullmatch(wire.email):
        return wire.email
    check.drop("email_not_said")
    return None


def _intents(wire: WireUnderstanding, draft: Understanding, check: Check) -> tuple[Intent, ...]:
    """The model's intents that something bears; yes and no only as the rules read them."""
    offline = check.offline.intents
    # A model that understood nothing takes nothing away from the rules.
    claimed: list[Intent] = [intent for intent in wire.intents if intent != "unclear"]
    claimed = claimed or list(offline)
    notes: dict[Intent, Note] = {"confirm": "confirm_not_said", "deny": "deny_not_said", "reset": "reset_not_said"}
    for intent, note in notes.items():
        # A reset throws the wish away: like a yes it has to be said in words that the rules know.
        if intent in claimed and intent not in offline:
            check.drop(note)
            claimed = [one for one in claimed if one != intent]
    if check.context.open_question in _ANSWERABLE and offline[0] in ("confirm", "deny", "give_contact"):
        # The rules read an answer to what was asked: beside it a model may see a question, but no other deed.
        if any(intent not in (*_QUESTIONS, *offline) for intent in claimed):
            check.drop("deed_beside_an_answer")
        claimed = [intent for intent in claimed if intent in (*_QUESTIONS, *offline)]
    found: list[Intent] = [intent for intent in _SAFETY if intent in offline]
    found += [intent for intent in offline if intent in ("confirm", "deny")]
    found += [intent for intent in claimed if intent not in _DECIDED_BY_CODE and _has_slot(intent, draft)]
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
