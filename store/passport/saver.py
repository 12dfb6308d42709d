"""`PassportSaver`: LangGraph's checkpointer on plain Redis or Valkey commands."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, Self

from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from store.passport import scripts
from store.passport.backend import BackendOptions, Operation, PassportBackend, Put, RedisClient, Stored, Write
from store.passport.blob import BlobCodec
from store.passport.documents import (
    checkpoint_document,
    read_checkpoint_document,
    read_write_document,
    write_document,
)
from store.passport.errors import PassportError, PassportUnreadable
from store.passport.keys import checked_thread_id, thread_mark
from store.passport.plain import StrictJsonSerializer
from store.passport.session import PassportSession, find_session

_LOG = logging.getLogger(__name__)
# LangGraph's RunnableConfig; spelled as a mapping because the store does not import langchain.
Config = Mapping[str, Any]
# A worker that dies holds its conversation up for one lease; a turn under a third of it never renews.
DEFAULT_LEASE_SECONDS: Final = 9.0
DEFAULT_WAIT_SECONDS: Final = 20.0


class PassportSaver(BaseCheckpointSaver[int]):
    """Checkpointer with a lock per conversation, compare-and-set and a time limit on every key.

    `serde` defaults to strict JSON; `codec` holds size limit and seal keys; `options` says what is kept how long.
    Only the async methods exist. Copies share the backend, so they share its sessions as well.
    """

    def __init__(
        self,
        client: RedisClient,
        *,
        options: BackendOptions | None = None,
        serde: SerializerProtocol | None = None,
        codec: BlobCodec | None = None,
    ) -> None:
        super().__init__(serde=serde or StrictJsonSerializer())
        self.backend = PassportBackend(client, options or BackendOptions())
        self._codec = codec or BlobCodec()

    @property
    def unreadable_count(self) -> int:
        """How many conversations were dropped since the start because their blob could not be read."""
        return self.backend.unreadable_count

    def with_allowlist(self, extra_allowlist: Collection[tuple[str, ...]]) -> Self:
        """Return the saver for these msgpack types; strict JSON has no types, so nothing changes there."""
        if isinstance(self.serde, StrictJsonSerializer):
            return self
        clone = super().with_allowlist(extra_allowlist)
        if not isinstance(clone, type(self)):
            raise PassportError("the copy is of another class")
        return clone

    def open(
        self,
        thread_id: str,
        *,
        lease_seconds: float = DEFAULT_LEASE_SECONDS,
        wait_seconds: float = DEFAULT_WAIT_SECONDS,
        write_through: bool = False,
    ) -> PassportSession:
        """Return the session of one turn, to be entered with `async with`.

        `lease_seconds`: how long a dead holder blocks others. `wait_seconds`: how long to queue before
        `ConversationBusy`. `write_through`: send every put at once (durability "sync" or "async") instead of
        everything at the end.
        """
        return PassportSession(
            self.backend,
            thread_id,
            lease_seconds=lease_seconds,
            wait_seconds=wait_seconds,
            write_through=write_through,
        )

    # --- reading -------------------------------------------------------------------------------------

    async def aget_tuple(self, config: Config) -> CheckpointTuple | None:
        """Return the checkpoint of a config, or None; an unreadable one is dropped, counted and logged."""
        thread_id, namespace, checkpoint_id = _address(config)
        session = find_session(self.backend, thread_id, open_only=True)
        stored = session.local(namespace, checkpoint_id) if session else None
        if stored is None:
            which = f"id:{checkpoint_id}" if checkpoint_id else "head"
            stored = await self.backend.read(thread_id, namespace, which)
            if session:
                stored = Stored(stored.elements, session.overlaid(namespace, stored.writes))
        if not stored.elements:
            return None
        try:
            *_, (found_id, body) = self._bodies(thread_id, namespace, stored.elements)
            return self._decode(thread_id, namespace, found_id, body, stored.writes)
        except PassportUnreadable as error:
            await self._drop_unreadable(thread_id, namespace, stored.elements[0], error)
            return None

    async def alist(
        self,
        config: Config | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's name
        before: Config | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, newest first; `config=None` means all threads and needs `indexed=True`."""
        before_id = before["configurable"].get("checkpoint_id") if before else None
        left = limit
        for thread_id, namespace in await self._places(config):
            async for item in self._list_namespace(thread_id, namespace):
                if not _matches(item, config, filter, before_id):
                    continue
                if left is not None:
                    if left <= 0:
                        return
                    left -= 1
                yield item

    async def _places(self, config: Config | None) -> list[tuple[str, str]]:
        if config is None:
            threads = await self.backend.threads()
            return [(thread, name) for thread in threads for name in await self.backend.namespaces(thread)]
        thread_id, _, _ = _address(config)
        if "checkpoint_ns" in config["configurable"]:
            return [(thread_id, config["configurable"]["checkpoint_ns"])]
        return [(thread_id, name) for name in await self.backend.namespaces(thread_id) or [""]]

    async def _list_namespace(self, thread_id: str, namespace: str) -> AsyncIterator[CheckpointTuple]:
        stored = await self.backend.read(thread_id, namespace, "all")
        elements, writes = stored.elements, stored.writes
        if session := find_session(self.backend, thread_id, open_only=True):
            elements = session.local_elements(namespace) + elements
            writes = session.overlaid(namespace, writes)
        try:
            for checkpoint_id, body in self._bodies(thread_id, namespace, elements):
                yield self._decode(thread_id, namespace, checkpoint_id, body, writes)
        except PassportUnreadable as error:
            self._report(thread_id, error)

    # --- writing -------------------------------------------------------------------------------------

    async def aput(
        self,
        config: Config,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,  # noqa: ARG002 - checkpoints are stored whole
    ) -> Any:
        """Store a checkpoint; raises `StaleRun`, `NotPlainData` or `PassportTooLarge` and stores nothing then."""
        thread_id, namespace, parent_id = _address(config)
        checkpoint_id = checkpoint["id"]
        full_metadata = get_checkpoint_metadata(config, metadata)  # type: ignore[arg-type]  # see Config
        document = checkpoint_document(checkpoint, full_metadata, parent_id)
        body = self._codec.serialize(self.serde, document)
        element = _element(checkpoint_id, self._codec.enclose(body, (thread_id, namespace, checkpoint_id)))
        previous = self._shrunk_parent(thread_id, namespace, parent_id, body)
        await self._store(thread_id, [Put(namespace, checkpoint_id, parent_id or "", element, previous)])
        return _config(thread_id, namespace, checkpoint_id)

    async def aput_writes(
        self, config: Config, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store pending writes: regular ones once, those of LangGraph's special channels always anew."""
        thread_id, namespace, checkpoint_id = _address(config)
        operations: list[Operation] = []
        for position, (channel, value) in enumerate(writes):
            index = WRITES_IDX_MAP.get(channel, position)
            name = f"{checkpoint_id}\n{task_id}\n{index}"
            document = write_document(channel, value, task_path)
            blob = self._codec.pack(self.serde, document, (thread_id, namespace, name))
            operations.append(Write(namespace, name.encode(), blob, overwrite=index < 0))
        if operations:
            await self._store(thread_id, operations)

    async def _store(self, thread_id: str, operations: list[Operation]) -> None:
        if session := find_session(self.backend, thread_id):
            await session.store(operations)
        else:
            await self.backend.commit(thread_id, operations)

    # --- threads -------------------------------------------------------------------------------------

    async def adelete_thread(self, thread_id: str) -> None:
        """Drop a conversation; a run that still holds it will be refused at its commit."""
        await self.backend.delete(thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Drop the checkpoints of these runs in every thread; needs `indexed=True`, reads everything."""
        wanted = set(run_ids)
        for thread_id, namespace in await self._places(None) if wanted else []:
            doomed = [
                item.checkpoint["id"]
                async for item in self._list_namespace(thread_id, namespace)
                if item.metadata.get("run_id") in wanted
            ]
            if doomed:
                await self.backend.run(scripts.REMOVE, self.backend.keys(thread_id).pair(namespace), *doomed)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Replace the target conversation by a copy of the source, sealed for its new place."""
        await self.backend.delete(target_thread_id)
        for namespace in await self.backend.namespaces(source_thread_id):
            stored = await self.backend.read(source_thread_id, namespace, "all")
            operations: list[Operation] = []
            parent_id = ""
            bodies = list(self._bodies(source_thread_id, namespace, stored.elements))
            for checkpoint_id, body in reversed(bodies):
                moved = self._codec.enclose(body, (target_thread_id, namespace, checkpoint_id))
                operations.append(Put(namespace, checkpoint_id, parent_id, _element(checkpoint_id, moved)))
                parent_id = checkpoint_id
            for name, blob in stored.writes.items():
                body = self._codec.open(blob, (source_thread_id, namespace, name.decode()))
                moved = self._codec.enclose(body, (target_thread_id, namespace, name.decode()))
                operations.append(Write(namespace, name, moved, overwrite=True))
            if operations:
                await self.backend.commit(target_thread_id, operations)

    async def aprune(
        self, thread_ids: Sequence[str], *, strategy: Literal["keep_latest", "delete"] | str = "keep_latest"
    ) -> None:
        """Keep the newest checkpoint per namespace, or delete the threads."""
        for thread_id in thread_ids:
            if strategy == "delete":
                await self.backend.delete(thread_id)
                continue
            keys = self.backend.keys(thread_id)
            for namespace in await self.backend.namespaces(thread_id):
                await self.backend.run(scripts.TRIM, keys.pair(namespace), 1)

    # --- blobs ---------------------------------------------------------------------------------------

    def _bodies(self, thread_id: str, namespace: str, elements: Sequence[bytes]) -> Iterator[tuple[str, bytes]]:
        """Ids and bodies of checkpoints, newest first; an older one may need the body before it."""
        body = b""
        for element in elements:
            checkpoint_id, blob = _split(element)
            body = self._codec.open(blob, (thread_id, namespace, checkpoint_id), base=body)
            yield checkpoint_id, body

    def _shrunk_parent(self, thread_id: str, namespace: str, parent_id: str | None, body: bytes) -> bytes:
        """The parent as a difference to `body`, when this run has it at hand; otherwise nothing."""
        session = find_session(self.backend, thread_id, open_only=True)
        if not parent_id or not session or not self.backend.shrinks:
            return b""
        stored = session.local(namespace, parent_id)
        if stored is None or not stored.elements:
            return b""
        try:
            ((_, old_body),) = self._bodies(thread_id, namespace, stored.elements)
        except PassportUnreadable:
            return b""  # Whoever reads it will drop it.
        place = (thread_id, namespace, parent_id)
        element = _element(parent_id, self._codec.enclose_difference(old_body, body, place))
        return element if len(element) < len(stored.elements[0]) else b""

    def _decode(
        self, thread_id: str, namespace: str, checkpoint_id: str, body: bytes, writes: Mapping[bytes, bytes]
    ) -> CheckpointTuple:
        document = self._codec.parse(self.serde, body)
        checkpoint, metadata, parent_id = read_checkpoint_document(document)
        if checkpoint["id"] != checkpoint_id:
            raise PassportUnreadable("the checkpoint has another id", reason="id")
        return CheckpointTuple(
            config=_config(thread_id, namespace, checkpoint_id),
            checkpoint=checkpoint,
            metadata=metadata,
            parent_config=_config(thread_id, namespace, parent_id) if parent_id else None,
            pending_writes=list(self._pending_writes(thread_id, namespace, checkpoint_id, writes)),
        )

    def _pending_writes(
        self, thread_id: str, namespace: str, checkpoint_id: str, writes: Mapping[bytes, bytes]
    ) -> Iterator[tuple[str, str, Any]]:
        found = []
        prefix = checkpoint_id.encode() + b"\n"
        for name, blob in writes.items():
            if not name.startswith(prefix):
                continue
            place = (thread_id, namespace, name.decode("utf-8", "replace"))
            channel, value, task_path = read_write_document(self._codec.unpack(self.serde, blob, place))
            task_id, index = _split_write_name(name[len(prefix) :])
            found.append(((task_path, task_id, index), channel, value))
        for (_, task_id, _), channel, value in sorted(found, key=lambda entry: entry[0]):
            yield task_id, channel, value

    def _report(self, thread_id: str, error: PassportUnreadable) -> None:
        self.backend.unreadable_count += 1
        _LOG.error("passport unreadable: %s", error.facts.get("reason"), extra={"conversation": thread_mark(thread_id)})

    async def _drop_unreadable(self, thread_id: str, namespace: str, element: bytes, error: PassportUnreadable) -> None:
        self._report(thread_id, error)
        await self.backend.discard(thread_id, namespace, element)
        session = find_session(self.backend, thread_id, open_only=True)
        if session and not namespace:
            session.forget_head()


def _address(config: Config) -> tuple[str, str, str | None]:
    configurable = config["configurable"]
    thread_id = checked_thread_id(configurable.get("thread_id"))
    namespace, checkpoint_id = configurable.get("checkpoint_ns") or "", configurable.get("checkpoint_id")
    if type(namespace) is not str or (checkpoint_id and type(checkpoint_id) is not str):
        raise PassportError("namespace and checkpoint id must be strings")
    return thread_id, namespace, checkpoint_id or None


def _config(thread_id: str, namespace: str, checkpoint_id: str) -> Any:
    place = {"thread_id": thread_id, "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}
    return {"configurable": place}


def _element(checkpoint_id: str, blob: bytes) -> bytes:
    return checkpoint_id.encode() + b"\n" + blob


def _split(element: bytes) -> tuple[str, bytes]:
    name, separator, blob = element.partition(b"\n")
    if not separator:
        raise PassportUnreadable("the element has no id", reason="layout")
    return name.decode("utf-8", "replace"), blob


def _split_write_name(rest: bytes) -> tuple[str, int]:
    task_id, _, index = rest.rpartition(b"\n")
    try:
        return task_id.decode(), int(index)
    except ValueError as error:
        raise PassportUnreadable("the name of a write is damaged", reason="layout") from error


def _matches(
    item: CheckpointTuple, config: Config | None, wanted: Mapping[str, Any] | None, before_id: str | None
) -> bool:
    checkpoint_id = item.checkpoint["id"]
    only_id = config["configurable"].get("checkpoint_id") if config else None
    if (only_id and checkpoint_id != only_id) or (before_id and checkpoint_id >= before_id):
        return False
    return all(item.metadata.get(key) == value for key, value in (wanted or {}).items())
