"""One message or tap, from acceptance to the stored answer.

The message is in the database before anything runs; one runner per conversation works in order of arrival; turns
are stored before they are shown. A crash at any point leaves a row that is run again, and a run that already
moved the passport repeats its turns.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final, TypeVar

from anyio import to_thread

from api.chat.captions import caption
from api.chat.companies import CompanyDirectory
from api.chat.events import RunEvents, RunLog
from api.chat.input import Bad, clean, examine
from api.chat.lanes import Lanes
from api.chat.turns import Writing, agent_turn, user_turn
from api.clock import system_now
from frontend_contract.actions import ActionRequest, MessageRequest
from frontend_contract.compat import read_turn
from frontend_contract.payloads import NoticePayload
from graph.context import RunContext
from graph.errors import RunFailed
from graph.runner import DialogRunner, Inbound, RunOutcome
from graph.state import Json
from graph.tools.gateway import ToolCallRecord as GatewayRecord
from graph.understanding.meaning import Interpreter
from graph.writing.phrases import Phrases
from store.crm import chat
from store.errors import StoreError
from store.passport import PassportError, StaleRun
from store.sql.unit import Database

_log = logging.getLogger(__name__)
T = TypeVar("T")

LEASE_SECONDS: Final = 30.0
"""How long a dead runner blocks its conversation; longer than the deadline of a run."""
QUEUE_SECONDS: Final = 30.0
MAX_ATTEMPTS: Final = 5
"""After so many failed runs a message is closed with a notice."""
MAX_RUNS_AT_ONCE: Final = 8
"""Of one process."""
_RETRY_AFTER_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class Answer:
    """The stored answer to one message."""

    run_id: str
    turns: tuple[chat.StoredTurn, ...]
    idempotent: bool
    input_required: bool = False


@dataclass(frozen=True, slots=True)
class Tools:
    """What the service works with; made in wiring."""

    database: Database
    runner: DialogRunner
    companies: CompanyDirectory
    interpreter: Interpreter
    clock: Callable[[], datetime]
    new_turn_id: Callable[[], str]
    key_secret: bytes
    owner: str
    """Names this process in leases."""


class ChatService:
    """Takes messages and taps of authenticated conversations."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
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
        """Answer one tap.

        Raises:
            NotFound: the action is not of this conversation, or does not exist.
        """
        await _thread(
            chat.resolve_action, self._tools.database, conversation, request.action_id, now=self._tools.clock()
        )
        given = request.input.model_dump(mode="json") if request.input else {}
        body = {"action_id": request.action_id, "input": given}
        return await self._handle(conversation, "action", body, request.client_key, log)

    async def check_action(self, conversation: chat.ConversationRef, action_id: str) -> None:
        """See that an action is there.

        Raises:
            NotFound: it is not of this conversation, or does not exist.
        """
        now = self._tools.clock()
        await _thread(chat.resolve_action, self._tools.database, conversation, action_id, now=now)

    async def history(
        self, conversation: chat.ConversationRef, before_seq: int | None, limit: int
    ) -> list[chat.StoredTurn]:
        """Return a page of turns, newest first."""
        return await _thread(chat.read_turns, self._tools.database, conversation, before_seq=before_seq, limit=limit)

    async def recover(self, *, grace_seconds: float) -> int:
        """Run again what a crash left unanswered. Returns how many messages were answered."""
        refs = await _thread(chat.pending, self._tools.database, now=system_now(), grace_seconds=grace_seconds)
        answered = 0
        for ref in refs:
            claim = await _thread(self._lanes.claim, ref)
            if claim is None:
                continue
            conversation = await _thread(
                chat.get_conversation, self._tools.database, ref.company_id, ref.conversation_id
            )
            try:
                async with self._slots:
                    await self._in_task(conversation, claim, RunLog())
                answered += 1
            except (RunFailed, StoreError, PassportError) as error:
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
        log = log or RunLog()
        async with self._slots:
            accepted = await self._accept(conversation, kind, body, client_key)
            if isinstance(accepted, chat.Claimed):
                return await self._in_task(conversation, accepted.claim, log)
        if isinstance(accepted, chat.AlreadyDone):
            return await self._repeat(conversation, accepted.run_id, log)
        repeated = isinstance(accepted, chat.InProgress)
        try:
            claim = await self._lanes.wait(accepted.inbox, timeout_seconds=QUEUE_SECONDS)
        except TimeoutError as error:
            raise RunFailed("earlier messages take too long; this one is kept") from error
        if claim is None:
            return await self._repeat(conversation, accepted.run_id, log, idempotent=repeated)
        async with self._slots:
            return await self._in_task(conversation, claim, log)

    async def _accept(
        self, conversation: chat.ConversationRef, kind: str, body: Json, client_key: str | None
    ) -> chat.Accepted:
        return await _thread(
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

    async def _in_task(self, conversation: chat.ConversationRef, claim: chat.Claim, log: RunLog) -> Answer:
        """Run in a task of its own: a caller that hangs up does not stop the run."""
        task = asyncio.create_task(self._run(conversation, claim, log))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def _run(self, conversation: chat.ConversationRef, claim: chat.Claim, log: RunLog) -> Answer:
        events = RunEvents(log, claim.run_id, claim.inbox.conversation_id)
        try:
            answer = await self._answer(conversation, claim, events)
        except chat.StaleClaim:
            # Somebody else finished it while we worked: theirs is the answer.
            return await self._repeat(conversation, claim.run_id, log)
        except Exception as error:
            if claim.attempts >= MAX_ATTEMPTS:
                answer = await self._give_up(conversation, claim, error)
                _tell(events, answer)
                return answer
            await self._give_back(claim, error)
            events.failed("unavailable", "I cannot answer just now. Your message is kept.", retryable=True)
            raise
        finally:
            self._lanes.changed(claim.inbox.conversation_id)
        _tell(events, answer)
        return answer

    async def _give_up(self, conversation: chat.ConversationRef, claim: chat.Claim, error: Exception) -> Answer:
        """A message that fails every time must not block its conversation for ever: say so, and close it."""
        _log.error("a message failed %d times and was closed: %s", claim.attempts, type(error).__name__)
        phrases = Phrases(conversation.lang or "en")
        payload = NoticePayload(code="unavailable", severity="problem")
        return await self._answer_bad(conversation, claim, Bad("", phrases.say("trouble"), payload, phrases.lang))

    async def _give_back(self, claim: chat.Claim, error: BaseException) -> None:
        _log.warning("a run failed and its message was put back: %s", type(error).__name__)
        try:
            await _thread(
                chat.abandon,
                self._tools.database,
                claim,
                now=system_now(),
                retry_after_seconds=_RETRY_AFTER_SECONDS,
            )
        except StoreError:
            _log.warning("the message could not be put back; its lease will end")

    async def _answer(self, conversation: chat.ConversationRef, claim: chat.Claim, events: RunEvents) -> Answer:
        message = await _thread(chat.get_message, self._tools.database, claim.inbox)
        if message.kind == "action":
            return await self._answer_action(conversation, claim, message, events)
        text, bad = examine(str(message.body["text"]), conversation.lang or conversation.locale or "en")
        if bad is not None:
            return await self._answer_bad(conversation, claim, bad)
        inbound = Inbound(inbox_id=_inbox_id(claim), text=text)
        return await self._run_graph(conversation, claim, inbound, events, said=text, meta={})

    async def _answer_action(
        self, conversation: chat.ConversationRef, claim: chat.Claim, message: chat.InboxMessage, events: RunEvents
    ) -> Answer:
        now = self._tools.clock()
        action = await _thread(
            chat.resolve_action, self._tools.database, conversation, message.body["action_id"], now=now
        )
        if action.status == "used" and action.kind != "confirm_booking" and action.used_by_inbox_id is not None:
            return await self._answer_as_before(conversation, claim, action.used_by_inbox_id)
        kind = action.kind
        if action.status == "superseded" and kind not in {"confirm_booking", "open_url"}:
            kind = "expired"
        if action.status == "expired" and kind not in {"confirm_booking", "accept_quote"}:
            kind = "expired"
        given = message.body.get("input") or {}
        said = caption(action.kind, action.arguments, given, conversation.lang or "en")
        body = {"kind": kind, "arguments": dict(action.arguments), "input": given}
        inbound = Inbound(inbox_id=_inbox_id(claim), action=body, text=str(given.get("text") or ""))
        used = action.id if action.status == "usable" and action.once else None
        meta = {"x-action": action.kind}
        return await self._run_graph(conversation, claim, inbound, events, said=said, meta=meta, used_action_id=used)

    async def _answer_as_before(
        self, conversation: chat.ConversationRef, claim: chat.Claim, used_by_inbox_id: int
    ) -> Answer:
        """A second press of a spent button: the answer of the first."""
        await self._record(conversation, claim, chat.RunRecord(turns=()))
        first = chat.InboxRef(conversation.company_id, conversation.conversation_id, used_by_inbox_id)
        message = await _thread(chat.get_message, self._tools.database, first)
        turns = await _thread(chat.turns_of_run, self._tools.database, conversation, message.run_id)
        return Answer(message.run_id, tuple(turns), idempotent=True)

    # ---- the graph -----------------------------------------------------------------------------------

    async def _run_graph(
        self,
        conversation: chat.ConversationRef,
        claim: chat.Claim,
        inbound: Inbound,
        events: RunEvents,
        *,
        said: str,
        meta: Json,
        used_action_id: str | None = None,
    ) -> Answer:
        context = await self._context(conversation, events)
        outcome = await self._run_audited(conversation, claim, inbound, context)
        record = self._compose(conversation, claim, outcome, said, meta, used_action_id)
        stored = await self._record(conversation, claim, record)
        for turn_id in stored.superseded_turn_ids:
            events.replaced(turn_id)
        input_required = outcome.open_question != "none"
        return Answer(claim.run_id, stored.turns, idempotent=False, input_required=input_required)

    async def _run_audited(
        self, conversation: chat.ConversationRef, claim: chat.Claim, inbound: Inbound, context: RunContext
    ) -> RunOutcome:
        try:
            return await self._tools.runner.run(inbound, context)
        except StaleRun:
            # The passport moved on under us: read it again, once.
            return await self._tools.runner.run(inbound, context)
        except RunFailed:
            calls = [_audit(record) for record in context.gateway.records]
            await _thread(chat.record_tool_calls, self._tools.database, conversation, claim.run_id, calls)
            raise

    async def _context(self, conversation: chat.ConversationRef, events: RunEvents) -> RunContext:
        tools = self._tools
        actor = f"{conversation.channel}:{conversation.conversation_id}"
        gateway = tools.companies.gateway(conversation.company_id, actor)
        facts = await tools.companies.facts(conversation.company_id, gateway)
        return RunContext(
            conversation_id=conversation.conversation_id,
            company=facts.info,
            offices=facts.offices,
            company_call_id=facts.call_id,
            gateway=gateway,
            interpreter=tools.interpreter,
            clock=tools.clock,
            new_turn_id=tools.new_turn_id,
            key_secret=tools.key_secret,
            on_status=events.status,
        )

    def _compose(
        self,
        conversation: chat.ConversationRef,
        claim: chat.Claim,
        outcome: RunOutcome,
        said: str,
        meta: Json,
        used_action_id: str | None,
    ) -> chat.RunRecord:
        writing = self._writing(conversation, claim)
        turns = [user_turn(writing, self._tools.new_turn_id(), said, outcome.lang, meta)]
        actions: list[chat.ActionRecord] = []
        for draft in outcome.drafts:
            turn, its_actions = agent_turn(writing, draft)
            turns.append(turn)
            actions.extend(its_actions)
        superseded = tuple(turn_id for draft in outcome.drafts for turn_id in draft["superseded"])
        return chat.RunRecord(
            turns=tuple(turns),
            actions=tuple(actions),
            superseded_turn_ids=superseded,
            used_action_id=used_action_id,
            tool_calls=tuple(_audit(record) for record in outcome.tool_calls),
            lang=outcome.lang,
        )

    def _writing(self, conversation: chat.ConversationRef, claim: chat.Claim) -> Writing:
        accepts = frozenset(conversation.accepts) if conversation.accepts is not None else None
        return Writing(conversation.conversation_id, claim.run_id, self._tools.clock(), accepts, chat.new_action_id)

    async def _answer_bad(self, conversation: chat.ConversationRef, claim: chat.Claim, bad: Bad) -> Answer:
        """A message that no interpreter needs to see: a short typed answer, state kept."""
        writing = self._writing(conversation, claim)
        turns = []
        if bad.said:
            turns.append(user_turn(writing, self._tools.new_turn_id(), bad.said, bad.lang, {}))
        draft = bad.draft(self._tools.new_turn_id())
        turn, actions = agent_turn(writing, draft)
        record = chat.RunRecord(turns=(*turns, turn), actions=tuple(actions))
        stored = await self._record(conversation, claim, record)
        return Answer(claim.run_id, stored.turns, idempotent=False)

    async def _record(
        self, conversation: chat.ConversationRef, claim: chat.Claim, record: chat.RunRecord
    ) -> chat.RecordedRun:
        del conversation  # the claim names it
        return await _thread(chat.record_run, self._tools.database, claim, record, now=system_now())

    async def _repeat(
        self, conversation: chat.ConversationRef, run_id: str, log: RunLog, *, idempotent: bool = True
    ) -> Answer:
        turns = await _thread(chat.turns_of_run, self._tools.database, conversation, run_id)
        answer = Answer(run_id, tuple(turns), idempotent=idempotent)
        events = RunEvents(log, run_id, conversation.conversation_id)
        _tell(events, answer)
        return answer


def _tell(events: RunEvents, answer: Answer) -> None:
    for turn in answer.turns:
        events.turn(read_turn(turn.raw))
    last_seq = answer.turns[-1].seq if answer.turns else 0
    events.done(last_seq, input_required=answer.input_required, idempotent=answer.idempotent)


def _inbox_id(claim: chat.Claim) -> str:
    return f"{claim.inbox.conversation_id}:{claim.inbox.inbox_id}"


def _audit(record: GatewayRecord) -> chat.ToolCallRecord:
    return chat.ToolCallRecord(
        call_id=record.call_id,
        tool=record.tool,
        argument_digest=record.arguments_digest,
        arguments=record.arguments,
        result_digest=record.result_digest,
        ok=record.ok,
        error_code=record.error_code or None,
        started_at=record.started_at,
        duration_ms=record.duration_ms,
        attempts=record.attempts,
        idempotency_key_digest=record.idempotency_key_digest or None,
    )


def as_stored(turn: chat.StoredTurn) -> bytes:
    """Return a turn as it was sent, with the status that holds now."""
    if not turn.status_changed:
        return turn.raw
    data = json.loads(turn.raw)
    data["status"] = turn.status
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


async def _thread(call: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
    """Run a blocking store call in a worker thread."""
    return await to_thread.run_sync(partial(call, *args, **kwargs))
