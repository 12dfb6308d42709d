"""The interpreter that asks a language model, behind any OpenAI-compatible server.

One call on a common turn, within a deadline; anything but a reply of exactly the agreed shape leaves the message to
the offline interpreter.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Final, Literal

from graph.models.budget import NOBODY, Payer
from graph.models.evidence import NumberWords
from graph.models.gateway import Completion, ModelGateway
from graph.models.grounding import Grounded, ground
from graph.models.offline import OfflineInterpreter
from graph.models.prompt import PROMPT_VERSION, fill_prompt, load_prompt
from graph.models.providers import Prompt
from graph.models.records import ModelCallRecord
from graph.models.second_opinion import SecondOpinion
from graph.models.wire import WireUnderstanding, parse_reply, wire_schema
from graph.understanding.meaning import InterpretContext, Understanding
from graph.understanding.text import fold, is_wordless, printable

TURN_SECONDS: Final = 12.0
"""For all tries of one message; a run as a whole has 20."""
Observer = Callable[[ModelCallRecord], None]


class LiveInterpreter:
    """Asks the model, keeps what the customer's words bear, falls back to the rules."""

    name: Literal["offline", "live"] = "live"

    def __init__(
        self,
        gateway: ModelGateway,
        *,
        fallback: OfflineInterpreter | None = None,
        opinion: SecondOpinion | None = None,
        observer: Observer | None = None,
        deadline_seconds: float = TURN_SECONDS,
        payer: Payer = NOBODY,
    ) -> None:
        """`observer` gets one record per message; it must not raise."""
        self._gateway = gateway
        self._rules = fallback or OfflineInterpreter()
        self._opinion = opinion
        self._observers = (observer,) if observer else ()
        self._deadline_seconds = deadline_seconds
        self._payer = payer
        self._template = load_prompt()
        self._schema = wire_schema()
        self._numbers = NumberWords()

    def on_account_of(self, payer: Payer, observer: Observer | None = None) -> LiveInterpreter:
        """The same interpreter for one conversation: its budget, and its records for whoever keeps the audit."""
        bound = copy(self)
        bound._payer = payer
        bound._observers = (*self._observers, *([observer] if observer else []))
        return bound

    async def interpret(self, message: str, context: InterpretContext) -> Understanding:
        """Understand one message. Never raises for anything a customer or a model can write."""
        understanding, record = await self.interpret_with_record(message, context)
        for observer in self._observers:
            observer(record)
        return understanding

    async def aclose(self) -> None:
        """Close the connections to the models' servers; the interpreter is not used afterwards."""
        await self._gateway.aclose()

    async def interpret_with_record(
        self, message: str, context: InterpretContext
    ) -> tuple[Understanding, ModelCallRecord]:
        """The same, with the record of who answered and why."""
        offline = self._rules.read(message, context)
        if self._needs_no_model(message, offline):
            skipped: Completion[WireUnderstanding] = Completion(None, "skipped")
            return offline, _record(skipped, None)
        completion = await self._gateway.complete(
            self._prompt(message, context, offline), parse_reply, self._payer, deadline_seconds=self._deadline_seconds
        )
        if completion.value is None:
            return await self._without_model(message, context, offline), _record(completion, None)
        grounded = ground(completion.value, message, context, self._rules, offline, self._numbers)
        return grounded.understanding, _record(completion, grounded)

    async def _without_model(self, message: str, context: InterpretContext, offline: Understanding) -> Understanding:
        return offline if self._opinion is None else await self._opinion.revise(message, context, offline)

    @staticmethod
    def _needs_no_model(message: str, offline: Understanding) -> bool:
        """Nothing to read, or a bare yes or no, which only the rules may read anyway."""
        return is_wordless(fold(message).text) or offline.intents in (("confirm",), ("deny",))

    def _prompt(self, message: str, context: InterpretContext, offline: Understanding) -> Prompt:
        return Prompt(
            system=fill_prompt(self._template, context),
            message=_without_contact(printable(message), offline),
            schema=self._schema,
            version=PROMPT_VERSION,
        )


def _without_contact(message: str, offline: Understanding) -> str:
    """The message without the phone and the e-mail that the rules found: nobody else needs to see them."""
    if offline.phone is not None and offline.phone.raw:
        message = message.replace(offline.phone.raw, "[phone]")
    if offline.email:
        message = message.replace(offline.email, "[email]")
    return message


def _record(completion: Completion[WireUnderstanding], grounded: Grounded | None) -> ModelCallRecord:
    return ModelCallRecord(
        answered_by="live" if grounded else "offline",
        outcome=completion.outcome,
        model=completion.model,
        prompt_version=PROMPT_VERSION,
        duration_ms=completion.duration_ms,
        attempts=completion.attempts,
        cached=completion.cached,
        input_tokens=completion.input_tokens,
        output_tokens=completion.output_tokens,
        cost_micro=completion.cost_micro,
        notes=grounded.notes if grounded else (),
    )
