"""Words of a language, kept as data. The code of the readers knows no word of any language."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final, Literal, cast

from babel import Locale, UnknownLocaleError

from graph.understanding.cutting import Cut, Dictionary, cheapest_cut, glued_cut, simple_words, spaced, stems
from graph.understanding.marks import is_folded_mark, unmarked_text

_WIDE_SPACE = re.compile(r" (?![?*+{])")
NEVER: Final = "(?!)"
"""Matches nothing: what a missing section means."""
_SHARED: Final = "shared.toml"
_LETTERS = re.compile(r"(?<!\\)[^\W\d_]{3,}")

Spacing = Literal["spaces", "particles", "none"]


class LexiconError(Exception):
    """A lexicon file is missing or has the wrong shape: a fault of the installation, not of a customer."""


class Lexicon:
    """One language: typed access to its files, with CLDR names added. A section that is not there means nothing."""

    def __init__(self, data: Mapping[str, object]) -> None:
        script = data.get("script")
        script = script if isinstance(script, Mapping) else {}
        self.folds_marks = bool(script.get("fold_marks", False))
        """Whether readers see letters without their marks, as customers leave them out."""
        self.spacing = cast(Spacing, script.get("spacing", "spaces"))
        self.spelt_out: dict[str, str] = {str(k): str(v) for k, v in dict(script.get("spelt_out", {})).items()}
        """Letters that stand for a marked letter, without the mark ("ue" -> "u")."""
        self._fold = _fold_marks if self.folds_marks else _fold_plain
        self.marked_words = frozenset(_marked_words(data)) if self.spelt_out else frozenset()
        """Words of the files that hold a marked letter, without the marks."""
        self._data = cast(Mapping[str, object], _mapped(data, self._fold))
        self.code = self.text("code")
        self.dictionary = self._dictionary()
        """Words by which texts without spaces are cut; everything else in here is cut by it already."""
        if self.spacing != "spaces":
            fold, cut = self._fold, self._cut()
            self._fold = lambda text: spaced(fold(text), cut)
            self._data = {
                key: value if key == "script" else _mapped(value, self._fold) for key, value in self._data.items()
            }
        self.numbers = {word: int(value) for word, value in self.mapping("numbers").items()}
        self.ordinals = {word: int(value) for word, value in self.mapping("ordinals").items()}

    def _dictionary(self) -> Dictionary:
        if self.spacing == "spaces":
            return Dictionary()
        names = (*_cldr_names(self._locale(), "months"), *_cldr_names(self._locale(), "days"))
        texts = (*self.strings(), *map(self._fold, names))
        if self.spacing == "none":
            return simple_words(texts, int(self.text("script.min_letters") or 1), frozenset(self.words("script.whole")))
        return stems(texts, Dictionary(self.words("script.particles")))

    def _cut(self) -> Callable[[str], list[Cut]]:
        words, particles = self.dictionary, Dictionary(self.words("script.particles"))
        if self.spacing == "none":
            return lambda run: cheapest_cut(run, words)
        return lambda run: glued_cut(run, words, particles)

    def _find(self, path: str) -> object:
        node: object = self._data
        for part in path.split("."):
            if not isinstance(node, Mapping) or part not in node:
                return None
            node = node[part]
        return node

    def has(self, path: str) -> bool:
        """Whether the section or entry is there."""
        return self._find(path) is not None

    def strings(self) -> Iterator[str]:
        """Every word and pattern of the files."""
        return _strings(self._data)

    def text(self, path: str) -> str:
        """One string; empty where there is none."""
        found = self._find(path)
        return "" if found is None else str(found)

    def pattern(self, path: str) -> str:
        """One regular expression; one that never matches where there is none."""
        return self.text(path) or NEVER

    def words(self, path: str) -> tuple[str, ...]:
        """A list of strings."""
        found = self._find(path)
        if found is None:
            return ()
        if not isinstance(found, list):
            raise LexiconError(f"{path!r} is not a list")
        return tuple(str(item) for item in found)

    def mapping(self, path: str) -> dict[str, str]:
        """A table of word -> value, values as strings; a list maps its words to themselves."""
        found = self._find(path)
        if found is None:
            return {}
        if isinstance(found, list):
            return {str(item): str(item) for item in found}
        if not isinstance(found, Mapping):
            raise LexiconError(f"{path!r} is not a table")
        return {str(key): str(value) for key, value in found.items()}

    def lists(self, path: str) -> dict[str, tuple[str, ...]]:
        """A table of word -> list of strings, in the order of the file."""
        found = self._find(path)
        if found is None:
            return {}
        if not isinstance(found, Mapping):
            raise LexiconError(f"{path!r} is not a table")
        return {str(key): tuple(str(item) for item in value) for key, value in found.items()}

    def shapes(self, path: str) -> list[dict[str, str]]:
        """An array of tables of strings, in the order of the file."""
        found = self._find(path)
        if found is None:
            return []
        if not isinstance(found, list):
            raise LexiconError(f"{path!r} is not an array of tables")
        return [{str(key): str(value) for key, value in item.items()} for item in found]

    def sections(self, path: str) -> tuple[str, ...]:
        """The keys of a table, in the order of the file."""
        found = self._find(path)
        return tuple(found) if isinstance(found, Mapping) else ()

    def number_pattern(self) -> str:
        """Regular expression of a number in digits or words."""
        return rf"(?:\d{{1,3}}|{alternatives(self.numbers)})"

    def currency_pattern(self) -> str:
        """Regular expression of a currency's name, code or sign."""
        return f"(?:{alternatives(self.mapping('money.currencies'))})"

    def value_of(self, word: str) -> int | None:
        """The number that `word` names, in digits or words."""
        if word.isdigit():
            return int(word)
        return self.numbers.get(re.sub(r"\s+", " ", word))

    def patterns(self, path: str) -> str:
        """One alternation of the regular expressions listed at `path`."""
        fills = {"{number}": self.number_pattern(), "{currency}": self.currency_pattern()}
        return join_patterns(filled(item, fills) for item in self.words(path))

    def compiled(self, path: str) -> re.Pattern[str]:
        """`patterns(path)`, as whole words."""
        return whole_words(self.patterns(path))

    def months(self) -> dict[str, int]:
        """Month names and their usual short forms -> 1 to 12."""
        names = _cldr_names(self._locale(), "months")
        found = {self._fold(name): int(number) for name, number in names.items()}
        return found | {word: int(value) for word, value in self.mapping("dates.months").items()}

    def weekdays(self) -> dict[str, int]:
        """Weekday names and their usual short forms -> 0 (Monday) to 6."""
        names = _cldr_names(self._locale(), "days")
        found = {self._fold(name): number for name, number in names.items() if len(name) > 3}
        return found | {word: int(value) for word, value in self.mapping("dates.weekdays").items()}

    def _locale(self) -> str:
        return self.text("dates.locale") or self.code


class LexiconFolders:
    """Where languages are: folders with one folder a language, the package's own first."""

    def __init__(self, *more: Path) -> None:
        self._roots: tuple[Traversable, ...] = (resources.files(__package__ or ""), *more)

    def codes(self) -> tuple[str, ...]:
        """The languages there are, English first: a language is added by adding its folder."""
        found = {item.name for root in self._roots for item in root.iterdir() if item.joinpath("words.toml").is_file()}
        return tuple(sorted(found, key=lambda code: (code != "en", code)))

    def load(self, code: str) -> Lexicon:
        """Read the files of the folder `<code>`. Raises LexiconError when there is no `words.toml`."""
        return _loaded(self._roots, code)

    def language_tables(self) -> dict[str, dict[str, object]]:
        """What tells each language from the others: its `language.toml`."""
        found = {i.name for root in self._roots for i in root.iterdir() if i.joinpath("language.toml").is_file()}
        return {code: _read(self._roots, f"{code}/language.toml") or {} for code in sorted(found)}


@lru_cache(maxsize=32)
def _loaded(roots: tuple[Traversable, ...], code: str) -> Lexicon:
    """Read once: several readers of a language share it, and a cold one would keep a customer waiting."""
    words = _read(roots, f"{code}/words.toml") if code.isalpha() else None
    if words is None:
        raise LexiconError(f"no lexicon for {code!r}")
    shared = _read(roots, _SHARED) or {}
    return Lexicon(_merged(shared, words | (_read(roots, f"{code}/dates.toml") or {})))


def _read(roots: tuple[Traversable, ...], name: str) -> dict[str, object] | None:
    for root in roots:
        file = root.joinpath(name)
        if file.is_file():
            return tomllib.loads(file.read_text(encoding="utf-8"))
    return None


def load_lexicon(code: str) -> Lexicon:
    """Read one language of the package. Raises LexiconError when it is not there."""
    return LexiconFolders().load(code)


def lexicon_codes() -> tuple[str, ...]:
    """The languages of the package, English first."""
    return LexiconFolders().codes()


def filled(pattern: str, fills: Mapping[str, str]) -> str:
    """The regular expression with its names in braces replaced."""
    for name, value in fills.items():
        pattern = pattern.replace(name, value)
    return pattern


def _merged(base: Mapping[str, object], own: Mapping[str, object]) -> dict[str, object]:
    """Tables are joined, the language's own entries win; lists are joined, its own first."""
    result = dict(base)
    for key, value in own.items():
        old = result.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            result[key] = _merged(old, value)
        elif isinstance(old, list) and isinstance(value, list):
            result[key] = [*value, *(item for item in old if item not in value)]
        else:
            result[key] = value
    return result


def _mapped(node: object, change: Callable[[str], str]) -> object:
    if isinstance(node, str):
        return change(node)
    if isinstance(node, Mapping):
        return {change(str(key)): _mapped(value, change) for key, value in node.items()}
    return [_mapped(item, change) for item in node] if isinstance(node, list) else node


def _fold_plain(text: str) -> str:
    """Compatibility forms as the folded message has them; the case stays, for the sake of the expressions."""
    # The Thai vowel AM is one sign in folded messages too.
    return text if text.isascii() else unicodedata.normalize("NFKC", text).replace("\u0e4d\u0e32", "\u0e33")


def _fold_marks(text: str) -> str:
    return unmarked_text(_fold_plain(text))


def _strings(node: object) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, Mapping):
        for key, value in node.items():
            yield str(key)
            yield from _strings(value)
    elif isinstance(node, list):
        for item in node:
            yield from _strings(item)


def _marked_words(data: Mapping[str, object]) -> Iterator[str]:
    for text in _strings(data):
        for match in () if text.isascii() else _LETTERS.finditer(text):
            if any(is_folded_mark(sign) for sign in match.group()):
                yield unmarked_text(match.group())


@lru_cache(maxsize=64)
def _cldr_names(locale: str, table: str) -> Mapping[str, int]:
    try:
        known = Locale.parse(locale)
    except (UnknownLocaleError, ValueError):
        return {}
    tables = known.months if table == "months" else known.days
    found: dict[str, int] = {}
    for width in ("wide", "abbreviated"):
        for context in ("format", "stand-alone"):
            for number, name in tables[context][width].items():
                found[str(name).lower()] = int(number)
    return found


def alternatives(words: Iterable[str]) -> str:
    """Plain words or phrases -> one alternation, longest first; a space matches any run of spaces."""
    ordered = sorted({word.lower() for word in words}, key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in ordered) or NEVER


def join_patterns(patterns: Iterable[str]) -> str:
    """Regular expressions -> one alternation, longest first so that the fuller phrase wins."""
    ordered = sorted(patterns, key=lambda item: -len(item))
    return "|".join(item if "[" in item else _WIDE_SPACE.sub(r"\\s+", item) for item in ordered) or NEVER


def whole_words(pattern: str) -> re.Pattern[str]:
    """Compile so that a match neither begins nor ends inside a word."""
    return re.compile(rf"(?<![\w])(?:{pattern})(?![\w])")
