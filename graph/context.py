"""What one run may use. Never checkpointed: scope, clock, gateways, identifiers."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from graph.models.describe import Describer
from graph.tools.gateway import ToolGateway
from graph.tools.wire import CompanyInfo, Offices
from graph.understanding.meaning import Interpreter

StatusCallback = Callable[[str, str], None]
"""Called with (status code, node) while the run goes on."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """Handed to every node by LangGraph's run context."""

    conversation_id: str
    company: CompanyInfo
    offices: Offices
    company_call_id: str
    """Evidence for the company's facts."""
    gateway: ToolGateway
    interpreter: Interpreter
    clock: Callable[[], datetime]
    new_turn_id: Callable[[], str]
    key_secret: bytes
    on_status: StatusCallback
    strict_grounding: bool = False
    """In development and in tests, a sentence without a fact behind it is an error instead of being cut."""
    describer: Describer | None = None
    """Finds vehicles by what they are good for, where an encoder is configured."""
    answered_before: bool = False
    """Whether this conversation has had an answer: with an empty passport it went cold, or was lost."""

    def now_local(self) -> datetime:
        """Now, in the company's zone."""
        return self.clock().astimezone(ZoneInfo(self.company.timezone))

    def derive_key(self, purpose: str, *parts: str) -> str:
        """Return the idempotency key of one customer decision.

        The same decision in the same conversation gives the same key, whether it came by button or by
        word, once or twice, before or after a crash. Nothing that a model or a client says goes in.
        """
        text = "|".join((self.company.slug, self.conversation_id, purpose, *parts))
        return hmac.new(self.key_secret, text.encode(), hashlib.sha256).hexdigest()
