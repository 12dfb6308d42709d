"""Which of the shown things is meant: by position, by being cheapest or last, by description."""

from __future__ import annotations

import re

from graph.understanding.lexicon import Lexicon, alternatives, filled
from graph.understanding.meaning import InterpretContext, OptionHint, Reference
from graph.understanding.text import before, squeeze
from graph.understanding.vehicles import VehicleWish

Found = tuple[Reference, tuple[int, int]]

_LONGEST_POINTER_CHARS = 60
_NAME_WORDS = 4
_COLOUR_WORDS = 2
_UNSURE = 0.4
_AMBIGUOUS = 0.5
_POINTING = frozenset({"vehicle", "period", "category", "office"})


class ReferenceReader:
    """Reads pointing words of one language."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._numbers = lexicon.numbers
        own = {word: int(place) for word, place in lexicon.mapping("references.ordinals").items()}
        # Where days are counted with plain numbers ("el dos de junio"), the words of places are listed apart.
        self._ordinals = own or lexicon.ordinals
        ordinal = alternatives(self._ordinals)
        suffix = lexicon.pattern("dates.ordinal_suffix")
        noun = lexicon.patterns("references.nouns_patterns")
        lead = lexicon.patterns("references.number_lead_patterns")
        take = lexicon.patterns("references.take_patterns")
        article = lexicon.patterns("references.article_patterns")
        please = alternatives(lexicon.words("answers.filler"))
        nth = rf"(?:(?P<ord>{ordinal})|(?P<n>\d{{1,2}})\s?(?:{suffix}))"
        between = lexicon.patterns("references.not_between_patterns")
        self._nth_one = re.compile(rf"(?<!\w){nth}\s+(?:(?!(?:{between})\s)[^\W\d]+\s+){{0,2}}?(?:{noun})(?!\w)")
        self._number = re.compile(
            rf"(?<!\w)(?:{lead})\s*(?:(?P<n>\d{{1,2}})|(?P<word>{alternatives(lexicon.numbers)}))(?![\w%/:-]|[.,]\d)"
        )
        self._hash = re.compile(r"(?<!\w)#\s?(?P<n>\d{1,2})(?!\d)")
        counting = [word for word, value in lexicon.numbers.items() if value > 1]
        self._alone = re.compile(
            rf"[\s\W]*(?:(?:{please}|{take})\s+)*(?:(?:{article})\s+)?(?:{nth}|(?P<bare>\d{{1,2}})|(?P<word>{alternatives(counting)}))"
            rf"(?:\s+(?:{please}))*[\s\W]*"
        )
        self._last = lexicon.compiled("references.last_patterns")
        self._first = lexicon.compiled("references.first_patterns")
        self._cheapest = lexicon.compiled("references.cheapest_patterns")
        self._dearest = lexicon.compiled("references.dearest_patterns")
        self._cheaper = re.compile(
            rf"(?<!\w)(?:{article})\s+(?:{alternatives(lexicon.words('references.cheaper_words'))})\s"
        )
        self._free = [re.compile(pattern) for pattern in _free_patterns(lexicon, ordinal, noun)]
        self._that = lexicon.compiled("references.that_patterns")
        self._other = lexicon.compiled("references.other_patterns")
        self._take = re.compile(rf"(?<!\w)(?:{take})(?!\w)")
        self._more = re.compile(rf"(?<!\w)(?:{lexicon.patterns('references.not_position_patterns')})\s+$")
        self._not_it = re.compile(rf"\s*(?:{lexicon.patterns('references.not_position_after_patterns')})(?!\w)")
        self._named_lead = lexicon.patterns("references.named_lead_patterns")

    def position(self, text: str, context: InterpretContext) -> Found | None:
        """A place in the list: "the second one", "#2", or a bare "2" where something was asked."""
        for pattern in (self._hash, self._nth_one, self._number, *self._free):
            for place in pattern.finditer(text):
                if not self._more.search(before(text, place.start())) and not self._not_it.match(text, place.end()):
                    return self._at(place, context)
        pointing = context.open_question in _POINTING or (bool(context.options) and context.open_question == "none")
        match = self._alone.fullmatch(text) if pointing and len(text) <= _LONGEST_POINTER_CHARS else None
        return self._at(match, context) if match is not None else None

    def _at(self, match: re.Match[str], context: InterpretContext) -> Found | None:
        groups = match.groupdict()
        word = re.sub(r"\s+", " ", groups.get("ord") or "")
        digits = groups.get("n") or groups.get("bare")
        number = int(digits) if digits else self._ordinals.get(word) or self._numbers.get(groups.get("word") or "")
        if not number:
            return None
        sure = not context.options or any(option.position == number for option in context.options)
        reference = Reference(
            kind="ordinal", ordinal=number, text=match.group().strip(), confidence=1.0 if sure else _UNSURE
        )
        return reference, match.span()

    def described(self, text: str, wish: VehicleWish, context: InterpretContext) -> Reference | None:
        """The last, cheapest, that or other one, or one named by brand, model, colour or kind."""
        first = self._first.search(text)
        if first is not None:
            return Reference(kind="ordinal", ordinal=1, text=first.group())
        cheaper = self._cheaper.search(text)
        if cheaper is not None and (wish.brand or wish.model):
            return self._superlative("cheapest", text[cheaper.start() :], wish)
        for kind, pattern in (("cheapest", self._cheapest), ("dearest", self._dearest), ("last", self._last)):
            match = pattern.search(text)
            # With nothing shown, "the cheapest scooter" is a search.
            if match is not None and context.options:
                return self._superlative(kind, match.group(), wish)
        named = self._named(text, wish, context)
        if named is not None:
            return named
        for kind, pattern in (("other", self._other), ("that", self._that)):
            match = pattern.search(text)
            if match is not None:
                sure = len(context.options) <= (2 if kind == "other" else 1)
                return Reference(kind=kind, text=match.group(), confidence=1.0 if sure else _AMBIGUOUS)
        return None

    def takes(self, text: str) -> bool:
        """True if the customer says that they take something ("I'll have", "book")."""
        return bool(self._take.search(text))

    def _superlative(self, kind: str, words: str, wish: VehicleWish) -> Reference:
        return Reference.model_validate(
            {"kind": kind, "text": squeeze(words)[:80], "brand": wish.brand, "model": wish.model, "colour": wish.colour}
        )

    def _named(self, text: str, wish: VehicleWish, context: InterpretContext) -> Reference | None:
        if not context.options or not (wish.brand or wish.model or wish.colour or wish.category):
            return None
        matching = [option for option in context.options if _fits(option, wish)]
        pointed = self._points(text, wish) or self.takes(text)
        words = len(text.split())
        only_name = (bool(wish.model or wish.brand) and words <= _NAME_WORDS) or words <= _COLOUR_WORDS
        if not matching or not (pointed or only_name):
            return None
        if not (wish.brand or wish.model or wish.colour):
            return None
        return Reference(
            kind="named",
            text=squeeze(text)[:80],
            brand=wish.brand,
            model=wish.model,
            colour=wish.colour,
            confidence=1.0 if len(matching) == 1 else _AMBIGUOUS,
        )

    def _points(self, text: str, wish: VehicleWish) -> bool:
        """ "the", "that" or "this" right before the described thing."""
        return any(
            re.search(rf"(?<!\w)(?:{self._named_lead})\s+(?:\w+\s+){{0,2}}$", text[:start]) for start, _ in wish.spans
        )


def _free_patterns(lexicon: Lexicon, ordinal: str, noun: str) -> list[str]:
    """Further ways of a language to name a place in the list, with the groups `ord`, `n` or `word`."""
    fills = {
        "{ordinal}": f"(?P<ord>{ordinal})",
        "{digits}": r"(?P<n>\d{1,2})",
        "{numeral}": f"(?P<word>{alternatives(lexicon.numbers)})",
        "{noun}": f"(?:{noun})",
        "{month}": f"(?:{alternatives(lexicon.months())})",
        "{weekday}": f"(?:{alternatives(lexicon.weekdays())})",
    }
    return [rf"(?<!\w)(?:{filled(item, fills)})(?!\w)" for item in lexicon.words("references.place_patterns")]


def _fits(option: OptionHint, wish: VehicleWish) -> bool:
    pairs = ((wish.brand, option.brand), (wish.model, option.model), (wish.colour, option.colour))
    return all(_same(said, shown) for said, shown in pairs if said)


def _same(said: str, shown: str) -> bool:
    """ "PCX" fits "PCX 160" and the other way round."""
    a, b = said.lower(), shown.lower()
    return a == b or a.startswith(b + " ") or b.startswith(a + " ")
