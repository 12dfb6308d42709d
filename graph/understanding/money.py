"""A price limit that the customer named. Engine sizes, seats and days are not money."""

from __future__ import annotations

import re
from decimal import Decimal

from graph.understanding.lexicon import Lexicon, alternatives
from graph.understanding.meaning import Budget

_GROUPED = re.compile(r"\d{1,3}(?:[.,' ]\d{3})+")
_AMOUNT = r"(?:\d{1,3}(?:[.,]\d{3})+|\d+(?:[.,]\d{1,2})?|\d+)"
_MIN_BARE_DIGITS = 2

Found = tuple[Budget, tuple[int, int]]


class MoneyReader:
    """Finds budgets and other amounts of money."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._scales = {word: int(value) for word, value in lexicon.mapping("money.scales").items()}
        self._currencies = lexicon.mapping("money.currencies")
        scale, currency = alternatives(self._scales), alternatives(self._currencies)
        sure = lexicon.patterns("money.sure_limit_patterns")
        limit = lexicon.patterns("money.limit_patterns")
        ahead = lexicon.patterns("money.day_ahead_patterns")
        stop = rf"(?![\w]|[.,:/-]\d|\s*(?:{lexicon.patterns('money.not_money_patterns')})(?!\w))"
        self._pattern = re.compile(
            rf"(?<![\w.,:/+-])(?:(?P<daily>{ahead})\s+)?(?:(?:(?P<sure>{sure})|(?P<lead>{limit}))\s+)?"
            rf"(?:(?P<each>{ahead})\s+)?(?P<cur1>{currency})?\s?"
            rf"(?P<amount>{_AMOUNT})\s?(?:(?P<scale>{scale})(?!\w))?(?:\s?(?P<cur2>{currency})(?!\w))?{stop}"
            rf"(?:\s*(?P<day>{lexicon.patterns('money.per_day_patterns')})(?!\w)"
            rf"|\s+(?P<total>{lexicon.patterns('money.total_patterns')})(?!\w))?"
            rf"(?P<tail>\s+(?:{lexicon.patterns('money.after_patterns')})(?!\w))?"
        )

    def find(self, text: str) -> Found | None:
        """The first budget, with its span; None when no number is surely money."""
        for match in self._pattern.finditer(text):
            if self._is_money(match):
                return self._budget(match), match.span()
        return None

    def _is_money(self, match: re.Match[str]) -> bool:
        amount = match["amount"]
        marked = bool(match["cur1"] or match["cur2"] or match["scale"] or match["day"])
        ahead = bool(match["daily"] or match["each"])
        limited = bool(match["sure"] or match["tail"] or ahead)
        if (match["sure"] or ahead) and not marked and len(re.sub(r"\D", "", amount)) < _MIN_BARE_DIGITS:
            return False
        return marked or limited or bool(match["lead"] and _GROUPED.fullmatch(amount))

    def _budget(self, match: re.Match[str]) -> Budget:
        scale = self._scales.get(match["scale"] or "", 1)
        amount = plain_decimal(match["amount"], scaled=scale > 1) * scale
        word = (match["cur1"] or match["cur2"] or "").strip()
        per = "day" if match["day"] or match["daily"] or match["each"] else "total" if match["total"] else "unknown"
        return Budget(amount=_text(amount), currency=self._currencies.get(word), per=per)


def plain_decimal(digits: str, *, scaled: bool = False) -> Decimal:
    """ "1.500.000" -> 1500000, "1,5" -> 1.5, "99.50" -> 99.50; before a scale word a mark is always decimal."""
    if _GROUPED.fullmatch(digits) and not (scaled and len(re.findall(r"[.,]", digits)) == 1):
        return Decimal(re.sub(r"\D", "", digits))
    return Decimal(digits.replace(",", "."))


def _text(amount: Decimal) -> str:
    text = format(amount, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
