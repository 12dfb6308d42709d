"""The interpreter that needs no model, no key and no network: rules and libraries, in every language of the lexicon."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from graph.understanding.answers import Answer
from graph.understanding.dates import DateFinding
from graph.understanding.language import LanguageGuess, LanguageReader
from graph.understanding.lexicon import LexiconFolders
from graph.understanding.meaning import Intent, InterpretContext, Understanding
from graph.understanding.reader import MessageReader
from graph.understanding.text import Folded, fold, is_wordless

_FALLBACK = "en"
_INTRODUCED = 1.0
"""Confidence of a name that stands behind words which introduce nothing else."""
_UNCLEAR: tuple[Intent, ...] = ("unclear",)


class OfflineInterpreter:
    """Finds the language of each message and reads it with the readers of that language, built when first needed."""

    name: Literal["offline", "live"] = "offline"

    def __init__(self, folders: LexiconFolders | None = None) -> None:
        self._folders = folders or LexiconFolders()
        self._codes = self._folders.codes()
        self._languages = LanguageReader(self._folders.language_tables())
        self._readers: dict[str, MessageReader] = {}
        self._reader(_FALLBACK)

    async def interpret(self, message: str, context: InterpretContext) -> Understanding:
        """Understand one message. Never raises for anything a customer can type."""
        return self.read(message, context)

    def read(self, message: str, context: InterpretContext) -> Understanding:
        """The same without waiting: the rules do no input or output."""
        folded = fold(message)
        if is_wordless(folded.text):
            return Understanding()
        guess = self._languages.detect(folded.text, self._session(context))
        first: Understanding | None = None
        for code in self._order(guess, context):
            understood = self._reader(code).read(folded, context, guess.lang)
            if understood.intents != _UNCLEAR:
                return self._completed(understood, folded, context, guess)
            first = first or understood
        return first or Understanding(lang=guess.lang)

    def read_dates(self, phrase: str, context: InterpretContext) -> DateFinding:
        """Only the dates of a phrase, for words that another interpreter copied out of a message.

        A phrase seldom tells its language: `context.lang` should be the language of the message.
        """
        folded = fold(phrase)
        guess = self._languages.detect(folded.text, self._session(context))
        finding = DateFinding(None, ())
        for code in self._order(guess, context):
            finding = self._reader(code).read_dates(folded, context)
            if finding.reading is not None:
                break
        return finding

    def read_answer(self, message: str, context: InterpretContext) -> Answer:
        """Only yes or no, for an interpreter that is not trusted with it."""
        folded = fold(message)
        if is_wordless(folded.text):
            return Answer()
        guess = self._languages.detect(folded.text, self._session(context))
        return self._reader(next(self._order(guess, context))).read_answer(folded, context)

    def language_of(self, message: str, context: InterpretContext) -> str:
        """The language in which a message is read: its own, else the talk's, else English."""
        guess = self._languages.detect(fold(message).text, self._session(context))
        return next(self._order(guess, context))

    def _completed(
        self, understood: Understanding, folded: Folded, context: InterpretContext, guess: LanguageGuess
    ) -> Understanding:
        """What words of another language add ("ich nehme den PCX from tomorrow"); a name has no language."""
        readers = [self._reader(other) for other in guess.others if other in self._codes]
        others = [reader.read(folded, context, guess.lang) for reader in readers]
        understood = _with_name(understood, others)
        if understood.name is not None:
            rest = folded.text.replace(fold(understood.name.full).text, " ")
            lang = self._languages.detect(rest, self._session(context)).lang
            understood = understood.model_copy(update={"lang": lang})
        return _with_dates(understood, others)

    def _order(self, guess: LanguageGuess, context: InterpretContext) -> Iterator[str]:
        """The languages to read in: the message's own, else the talk's and English; then those it has words of."""
        sure = [guess.lang] if guess.lang in self._codes else [self._session(context), _FALLBACK]
        return iter(dict.fromkeys(code for code in (*sure, *guess.others) if code and code in self._codes))

    def _session(self, context: InterpretContext) -> str:
        base = context.lang.split("-", maxsplit=1)[0].lower()
        return base if base in self._codes else _FALLBACK

    def _reader(self, code: str) -> MessageReader:
        if code not in self._readers:
            self._readers[code] = MessageReader(self._folders.load(code))
        return self._readers[code]


def _with_name(understood: Understanding, others: list[Understanding]) -> Understanding:
    """ "My name is" in another language than the script of the name behind it."""
    found = next((added.name for added in others if added.name and added.name.confidence == _INTRODUCED), None)
    if understood.name is not None or found is None:
        return understood
    intents = dict.fromkeys((*understood.intents, "give_contact"))
    return understood.model_copy(update={"name": found, "intents": tuple(intents)})


def _with_dates(understood: Understanding, others: list[Understanding]) -> Understanding:
    found = next((added.dates for added in others if added.dates is not None), None)
    if understood.dates is not None or found is None:
        return understood
    intents = understood.intents if "search" in understood.intents else (*understood.intents, "give_dates")
    return understood.model_copy(update={"dates": found, "intents": tuple(dict.fromkeys(intents))})
