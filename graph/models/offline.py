"""The interpreter that needs no model, no key and no network: rules and libraries."""

from __future__ import annotations

import re
from typing import Literal

from graph.understanding.answers import Answer, AnswerReader
from graph.understanding.dates import DateFinding, DateReader
from graph.understanding.decide import Evidence, decide
from graph.understanding.intents import IntentReader
from graph.understanding.language import LanguageReader
from graph.understanding.lexicon import load_language_table, load_lexicon
from graph.understanding.meaning import InterpretContext, NameReading, Understanding
from graph.understanding.money import MoneyReader
from graph.understanding.names import NameReader
from graph.understanding.phones import find_phone
from graph.understanding.references import ReferenceReader
from graph.understanding.spelling import Speller
from graph.understanding.text import Folded, fold, is_wordless
from graph.understanding.vehicles import VehicleReader

_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_CONTACT = frozenset({"contact", "name", "phone"})


class OfflineInterpreter:
    """Reads English with the readers of `graph.understanding`; tells other languages apart."""

    name: Literal["offline", "live"] = "offline"

    def __init__(self) -> None:
        lexicon = load_lexicon("en")
        self._languages = LanguageReader(load_language_table())
        self._speller = Speller(lexicon)
        self._money = MoneyReader(lexicon)
        self._dates = DateReader(lexicon)
        self._names = NameReader(lexicon)
        self._vehicles = VehicleReader(lexicon)
        self._references = ReferenceReader(lexicon)
        self._answers = AnswerReader(lexicon)
        self._intents = IntentReader(lexicon)
        self._cheap = lexicon.compiled("vehicles.cheap_patterns")

    async def interpret(self, message: str, context: InterpretContext) -> Understanding:
        """Understand one message. Never raises for anything a customer can type."""
        return self.read(message, context)

    def read(self, message: str, context: InterpretContext) -> Understanding:
        """The same without waiting: the rules do no input or output."""
        folded = fold(message)
        if is_wordless(folded.text):
            return Understanding()
        evidence = self._gather(folded, context)
        return decide(evidence, context)

    def read_dates(self, phrase: str, context: InterpretContext) -> DateFinding:
        """Only the dates of a phrase, for words that another interpreter copied out of a message."""
        return self._dates.read(self._repaired(fold(phrase), context), context)

    def read_answer(self, message: str, context: InterpretContext) -> Answer:
        """Only yes or no, for an interpreter that is not trusted with it."""
        folded = fold(message)
        return Answer() if is_wordless(folded.text) else self._gather(folded, context).answer

    def _repaired(self, folded: Folded, context: InterpretContext) -> Folded:
        vocabulary = context.vocabulary
        return self._speller.repair(folded, (*vocabulary.brands, *vocabulary.models, *vocabulary.aliases))

    def _gather(self, folded: Folded, context: InterpretContext) -> Evidence:
        lang = self._languages.detect(folded.text)
        asked = context.open_question in ("contact", "phone")
        budget = self._money.find(folded.text, context)
        rest = folded.without([budget[1]] if budget else [])
        phone = find_phone(rest, context.phone_region, asked=asked)
        rest = rest.without([phone[1]] if phone else [])
        email = _EMAIL.search(rest.text)
        rest = rest.without([email.span()] if email else [])
        name, rest = self._find_name(rest, context, with_phone=phone is not None)
        clean = self._repaired(rest, context)
        position = self._references.position(clean.text, context)
        dates = self._dates.read(clean.without([position[1]] if position else []), context)
        bare = clean.without(dates.spans if dates.reading else ()).without([position[1]] if position else [])
        wish = self._vehicles.read(bare.text, context.vocabulary)
        return Evidence(
            text=clean.text,
            bare=bare.text,
            lang=lang,
            answer=self._answers.read(clean.text),
            # A dictated price is an intent, so it has to be seen there.
            signals=self._intents.read(clean.text if budget is None else self._repaired(folded, context).text),
            dates=dates.reading,
            wish=wish,
            budget=budget[0] if budget else None,
            phone=phone[0] if phone else None,
            email=folded.as_typed(*email.span()) if email else None,
            name=name,
            reference=position[0] if position else self._references.described(bare.text, wish, context),
            takes=self._references.takes(bare.text),
            office=_office(folded.text, context),
            cheap=self._cheap.search(clean.text) is not None,
            own_currency=self._money.names_only(folded.text, context.currency),
        )

    def _find_name(
        self, rest: Folded, context: InterpretContext, *, with_phone: bool
    ) -> tuple[NameReading | None, Folded]:
        """The name, and the text without the clause that tells it."""
        asked = context.open_question in ("contact", "name")
        found = self._names.introduced(rest, asked=asked, with_phone=with_phone)
        if found is None and (asked or with_phone):
            found = self._names.left_over(rest, _blocked(context))
        if found is None:
            return None, rest
        return found[0], rest.without([found[1]])


def _blocked(context: InterpretContext) -> frozenset[str]:
    vocabulary = context.vocabulary
    words = (*vocabulary.brands, *vocabulary.models, *vocabulary.aliases, *vocabulary.offices)
    return frozenset(part.lower() for word in words for part in word.split())


def _office(text: str, context: InterpretContext) -> str | None:
    for office in context.vocabulary.offices:
        if office and re.search(rf"(?<!\w){re.escape(office.lower())}(?!\w)", text):
            return office
    return None
