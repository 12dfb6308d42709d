"""Whose data a query may see. Comes from a token, never from a path, a body or a model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scope:
    """One company, and who is asking inside it."""

    company_id: int
    bot_id: int | None = None
    """The bot whose token was used."""
    actor: str = ""
    """The chat user that caused the call ("web:<conversation id>", "telegram:123"); audited, opaque."""
