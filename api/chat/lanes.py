"""One runner per conversation, in order of arrival. The database decides; this only waits without haste."""

from __future__ import annotations

import asyncio
from typing import Final

from anyio import to_thread

from api.clock import system_now
from store.crm import chat
from store.sql.unit import Database

_LOOK_AGAIN_SECONDS: Final = 0.25
"""Another process may hold the conversation: look in the database this often."""


class Lanes:
    """Waits for a message's turn."""

    def __init__(self, database: Database, owner: str, *, lease_seconds: float) -> None:
        self._database = database
        self._owner = owner
        self._lease_seconds = lease_seconds
        self._events: dict[str, asyncio.Event] = {}

    def claim(self, inbox: chat.InboxRef) -> chat.Claim | None:
        """Take a message when its turn has come. Blocks."""
        return chat.claim(self._database, inbox, owner=self._owner, now=system_now(), lease_seconds=self._lease_seconds)

    def changed(self, conversation_id: str) -> None:
        """Wake those who wait in a conversation."""
        event = self._events.pop(conversation_id, None)
        if event is not None:
            event.set()

    async def wait(self, inbox: chat.InboxRef, *, timeout_seconds: float) -> chat.Claim | None:
        """Return the claim when the turn has come, None when somebody else has answered the message.

        Raises:
            TimeoutError: neither happened in time; the message stays kept.
        """
        async with asyncio.timeout(timeout_seconds):
            while True:
                event = self._events.setdefault(inbox.conversation_id, asyncio.Event())
                oldest = await to_thread.run_sync(chat.next_message, self._database, inbox)
                if oldest is None or oldest.inbox_id > inbox.inbox_id:
                    return None
                if oldest.inbox_id == inbox.inbox_id:
                    claim = await to_thread.run_sync(self.claim, inbox)
                    if claim is not None:
                        return claim
                await self._pause(event)

    async def _pause(self, event: asyncio.Event) -> None:
        try:
            async with asyncio.timeout(_LOOK_AGAIN_SECONDS):
                await event.wait()
        except TimeoutError:
            return
