"""Words of a language, kept as data. The code of the readers knows no word of any language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from importlib import resources

from babel import Locale

_WIDE_SPACE = re.compile(r" (?![?*+{])")


class LexiconError(Exception):
    """A lexicon file is missing or has the wrong shape: a fault of the installation, not of a customer."""


class Lexicon:
    """One language: typed access to its file, with CLDR names added."""

    def __init__(self, data: Mapping[str, object]) -> None:
        self._data = data
        self.code = self.text("code")
        self.numbers = {word: int(value) for word, value in self.mapping("numbers").items()}
        self.ordinals = {word: int(value) for word, value in self.mapping("ordinals").items()}

    def _find(self, path: str) -> object:
        node: object = self._data
        for part in path.split("."):
            if not isinstance(node, Mapping) or part not in node:
                raise LexiconError(f"no {path!r} in the lexicon")
            node = node[part]
        return node

    def text(self, path: str) -> str:
        """One string."""
        return str(self._find(path))

    def words(self, path: str) -> tuple[str, ...]:
        """A list of strings."""
        found = self._find(path)
        if not isinstance(found, list):
            raise LexiconError(f"{path!r} is not a list")
        return tuple(str(item) for item in found)

    def mapping(self, path: str) -> dict[str, str]:
        """A table of word -> value, values as strings."""
        found = self._find(path)
        if not isinstance(found, Mapping):
            raise LexiconError(f"{path!r} is not a table")
        return {str(key): str(value) for key, value in found.items()}

    def lists(self, path: str) -> dict[str, tuple[str, ...]]:
        """A table of word -> list of strings, in the order of the file."""
        found = self._find(path)
        if not isinstance(found, Mapping):
            raise LexiconError(f"{path!r} is not a table")
        return {str(key): self.words(f"{path}.{key}") for key in found}

    def shapes(self, path: str) -> list[dict[str, str]]:
        """An array of tables of strings, in the order of the file."""
        found = self._find(path)
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
        return join_patterns(_filled(item, fills) for item in self.words(path))

    def compiled(self, path: str) -> re.Pattern[str]:
        """`patterns(path)`, as whole words."""
        return whole_words(self.patterns(path))

    def months(self) -> dict[str, int]:
        """Month names and their usual short forms -> 1 to 12."""
        names = _cldr_names(self.text("dates.locale"), "months")
        found = {name: int(number) for name, number in names.items()}
        return found | {word: int(value) for word, value in self.mapping("dates.months").items()}

    def weekdays(self) -> dict[str, int]:
        """Weekday names and their usual short forms -> 0 (Monday) to 6."""
        names = _cldr_names(self.text("dates.locale"), "days")
        found = {name: number for name, number in names.items() if len(name) > 3}
        return found | {word: int(value) for word, value in self.mapping("dates.weekdays").items()}


def _filled(pattern: str, fills: Mapping[str, str]) -> str:
    for name, value in fills.items():
        pattern = pattern.replace(name, value)
    return pattern


def _cldr_names(locale: str, table: str) -> dict[str, int]:
    tables = Locale.parse(locale).months if table == "months" else Locale.parse(locale).days
    found: dict[str, int] = {}
    for width in ("wide", "abbreviated"):
        for context in ("format", "stand-alone"):
            for number, name in tables[context][width].items():
                found[str(name).lower()] = int(number)
    return found


def alternatives(words: Iterable[str]) -> str:
    """Plain words or phrases -> one alternation, longest first; a space matches any run of spaces."""
    ordered = sorted({word.lower() for word in words}, key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in ordered)


def join_patterns(patterns: Iterable[str]) -> str:
    """Regular expressions -> one alternation, longest first so that the fuller phrase wins."""
    ordered = sorted(patterns, key=lambda item: -len(item))
    return "|".join(item if "[" in item else _WIDE_SPACE.sub(r"\\s+", item) for item in ordered)


def whole_words(pattern: str) -> re.Pattern[str]:
    """Compile so that a match neither begins nor ends inside a word."""
    return re.compile(rf"(?<![\w])(?:{pattern})(?![\w])")


def load_lexicon(code: str) -> Lexicon:
    """Read `<code>.toml` of this folder. Raises LexiconError when there is none."""
    return Lexicon(_read_toml(f"{code}.toml"))


def load_language_table() -> dict[str, dict[str, object]]:
    """Read the table that tells languages apart: `scripts` and `function_words`."""
    data = _read_toml("languages.toml")
    return {key: dict(value) for key, value in data.items() if isinstance(value, dict)}


def _read_toml(name: str) -> dict[str, object]:
    file = resources.files(__package__).joinpath(name)
    if not file.is_file():
        raise LexiconError(f"no lexicon file {name}")
    return tomllib.loads(file.read_text(encoding="utf-8"))
