"""The chat's HTTP surface. Everything that can be refused is refused in dependencies, before a stream begins."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from api.chat.companies import CompanyDirectory
from api.chat.events import RunLog, as_sse
from api.chat.service import Answer, ChatService, as_stored
from api.clock import system_now
from api.errors import Unauthorized
from frontend_contract.actions import (
    ActionRequest,
    MessageRequest,
    Problem,
    SessionOpened,
    SessionRequest,
)
from frontend_contract.base import CONTRACT_VERSION
from frontend_contract.compat import TURN_CLASSES
from frontend_contract.schema import read_committed
from frontend_contract.turns import ChatResponse, TurnPage
from store.crm import chat
from store.crm.companies import find_company
from store.errors import NotFound, StoreError
from store.sql.unit import Database

_log = logging.getLogger(__name__)
_SSE_HEADERS = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
_PROBLEMS: dict[int | str, dict[str, Any]] = {code: {"model": Problem} for code in (401, 404, 409, 413, 422, 503)}

router = APIRouter(prefix="/api/chat", responses=_PROBLEMS)


class ChatDoors:
    """What the routes need; set on the app's state by `main`."""

    def __init__(self, database: Database, service: ChatService, companies: CompanyDirectory) -> None:
        self.database = database
        self.service = service
        self.companies = companies


def doors(request: Request) -> ChatDoors:
    """Return the chat's parts."""
    found: ChatDoors = request.app.state.chat
    return found


Doors = Annotated[ChatDoors, Depends(doors)]


async def conversation_of(parts: Doors, authorization: Annotated[str | None, Header()] = None) -> chat.ConversationRef:
    """Return the conversation that the bearer token opens."""
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise Unauthorized
    try:
        return await to_thread.run_sync(chat.authenticate, parts.database, token.strip())
    except NotFound as error:
        raise Unauthorized from error


Conversation = Annotated[chat.ConversationRef, Depends(conversation_of)]


@router.post("/sessions", status_code=201)
async def open_session(parts: Doors, body: SessionRequest) -> SessionOpened:
    """Open a conversation with a company, named by its public slug."""
    company = await to_thread.run_sync(find_company, parts.database, body.company)
    card = await parts.companies.card(company.id)
    opened = await to_thread.run_sync(
        lambda: chat.open_conversation(
            parts.database,
            company.id,
            channel="web",
            now=system_now(),
            locale=body.locale,
            accepts=body.accepts,
        )
    )
    return SessionOpened(
        conversation_id=opened.conversation_id, token=opened.token, contract=CONTRACT_VERSION, company=card
    )


@router.post("", response_model=ChatResponse)
async def send_message(parts: Doors, conversation: Conversation, body: MessageRequest) -> Response:
    """Answer one message. The same `client_key` gives the same answer."""
    return _json(conversation, await parts.service.send(conversation, body))


@router.post("/stream")
async def stream_message(parts: Doors, conversation: Conversation, body: MessageRequest) -> StreamingResponse:
    """Answer one message as server-sent events. Closing the stream does not stop the run."""
    return _stream(lambda log: parts.service.send(conversation, body, log))


@router.post("/actions", response_model=ChatResponse)
async def take_action(
    parts: Doors, conversation: Conversation, body: ActionRequest, accept: Annotated[str, Header()] = ""
) -> Response:
    """Take one action of a card; events instead of JSON with `Accept: text/event-stream`."""
    # A foreign action is a real 404, so it is looked up before anything is kept or a stream begins.
    await parts.service.check_action(conversation, body.action_id)
    if "text/event-stream" not in accept:
        return _json(conversation, await parts.service.act(conversation, body))
    return _stream(lambda log: parts.service.act(conversation, body, log))


@router.get("/turns", response_model=TurnPage)
async def read_turns(
    parts: Doors,
    conversation: Conversation,
    before: Annotated[int | None, Query(ge=1, le=2**53)] = None,
    limit: Annotated[int, Query(ge=1, le=199)] = 50,
) -> Response:
    """Return the conversation as stored, cards included; oldest first inside the page."""
    newest_first = await parts.service.history(conversation, before, limit + 1)
    page = newest_first[:limit][::-1]
    head = {
        "conversation_id": conversation.conversation_id,
        "has_more": len(newest_first) > limit,
        "last_seq": page[-1].seq if page else 0,
    }
    return Response(_with_turns(head, page), media_type="application/json")


contract_router = APIRouter(prefix="/api/contract")


@contract_router.get("")
async def contract() -> dict[str, Any]:
    """Return the version and the card types of the contract."""
    return {"contract": CONTRACT_VERSION, "types": sorted(TURN_CLASSES), "schema": "/api/contract/1.0/schema.json"}


@contract_router.get("/1.0/schema.json")
async def contract_schema() -> Response:
    """Return the published JSON Schema."""
    return Response(read_committed(), media_type="application/schema+json")


# ---- answers -------------------------------------------------------------------------------------------


def _json(conversation: chat.ConversationRef, answer: Answer) -> Response:
    return Response(response_body(conversation, answer), media_type="application/json")


def response_body(conversation: chat.ConversationRef, answer: Answer) -> bytes:
    """Return the ChatResponse of an answer, its turns byte for byte as stored."""
    ours = [turn for turn in answer.turns if turn.role != "user"] or list(answer.turns)
    head = {
        "answer": ours[-1].content,
        "agent": ours[-1].agent or "coordinator",
        "conversation_id": conversation.conversation_id,
        "run_id": answer.run_id,
        "idempotent": answer.idempotent,
    }
    return _with_turns(head, answer.turns)


def _with_turns(head: dict[str, Any], turns: Sequence[chat.StoredTurn]) -> bytes:
    """Put stored turns into an answer byte for byte: nobody re-writes what was stored."""
    opening = json.dumps(head, ensure_ascii=False, separators=(",", ":"))[:-1].encode()
    return opening + b',"turns":[' + b",".join(as_stored(turn) for turn in turns) + b"]}"


def _stream(run: Callable[[RunLog], Awaitable[Answer]]) -> StreamingResponse:
    log = RunLog()
    task = asyncio.ensure_future(run(log))
    task.add_done_callback(lambda done: _close(done, log))
    return StreamingResponse(_events(log, task), media_type="text/event-stream", headers=_SSE_HEADERS)


async def _events(log: RunLog, task: asyncio.Future[Answer]) -> AsyncIterator[bytes]:
    # The task is named here so that it lives as long as the stream that waits for it.
    del task
    async for part in as_sse(log):
        yield part


def _close(task: asyncio.Future[Answer], log: RunLog) -> None:
    """A run that ended without its terminal event still gets one."""
    if log.is_closed:
        if not task.cancelled():
            task.exception()
        return
    error = None if task.cancelled() else task.exception()
    if isinstance(error, StoreError) and not error.retryable:
        log.fail(error.code, error.message, retryable=False)
        return
    _log.warning("a stream ended with %s", type(error).__name__)
    log.fail("unavailable", "I cannot answer just now. Your message is kept; please try again.", retryable=True)
