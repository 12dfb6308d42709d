"""What calls cost, who pays, and how much is left: tokens for a conversation, tokens and money for a company's day."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Final, Protocol

CONVERSATION_SECONDS: Final = 24 * 3600
DAY_SECONDS: Final = 48 * 3600
_MAX_SCOPES: Final = 20_000


@dataclass(frozen=True, slots=True)
class Payer:
    """Whose budget a call is on. Never sent to a model."""

    company: str
    conversation: str


NOBODY: Final = Payer("", "")


@dataclass(frozen=True, slots=True)
class Spend:
    """Tokens, and money in millionths of the currency of the configured prices."""

    tokens: int = 0
    cost_micro: int = 0

    def __add__(self, other: Spend) -> Spend:
        return Spend(self.tokens + other.tokens, self.cost_micro + other.cost_micro)

    def __sub__(self, other: Spend) -> Spend:
        return Spend(self.tokens - other.tokens, self.cost_micro - other.cost_micro)


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """Price of a million tokens, in millionths of a currency."""

    input_micro: int = 0
    output_micro: int = 0

    def spend(self, input_tokens: int, output_tokens: int) -> Spend:
        """What so many tokens cost, rounded up."""
        micro = input_tokens * self.input_micro + output_tokens * self.output_micro
        return Spend(input_tokens + output_tokens, -(-micro // 1_000_000))


FREE: Final = TokenPrice()


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that may be spent; 0 means no limit."""

    conversation_tokens: int = 0
    company_day_tokens: int = 0
    company_day_cost_micro: int = 0


class Ledger(Protocol):
    """Sums by scope. Adding returns the new sum in one step, so that two processes cannot both be the last."""

    async def add(self, scope: str, spend: Spend, ttl_seconds: int) -> Spend:
        """Add (or, with negative numbers, take back) and return the sum."""
        ...


class MemoryLedger:
    """Sums of one process. The oldest scopes are forgotten when there are very many."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._sums: OrderedDict[str, tuple[float, Spend]] = OrderedDict()

    async def add(self, scope: str, spend: Spend, ttl_seconds: int) -> Spend:
        """Add and return the sum."""
        now = self._monotonic()
        ends, before = self._sums.pop(scope, (now + ttl_seconds, Spend()))
        if ends <= now:
            ends, before = now + ttl_seconds, Spend()
        self._sums[scope] = (ends, before + spend)
        while len(self._sums) > _MAX_SCOPES:
            self._sums.popitem(last=False)
        return before + spend


class Budgets:
    """Reserves before a call what it may cost, and corrects afterwards."""

    def __init__(self, ledger: Ledger, limits: Limits, today: Callable[[], date]) -> None:
        self._ledger = ledger
        self._limits = limits
        self._today = today

    async def reserve(self, payer: Payer, estimate: Spend) -> bool:
        """Put the estimate on the payer's account; False, and nothing is put, when a limit would be passed."""
        by_chat, by_day = await self._add(payer, estimate)
        limits = self._limits
        is_over = (
            _passes(by_chat.tokens, limits.conversation_tokens)
            or _passes(by_day.tokens, limits.company_day_tokens)
            or _passes(by_day.cost_micro, limits.company_day_cost_micro)
        )
        if is_over:
            await self._add(payer, Spend() - estimate)
        return not is_over

    async def settle(self, payer: Payer, estimate: Spend, spent: Spend) -> None:
        """Replace a reserved estimate by what it was in the end."""
        if estimate != spent:
            await self._add(payer, spent - estimate)

    async def _add(self, payer: Payer, spend: Spend) -> tuple[Spend, Spend]:
        chat = await self._ledger.add(f"chat:{payer.company}:{payer.conversation}", spend, CONVERSATION_SECONDS)
        day = await self._ledger.add(f"day:{payer.company}:{self._today().isoformat()}", spend, DAY_SECONDS)
        return chat, day


def _passes(spent: int, limit: int) -> bool:
    return 0 < limit < spent
