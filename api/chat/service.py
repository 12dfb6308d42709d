"""One message or tap, from acceptance to the stored answer.

The message is in the database before anything runs; one runner per conversation works in order of arrival; turns
are stored before they are shown. A crash at any point leaves a row that is run again, and a run that already
moved the passport repeats its turns.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any, Final

from api.chat.events import RunEvents, RunLog
from api.chat.input import clean
from api.chat.lanes import Lanes
from api.chat.runs import Answer, Runs, Tools, in_thread
from api.clock import system_now
from frontend_contract.actions import ActionRequest, MessageRequest
from frontend_contract.compat import read_turn
from graph.errors import RunFailed
from graph.state import Json
from store.crm import chat
from store.errors import StoreError, StoreUnavailable
from store.passport import PassportError

_log = logging.getLogger(__name__)

LEASE_SECONDS: Final = 30.0
"""How long a dead runner blocks its conversation; longer than the deadline of a run."""
QUEUE_SECONDS: Final = 30.0
MAX_ATTEMPTS: Final = 5
"""After so many failed runs a message is closed with a notice."""
MAX_RUNS_AT_ONCE: Final = 8
"""Of one process."""
_RETRY_AFTER_SECONDS: Final = 2.0


class ChatService:
    """Takes messages and taps of authenticated conversations."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._runs = Runs(tools)
        self._lanes = Lanes(tools.database, tools.owner, lease_seconds=LEASE_SECONDS)
        self._tasks: set[asyncio.Task[Answer]] = set()
        # More at once would only make all of them slow, until their deadlines fail them: the rest queue.
        self._slots = asyncio.Semaphore(MAX_RUNS_AT_ONCE)

    # ---- doors -----------------------------------------------------------------------------------

    async def send(
        self, conversation: chat.ConversationRef, request: MessageRequest, log: RunLog | None = None
    ) -> Answer:
        """Answer one message."""
        body = {"text": clean(request.message)}
        return await self._handle(conversation, "message", body, request.client_key, log)

    async def act(
        self, conversation: chat.ConversationRef, request: ActionRequest, log: RunLog | None = None
    ) -> Answer:
        """Answer one tap on an action that is there; see `check_action`."""
        given = _cleaned(request.input.model_dump(mode="json")) if request.input else {}
        body = {"action_id": request.action_id, "input": given}
        return await self._handle(conversation, "action", body, request.client_key, log)

    async def check_action(self, conversation: chat.ConversationRef, action_id: str) -> None:
        """See that an action is there.

        Raises:
            NotFound: it is not of this conversation, or does not exist.
        """
        now = self._tools.clock()
        await in_thread(chat.resolve_action, self._tools.database, conversation, action_id, now=now)

    async def history(
        self, conversation: chat.ConversationRef, before_seq: int | None, limit: int
    ) -> list[chat.StoredTurn]:
        """Return a page of turns, newest first."""
        return await in_thread(chat.read_turns, self._tools.database, conversation, before_seq=before_seq, limit=limit)

    async def recover(self, *, grace_seconds: float) -> int:
        """Run again what a crash left unanswered. Returns how many messages were answered."""
        refs = await in_thread(chat.pending, self._tools.database, now=system_now(), grace_seconds=grace_seconds)
        answered = 0
        for ref in refs:
            claim = await in_thread(self._lanes.claim, ref)
            if claim is None:
                continue
            conversation = await in_thread(
                chat.get_conversation, self._tools.database, ref.company_id, ref.conversation_id
            )
            message = await in_thread(chat.get_message, self._tools.database, ref)
            try:
                async with self._slots:
                    await self._in_task(conversation, claim, message.kind, message.body, None)
                answered += 1
            except Exception as error:  # noqa: BLE001
                # Whatever it is, the other conversations' messages must not wait for it.
                _log.warning("a kept message still has no answer: %s", type(error).__name__)
        return answered

    async def drain(self) -> None:
        """Wait for the runs that are going on."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=LEASE_SECONDS)

    # ---- one message -------------------------------------------------------------------------------

    async def _handle(
        self, conversation: chat.ConversationRef, kind: str, body: Json, client_key: str | None, log: RunLog | None
    ) -> Answer:
        async with self._slots:
            accepted = await self._accept(conversation, kind, body, client_key)
            if isinstance(accepted, chat.Claimed):
                return await self._in_task(conversation, accepted.claim, kind, body, log)
        if isinstance(accepted, chat.AlreadyDone):
            return await self._repeat(conversation, accepted.run_id, log, kind=kind, body=body)
        repeated = isinstance(accepted, chat.InProgress)
        try:
            claim = await self._lanes.wait(accepted.inbox, timeout_seconds=QUEUE_SECONDS)
        except TimeoutError as error:
            raise RunFailed("earlier messages take too long; this one is kept") from error
        if claim is None:
            return await self._repeat(conversation, accepted.run_id, log, idempotent=repeated)
        if isinstance(accepted, chat.Queued):
            # It was sent before the answer ahead of it was there: a yes in it cannot mean that answer's question.
            body = {**body, "is_unseen": True}
        async with self._slots:
            return await self._in_task(conversation, claim, kind, body, log)

    async def _accept(
        self, conversation: chat.ConversationRef, kind: str, body: Json, client_key: str | None
    ) -> chat.Accepted:
        return await in_thread(
            chat.accept_message,
            self._tools.database,
            conversation,
            kind=kind,
            body=body,
            dedupe_key=client_key,
            now=system_now(),
            owner=self._tools.owner,
            lease_seconds=LEASE_SECONDS,
        )

    async def _in_task(
        self, conversation: chat.ConversationRef, claim: chat.Claim, kind: str, body: Json, log: RunLog | None
    ) -> Answer:
        """Run in a task of its own: a caller that hangs up does not stop the run."""
        task = asyncio.create_task(self._run(conversation, claim, kind, body, log))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def _run(
        self, conversation: chat.ConversationRef, claim: chat.Claim, kind: str, body: Json, log: RunLog | None
    ) -> Answer:
        # The customer's own turn is named now, so that a screen can tell it from the one it drew at once.
        events = RunEvents(log, claim.run_id, claim.inbox.conversation_id, self._tools.new_turn_id())
        try:
            answer = await self._runs.answer(conversation, claim, kind, body, events)
        except chat.StaleClaim:
            # Somebody else finished it while we worked: theirs is the answer.
            return await self._repeat(conversation, claim.run_id, log)
        except Exception as error:
            outage = isinstance(error, PassportError | StoreUnavailable)
            if claim.attempts >= MAX_ATTEMPTS and not outage:
                answer = await self._runs.give_up(conversation, claim, kind, body, error)
                _tell(events, answer)
                return answer
            await self._give_back(claim, error)
            events.failed("unavailable", "I cannot answer just now. Your message is kept.", retryable=True)
            raise
        finally:
            self._lanes.changed(claim.inbox.conversation_id)
        _tell(events, answer)
        return answer

    async def _give_back(self, claim: chat.Claim, error: BaseException) -> None:
        _log.warning("a run failed and its message was put back: %s", type(error).__name__)
        try:
            await in_thread(
                chat.abandon,
                self._tools.database,
                claim,
                now=system_now(),
                retry_after_seconds=_RETRY_AFTER_SECONDS,
            )
        except StoreError:
            _log.warning("the message could not be put back; its lease will end")

    async def _repeat(
        self,
        conversation: chat.ConversationRef,
        run_id: str,
        log: RunLog | None,
        *,
        idempotent: bool = True,
        kind: str = "",
        body: Json | None = None,
    ) -> Answer:
        turns = await in_thread(chat.turns_of_run, self._tools.database, conversation, run_id)
        if not turns and kind == "action" and body:
            # A spent button under a key of its own: its answer is the first press's.
            turns = await self._runs.answer_of_first_press(conversation, body["action_id"])
        if not turns:
            raise RunFailed("somebody else is answering this message")
        answer = Answer(run_id, tuple(turns), idempotent=idempotent)
        events = RunEvents(log, run_id, conversation.conversation_id)
        _tell(events, answer)
        return answer


def _cleaned(value: Any) -> Any:
    """Clean every text of a form, as a message is."""
    if isinstance(value, str):
        return clean(value)
    return {key: _cleaned(item) for key, item in value.items()} if isinstance(value, dict) else value


def _tell(events: RunEvents, answer: Answer) -> None:
    if events.is_silent:
        return
    for turn in answer.turns:
        events.turn(read_turn(turn.raw))
    last_seq = answer.turns[-1].seq if answer.turns else 0
    events.done(last_seq, input_required=answer.input_required, idempotent=answer.idempotent)


def as_stored(turn: chat.StoredTurn) -> bytes:
    """Return a turn as it was sent, with the status that holds now."""
    if not turn.status_changed:
        return turn.raw
    data = json.loads(turn.raw)
    data["status"] = turn.status
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


__all__ = ["Answer", "ChatService", "Tools", "as_stored"]
