"""Replies of models, kept for a short while: a message that is run again after a crash costs no second call."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

TTL_SECONDS: Final = 300.0
"""Short, since a reply may hold what a customer wrote."""
MAX_ENTRIES: Final = 512


class ResponseCache:
    """Bounded by number and age. Keys are digests: what was asked cannot be read out of them."""

    def __init__(
        self, monotonic: Callable[[], float], *, ttl_seconds: float = TTL_SECONDS, max_entries: int = MAX_ENTRIES
    ) -> None:
        self._monotonic = monotonic
        self._ttl_seconds = ttl_seconds
        self._max_entries = max_entries
        self._kept: OrderedDict[bytes, tuple[float, str]] = OrderedDict()

    def get(self, key: bytes) -> str | None:
        """The reply, when it is there and fresh."""
        ends, text = self._kept.get(key, (0.0, None))
        if text is not None and ends > self._monotonic():
            return text
        self._kept.pop(key, None)
        return None

    def put(self, key: bytes, text: str) -> None:
        """Keep a reply; the oldest go when there are too many."""
        self._kept.pop(key, None)
        self._kept[key] = (self._monotonic() + self._ttl_seconds, text)
        while len(self._kept) > self._max_entries:
            self._kept.popitem(last=False)


def cache_key(*parts: str) -> bytes:
    """Digest of all that an answer depends on; each part is told apart from its neighbours."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.digest()
