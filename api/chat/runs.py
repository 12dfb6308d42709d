"""One claimed message or tap, answered and recorded."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Final, TypeVar

from anyio import to_thread

from api.chat.captions import caption
from api.chat.companies import CompanyDirectory
from api.chat.events import RunEvents
from api.chat.input import Bad, examine
from api.chat.model_calls import accountable
from api.chat.turns import Writing, agent_turn, user_turn
from api.clock import system_now
from frontend_contract.payloads import NoticePayload
from graph.context import RunContext
from graph.models.describe import Describer
from graph.runner import DialogRunner, Inbound, RunOutcome
from graph.state import Json
from graph.tools.audit import ToolCallRecord as GatewayRecord
from graph.understanding.meaning import Interpreter
from graph.writing.phrases import Phrases
from store.crm import chat
from store.passport import StaleRun
from store.sql.unit import Database

_log = logging.getLogger(__name__)
T = TypeVar("T")
_SHOWN_OF_FAILED: Final = 1000


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
    describer: Describer | None = None
    strict_grounding: bool = False
    """A reply without a fact behind it fails the run, instead of being cut."""


class Runs:
    """Answers what the service has claimed."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def answer(
        self, conversation: chat.ConversationRef, claim: chat.Claim, kind: str, body: Json, events: RunEvents
    ) -> Answer:
        """Run a claimed message or tap and record what came out."""
        if kind == "action":
            return await self._answer_action(conversation, claim, body, events)
        text, bad = examine(str(body["text"]), conversation.lang or conversation.locale or "en")
        if bad is not None:
            return await self._answer_bad(conversation, claim, bad)
        inbound = Inbound(inbox_id=_inbox_id(claim), text=text, is_unseen=bool(body.get("is_unseen")))
        return await self._run_graph(conversation, claim, inbound, events, said=text, meta={})

    async def _answer_action(
        self, conversation: chat.ConversationRef, claim: chat.Claim, body: Json, events: RunEvents
    ) -> Answer:
        now = self._tools.clock()
        action = await in_thread(chat.resolve_action, self._tools.database, conversation, body["action_id"], now=now)
        if action.status == "used" and action.kind != "confirm_booking" and action.used_by_inbox_id is not None:
            return await self._answer_as_before(conversation, claim, action.used_by_inbox_id)
        kind = action.kind
        if action.status == "superseded" and kind not in {"confirm_booking", "open_url"}:
            kind = "expired"
        if action.status == "expired" and kind not in {"confirm_booking", "accept_quote"}:
            kind = "expired"
        given = body.get("input") or {}
        said = caption(action.kind, action.arguments, given, conversation.lang or "en")
        tapped = {"kind": kind, "arguments": dict(action.arguments), "input": given}
        inbound = Inbound(inbox_id=_inbox_id(claim), action=tapped, text=str(given.get("text") or ""))
        used = action.id if action.status == "usable" and action.once else None
        meta = {"x-action": action.kind}
        return await self._run_graph(conversation, claim, inbound, events, said=said, meta=meta, used_action_id=used)

    async def _answer_as_before(
        self, conversation: chat.ConversationRef, claim: chat.Claim, used_by_inbox_id: int
    ) -> Answer:
        """A second press of a spent button: the answer of the first."""
        await self._record(claim, chat.RunRecord(turns=()))
        run_id, turns = await self._first_press(conversation, used_by_inbox_id)
        return Answer(run_id, tuple(turns), idempotent=True)

    async def _first_press(
        self, conversation: chat.ConversationRef, used_by_inbox_id: int
    ) -> tuple[str, list[chat.StoredTurn]]:
        first = chat.InboxRef(conversation.company_id, conversation.conversation_id, used_by_inbox_id)
        message = await in_thread(chat.get_message, self._tools.database, first)
        turns = await in_thread(chat.turns_of_run, self._tools.database, conversation, message.run_id)
        return message.run_id, turns

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
        model_calls: list[chat.ToolCallRecord] = []
        context = await self._context(conversation, events, model_calls)
        outcome = await self._run_audited(conversation, claim, inbound, context, model_calls)
        user_turn_id = events.user_turn_id or self._tools.new_turn_id()
        record = self._compose(conversation, claim, outcome, user_turn_id, said, meta, used_action_id)
        record = replace(record, tool_calls=(*model_calls, *record.tool_calls))
        stored = await self._record(claim, record)
        for turn_id in stored.superseded_turn_ids:
            events.replaced(turn_id)
        input_required = outcome.open_question != "none"
        return Answer(claim.run_id, stored.turns, idempotent=False, input_required=input_required)

    async def _run_audited(
        self,
        conversation: chat.ConversationRef,
        claim: chat.Claim,
        inbound: Inbound,
        context: RunContext,
        model_calls: list[chat.ToolCallRecord],
    ) -> RunOutcome:
        try:
            return await self._tools.runner.run(inbound, context)
        except StaleRun:
            # The passport moved on under us: read it again, once.
            return await self._tools.runner.run(inbound, context)
        except Exception:
            # Whatever ended it: what it had asked for belongs in the audit.
            calls = [*model_calls, *(_audit(record) for record in context.gateway.records)]
            await in_thread(chat.record_tool_calls, self._tools.database, conversation, claim.run_id, calls)
            raise

    async def _context(
        self, conversation: chat.ConversationRef, events: RunEvents, model_calls: list[chat.ToolCallRecord]
    ) -> RunContext:
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
            interpreter=accountable(tools.interpreter, conversation, tools.clock, model_calls.append),
            clock=tools.clock,
            new_turn_id=tools.new_turn_id,
            key_secret=tools.key_secret,
            on_status=events.status,
            strict_grounding=tools.strict_grounding,
            answered_before=conversation.lang is not None,
            describer=tools.describer,
        )

    def _compose(
        self,
        conversation: chat.ConversationRef,
        claim: chat.Claim,
        outcome: RunOutcome,
        user_turn_id: str,
        said: str,
        meta: Json,
        used_action_id: str | None,
    ) -> chat.RunRecord:
        writing = self._writing(conversation, claim)
        turns = [user_turn(writing, user_turn_id, said, outcome.lang, meta)]
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
        stored = await self._record(claim, record)
        return Answer(claim.run_id, stored.turns, idempotent=False)

    async def _record(self, claim: chat.Claim, record: chat.RunRecord) -> chat.RecordedRun:
        return await in_thread(chat.record_run, self._tools.database, claim, record, now=system_now())

    async def answer_of_first_press(self, conversation: chat.ConversationRef, action_id: str) -> list[chat.StoredTurn]:
        """Return the turns that the first press of a spent button got."""
        database = self._tools.database
        action = await in_thread(chat.resolve_action, database, conversation, action_id, now=self._tools.clock())
        if action.used_by_inbox_id is None:
            return []
        _, turns = await self._first_press(conversation, action.used_by_inbox_id)
        return turns

    async def give_up(
        self, conversation: chat.ConversationRef, claim: chat.Claim, kind: str, body: Json, error: Exception
    ) -> Answer:
        """A message that fails every time must not block its conversation for ever: say so, and close it."""
        _log.error("a message failed %d times and was closed: %s", claim.attempts, type(error).__name__)
        phrases = Phrases(conversation.lang or "en")
        payload = NoticePayload(code="unavailable", severity="problem")
        said = str(body.get("text", ""))[:_SHOWN_OF_FAILED] if kind == "message" else ""
        return await self._answer_bad(conversation, claim, Bad(said, phrases.say("gave_up"), payload, phrases.lang))


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


async def in_thread(call: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
    """Run a blocking store call in a worker thread."""
    return await to_thread.run_sync(partial(call, *args, **kwargs))
