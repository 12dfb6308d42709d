"""Clients with short patience, and the health probe.

redis-py waits and retries for many seconds by default (a gone server costs 4.6 s, a frozen one 9 s and more). A chat
turn has two seconds to say "try again", so: half a second to connect, one to answer, two quick retries of a refused
connection, and none of a timeout (the next try would only freeze as well).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast
from urllib.parse import urlsplit

import redis.asyncio as redis_async
from redis.asyncio.cluster import RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff
from redis.exceptions import ConnectionError as RedisConnectionError

from store.passport.backend import BackendOptions, PassportBackend, RedisClient
from store.passport.errors import PassportError, PassportUnavailable

TIMEOUT_SECONDS: Final = 1.0
_SCHEMES: Final = ("redis", "rediss", "unix")


@dataclass(frozen=True)
class Health:
    """Answer of the probe.

    `kind` is "redis", "valkey", "fakeredis" or "unknown"; `durable` is None when the server does not tell;
    `latency_ms` is one PING; `reason` says why `ok` is false.
    """

    ok: bool
    kind: str = "unknown"
    version: str = ""
    durable: bool | None = None
    latency_ms: float = 0.0
    reason: str = ""


def connect(
    url: str, *, cluster: bool = False, max_connections: int = 64, timeout_seconds: float = TIMEOUT_SECONDS
) -> RedisClient:
    """Return a client for `redis://`, `rediss://` or `unix://`; nothing is sent before the first command.

    `timeout_seconds`: for an answer, and for a free connection when all `max_connections` are in use (a cluster client
    refuses at once; there the number is per node); half of it to connect. Raises `PassportError` for another scheme.
    """
    scheme = urlsplit(url).scheme
    if scheme not in _SCHEMES or (cluster and scheme == "unix"):
        raise PassportError("the address must be redis://, rediss:// or, without a cluster, unix://", scheme=scheme)
    settings: dict[str, Any] = {
        "decode_responses": False,
        # RESP2 on purpose: every server and proxy speaks it, and no handshake is needed for it.
        "protocol": 2,
        "socket_connect_timeout": timeout_seconds / 2,
        "socket_timeout": timeout_seconds,
        "retry": Retry(ExponentialBackoff(cap=0.05, base=0.01), 2, supported_errors=(RedisConnectionError,)),
        "max_connections": max_connections,
    }
    if cluster:
        # Zero: learn a moved slot by slot. Otherwise every fifth one closes the connections of all other turns.
        return cast(RedisClient, RedisCluster.from_url(url, reinitialize_steps=0, **settings))
    pool = redis_async.BlockingConnectionPool.from_url(url, timeout=timeout_seconds, **settings)
    return cast(RedisClient, redis_async.Redis.from_pool(pool))


async def probe(client: RedisClient) -> Health:
    """Ask a server how it is; never raises for a server that is down, and answers within two seconds."""
    backend = PassportBackend(client, BackendOptions())
    clock = asyncio.get_running_loop().time
    started = clock()
    try:
        await backend.command("PING")
        latency_ms = (clock() - started) * 1000
    except PassportUnavailable as error:
        return Health(ok=False, reason=str(error.facts.get("reason", "")))
    if type(client).__module__.startswith("fakeredis"):
        return Health(ok=True, kind="fakeredis", durable=False, latency_ms=latency_ms)
    try:
        facts = _flat(await backend.command("INFO"))
    except PassportError:
        facts = {}
    kind, version = _kind(facts)
    return Health(ok=True, kind=kind, version=version, durable=_durable(facts), latency_ms=latency_ms)


def _flat(info: Any) -> Mapping[str, Any]:
    """The facts of one node; a cluster client answers with a map of nodes."""
    if not isinstance(info, dict):
        return {}
    first = next(iter(info.values()), None)
    return first if isinstance(first, dict) and "redis_version" in first else info


def _kind(facts: Mapping[str, Any]) -> tuple[str, str]:
    if "valkey_version" in facts:
        return "valkey", str(facts["valkey_version"])
    return ("redis", str(facts["redis_version"])) if "redis_version" in facts else ("unknown", "")


def _durable(facts: Mapping[str, Any]) -> bool | None:
    """Whether acknowledged writes survive a kill: only the append-only file does that, snapshots do not."""
    return bool(facts["aof_enabled"]) if "aof_enabled" in facts else None
