"""The way to all models: a chain of them, each with a breaker and a rate; budgets, a cache, a record of each call.

`complete()` never raises for anything a server can do: whoever asked gets a `Completion` without a value and goes on
without a model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from graph.models.budget import Budgets, Payer, Spend
from graph.models.cache import ResponseCache, cache_key
from graph.models.embedding import Encoder, Vectors
from graph.models.providers import ChatModel, ModelChoice, Prompt, Reply, outcome_of, retry_after_seconds
from graph.models.rate import TokenBucket
from graph.models.records import Outcome
from graph.models.wire import WireError
from graph.tools.breaker import Breaker, BreakerState

T = TypeVar("T")

FAILURES_TO_OPEN: Final = 3
OPEN_SECONDS: Final = 15.0
MAX_CALLS: Final = 2
"""Calls for one question, over all models and tries."""
MIN_CALL_SECONDS: Final = 0.3
"""With less time than this left, no call is begun."""
BACK_OFF_SECONDS: Final = 0.25
_CHARS_PER_TOKEN: Final = 3
_RETRYABLE: Final[frozenset[Outcome]] = frozenset({"rate_limited", "server_error", "connection"})
_NOT_THE_PROVIDERS_FAULT: Final[frozenset[Outcome]] = frozenset({"bad_request", "refused"})
_NOTHING_WAS_BILLED: Final[frozenset[Outcome]] = frozenset(
    {"connection", "unauthorized", "rate_limited", "bad_request", "server_error"}
)


@dataclass(frozen=True, slots=True)
class Timing:
    """Time and chance, handed in: seconds that only grow, a pause, a number from 0 to 1."""

    monotonic: Callable[[], float]
    pause: Callable[[float], Awaitable[None]]
    chance: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Completion(Generic[T]):
    """The answer, if there is a good one, and how it came about."""

    value: T | None
    outcome: Outcome
    model: str = ""
    attempts: int = 0
    cached: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_micro: int = 0
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class ProviderStatus:
    """What an operator may know of a model; holds no address and no key."""

    model: str
    breaker: BreakerState
    last_error: Outcome | None
    calls: int
    failures: int
    failing_seconds: float | None = None
    """Since its first failure after the last good answer; None while it answers."""


@dataclass(slots=True)
class Provider:
    """A model with its state in this process."""

    choice: ModelChoice
    chat: ChatModel
    breaker: Breaker
    bucket: TokenBucket
    last_error: Outcome | None = None
    calls: int = 0
    failures: int = 0
    failing_from: float | None = None

    def status(self) -> ProviderStatus:
        """The state for operators."""
        state = self.breaker.state
        since = None if self.failing_from is None else self.breaker.monotonic() - self.failing_from
        return ProviderStatus(self.choice.model, state, self.last_error, self.calls, self.failures, since)


@dataclass(slots=True)
class _Asking(Generic[T]):
    """One question on its way through the chain."""

    prompt: Prompt
    parse: Callable[[str], T]
    payer: Payer
    started: float
    ends: float
    tried: dict[int, float | None] = field(default_factory=dict)
    """Provider by position -> seconds to wait before asking it again; None: not again."""
    outcome: Outcome = "no_model_ready"
    model: str = ""
    attempts: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_micro: int = 0

    def completion(self, value: T | None, ended: float, *, cached: bool = False) -> Completion[T]:
        return Completion(
            value=value,
            outcome=self.outcome,
            model=self.model,
            attempts=self.attempts,
            cached=cached,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cost_micro=self.cost_micro,
            duration_ms=round((ended - self.started) * 1000),
        )


class ModelGateway:
    """Asks the first model that may be asked; on failure the next, or the same once more, within the deadline."""

    def __init__(
        self,
        providers: Sequence[Provider],
        *,
        budgets: Budgets,
        cache: ResponseCache,
        timing: Timing,
        encoder: Encoder | None = None,
        max_calls: int = MAX_CALLS,
    ) -> None:
        self._providers = tuple(providers)
        self._budgets = budgets
        self._cache = cache
        self._timing = timing
        self._encoder = encoder
        self._max_calls = max_calls

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, in the order in which they are asked."""
        return tuple(provider.choice.model for provider in self._providers)

    def status(self) -> tuple[ProviderStatus, ...]:
        """The state of each model."""
        return tuple(provider.status() for provider in self._providers)

    @property
    def encoder_name(self) -> str | None:
        """What turns sentences into vectors; None where nothing does."""
        return self._encoder.name if self._encoder is not None else None

    async def embed(self, texts: Sequence[str]) -> Vectors | None:
        """Return one vector a text; None when there is no encoder or it fails."""
        return await self._encoder.embed(texts) if self._encoder is not None else None

    async def complete(
        self, prompt: Prompt, parse: Callable[[str], T], payer: Payer, *, deadline_seconds: float
    ) -> Completion[T]:
        """Ask for a structured answer. `parse` raises WireError for a text that is not one."""
        now = self._timing.monotonic()
        asking = _Asking(prompt, parse, payer, started=now, ends=now + deadline_seconds)
        value = self._remembered(asking)
        if value is not None:
            asking.outcome = "ok"
            return asking.completion(value, self._timing.monotonic(), cached=True)
        while value is None and asking.attempts < self._max_calls:
            provider = await self._next(asking)
            if provider is None:
                break
            try:
                value = await self._try(provider, asking)
            finally:
                # Whatever ended the call, cancelled included: a probe that nobody ends would keep the breaker open.
                provider.breaker.left()
            if asking.outcome == "over_budget":
                break
        return asking.completion(value, self._timing.monotonic())

    async def aclose(self) -> None:
        """Close all connections."""
        for provider in self._providers:
            await provider.chat.aclose()
        if self._encoder is not None:
            await self._encoder.aclose()

    # ---- which one -------------------------------------------------------------------------------------

    async def _next(self, asking: _Asking[T]) -> Provider | None:
        """The next model that may be asked; its breaker has been entered."""
        for position, provider in enumerate(self._providers):
            if position not in asking.tried and self._has_time(asking, 0) and self._admit(provider):
                asking.tried[position] = None
                return provider
        for position, wait_seconds in asking.tried.items():
            if wait_seconds is None or not self._has_time(asking, wait_seconds):
                continue
            await self._timing.pause(wait_seconds)
            if self._admit(self._providers[position]):
                return self._providers[position]
        return None

    def _has_time(self, asking: _Asking[T], wait_seconds: float) -> bool:
        return asking.ends - self._timing.monotonic() - wait_seconds >= MIN_CALL_SECONDS

    @staticmethod
    def _admit(provider: Provider) -> bool:
        if not provider.breaker.enter():
            return False
        if provider.bucket.take():
            return True
        provider.breaker.left()
        return False

    # ---- one call --------------------------------------------------------------------------------------

    async def _try(self, provider: Provider, asking: _Asking[T]) -> T | None:
        estimate = _estimate(provider.choice, asking.prompt)
        asking.model = provider.choice.model
        if not await self._budgets.reserve(asking.payer, estimate):
            asking.outcome = "over_budget"
            return None
        asking.attempts += 1
        provider.calls += 1
        reply, error = await self._ask(provider, asking)
        value = self._judge(reply, error, asking)
        await self._settle(provider, asking, estimate, reply)
        self._tell(provider, asking, error)
        return value

    async def _ask(self, provider: Provider, asking: _Asking[T]) -> tuple[Reply | None, Exception | None]:
        left_seconds = asking.ends - self._timing.monotonic()
        try:
            async with asyncio.timeout(min(provider.choice.timeout_seconds, left_seconds)):
                return await provider.chat.ask(asking.prompt), None
        except Exception as error:  # noqa: BLE001 - whatever a server makes the client raise, the customer gets an answer
            return None, error

    def _judge(self, reply: Reply | None, error: Exception | None, asking: _Asking[T]) -> T | None:
        """Set the outcome; return the parsed answer when it is a good one, and remember it."""
        if reply is None:
            asking.outcome = outcome_of(error) if error is not None else "error"
            return None
        if reply.refused:
            asking.outcome = "refused"
            return None
        try:
            value = asking.parse(reply.text)
        except WireError as fault:
            asking.outcome = "truncated" if reply.truncated else fault.outcome
            return None
        asking.outcome = "ok"
        self._cache.put(self._key(asking, asking.model), reply.text)
        return value

    async def _settle(self, provider: Provider, asking: _Asking[T], estimate: Spend, reply: Reply | None) -> None:
        """Book what the call cost: as the server counted, else as estimated, else nothing where nothing was done."""
        spent = estimate
        if reply is not None and reply.input_tokens is not None:
            spent = provider.choice.price.spend(reply.input_tokens, reply.output_tokens or 0)
            asking.input_tokens = (asking.input_tokens or 0) + reply.input_tokens
            asking.output_tokens = (asking.output_tokens or 0) + (reply.output_tokens or 0)
        elif asking.outcome in _NOTHING_WAS_BILLED:
            spent = Spend()
        asking.cost_micro += spent.cost_micro
        await self._budgets.settle(asking.payer, estimate, spent)

    def _tell(self, provider: Provider, asking: _Asking[T], error: Exception | None) -> None:
        """Let the breaker know, and say whether the same model may be asked once more for this question."""
        outcome, wait_seconds = asking.outcome, None
        if outcome == "ok":
            provider.breaker.succeeded()
            provider.failing_from = None
            return
        provider.last_error = outcome
        provider.failures += 1
        if provider.failing_from is None and outcome != "refused":
            provider.failing_from = self._timing.monotonic()
        asked_for = retry_after_seconds(error) if error is not None else None
        if outcome in _NOT_THE_PROVIDERS_FAULT:
            provider.breaker.left()
        else:
            provider.breaker.failed()
        if outcome in _RETRYABLE:
            wait_seconds = asked_for if asked_for is not None else self._back_off_seconds(asking.attempts)
        if asked_for is not None and not self._has_time(asking, asked_for):
            provider.breaker.pause(asked_for)
        asking.tried[self._providers.index(provider)] = wait_seconds

    def _back_off_seconds(self, attempt: int) -> float:
        return float(BACK_OFF_SECONDS * 2 ** (attempt - 1) * (0.5 + self._timing.chance()))

    # ---- memory ----------------------------------------------------------------------------------------

    def _remembered(self, asking: _Asking[T]) -> T | None:
        for provider in self._providers:
            text = self._cache.get(self._key(asking, provider.choice.model))
            if text is not None:
                asking.model = provider.choice.model
                return asking.parse(text)
        return None

    @staticmethod
    def _key(asking: _Asking[T], model: str) -> bytes:
        """Company and conversation are part of it: no answer crosses from one customer to another."""
        prompt, payer = asking.prompt, asking.payer
        schema = repr(sorted(prompt.schema.items()))
        return cache_key(
            payer.company, payer.conversation, model, prompt.version, schema, prompt.system, prompt.message
        )


def _estimate(choice: ModelChoice, prompt: Prompt) -> Spend:
    """An upper guess of one call: all letters of the question, and the longest answer."""
    letters = len(prompt.system) + len(prompt.message) + len(repr(prompt.schema))
    return choice.price.spend(letters // _CHARS_PER_TOKEN, choice.max_output_tokens)


def make_provider(choice: ModelChoice, chat: ChatModel, monotonic: Callable[[], float]) -> Provider:
    """A model with a breaker and a bucket of its own."""
    bucket = TokenBucket(monotonic, calls_per_minute=choice.calls_per_minute)
    return Provider(choice, chat, Breaker(monotonic, FAILURES_TO_OPEN, OPEN_SECONDS), bucket)
