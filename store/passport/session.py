"""One turn's hold on one conversation: the lock, the head it started from, and the writes it will leave.

Opening is one script (lock + head + pending writes). Everything the run stores is collected here and committed
together with the release in one script, so a turn costs two round trips and no other run can see a checkpoint
without its pending writes (an interrupt is stored as a checkpoint *and* a write). The lease is renewed only when the
run outlives a third of it.

Which session a call of the saver belongs to is told by a context variable: LangGraph calls the saver in tasks that
copy the caller's context, its config needs no extra field, and nothing is looked up by thread id across tasks.
A session names its own backend and thread, so sessions of several savers or conversations may be open at once.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Final, Self

from store.passport import scripts
from store.passport.backend import Operation, PassportBackend, Put, Stored, Write, pairs_of
from store.passport.errors import (
    ConversationBusy,
    PassportError,
    PassportUnavailable,
    StaleRun,
)
from store.passport.keys import thread_mark

_LOG = logging.getLogger(__name__)
# A waiter shows itself again at least this often, so twice this time without a sign means that it is dead.
BLOCK_MS: Final = 500
WAITER_MS: Final = 2000

_open_sessions: ContextVar[tuple[PassportSession, ...]] = ContextVar("passport_sessions", default=())


class PassportSession:
    """Async context manager of one turn; made by `PassportSaver.open`.

    Entering raises `ConversationBusy` or `PassportUnavailable`. Leaving commits and releases and may raise
    `StaleRun` or `PassportUnavailable`, unless the body raised already; `commit()` does the same earlier.
    """

    def __init__(
        self,
        backend: PassportBackend,
        thread_id: str,
        *,
        lease_seconds: float,
        wait_seconds: float,
        write_through: bool,
    ) -> None:
        self.thread_id = thread_id
        self.backend = backend
        self.write_through = write_through
        self._keys = backend.keys(thread_id)
        self._lease_seconds = lease_seconds
        self._wait_seconds = wait_seconds
        self._token = secrets.token_urlsafe(12)
        self._head: Stored | None = None
        self._operations: list[Operation] = []
        self._state = "new"
        self._committing = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._renewer: asyncio.Task[None] | None = None
        self._outer: tuple[PassportSession, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether the session may still store anything."""
        return self._state == "open"

    @property
    def lost(self) -> bool:
        """Whether the lease is known to be gone; a commit would raise `StaleRun`."""
        return self._state == "lost"

    async def __aenter__(self) -> Self:
        self._outer = _open_sessions.get()
        if self._state != "new":
            raise PassportError("a session is opened once")
        if find_session(self.backend, self.thread_id, open_only=True):
            raise PassportError("this conversation is already open in this task")
        await self._acquire()
        self._state = "open"
        _open_sessions.set((*self._outer, self))
        self._timer = asyncio.get_running_loop().call_later(self._lease_seconds / 3, self._start_renewing)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.commit()
        except PassportError as failure:
            if error is None:
                raise
            # The body's own error goes on to the caller; hiding it would also hide a cancellation.
            _LOG.warning(
                "passport commit failed after an error: %s", failure.code,
                extra={"conversation": thread_mark(self.thread_id), "facts": failure.facts},
            )  # fmt: skip
        finally:
            self._close()
            _open_sessions.set(self._outer)

    async def commit(self) -> None:
        """Store what the run left and release the lock, in one round trip; a second call does nothing.

        Raises `StaleRun` when the lease or the head is lost. After `PassportUnavailable` it may be called again
        inside the body; leaving does so once.
        """
        async with self._committing:
            if self._state == "closed":
                return
            operations = list(self._operations)
            try:
                await self.backend.commit(self.thread_id, operations, token=self._token, release=True)
            except StaleRun:
                self._close()
                if operations:
                    raise
            else:
                self._close()

    def _close(self) -> None:
        self._state = "closed"
        self._operations.clear()
        self._stop_renewing()

    # --- what the saver asks -------------------------------------------------------------------------

    async def store(self, operations: list[Operation]) -> None:
        """Keep operations for the commit, or send them at once when writing through."""
        if not self.is_open:
            raise StaleRun("the session of this run is over", reason="closed" if not self.lost else "lock")
        if not self.write_through:
            self._operations += operations
            return
        await self.backend.commit(self.thread_id, operations, token=self._token)
        self._head = None

    def local(self, namespace: str, checkpoint_id: str | None) -> Stored | None:
        """What this session knows of a checkpoint without asking the server; None when it has to ask."""
        for operation in reversed(self._operations):
            if not isinstance(operation, Put) or operation.namespace != namespace:
                continue
            if checkpoint_id is None or operation.checkpoint_id == checkpoint_id:
                return Stored([operation.element], self.overlaid(namespace, {}))
        if namespace or self._head is None:
            return None
        if checkpoint_id is None or [checkpoint_id] == [_id_of(element) for element in self._head.elements]:
            return Stored(self._head.elements, self.overlaid("", self._head.writes))
        return None

    def local_elements(self, namespace: str) -> list[bytes]:
        """Checkpoints of this run that are not stored yet, newest first."""
        puts = [operation for operation in self._operations if isinstance(operation, Put)]
        return [put.element for put in reversed(puts) if put.namespace == namespace]

    def overlaid(self, namespace: str, stored: dict[bytes, bytes]) -> dict[bytes, bytes]:
        """Pending writes as they will be after the commit."""
        writes = dict(stored)
        for operation in self._operations:
            if isinstance(operation, Write) and operation.namespace == namespace:
                if operation.overwrite:
                    writes[operation.name] = operation.value
                else:
                    writes.setdefault(operation.name, operation.value)
        return writes

    def forget_head(self) -> None:
        """Start fresh: the head could not be read and has been dropped."""
        self._head = Stored([], {})

    # --- lock ----------------------------------------------------------------------------------------

    async def _acquire(self) -> None:
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._wait_seconds
        try:
            while True:
                reply = await self._ask_for_lock()
                if int(reply[0]) == 1:
                    self._head = Stored([reply[1]] if reply[1] else [], pairs_of(reply[2]))
                    return
                if clock() >= deadline:
                    raise ConversationBusy("another turn of this conversation is running", ahead=int(reply[1]))
                await self._wait_for_turn(reply, deadline)
        except PassportUnavailable:
            raise  # Asking the same server once more would only double the wait.
        except BaseException:
            await _quietly(self._leave())
            raise

    async def _ask_for_lock(self) -> Any:
        keys = [*self._keys.lock, self._keys.namespaces, *self._keys.pair("")]
        lease_ms = int(self._lease_seconds * 1000)
        return await self.backend.run(scripts.OPEN, keys, self._token, lease_ms, WAITER_MS, self.backend.ttl_ms)

    async def _wait_for_turn(self, reply: Any, deadline: float) -> None:
        """Block until the stream calls this token, the lease of the holder ends, or `BLOCK_MS` are over."""
        clock = asyncio.get_running_loop().time
        lease_left_ms, after = int(reply[2]), reply[3].decode()
        longest_ms = min(BLOCK_MS, lease_left_ms + 5) if lease_left_ms > 0 else BLOCK_MS
        until = min(deadline, clock() + longest_ms / 1000)
        while (left := until - clock()) > 0:
            heard = await self.backend.await_wake(self._keys.lock[3], after, max(1, int(left * 1000)))
            if self._token in heard:
                return
            after = heard[-1] if heard else after

    async def _leave(self) -> None:
        await self.backend.run(scripts.LEAVE, self._keys.lock, self._token)

    def _start_renewing(self) -> None:
        self._renewer = asyncio.get_running_loop().create_task(self._renew())

    def _stop_renewing(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._renewer is not None:
            self._renewer.cancel()

    async def _renew(self) -> None:
        while self.is_open:
            try:
                lease_ms = int(self._lease_seconds * 1000)
                ours = await self.backend.run(scripts.RENEW, self._keys.lock[:1], self._token, lease_ms)
            except PassportUnavailable:
                ours = 1  # The lease may still be ours; the commit finds out.
            if not ours and self.is_open:
                self._state = "lost"
            await asyncio.sleep(self._lease_seconds / 3)


def find_session(backend: PassportBackend, thread_id: str, *, open_only: bool = False) -> PassportSession | None:
    """The innermost session of this task for a conversation; a closed one too, so that stragglers are refused."""
    for session in reversed(_open_sessions.get()):
        if session.backend is backend and session.thread_id == thread_id:
            return session if session.is_open or not open_only else None
    return None


def _id_of(element: bytes) -> str:
    return element.partition(b"\n")[0].decode("utf-8", "replace")


async def _quietly(action: Awaitable[None]) -> None:
    """Run a clean-up whose failure only costs the others the rest of a lease."""
    try:
        await action
    except PassportError as error:
        _LOG.info("passport clean-up failed: %s", error.code)
