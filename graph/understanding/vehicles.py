"""What to ride: category, brand, model, gearbox, seats, quantity, other words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, get_args

from rapidfuzz import fuzz, process

from graph.understanding.lexicon import Lexicon, alternatives
from graph.understanding.marks import unmarked_text
from graph.understanding.meaning import Category, Vocabulary

_CATEGORIES: tuple[Category, ...] = get_args(Category)
_TYPO_CUTOFF = 84
_MIN_FUZZY_LETTERS = 4
_MAX_WORDS = 60
_FEW_WORDS = 3
_TOKEN = re.compile(r"[^\W_]+")


@dataclass(slots=True)
class VehicleWish:
    """What a message says about the vehicle."""

    category: Category | None = None
    brand: str | None = None
    model: str | None = None
    colour: str | None = None
    gearbox: Literal["automatic", "manual"] | None = None
    seats: int | None = None
    quantity: int | None = None
    search_text: str = ""
    generic: bool = False
    """A vehicle of any kind was spoken of ("something to ride")."""
    spans: list[tuple[int, int]] = field(default_factory=list)

    @property
    def is_told(self) -> bool:
        """Something was said."""
        named = self.category or self.brand or self.model or self.search_text or self.generic
        return bool(named or self.gearbox or self.seats or self.quantity)


class VehicleReader:
    """Reads a wish from text whose phone, price and dates are masked."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._counts = lexicon.numbers | {w: int(n) for w, n in lexicon.mapping("vehicles.group_words").items()}
        self._categories = lexicon.lists("vehicles.categories")
        self._category = _words(self._categories)
        self._descriptions = lexicon.mapping("vehicles.descriptions")
        self._description = _words(self._descriptions)
        self._generic = _words(lexicon.words("vehicles.generic"))
        self._colours = lexicon.mapping("vehicles.colours")
        self._colour = _words(self._colours)
        self._suffix = lexicon.patterns("vehicles.name_suffix_patterns")
        self._engine = re.compile(
            rf"(?<![\w.,])(\d{{2,4}}) ?(?:{lexicon.patterns('vehicles.engine_unit_patterns')})(?!\w)"
        )
        self._untelling = frozenset(lexicon.words("vehicles.untelling_words"))
        self._automatic = lexicon.compiled("vehicles.automatic_patterns")
        self._manual = lexicon.compiled("vehicles.manual_patterns")
        self._seats = _each(lexicon, "vehicles.seats_patterns")
        self._quantity = _each(lexicon, "vehicles.quantity_patterns")
        number = rf"(?:\d{{1,3}}|{alternatives(self._counts)})"
        self._counted = re.compile(
            rf"(?<![\w.,-])(?P<n>{number})\s+(?:[^\W\d]+\s+){{0,2}}?(?:{alternatives(self._categories)})(?!\w)"
        )
        self._single = frozenset(lexicon.words("vehicles.not_quantity"))
        self._common = frozenset(lexicon.words("vehicles.common_words"))
        self._stop = frozenset(lexicon.words("vehicles.stop_words"))

    def read(self, text: str, vocabulary: Vocabulary) -> VehicleWish:
        """Everything said about the vehicle."""
        wish = VehicleWish()
        self._read_models(text, vocabulary, wish)
        self._read_category(text, vocabulary, wish)
        self._read_features(text, wish)
        wish.search_text = self._search_text(text, wish, shared_first_words(vocabulary.models))
        return wish

    def _read_category(self, text: str, vocabulary: Vocabulary, wish: VehicleWish) -> None:
        for match in self._category.finditer(text):
            names = self._categories.get(_one_space(match.group()), ())
            wish.spans.append(match.span())
            if wish.category is None:
                wish.category = _best_category(names, vocabulary)

    def _read_models(self, text: str, vocabulary: Vocabulary, wish: VehicleWish) -> None:
        names = known_names(vocabulary, self._untelling)
        found = _exact_names(text, names, self._suffix)
        branded = any(not is_model for *_, is_model in found)
        for start, end, name, is_model in found:
            if is_model and not branded and self._is_common(text, start, end):
                continue
            wish.spans.append((start, end))
            _take_name(wish, name, is_model=is_model)
        missing = {
            name: value
            for name, value in names.items()
            if (wish.model if value[1] else wish.brand) is None and len(name) >= _MIN_FUZZY_LETTERS
        }
        if missing:
            self._read_misspelt(text, missing, wish)

    def _is_common(self, text: str, start: int, end: int) -> bool:
        """A model with the name of an ordinary word ("City") counts only beside a brand, or nearly alone."""
        return text[start:end] in self._common and len(text.split()) > _FEW_WORDS

    def _read_misspelt(self, text: str, names: Mapping[str, tuple[str, bool]], wish: VehicleWish) -> None:
        choices = list(names)
        for match in list(_TOKEN.finditer(text))[:_MAX_WORDS]:
            word = match.group()
            if (
                len(word) < _MIN_FUZZY_LETTERS
                or word in self._stop
                or word in self._common
                or _covered(match.span(), wish.spans)
            ):
                continue
            if self._category.fullmatch(word):
                continue
            best = process.extractOne(word, choices, scorer=fuzz.ratio, score_cutoff=_TYPO_CUTOFF)
            if best is not None and best[0][0] == word[0]:
                wish.spans.append(match.span())
                _take_name(wish, names[best[0]][0], is_model=names[best[0]][1])

    def _read_features(self, text: str, wish: VehicleWish) -> None:
        if self._automatic.search(text):
            wish.gearbox = "automatic"
        if self._manual.search(text):
            wish.gearbox = "manual"
        wish.seats = self._count(self._seats, text, 60)
        counted = self._counted.search(text)
        if counted is not None and counted["n"] not in self._single:
            wish.quantity = self._in_range(counted["n"], 99)
        elif wish.seats is None:
            wish.quantity = self._count(self._quantity, text, 99)
        wish.generic = self._generic.search(text) is not None
        colour = self._colour.search(text)
        if colour is not None:
            wish.colour = self._colours[_one_space(colour.group())]
            wish.spans.append(colour.span())

    def _count(self, patterns: list[re.Pattern[str]], text: str, most: int) -> int | None:
        for pattern in patterns:
            match = pattern.search(text)
            if match is not None and "n" in match.groupdict() and match["n"] not in self._single:
                return self._in_range(match["n"], most)
        return None

    def _in_range(self, word: str, most: int) -> int | None:
        value = int(word) if word.isdigit() else self._counts.get(_one_space(word))
        return value if value is not None and 1 <= value <= most else None

    def _search_text(self, text: str, wish: VehicleWish, families: frozenset[str]) -> str:
        """Descriptive words, colours and engine sizes, in the order of the message."""
        found: dict[int, str] = {}
        for match in self._description.finditer(text):
            found[match.start()] = self._descriptions[_one_space(match.group())]
        for match in self._colour.finditer(text):
            found[match.start()] = self._colours[_one_space(match.group())]
        for match in _TOKEN.finditer(text) if families and not wish.model else ():
            if match.group() in families:
                found[match.start()] = match.group()
        for match in self._engine.finditer(text):
            found[match.start()] = match[1]
        for match in re.finditer(r"(?<!\w)(?=\w*\d)(?=\w*[a-z])[a-z]{2,}-?\d{2,4}[a-z]{0,2}(?!\w)", text):
            if not _covered(match.span(), wish.spans):
                found[match.start()] = match.group()
        return " ".join(dict.fromkeys(found[at] for at in sorted(found)))[:80]


def _one_space(words: str) -> str:
    return re.sub(r"\s+", " ", words)


def known_names(vocabulary: Vocabulary, untelling: frozenset[str] = frozenset()) -> Mapping[str, tuple[str, bool]]:
    """Lower-case name without signs -> (the company's spelling, is it a model); also without its marks.

    `untelling`: first words of models that alone name nothing ("big").
    """
    return _known_names(vocabulary.brands, vocabulary.models, tuple(sorted(vocabulary.aliases.items())), untelling)


@lru_cache(maxsize=64)
def _known_names(
    brands: tuple[str, ...],
    models: tuple[str, ...],
    aliases: tuple[tuple[str, str], ...],
    untelling: frozenset[str],
) -> Mapping[str, tuple[str, bool]]:
    names: dict[str, tuple[str, bool]] = {}
    for alias, name in aliases:
        names[_plain(alias)] = (name, name in models)
    for brand in brands:
        names[_plain(brand)] = (brand, False)
    shared = shared_first_words(models)
    for model in models:
        names[_plain(model)] = (model, True)
        first = _plain(model).split(" ")[0]
        if _is_telling(first) and first not in untelling and first not in shared:
            names.setdefault(first, (model, True))
    for name, value in list(names.items()):
        names.setdefault(unmarked_text(name), value)
    names.pop("", None)
    return names


@lru_cache(maxsize=64)
def shared_first_words(models: tuple[str, ...]) -> frozenset[str]:
    """First words that several models have ("click" of "Click 125" and "Click 160"): they name a family."""
    firsts = Counter(_plain(model).split(" ")[0] for model in models)
    return frozenset(word for word, count in firsts.items() if count > 1)


def _is_telling(first: str) -> bool:
    """The first word of "PCX 160" is enough to name it; that of "500" is not."""
    return len(first) >= 3 and not first.isdigit()


def _plain(name: str) -> str:
    return " ".join(_TOKEN.findall(name.lower()))


def _exact_names(text: str, names: Mapping[str, tuple[str, bool]], suffix: str) -> list[tuple[int, int, str, bool]]:
    found = []
    taken: list[tuple[int, int]] = []
    for name in sorted(names, key=len, reverse=True):
        if name.replace(" ", "") not in text and name.split(" ")[0] not in text:
            continue
        body = r"[\s\-_/.]*".join(_split_digits(name))
        for match in re.finditer(rf"(?<![^\W_]){body}(?:{suffix})?(?![^\W_])", text):
            if not _covered(match.span(), taken):
                taken.append(match.span())
                found.append((*match.span(), *names[name]))
    return sorted(found)


def _split_digits(name: str) -> list[str]:
    """ "pcx 160" and "pcx160" are written with or without a space."""
    return [re.escape(part) for word in name.split(" ") for part in re.findall(r"\d+|[^\d]+", word)]


def _take_name(wish: VehicleWish, name: str, *, is_model: bool) -> None:
    if is_model and wish.model is None:
        wish.model = name
    elif not is_model and wish.brand is None:
        wish.brand = name


def _best_category(names: tuple[str, ...], vocabulary: Vocabulary) -> Category | None:
    known = [category for category in _CATEGORIES if category in names]
    ordered = sorted(known, key=names.index)
    for category in ordered:
        if category in vocabulary.categories:
            return category
    return ordered[0] if ordered else None


def _covered(span: tuple[int, int], spans: list[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in spans)


def _words(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{alternatives(words)})(?![\w])")


def _each(lexicon: Lexicon, path: str) -> list[re.Pattern[str]]:
    number = lexicon.number_pattern()
    return [re.compile(rf"(?<!\w)(?:{text.replace('{number}', number)})(?!\w)") for text in lexicon.words(path)]
