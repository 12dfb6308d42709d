"""Raw operations of one passport on one Redis or Valkey; knows bytes and scripts, not LangGraph."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from redis.exceptions import (
    ClusterError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    RedisError,
    ResponseError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from store.passport import scripts
from store.passport.errors import PassportError, PassportUnavailable, StaleRun
from store.passport.keys import ConversationKeys, registry_key
from store.passport.scripts import Script

DEFAULT_DEADLINE_SECONDS: Final = 1.8
# Each waits on a connection of its own; the rest of the pool must stay free for the turns they wait for.
MAX_BLOCKED_WAITERS: Final = 32
BACKOFF_MS: Final = 100
_UNAVAILABLE_WORDS: Final = ("MISCONF", "LOADING", "MASTERDOWN", "CLUSTERDOWN", "NOREPLICAS", "OOM", "READONLY")


class RedisClient(Protocol):
    """What the passport needs of a client: `redis.asyncio.Redis`, `RedisCluster` and fakeredis have it."""

    def execute_command(self, *args: Any, **options: Any) -> Awaitable[Any]:
        """Send one command and return its answer as bytes."""
        ...

    def get_encoder(self) -> Any:
        """Return the encoder, which knows `decode_responses`."""
        ...

    async def aclose(self) -> None:
        """Close all connections."""
        ...


@dataclass(frozen=True)
class Put:
    """One checkpoint to store; `previous` is its parent anew, as a difference to it (empty: leave the parent)."""

    namespace: str
    checkpoint_id: str
    parent_id: str
    element: bytes
    previous: bytes = b""


@dataclass(frozen=True)
class Write:
    """One pending write to store; `name` starts with the checkpoint id."""

    namespace: str
    name: bytes
    value: bytes
    overwrite: bool


Operation = Put | Write


@dataclass(frozen=True)
class Stored:
    """Checkpoint elements (newest first) and all pending writes of one namespace."""

    elements: list[bytes]
    writes: dict[bytes, bytes]


@dataclass(frozen=True)
class BackendOptions:
    """How conversations are kept.

    `keep`: newest checkpoints per namespace, None for all. `compare_and_set`: refuse a put whose parent is not the
    head. `indexed`: also keep a registry of thread ids, which only `alist(None)` and `adelete_for_runs` need; it
    costs a second key outside the conversation's slot on every put, so production leaves it off.
    """

    prefix: str = "pp"
    ttl_seconds: int = 24 * 3600
    keep: int | None = 2
    compare_and_set: bool = True
    indexed: bool = False
    deadline_seconds: float = DEFAULT_DEADLINE_SECONDS


class PassportBackend:
    """Runs the scripts; every failure of the server becomes `PassportUnavailable` within the deadline."""

    def __init__(self, client: RedisClient, options: BackendOptions) -> None:
        if client.get_encoder().decode_responses:
            raise PassportError("the passport stores bytes: build the client with decode_responses=False")
        if options.ttl_seconds <= 0 or (options.keep is not None and options.keep < 1):
            raise PassportError("ttl_seconds and keep must be at least 1")
        self._client = client
        self.options = options
        self.unreadable_count = 0
        self._waiting = asyncio.Semaphore(MAX_BLOCKED_WAITERS)

    @property
    def shrinks(self) -> bool:
        """Whether older checkpoints may be stored as differences: not where single ones are taken out."""
        return self.options.keep is not None and not self.options.indexed

    @property
    def ttl_ms(self) -> int:
        """Sliding time limit of every key, milliseconds."""
        return self.options.ttl_seconds * 1000

    def keys(self, thread_id: str) -> ConversationKeys:
        """Key names of a conversation."""
        return ConversationKeys(self.options.prefix, thread_id)

    async def run(self, script: Script, keys: Sequence[str], *args: bytes | str | int) -> Any:
        """Run a script by its hash, and by its text when this server has not seen it yet."""

        async def call() -> Any:
            try:
                return await self._client.execute_command("EVALSHA", script.sha, len(keys), *keys, *args)
            except NoScriptError:
                return await self._client.execute_command("EVAL", script.text, len(keys), *keys, *args)

        return await self.guarded(call, self.options.deadline_seconds)

    async def command(self, *args: bytes | str | int) -> Any:
        """Run one plain command."""
        return await self.guarded(lambda: self._client.execute_command(*args), self.options.deadline_seconds)

    async def await_wake(self, stream: str, after: str, block_ms: int) -> list[str]:
        """Wait on the wake-up stream; return the tokens called and, as the last item, the newest entry id."""

        async def call() -> Any:
            words = ("XREAD", "COUNT", 8, "BLOCK", block_ms, "STREAMS", stream, after)
            return await self._client.execute_command(*words, **self._node_of(stream))

        if self._waiting.locked():
            await asyncio.sleep(min(block_ms, BACKOFF_MS) / 1000)
            block_ms = 1
        async with self._waiting:
            reply = await self.guarded(call, block_ms / 1000 + self.options.deadline_seconds)
        entries = list(_stream_entries(reply))
        return [text for _, text in entries] + ([entries[-1][0]] if entries else [])

    def _node_of(self, key: str) -> dict[str, Any]:
        """Name the node for a command whose keys a cluster client would have to ask a server about first."""
        find = getattr(self._client, "get_node_from_key", None)
        return {"target_nodes": find(key)} if find else {}

    async def guarded(self, call: Callable[[], Awaitable[Any]], deadline_seconds: float) -> Any:
        """Await a call under a deadline and translate the server's failures."""
        try:
            async with asyncio.timeout(deadline_seconds):
                return await call()
        except (TimeoutError, RedisTimeoutError) as error:
            raise PassportUnavailable("the server does not answer", reason="timeout") from error
        except (RedisConnectionError, OSError) as error:
            raise PassportUnavailable("no connection to the server", reason="connection") from error
        except (OutOfMemoryError, ReadOnlyError, ClusterError, RedisClusterException, TryAgainError) as error:
            reason = type(error).__name__
            raise PassportUnavailable("the server refuses work", reason=reason) from error
        except ResponseError as error:
            _raise_response(error)
        except RedisError as error:
            raise PassportError("the server answered with an error", kind=type(error).__name__) from error

    async def read(self, thread_id: str, namespace: str, which: str) -> Stored:
        """Read `"head"`, `"all"` or `"id:<checkpoint id>"` of a namespace: one round trip."""
        elements, writes = await self.run(scripts.READ, self.keys(thread_id).pair(namespace), which)
        return Stored(list(elements), pairs_of(writes))

    async def commit(
        self, thread_id: str, operations: Sequence[Operation], *, token: str = "", release: bool = False
    ) -> None:
        """Store the operations in one step; raises `StaleRun` and stores nothing when token or head do not fit."""
        if self.options.indexed and operations:
            await self._register(thread_id)
        keys = self.keys(thread_id)
        namespaces = list(dict.fromkeys(operation.namespace for operation in operations))
        pairs = [key for namespace in namespaces for key in keys.pair(namespace)]
        options = self.options
        args: list[bytes | str | int] = [
            token, int(release), self.ttl_ms, options.keep or 0, int(options.compare_and_set), len(operations),
        ]  # fmt: skip
        for operation in operations:
            args += _arguments(operation, namespaces.index(operation.namespace) + 1)
        answer = bytes(await self.run(scripts.COMMIT, [*keys.lock, keys.namespaces, *pairs], *args))
        if answer != b"OK":
            raise StaleRun("the conversation has moved on", reason=answer.decode().partition(" ")[2])

    async def namespaces(self, thread_id: str) -> list[str]:
        """Namespaces in use, the root first."""
        members = await self.command("ZRANGE", self.keys(thread_id).namespaces, 0, -1)
        return sorted(_namespace_of(member) for member in members)

    async def delete(self, thread_id: str) -> None:
        """Drop a conversation with all its namespaces, and the lock of a run that is still under way."""
        keys = self.keys(thread_id)
        known = [""]
        while True:
            pairs = [key for namespace in known for key in keys.pair(namespace)]
            names = [namespace.encode("utf-8", "surrogatepass") for namespace in known]
            members = await self.run(scripts.DELETE, [*keys.lock, keys.namespaces, *pairs], *names)
            if not members:
                break
            known = sorted({"", *(_namespace_of(member) for member in members)})
        if self.options.indexed:
            await self.command("ZREM", registry_key(self.options.prefix), _raw(thread_id))

    async def discard(self, thread_id: str, namespace: str, element: bytes) -> None:
        """Drop a namespace if this element still is its head."""
        await self.run(scripts.DISCARD, self.keys(thread_id).pair(namespace), element)

    async def _register(self, thread_id: str) -> None:
        key, now_ms = registry_key(self.options.prefix), int(time.time() * 1000)
        await self.command("ZADD", key, now_ms + self.ttl_ms, _raw(thread_id))
        await self.command("ZREMRANGEBYSCORE", key, "-inf", now_ms)
        await self.command("PEXPIRE", key, self.ttl_ms)

    async def threads(self) -> list[str]:
        """All registered thread ids; raises `PassportError` when the registry is off."""
        if not self.options.indexed:
            raise PassportError("this passport keeps no registry of threads: pass indexed=True")
        members = await self.command("ZRANGE", registry_key(self.options.prefix), 0, -1)
        return [member.decode("utf-8", "surrogatepass") for member in members]


def pairs_of(reply: Any) -> dict[bytes, bytes]:
    """A hash as scripts return it: a flat list, or a map on some RESP3 servers."""
    if isinstance(reply, dict):
        return reply
    return dict(zip(reply[::2], reply[1::2], strict=True))


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _namespace_of(member: bytes) -> str:
    return member[2:].decode("utf-8", "surrogatepass")


def _arguments(operation: Operation, pair: int) -> list[bytes | str | int]:
    namespace = _raw(operation.namespace)
    if isinstance(operation, Put):
        return [
            "P",
            pair,
            namespace,
            operation.checkpoint_id,
            operation.parent_id,
            operation.element,
            operation.previous,
        ]
    return ["W", pair, namespace, operation.name, operation.value, int(operation.overwrite), b""]


def _stream_entries(reply: Any) -> Iterable[tuple[str, str]]:
    """Entry id and token of an XREAD answer, in the RESP2 or RESP3 shape."""
    streams = reply.items() if isinstance(reply, dict) else (reply or [])
    for _, entries in streams:
        nested = entries and isinstance(entries[0], list)
        for entry_id, fields in entries[0] if nested else entries:
            yield entry_id.decode(), fields[b"t"].decode()


def _raise_response(error: ResponseError) -> None:
    words = str(error).split()
    for word in _UNAVAILABLE_WORDS:
        if any(word in part for part in words[:4]):
            raise PassportUnavailable("the server refuses work", reason=word) from error
    raise PassportError("the server refused a command", kind=type(error).__name__) from error
