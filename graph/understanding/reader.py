"""One language's reading of a message: all its readers, in the order in which they take words away from each other."""

from __future__ import annotations

import re

from graph.understanding.answers import Answer, AnswerReader
from graph.understanding.clear_yes import YesGrammar
from graph.understanding.dates import DateFinding, DateReader
from graph.understanding.decide import Evidence, decide
from graph.understanding.digressions import OtherMatters
from graph.understanding.intents import IntentReader, Signals
from graph.understanding.lexicon import Lexicon
from graph.understanding.marks import unmarked_text
from graph.understanding.meaning import Intent, InterpretContext, NameReading, Understanding
from graph.understanding.money import MoneyReader
from graph.understanding.names import NameReader
from graph.understanding.phones import find_phone
from graph.understanding.references import ReferenceReader
from graph.understanding.segments import Segmenter
from graph.understanding.spelling import Speller
from graph.understanding.text import MASK, Folded, blanked, without_marks
from graph.understanding.vehicles import VehicleReader

_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_MIN_OFFICE_WORD_LETTERS = 4
_RENTAL: tuple[Intent, ...] = (
    *("search", "select", "ask_price", "ask_vehicle", "ask_alternatives", "show_booking"),
    *("cancel_booking", "change_booking", "extend_booking"),
)


class MessageReader:
    """Reads messages in one language. Building one compiles its patterns; reading does no input or output."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._folds_marks = lexicon.folds_marks
        self._segmenter = Segmenter(lexicon)
        self._speller = Speller(lexicon)
        self._money = MoneyReader(lexicon)
        self._dates = DateReader(lexicon)
        self._names = NameReader(lexicon)
        self._vehicles = VehicleReader(lexicon)
        self._references = ReferenceReader(lexicon)
        self._answers = AnswerReader(lexicon)
        self._yes = YesGrammar(lexicon)
        self._intents = IntentReader(lexicon)
        self._cheap = lexicon.compiled("vehicles.cheap_patterns")
        self._cheaper = lexicon.compiled("vehicles.cheaper_patterns")
        self._elsewhere = lexicon.compiled("elsewhere.patterns")
        self._other_matters = OtherMatters(lexicon)
        self._common = frozenset(lexicon.words("vehicles.common_words")) | frozenset(lexicon.words("names.not_names"))

    def read(self, folded: Folded, context: InterpretContext, lang: str | None) -> Understanding:
        """Intents and slots of a folded message; `lang` is what it is said to be in."""
        return decide(self._gather(self._prepared(folded, context), context, lang), context)

    def read_dates(self, folded: Folded, context: InterpretContext) -> DateFinding:
        """Only the dates."""
        return self._dates.read(self._repaired(self._prepared(folded, context), context), context)

    def read_answer(self, folded: Folded, context: InterpretContext) -> Answer:
        """Only yes or no."""
        return self._gather(self._prepared(folded, context), context, None).answer

    def _prepared(self, folded: Folded, context: InterpretContext) -> Folded:
        if self._folds_marks:
            folded = self._speller.join_spelt_out(without_marks(folded))
        vocabulary = context.vocabulary
        return self._segmenter.split(folded, (*vocabulary.offices, *vocabulary.models, *vocabulary.aliases))

    def _repaired(self, folded: Folded, context: InterpretContext) -> Folded:
        vocabulary = context.vocabulary
        names = (*vocabulary.brands, *vocabulary.models, *vocabulary.aliases, *vocabulary.offices)
        return self._speller.repair(folded, names)

    def _gather(self, folded: Folded, context: InterpretContext, lang: str | None) -> Evidence:
        asked = context.open_question in ("contact", "phone")
        budget = self._money.find(folded.text, context)
        rest = folded.without([budget[1]] if budget else [])
        phone = find_phone(rest, context.phone_region, asked=asked)
        rest = rest.without([phone[1]] if phone else [])
        email = _EMAIL.search(rest.text)
        rest = rest.without([email.span()] if email else [])
        name, rest = self._find_name(rest, context, with_phone=phone is not None)
        clean = self._repaired(rest, context)
        dates = self._dates.read(clean, context)
        # "March 6th car" names no sixth car; "the 6th car" does.
        position = self._references.position(clean.without(dates.firm).text, context)
        if position:
            dates = self._dates.read(clean.without([position[1]]), context)
        bare = clean.without(dates.spans if dates.reading else ()).without([position[1]] if position else [])
        wish = self._vehicles.read(bare.text, context.vocabulary)
        # A dictated price is an intent, so it has to be seen there.
        signals = self._intents.read(clean.text if budget is None else self._repaired(folded, context).text)
        if dates.reading:
            signals = self._without_days(signals, clean, dates)
        aside = self._other_matters.own(clean.text, dates.spans, lambda rest: self._is_rental(rest, context))
        return Evidence(
            text=clean.text,
            bare=bare.text,
            lang=lang,
            # "No. 3" is no "no"; a position is an unknown word to a yes.
            answer=self._answer(blanked(clean.text, [position[1]] if position else [], "x")),
            signals=signals,
            dates=dates.reading,
            wish=wish,
            budget=budget[0] if budget else None,
            phone=phone[0] if phone else None,
            email=folded.as_typed(*email.span()) if email else None,
            name=name,
            reference=position[0] if position else self._references.described(bare.text, wish, context),
            takes=self._references.takes(bare.text),
            office=self._office(folded.text, context),
            cheap=self._cheap.search(clean.text) is not None,
            elsewhere=self._elsewhere.search(clean.text) is not None,
            cheaper=self._cheaper.search(clean.text) is not None,
            own_currency=self._money.names_only(folded.text, context.currency),
            aside=aside,
        )

    def _without_days(self, signals: Signals, clean: Folded, dates: DateFinding) -> Signals:
        """Without what only the days seemed to say: "can you do 22 to 25 June" dictates no price."""
        rest = self._intents.read(clean.without(dates.spans).text) if signals.has("set_price", "goodbye") else signals
        signals = signals.only_if("set_price", rest)
        is_period = dates.reading is not None and dates.reading.status == "range"
        # "Jetzt bis morgen" is a period, "bis morgen!" alone a farewell.
        return signals.only_if("goodbye", rest) if is_period else signals

    def _is_rental(self, text: str, context: InterpretContext) -> bool:
        """Whether these words alone are about a vehicle or a booking."""
        wish = self._vehicles.read(text, context.vocabulary)
        return wish.is_told or self._intents.read(text).has(*_RENTAL)

    def _answer(self, text: str) -> Answer:
        """Yes or no; a yes of the closed grammar is one, if nothing was taken out of the text."""
        answer = self._answers.read(text)
        if answer.yes or answer.no or MASK in text or not self._yes.accepts(text):
            return answer
        return Answer(yes=True)

    def _find_name(
        self, rest: Folded, context: InterpretContext, *, with_phone: bool
    ) -> tuple[NameReading | None, Folded]:
        """The name, and the text without the clause that tells it."""
        asked = context.open_question in ("contact", "name")
        found = self._names.introduced(rest, asked=asked, with_phone=with_phone, blocked=_blocked(context))
        if found is None and (asked or with_phone):
            found = self._names.left_over(rest, _blocked(context), with_phone=with_phone)
        if found is None and asked:
            found = self._names.leading(rest, _blocked(context))
        if found is None:
            return None, rest
        return found[0], rest.without([found[1]])

    def _office(self, text: str, context: InterpretContext) -> str | None:
        """An office by its name, or by the first word of it where no other office begins so."""
        offices = [office for office in context.vocabulary.offices if office.strip()]
        firsts = [office.lower().split()[0] for office in offices]
        for office in offices:
            if _stands_in(office.lower(), text):
                return office
        for office, first in zip(offices, firsts, strict=True):
            telling = len(first) >= _MIN_OFFICE_WORD_LETTERS and first not in self._common and firsts.count(first) == 1
            if telling and _stands_in(first, text):
                return office
        return None


def _stands_in(words: str, text: str) -> bool:
    spellings = {words, unmarked_text(words)}
    return any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text) for one in spellings)


def _blocked(context: InterpretContext) -> frozenset[str]:
    vocabulary = context.vocabulary
    words = (*vocabulary.brands, *vocabulary.models, *vocabulary.aliases, *vocabulary.offices)
    return frozenset(part.lower() for word in words for part in word.split())
