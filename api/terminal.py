"""`ridepass chat`: the same conversation in the terminal, through the same service as the web."""

from __future__ import annotations

import json
import logging
import shutil
import sys
from collections.abc import AsyncIterator, Iterable

from anyio import to_thread

from api.chat.routes import response_body
from api.chat.service import Answer, ChatService
from api.clock import system_now
from api.logs import configure_logging
from api.settings import Settings
from api.wiring import Services, build_services
from frontend_contract.actions import ActionRequest, MessageRequest
from frontend_contract.compat import read_turn
from graph.errors import RunFailed
from renderers.plain import number_actions, render
from store.crm import chat
from store.crm.companies import find_company
from store.errors import NotFound, StoreError
from store.passport import PassportError, choose_server


async def run_chat(settings: Settings, company: str, messages: Iterable[str], *, as_json: bool) -> None:
    """Hold one conversation. Given messages run in order and end it; else it is read from the keyboard."""
    configure_logging("WARNING" if settings.log_level in {"DEBUG", "INFO"} else settings.log_level)
    logging.getLogger("store.passport").setLevel(logging.ERROR)
    server = await to_thread.run_sync(lambda: choose_server(settings.redis_url or None, settings.data_dir))
    services = await to_thread.run_sync(lambda: build_services(settings, server))
    try:
        conversation = await _open(services, company)
        given = list(messages)
        source = _given(given, echo=not as_json) if given else _typed(company)
        newest: Answer | None = None
        async for text in source:
            newest = await _say(services.chat, conversation, text, newest, as_json=as_json) or newest
    finally:
        await services.stop()
        await to_thread.run_sync(server.close)


async def _open(services: Services, slug: str) -> chat.ConversationRef:
    try:
        company = await to_thread.run_sync(find_company, services.database, slug)
    except NotFound:
        _print(f"There is no company {slug!r}.", err=True)
        raise SystemExit(1) from None
    opened = await to_thread.run_sync(
        lambda: chat.open_conversation(services.database, company.id, channel="terminal", now=system_now())
    )
    return opened.conversation


async def _given(messages: list[str], *, echo: bool) -> AsyncIterator[str]:
    for text in messages:
        if echo:
            _print(f"> {text}\n")
        yield text


async def _typed(company: str) -> AsyncIterator[str]:
    _print(f"You are talking to {company}. Empty line or Ctrl-D ends it.\n")
    while True:
        try:
            text = await to_thread.run_sync(lambda: input("> "))
        except (EOFError, KeyboardInterrupt):
            _print("")
            return
        if not text.strip():
            return
        yield text


async def _say(
    service: ChatService, conversation: chat.ConversationRef, text: str, newest: Answer | None, *, as_json: bool
) -> Answer | None:
    try:
        pressed = _numbered_action(newest, text)
        if pressed is None:
            answer = await service.send(conversation, MessageRequest(message=text))
        else:
            answer = await service.act(conversation, ActionRequest(action_id=pressed))
    except (RunFailed, StoreError, PassportError) as error:
        _print(f"No answer just now ({error.code}). The message is kept.", err=True)
        return None
    if as_json:
        _print(json.dumps(json.loads(response_body(conversation, answer)), ensure_ascii=False))
    else:
        _draw(answer)
    return answer


def _numbered_action(newest: Answer | None, text: str) -> str | None:
    """Return the action under the number that the last card shows in brackets."""
    number = text.strip()
    if newest is None or not (number.isascii() and number.isdigit() and len(number) <= 2):
        return None
    action = number_actions(read_turn(newest.turns[-1].raw)).get(int(number))
    return action.id if action else None


def _draw(answer: Answer) -> None:
    width = min(shutil.get_terminal_size((88, 24)).columns, 100)
    for turn in answer.turns:
        if turn.role != "user":
            _print(render(read_turn(turn.raw), answer.turns[-1].lang, width=width) + "\n")


def _print(text: str, *, err: bool = False) -> None:
    print(text, file=sys.stderr if err else sys.stdout, flush=True)
