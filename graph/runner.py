"""One message or tap in, turns out. The only place that invokes the graph."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Final, Protocol

from langgraph.errors import GraphRecursionError
from langgraph.types import Durability

from graph.build import DialogGraph
from graph.context import RunContext
from graph.errors import RunFailed
from graph.state import DialogState, Json
from graph.tools.audit import ToolCallRecord

_log = logging.getLogger(__name__)

RECURSION_LIMIT: Final = 12
"""Steps of one run. The framework's own limit is in the thousands."""
DEADLINE_SECONDS: Final = 20.0


class Passport(Protocol):
    """Where dialogs are kept: opening takes the conversation's lock, leaving stores and releases."""

    def open(self, thread_id: str) -> AbstractAsyncContextManager[Any]:
        """Open one conversation for one run."""
        ...


@dataclass(frozen=True, slots=True)
class Inbound:
    """What the customer sent: words, or a tap whose arguments the server has looked up."""

    inbox_id: str
    text: str = ""
    action: Json | None = None
    """{kind, arguments, input}."""
    is_unseen: bool = False
    """It was sent before the answer to the message before it was there: it cannot mean what that answer asks."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What a run left: turns in graph order, the audit of its tool calls, and what is open now."""

    drafts: list[Json]
    tool_calls: list[ToolCallRecord]
    lang: str
    open_question: str


class DialogRunner:
    """Runs the graph for one conversation at a time per conversation."""

    def __init__(
        self,
        graph: DialogGraph,
        passport: Passport,
        *,
        deadline_seconds: float = DEADLINE_SECONDS,
        durability: Durability = "exit",
    ) -> None:
        self._graph = graph
        self._passport = passport
        self._deadline_seconds = deadline_seconds
        # "exit" stores once, at the end; the accepted message is safe in the inbox, so nothing more is needed.
        self._durability: Durability = durability

    async def run(self, inbound: Inbound, context: RunContext) -> RunOutcome:
        """Run one message through the graph and store the passport.

        Raises:
            RunFailed: no answer came out; the passport is as before, the message may be run again.
        """
        config: Any = {"configurable": {"thread_id": context.conversation_id}, "recursion_limit": RECURSION_LIMIT}
        try:
            async with asyncio.timeout(self._deadline_seconds), self._passport.open(context.conversation_id):
                state = await self._graph.ainvoke(
                    _input(inbound), config, context=context, durability=self._durability, version="v1"
                )
        except TimeoutError as error:
            raise RunFailed("the run took too long") from error
        except GraphRecursionError as error:
            _log.error("a run went in circles and was stopped")
            raise RunFailed("the run went in circles") from error
        return _outcome(state, context)


def _input(inbound: Inbound) -> DialogState:
    kind = "action" if inbound.action is not None else "message"
    body: Json = {"inbox_id": inbound.inbox_id, "kind": kind, "text": inbound.text}
    if inbound.action is not None:
        body["action"] = inbound.action
    if inbound.is_unseen:
        body["is_unseen"] = True
    return {"inbound": body}


def _outcome(state: dict[str, Any], context: RunContext) -> RunOutcome:
    drafts: list[Json] = state.get("drafts", [])
    if not drafts:
        raise RunFailed("the run ended without a turn")
    return RunOutcome(
        drafts=drafts,
        tool_calls=list(context.gateway.records),
        lang=str(state.get("lang", "en")),
        open_question=str(state.get("open_question", {}).get("kind", "none")),
    )
