"""Slots that belong to a question and not to the wish: "do you deliver to Sanur?", "are you open on Sunday?"."""

from __future__ import annotations

import unicodedata
from typing import Any, Final

from graph.policy.plan import Plan
from graph.policy.references import resolve
from graph.understanding.clauses import Clause, clauses_of, folded_text
from graph.understanding.meaning import Intent, Understanding

_QUESTIONS: Final[frozenset[Intent]] = frozenset({"ask_company", "ask_vehicle", "out_of_scope"})
_NEW_WISHES: Final[frozenset[Intent]] = frozenset({"search", "ask_alternatives", "more"})
_OFFICE_TOPICS: Final = frozenset({"delivery", "hours", "address", "phone"})
"""Topics about which a place can be asked."""
_DATES_ASKED: Final = frozenset({"dates", "rental_dates"})
_OF_A_WISH: Final[dict[str, Any]] = {
    "category": None,
    "search_text": "",
    "gearbox": None,
    "seats": None,
    "quantity": None,
}
_NAMES: Final[dict[str, Any]] = {"brand": None, "model": None, "reference": None}


def without_asides(u: Understanding, plan: Plan, text: str) -> Understanding:
    """The understanding without what is only asked about; what stays is a wish or a choice."""
    if not _QUESTIONS & set(u.intents):
        return _without_unread_place(u, plan, text)
    clauses = clauses_of(text, u.lang or str(plan.get("lang", "en")))
    changes: dict[str, Any] = {}
    ended: set[Intent] = set()
    if u.dates is not None and _asks_about_days(u, plan, clauses):
        changes["dates"] = None
        ended.add("give_dates")
    if u.office and (u.topic in _OFFICE_TOPICS or _asks_about(u.office, clauses)):
        changes["office"] = None
    if _names_in_the_question(u, plan, text, clauses):
        ended |= {"search", "select"}
        changes |= _NAMES
    if not _NEW_WISHES & (set(u.intents) - ended):
        changes |= _vehicle_asides(u, plan, ended)
    left = tuple(intent for intent in u.intents if intent not in ended)
    return u.model_copy(update={**changes, "intents": left})


def _asks_about_days(u: Understanding, plan: Plan, clauses: tuple[Clause, ...]) -> bool:
    """Days in the clause of a question are the question's; a whole period is so only where opening is asked about."""
    if u.dates is None or plan.question in _DATES_ASKED or _NEW_WISHES & set(u.intents):
        return False
    if "out_of_scope" in u.intents:
        return True
    phrase = folded_text(u.dates.phrase, u.lang or str(plan.get("lang", "en")))
    clause = next((clause for clause in clauses if phrase and phrase in clause.text), None)
    if clause is None or clause.topic is None:
        return False
    return u.dates.status != "range" or clause.topic == "hours"


def _asks_about(office: str, clauses: tuple[Clause, ...]) -> bool:
    name = office.casefold().split()[0]
    return any(clause.topic is not None and name in clause.text for clause in clauses)


def _vehicle_asides(u: Understanding, plan: Plan, ended: set[Intent]) -> dict[str, Any]:
    """Under an offer a question changes neither vehicle nor price; before one, a kind that is named is remembered."""
    if not _is_offered(plan):
        asked = {"gearbox": None, "seats": None, "quantity": None}
        return asked if "ask_vehicle" in u.intents else {}
    ended.add("ask_price")
    if "ask_vehicle" in u.intents or not _means_the_offered(u, plan):
        return _OF_A_WISH
    ended.add("select")
    return {**_OF_A_WISH, **_NAMES}


def _without_unread_place(u: Understanding, plan: Plan, text: str) -> Understanding:
    """ "Can I return it in Kuta?" under an offer: a question that was not understood is no wish for that office."""
    unread = u.office and u.intents == ("unclear",) and _is_offered(plan) and _is_question(text)
    return u.model_copy(update={"office": None}) if unread else u


def _names_in_the_question(u: Understanding, plan: Plan, text: str, clauses: tuple[Clause, ...]) -> bool:
    """ "Do I need a licence for the Honda?": the name makes it look like a search, and is only asked about."""
    says_more = u.category or u.search_text or u.dates or u.budget or u.quantity or u.cheaper
    names = [name for name in (u.brand, u.model) if name]
    if not (_is_offered(plan) and names) or says_more or "ask_vehicle" in u.intents:
        return False
    if _means_the_offered(u, plan):
        return True
    asked = {word for clause in clauses if clause.topic is not None for word in clause.text.split()}
    # A nickname is heard as its full name, of which only a word may have been said.
    return _is_question(text) and bool(asked & set(" ".join(names).casefold().split()))


def _is_offered(plan: Plan) -> bool:
    return bool(plan.get("quote", {}).get("quote_uuid"))


def _is_question(text: str) -> bool:
    return "?" in unicodedata.normalize("NFKC", text)


def _means_the_offered(u: Understanding, plan: Plan) -> bool:
    """Whether the words that point, if any, point at what is offered already."""
    if u.reference is None and not (u.brand or u.model):
        return True
    found = resolve(plan.get("shown", {}), u)
    chosen = plan.get("rental_context", {}).get("vehicle_uuid")
    if found.kind == "one":
        return bool(found.items[0].get("vehicle_uuid") == chosen)
    name = str(plan.get("quote", {}).get("vehicle", {}).get("name", "")).casefold()
    return all(word.casefold() in name for word in (u.brand, u.model) if word)
