"""A second opinion on what the rules did not read: the nearest of some sentences, by an encoder.

It never says yes or no, picks nothing, names nobody and throws nothing away: those meanings are not among its
sentences. What it adds is an intent to start from, or that the words describe a vehicle.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

from graph.models.describe import load_semantics
from graph.models.embedding import Embed, Vector, likeness
from graph.models.offline import OfflineInterpreter
from graph.understanding.meaning import CompanyTopic, Intent, InterpretContext, Understanding
from graph.understanding.text import fold, is_wordless, printable

UNSURE: Final = 0.6
"""An understanding under this confidence is looked at again."""
LIKE_ENOUGH: Final = 0.5
AHEAD_BY: Final = 0.06
"""How much nearer the best meaning has to be than the next one."""
DESCRIBES_FROM: Final = 0.35
MAY_BE_BEHIND_BY: Final = 0.02
"""A description that also says "I want to rent": the two may be about as near. Wrong here costs little: the words are
searched for first, and only where they name nothing the nearest vehicles are shown."""
OPINION_CONFIDENCE: Final = 0.65
_MAX_WORDS: Final = 30
_MIN_LETTERS: Final = 5
_MAX_SEARCH_CHARS: Final = 120
_SEARCHES: Final[frozenset[Intent]] = frozenset({"search", "unclear"})


class SecondOpinion:
    """Revises an understanding of the rules; without an encoder that works it leaves it as it is."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        data = load_semantics("intents")
        self._intents = _flat(data["intents"])
        self._described = _flat(data["described"])
        self._vectors: dict[str, Vector] = {}

    async def revise(self, message: str, context: InterpretContext, understood: Understanding) -> Understanding:
        """The understanding, with an intent or a description where the rules had none and the encoder is sure."""
        words = printable(message)
        if _says_too_little(words) or len(words.split()) > _MAX_WORDS:
            return understood
        # While a review is open an unclear answer stays unclear: the question comes back.
        unsure = understood.confidence < UNSURE and context.open_question != "confirm_booking"
        describes = understood.intents[0] in _SEARCHES and not _names_a_vehicle(understood)
        if not unsure and not describes:
            return understood
        asked = await self._embed([words])
        if not asked or not await self._learn():
            return understood
        if describes and self._is_description(asked[0], among_others=unsure):
            return _as_search(understood, words)
        return self._with_intent(asked[0], understood) if unsure else understood

    async def _learn(self) -> bool:
        """Have the vectors of all sentences; once."""
        if not self._vectors:
            sentences = list(dict.fromkeys([*self._intents, *self._described]))
            found = await self._embed(sentences)
            self._vectors = dict(zip(sentences, found, strict=True)) if found else {}
        return bool(self._vectors)

    def _is_description(self, asked: Vector, *, among_others: bool) -> bool:
        """Whether the words describe a vehicle; where nothing says that they search, also more than anything else."""
        scores = self._nearest(asked, self._described)
        others = self._nearest(asked, self._intents) if among_others else {}
        other = max((score for meaning, score in others.items() if meaning != "search"), default=0.0)
        is_near = scores["yes"] >= max(DESCRIBES_FROM, scores["no"] - MAY_BE_BEHIND_BY)
        return is_near and scores["yes"] >= other + AHEAD_BY

    def _with_intent(self, asked: Vector, understood: Understanding) -> Understanding:
        ranked = sorted(self._nearest(asked, self._intents).items(), key=lambda pair: -pair[1])
        (meaning, best), (_, next_best) = ranked[0], ranked[1]
        if best < LIKE_ENOUGH or best < next_best + AHEAD_BY:
            return understood
        intent, _, topic = meaning.partition(".")
        update = {"intents": (intent,), "topic": topic or None, "confidence": OPINION_CONFIDENCE}
        return understood.model_copy(update=update)

    def _nearest(self, asked: Vector, sentences: dict[str, str]) -> dict[str, float]:
        """Meaning -> likeness of its nearest sentence."""
        best: dict[str, float] = {}
        for sentence, meaning in sentences.items():
            best[meaning] = max(best.get(meaning, -1.0), likeness(asked, self._vectors[sentence]))
        return best


class OpinionatedInterpreter:
    """The rules, and a second opinion where they are unsure."""

    name: Literal["offline", "live"] = "offline"

    def __init__(self, rules: OfflineInterpreter, opinion: SecondOpinion) -> None:
        self._rules = rules
        self._opinion = opinion

    async def interpret(self, message: str, context: InterpretContext) -> Understanding:
        """Understand one message. Never raises for anything a customer can type."""
        return await self._opinion.revise(message, context, self._rules.read(message, context))


def _flat(table: dict[str, object]) -> dict[str, str]:
    """Sentence -> meaning. Raises ValueError for a meaning that does not exist or may not be guessed."""
    flat: dict[str, str] = {}
    for meaning, sentences in table.items():
        intent, _, topic = meaning.partition(".")
        known = intent in {*get_args(Intent), "yes", "no"} and (not topic or topic in get_args(CompanyTopic))
        if not known or intent in _NEVER_GUESSED or not isinstance(sentences, list):
            raise ValueError(f"no meaning {meaning!r} may be guessed")
        flat.update(dict.fromkeys(map(str, sentences), meaning))
    return flat


_NEVER_GUESSED: Final = frozenset({"confirm", "deny", "select", "reset", "set_price", "give_contact", "give_dates"})


def _says_too_little(words: str) -> bool:
    """A single short word ("hmm") is near to anything."""
    letters = [sign for sign in words if sign.isalpha()]
    return is_wordless(fold(words).text) or len(letters) < _MIN_LETTERS


def _names_a_vehicle(understood: Understanding) -> bool:
    named = understood.category or understood.brand or understood.model or understood.search_text
    limited = understood.seats or understood.gearbox or understood.budget or understood.quantity
    return bool(named or limited or understood.reference or understood.name or understood.phone)


def _as_search(understood: Understanding, words: str) -> Understanding:
    """A search for what the words describe; dates that were read are not part of the description."""
    phrase = understood.dates.phrase if understood.dates is not None else ""
    described = " ".join(words.replace(phrase, " ").split()) if phrase else words
    others = tuple(intent for intent in understood.intents if intent not in _SEARCHES)
    update = {
        "intents": ("search", *others),
        "search_text": described[:_MAX_SEARCH_CHARS],
        "confidence": max(understood.confidence, OPINION_CONFIDENCE),
    }
    return understood.model_copy(update=update)
