"""Names of the keys of one conversation; all of them share one hash slot of a cluster.

`{prefix}1:{tag}:cp[:ns]` list of checkpoints, newest first · `:wr[:ns]` hash of pending writes · `:ns` sorted set
of namespaces (score: when the namespace runs out, ms) · `:lock` token of the running turn · `:q` waiting tokens in
order of arrival · `:qx` the same tokens with the time until which each counts as alive · `:wake` stream that
tells the next one. The `1` is the version of the schema: another layout gets another number and never meets this one.
"""

from __future__ import annotations

import hashlib
from typing import Final
from urllib.parse import quote

from store.passport.errors import PassportError

SCHEMA_VERSION: Final = 1
_LONGEST_TAG: Final = 128


class ConversationKeys:
    """The key names of one conversation.

    The thread id is percent-encoded, so a `}`, `:` or `*` in it can neither break the hash tag nor reach another
    conversation's keys; a very long one is replaced by its SHA-256 (marked by `=`, which encoding never leaves).
    """

    def __init__(self, prefix: str, thread_id: str) -> None:
        self.thread_id = checked_thread_id(thread_id)
        tag = quote(thread_id, safe="", errors="surrogatepass")
        if len(tag) > _LONGEST_TAG:
            tag = "=" + hashlib.sha256(tag.encode()).hexdigest()
        self._base = f"{prefix}{SCHEMA_VERSION}:{{{tag}}}:"

    @property
    def lock(self) -> list[str]:
        """Lock, queue, deadlines of the waiters, wake-up stream."""
        return [self._base + name for name in ("lock", "q", "qx", "wake")]

    @property
    def namespaces(self) -> str:
        """Sorted set of the namespaces in use."""
        return self._base + "ns"

    def pair(self, namespace: str) -> list[str]:
        """Checkpoint list and writes hash of one namespace."""
        suffix = ":" + quote(namespace, safe="", errors="surrogatepass") if namespace else ""
        return [f"{self._base}cp{suffix}", f"{self._base}wr{suffix}"]


def checked_thread_id(thread_id: object) -> str:
    """Return the thread id; anything but a non-empty string is refused, so no object can stand in for one."""
    if type(thread_id) is not str or not thread_id:
        raise PassportError("the thread id must be a non-empty string", kind=type(thread_id).__name__)
    return thread_id


def registry_key(prefix: str) -> str:
    """Sorted set of known thread ids (score: expiry, ms); only kept when the saver is told to index."""
    return f"{prefix}{SCHEMA_VERSION}:threads"


def thread_mark(thread_id: str) -> str:
    """Short one-way mark of a thread id for logs."""
    return hashlib.sha256(thread_id.encode("utf-8", "surrogatepass")).hexdigest()[:10]
