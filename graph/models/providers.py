"""One model behind an OpenAI-compatible server: a request, a reply, and what an error means.

The vendor's client is imported when a provider is made, so only who uses a model pays for it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from graph.models.budget import FREE, TokenPrice
from graph.models.records import Outcome

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

MAX_OUTPUT_TOKENS: Final = 400
MAX_REPLY_BYTES: Final = 400_000
"""Of one HTTP answer; a server that sends for ever is cut off here."""
MAX_RETRY_AFTER_SECONDS: Final = 3600.0


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Which model, where, and on which terms."""

    model: str
    base_url: str | None = None
    api_key: str = field(default="", repr=False)
    timeout_seconds: float = 8.0
    price: TokenPrice = FREE
    calls_per_minute: int = 0
    """0: no limit of our own."""
    max_output_tokens: int = MAX_OUTPUT_TOKENS


@dataclass(frozen=True, slots=True)
class Prompt:
    """One structured question."""

    system: str
    message: str
    schema: Mapping[str, Any]
    """Name, strictness and JSON schema of the answer, as the protocol wants it."""
    version: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, before anybody has judged it."""

    text: str
    refused: bool = False
    truncated: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None


class ChatModel(Protocol):
    """The part of a chat model that is used."""

    async def ask(self, prompt: Prompt) -> Reply:
        """One request, one reply. Raises what the client raises."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...


MakeModel = Callable[[ModelChoice], ChatModel]


class OpenAIChat:
    """`ChatOpenAI` with a structured answer; never retries by itself."""

    def __init__(self, choice: ModelChoice) -> None:
        from langchain_openai import ChatOpenAI
        from pydantic import SecretStr

        self._http = bounded_http_client(choice.timeout_seconds)
        self._chat = ChatOpenAI(
            model=choice.model,
            base_url=choice.base_url,
            # A local server wants no key, the client wants some text.
            api_key=SecretStr(choice.api_key or "none"),
            timeout=choice.timeout_seconds,
            max_retries=0,
            temperature=0,
            max_completion_tokens=choice.max_output_tokens,
            use_responses_api=False,
            http_async_client=self._http,
        )

    async def ask(self, prompt: Prompt) -> Reply:
        """One request, one reply. Raises what the client raises."""
        from langchain_core.messages import HumanMessage, SystemMessage

        bound = self._chat.bind(response_format={"type": "json_schema", "json_schema": dict(prompt.schema)})
        try:
            return read_reply(await bound.ainvoke([SystemMessage(prompt.system), HumanMessage(prompt.message)]))
        except Exception as error:
            cut = _cut_reply(error)
            if cut is None:
                raise
            return cut

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()


def read_reply(message: AIMessage) -> Reply:
    """The parts of a chat message that count; content that is not text is no content."""
    finish = message.response_metadata.get("finish_reason")
    usage: Mapping[str, object] = message.usage_metadata or {}
    return Reply(
        # Tools were not offered: a reply that calls one is not an answer, whatever else it holds.
        text=message.content if isinstance(message.content, str) and not _calls_tools(message) else "",
        refused=bool(message.additional_kwargs.get("refusal")) or finish == "content_filter",
        truncated=finish == "length",
        input_tokens=_tokens(usage, "input_tokens"),
        output_tokens=_tokens(usage, "output_tokens"),
    )


def _cut_reply(error: Exception) -> Reply | None:
    """What the client's error about a reply that was cut holds of it: it was billed like any other."""
    completion = getattr(error, "completion", None)
    usage = getattr(completion, "usage", None)
    if completion is None or type(error).__name__ != "LengthFinishReasonError":
        return None
    choices = getattr(completion, "choices", None) or []
    counted = {"input_tokens": getattr(usage, "prompt_tokens", None)}
    counted["output_tokens"] = getattr(usage, "completion_tokens", None)
    return Reply(
        text=(choices[0].message.content or "") if choices else "",
        truncated=True,
        input_tokens=_tokens(counted, "input_tokens"),
        output_tokens=_tokens(counted, "output_tokens"),
    )


def _calls_tools(message: AIMessage) -> bool:
    return bool(message.tool_calls or message.invalid_tool_calls)


def _tokens(usage: Mapping[str, object], name: str) -> int | None:
    value = usage.get(name)
    return value if isinstance(value, int) and 0 <= value < 10_000_000 else None


# ---- HTTP ----------------------------------------------------------------------------------------------


class AnswerTooLarge(Exception):
    """The server sent more than anybody needs, or packed what it sent."""


def bounded_http_client(timeout_seconds: float, *, max_bytes: int = MAX_REPLY_BYTES) -> Any:
    """The vendor client's own kind of HTTP client, that stops reading at `max_bytes`."""
    import httpx2
    from openai import DefaultAsyncHttpxClient

    class Bounded(httpx2.AsyncByteStream):
        def __init__(self, stream: Any) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for chunk in self._stream:
                size += len(chunk)
                if size > max_bytes:
                    raise AnswerTooLarge
                yield chunk

        async def aclose(self) -> None:
            await self._stream.aclose()

    async def bound(response: Any) -> None:
        # A packed answer could unfold to any size.
        if response.headers.get("content-encoding", "identity") != "identity":
            raise AnswerTooLarge
        response.stream = Bounded(response.stream)

    return DefaultAsyncHttpxClient(
        timeout=timeout_seconds,
        headers={"accept-encoding": "identity"},
        event_hooks={"response": [bound]},
        follow_redirects=False,
    )


# ---- errors --------------------------------------------------------------------------------------------


def outcome_of(error: BaseException) -> Outcome:
    """What went wrong, by the class and the HTTP status of the client's error."""
    if _was_too_large(error):
        return "too_large"
    name = type(error).__name__
    if isinstance(error, TimeoutError) or "Timeout" in name:
        return "timeout"
    if name == "LengthFinishReasonError":
        return "truncated"
    if name in {"ContentFilterFinishReasonError", "OpenAIRefusalError"}:
        return "refused"
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return _outcome_of_status(status)
    return "connection" if "Connection" in name else "error"


def _was_too_large(error: BaseException | None) -> bool:
    seen = 0
    while error is not None and seen < 10:
        if isinstance(error, AnswerTooLarge):
            return True
        error, seen = error.__cause__ or error.__context__, seen + 1
    return False


def _outcome_of_status(status: int) -> Outcome:
    if status in (401, 403):
        return "unauthorized"
    if status == 429:
        return "rate_limited"
    if status == 408:
        return "timeout"
    return "server_error" if status >= 500 else "bad_request"


def retry_after_seconds(error: BaseException) -> float | None:
    """How long the server asked to be left alone; None when it did not say, or not in seconds."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    value = headers.get("retry-after") if headers is not None else None
    try:
        seconds = float(value) if value is not None else None
    except (TypeError, ValueError):
        return None
    if seconds is None or not 0 <= seconds < float("inf"):
        return None
    return min(seconds, MAX_RETRY_AFTER_SECONDS)
