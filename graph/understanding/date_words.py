"""The words that dates are made of in one language, as regular expressions. Pure data access, no reading."""

from __future__ import annotations

import re
from collections.abc import Mapping

from graph.understanding.lexicon import Lexicon, alternatives

_NAME = re.compile(r"\{([a-z_]+)\}")


class DateWords:
    """Tables and pattern pieces of a lexicon's `[dates]`."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self.months = lexicon.months()
        self._plain_weekdays = lexicon.weekdays()
        self.weekdays = self._plain_weekdays | _numbers(lexicon.mapping("dates.weekdays_led"))
        """With those that are other words as well, for shapes that name them ("bis So")."""
        self.ordinals = lexicon.ordinals
        self.units = lexicon.mapping("dates.units")
        self._plain_relative = _numbers(lexicon.mapping("dates.relative"))
        self.relative = self._plain_relative | _numbers(lexicon.mapping("dates.relative_led"))
        self._plain_week_shifts = _numbers(lexicon.mapping("dates.week_shifts"))
        self.week_shifts = self._plain_week_shifts | _numbers(lexicon.mapping("dates.week_shifts_led"))
        self.lengths = _numbers(lexicon.mapping("dates.fixed_lengths"))
        self.holidays = {word: _month_day(text) for word, text in lexicon.mapping("dates.holidays").items()}
        self.next = frozenset(lexicon.words("dates.next_words"))
        self.rate_numbers = frozenset(lexicon.words("dates.rate_numbers"))
        """Numbers that, right before a unit, mean "each" unless something says otherwise ("300 a day")."""
        self.article = lexicon.patterns("dates.articles")
        self.day_lead = lexicon.patterns("dates.day_leads")
        self.suffix = lexicon.pattern("dates.ordinal_suffix")
        self._macros = self._make_macros()

    def patterns(self, name: str) -> str:
        """One alternation of the regular expressions of `dates.<name>`, names in braces filled."""
        return self.fill(self._lexicon.patterns(f"dates.{name}"))

    def words(self, name: str) -> tuple[str, ...]:
        """The plain words of `dates.<name>`."""
        return self._lexicon.words(f"dates.{name}")

    def table(self, name: str) -> dict[str, str]:
        """The table `dates.<name>`, values as strings."""
        return self._lexicon.mapping(f"dates.{name}")

    def flag(self, name: str) -> bool:
        """Whether `dates.<name>` is set to true."""
        return self._lexicon.text(f"dates.{name}") == "True"

    def shapes(self, name: str) -> list[dict[str, str]]:
        """The array of tables `dates.<name>` with its patterns filled."""
        return [
            {key: self.fill(value) if key != "kind" else value for key, value in shape.items()}
            for shape in self._lexicon.shapes(f"dates.{name}")
        ]

    def whole(self, name: str) -> re.Pattern[str]:
        """`patterns(name)` as whole words."""
        return re.compile(rf"(?<!\w)(?:{self.patterns(name)})(?!\w)")

    def leading(self, name: str, tail: str = "") -> re.Pattern[str]:
        """`patterns(name)` right before a place, articles between allowed."""
        tail = tail or rf"\s+(?:(?:{self.article})\s*)*$"
        return re.compile(rf"(?<!\w)(?:{self.patterns(name)}){tail}")

    def trailing(self, name: str) -> re.Pattern[str]:
        """`patterns(name)` right behind a place."""
        return re.compile(rf"\s*(?:{self.patterns(name)})(?!\w)")

    def fill(self, pattern: str) -> str:
        """A pattern with its names in braces replaced; other braces (counts) stay."""
        return _NAME.sub(lambda match: self._macros.get(match[1], match[0]), pattern)

    def value_of(self, word: str) -> int | None:
        """The number that `word` names, in digits or words."""
        return self._lexicon.value_of(word) if word else None

    def hour_words(self) -> tuple[str, ...]:
        """Number words that can be an hour."""
        numbers = self._lexicon.numbers
        return tuple(word for word, value in numbers.items() if 0 < value <= 12 and word not in self.rate_numbers)

    def _make_macros(self) -> Mapping[str, str]:
        lex = self._lexicon
        ordinal = alternatives(self.ordinals)
        weekdays = alternatives(self._plain_weekdays)
        days = alternatives(
            word for word, value in lex.numbers.items() if 0 < value <= 31 and word not in self.rate_numbers
        )
        return {
            "month": rf"(?P<month>{alternatives(self.months)})\.?",
            "months": alternatives(self.months),
            "weekdays": weekdays,
            "wd": f"(?P<wd>{weekdays})",
            "ordinal": ordinal,
            "suffix": self.suffix,
            "article": self.article,
            "lead": self.day_lead,
            "day": rf"(?:(?P<d>\d{{1,2}})\s?(?:{self.suffix})?|(?P<ord>{ordinal}))",
            "day_words": days,
            "day_number": rf"(?P<d>\d{{1,2}}|{days})",
            "year": rf"(?:\s*,?\s*(?:(?:{lex.patterns('dates.year_leads')})\s+)?"
            r"(?P<year>20\d\d|25[4-9]\d|'\d\d)(?![\d-]))?",
            "units": alternatives(self.units),
            "number": lex.number_pattern(),
            "this": alternatives(lex.words("dates.this_words")),
            "next": alternatives(self.next),
            "week_shift_led": alternatives(lex.mapping("dates.week_shifts_led")),
            "week_shift": alternatives(self._plain_week_shifts),
            "next_month": lex.patterns("dates.next_month_patterns"),
            "this_month": lex.patterns("dates.this_month_patterns"),
            "relative": alternatives(self._plain_relative),
            "holiday": alternatives(self.holidays),
            "fixed_length": alternatives(self.lengths),
            "weekend": alternatives(lex.words("dates.weekend_words")),
            "counted": lex.patterns("dates.counted_patterns"),
            "longer": lex.patterns("dates.longer_patterns"),
        }


def one_space(words: str | None) -> str:
    """Runs of spaces -> one, as the keys of the tables have them."""
    return re.sub(r"\s+", " ", words or "")


def _numbers(table: Mapping[str, str]) -> dict[str, int]:
    return {word: int(value) for word, value in table.items()}


def _month_day(text: str) -> tuple[int, int]:
    month, day = text.split("-")
    return int(month), int(day)
