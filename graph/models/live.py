"""The interpreter that asks a language model, behind any OpenAI-compatible server.

One call at most, within a deadline; anything but a reply of exactly the agreed shape leaves the message to the
offline interpreter. The vendor's client is imported when an instance is made, so only who uses it pays for it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal, Protocol

from graph.models.grounding import Grounded, ground
from graph.models.offline import OfflineInterpreter
from graph.models.prompt import PROMPT_VERSION, fill_prompt, load_prompt
from graph.models.records import ModelCallRecord, Outcome
from graph.models.wire import WireError, parse_reply, wire_schema
from graph.understanding.meaning import InterpretContext, Understanding
from graph.understanding.text import fold, is_wordless, printable

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

MAX_OUTPUT_TOKENS = 600
Observer = Callable[[ModelCallRecord], None]


class ChatModel(Protocol):
    """The part of a chat model that is used."""

    async def ask(self, system: str, message: str) -> AIMessage:
        """One request, one reply. Raises what the client raises."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...


class OpenAIChat:
    """`ChatOpenAI` bound to the wire schema; never retries by itself."""

    def __init__(self, *, model: str, base_url: str | None, api_key: str, timeout_seconds: float) -> None:
        from langchain_openai import ChatOpenAI
        from pydantic import SecretStr

        chat = ChatOpenAI(
            model=model,
            base_url=base_url,
            # A local server wants no key, the client wants some text.
            api_key=SecretStr(api_key or "none"),
            timeout=timeout_seconds,
            max_retries=0,
            temperature=0,
            max_completion_tokens=MAX_OUTPUT_TOKENS,
            use_responses_api=False,
        )
        self._client = chat.root_async_client
        self._chat = chat.bind(response_format={"type": "json_schema", "json_schema": wire_schema()})

    async def ask(self, system: str, message: str) -> AIMessage:
        """One request, one reply. Raises what the client raises."""
        from langchain_core.messages import HumanMessage, SystemMessage

        return await self._chat.ainvoke([SystemMessage(system), HumanMessage(message)])

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()


class LiveInterpreter:
    """Asks the model, keeps what the customer's words bear, falls back to the rules."""

    name: Literal["offline", "live"] = "live"

    def __init__(
        self,
        *,
        model: str,
        base_url: str | None = None,
        api_key: str = "",
        timeout_seconds: float = 8.0,
        fallback: OfflineInterpreter | None = None,
        observer: Observer | None = None,
    ) -> None:
        """`observer` gets one record per message; it must not raise."""
        self._chat: ChatModel = OpenAIChat(
            model=model, base_url=base_url, api_key=api_key, timeout_seconds=timeout_seconds
        )
        self._model = model
        self._timeout_seconds = timeout_seconds
        self._rules = fallback or OfflineInterpreter()
        self._observer = observer
        self._template = load_prompt()

    async def interpret(self, message: str, context: InterpretContext) -> Understanding:
        """Understand one message. Never raises for anything a customer or a model can write."""
        understanding, record = await self.interpret_with_record(message, context)
        if self._observer is not None:
            self._observer(record)
        return understanding

    async def aclose(self) -> None:
        """Close the connections to the model's server; the interpreter is not used afterwards."""
        await self._chat.aclose()

    async def interpret_with_record(
        self, message: str, context: InterpretContext
    ) -> tuple[Understanding, ModelCallRecord]:
        """The same, with the record of who answered and why."""
        offline = self._rules.read(message, context)
        if self._needs_no_model(message, offline):
            return offline, self._record("skipped", 0)
        started = time.monotonic()
        outcome, reply, grounded = await self._try(message, context, offline)
        duration_ms = round((time.monotonic() - started) * 1000)
        record = self._record(outcome, duration_ms, reply, grounded)
        return (grounded.understanding if grounded else offline), record

    @staticmethod
    def _needs_no_model(message: str, offline: Understanding) -> bool:
        """Nothing to read, or a bare yes or no, which only the rules may read anyway."""
        return is_wordless(fold(message).text) or offline.intents in (("confirm",), ("deny",))

    async def _try(
        self, message: str, context: InterpretContext, offline: Understanding
    ) -> tuple[Outcome, AIMessage | None, Grounded | None]:
        reply: AIMessage | None = None
        try:
            async with asyncio.timeout(self._timeout_seconds):
                reply = await self._chat.ask(fill_prompt(self._template, context), printable(message))
            wire = parse_reply(_text_of(reply))
            return "ok", reply, ground(wire, message, context, self._rules, offline)
        except _Refused:
            return "refused", reply, None
        except WireError as error:
            truncated = reply is not None and reply.response_metadata.get("finish_reason") == "length"
            return ("truncated" if truncated else error.outcome), reply, None
        except Exception as error:  # noqa: BLE001 - whatever a server makes the client raise, the customer gets an answer
            return outcome_of(error), reply, None

    def _record(
        self, outcome: Outcome, duration_ms: int, reply: AIMessage | None = None, grounded: Grounded | None = None
    ) -> ModelCallRecord:
        usage: Mapping[str, object] = (reply.usage_metadata if reply is not None else None) or {}
        return ModelCallRecord(
            answered_by="live" if grounded else "offline",
            outcome=outcome,
            model=self._model,
            prompt_version=PROMPT_VERSION,
            duration_ms=duration_ms,
            input_tokens=_tokens(usage, "input_tokens"),
            output_tokens=_tokens(usage, "output_tokens"),
            notes=grounded.notes if grounded else (),
        )


class _Refused(Exception):
    """The model declined to read the message."""


def _text_of(reply: AIMessage) -> str:
    if reply.additional_kwargs.get("refusal") or reply.response_metadata.get("finish_reason") == "content_filter":
        raise _Refused
    return reply.content if isinstance(reply.content, str) else ""


def _tokens(usage: Mapping[str, object], name: str) -> int | None:
    value = usage.get(name)
    return value if isinstance(value, int) and value >= 0 else None


def outcome_of(error: Exception) -> Outcome:
    """What went wrong, by the class and the HTTP status of the client's error."""
    if isinstance(error, TimeoutError) or "Timeout" in type(error).__name__:
        return "timeout"
    if type(error).__name__ == "LengthFinishReasonError":
        return "truncated"
    if type(error).__name__ == "ContentFilterFinishReasonError":
        return "refused"
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return _outcome_of_status(status)
    return "connection" if "Connection" in type(error).__name__ else "error"


def _outcome_of_status(status: int) -> Outcome:
    if status in (401, 403):
        return "unauthorized"
    if status == 429:
        return "rate_limited"
    if status == 408:
        return "timeout"
    return "server_error" if status >= 500 else "bad_request"
