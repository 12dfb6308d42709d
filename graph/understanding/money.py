"""A price limit that the customer named. Engine sizes, seats and days are not money."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Literal

from babel.numbers import get_currency_precision

from graph.understanding.amounts import AMOUNT_PATTERN, read_amount
from graph.understanding.lexicon import Lexicon, alternatives
from graph.understanding.meaning import Budget, InterpretContext

_GROUPED = re.compile(r"\d{1,3}(?:[.,' ]\d{3})+")
_MIN_BARE_DIGITS = 2

Found = tuple[Budget, tuple[int, int]]


class MoneyReader:
    """Finds budgets and other amounts of money."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._scales = {word: int(value) for word, value in lexicon.mapping("money.scales").items()}
        self._currencies = lexicon.mapping("money.currencies")
        self._shared = {word: set(codes) for word, codes in lexicon.lists("money.shared_words").items()}
        words = alternatives(self._currencies)
        self._pattern = re.compile(_budget_pattern(lexicon, alternatives(self._scales), words))
        self._names = re.compile(rf"(?<![^\W\d_])(?:{words})(?!\w)")

    def find(self, text: str, context: InterpretContext) -> Found | None:
        """The first budget, with its span; None when no number is surely money."""
        for match in self._pattern.finditer(text):
            if self._is_money(match):
                return self._budget(match, context), match.span()
        return None

    def names_only(self, text: str, own: str) -> bool:
        """Whether currencies are named and every one of them is the shop's own."""
        named = {self._code(match.group(), own) for match in self._names.finditer(text)}
        return named == {own}

    def _is_money(self, match: re.Match[str]) -> bool:
        amount = match["amount"]
        marked = bool(match["cur1"] or match["cur2"] or match["scale"] or match["day"])
        if match["low"] and not marked:
            return False  # "max 20-27 June"
        ahead = bool(match["daily"] or match["each"])
        limited = bool(match["sure"] or match["tail"] or ahead)
        if (match["sure"] or ahead) and not marked and len(re.sub(r"\D", "", amount)) < _MIN_BARE_DIGITS:
            return False
        return marked or limited or bool(match["lead"] and _GROUPED.fullmatch(amount))

    def _budget(self, match: re.Match[str], context: InterpretContext) -> Budget:
        word = (match["cur1"] or match["cur2"] or "").strip()
        currency = self._code(word, context.currency) if word else None
        amount = self._amount(match, currency, context)
        problem: Literal["other_currency", "unsure"] | None = "unsure" if amount is None else None
        if currency and context.currency and currency != context.currency:
            problem = "other_currency"
        said = _text(amount) if amount is not None else match["amount"]
        return Budget(amount=said, currency=currency, per=_per(match), problem=problem)

    def _code(self, word: str, own: str) -> str:
        """The currency of a word or sign; a dollar is the shop's own where the shop has dollars."""
        plain = " ".join(word.split())
        return own if own in self._shared.get(plain, ()) else self._currencies[plain]

    def _amount(self, match: re.Match[str], currency: str | None, context: InterpretContext) -> Decimal | None:
        is_own = currency is None or currency == context.currency
        exponent = context.currency_exponent if is_own else get_currency_precision(currency or "")
        scale = self._scales.get(match["scale"] or "", 1)
        amount = read_amount(match["amount"], scale=scale, exponent=exponent, decimal_mark=context.decimal_mark)
        smaller = self._scales.get(match["scale2"] or "", 0)
        if amount is None or not 0 < smaller < scale:
            return amount
        return amount + int(match["amount2"]) * smaller  # "1 juta 500 ribu"


def _per(match: re.Match[str]) -> Literal["day", "total", "unknown"]:
    if match["day"] or match["daily"] or match["each"]:
        return "day"
    return "total" if match["total"] else "unknown"


def _budget_pattern(lexicon: Lexicon, scale: str, currency: str) -> str:
    sure, limit = lexicon.patterns("money.sure_limit_patterns"), lexicon.patterns("money.limit_patterns")
    ahead, to = lexicon.patterns("money.day_ahead_patterns"), lexicon.patterns("money.range_patterns")
    stop = rf"(?![\w]|[.,:/-]\d|\s*(?:{lexicon.patterns('money.not_money_patterns')})(?!\w))"
    low = (
        rf"(?P<low>{AMOUNT_PATTERN}(?:[-~]|\s?(?:{scale})\s?(?:{to})\s?)|(?(cur1){AMOUNT_PATTERN}\s?(?:{to})\s?|(?!)))"
    )
    return (
        rf"(?<![\w.,:/+-])(?:(?P<daily>{ahead})\s+)?(?:(?:(?P<sure>{sure})|(?P<lead>{limit}))\s+)?"
        rf"(?:(?P<each>{ahead})\s+)?(?P<cur1>{currency})?\s?"
        rf"(?:{low}(?:{currency})?\s?)?"
        rf"(?P<amount>{AMOUNT_PATTERN})(?:[.,]--?)?\s?(?:(?P<scale>{scale})(?!\w)"
        rf"(?:\s?(?P<amount2>\d{{1,3}})\s?(?P<scale2>{scale})(?!\w))?)?(?:\s?(?P<cur2>{currency})(?!\w))?{stop}"
        rf"(?:\s*(?P<day>{lexicon.patterns('money.per_day_patterns')})(?!\w)"
        rf"|\s+(?P<total>{lexicon.patterns('money.total_patterns')})(?!\w))?"
        rf"(?P<tail>\s+(?:{lexicon.patterns('money.after_patterns')})(?!\w))?"
    )


def _text(amount: Decimal) -> str:
    text = format(amount, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
