"""The message that is being decided, and what it has changed so far."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from graph.policy.asides import without_asides
from graph.policy.plan import Plan
from graph.policy.positions import position_not_day
from graph.understanding.meaning import Intent, Understanding

HalfYes = Literal["", "vague", "unseen"]
"""A yes where only a plain one acts: `vague` is none, `unseen` was said before its question was there."""


class Turn:
    """One message on its way through the rules."""

    def __init__(
        self, plan: Plan, understanding: Understanding, now: datetime, currency_exponent: int, *, half_yes: HalfYes = ""
    ) -> None:
        self.plan = plan
        self.u = without_asides(position_not_day(understanding, plan), plan, self.text)
        self.now = now
        self.currency_exponent = currency_exponent
        self.half_yes = half_yes
        """Why a yes does not act here."""
        self.new_dates = False
        self.new_vehicle_words = False
        self.new_contact = False

    def wants(self, *intents: Intent) -> bool:
        """Whether one of these is meant."""
        return any(intent in self.u.intents for intent in intents)

    @property
    def text(self) -> str:
        """The customer's own words."""
        return str((self.plan.state.get("inbound") or {}).get("text", ""))

    @property
    def lang(self) -> str:
        """The language in which the message is read."""
        return self.u.lang or str(self.plan.get("lang", "en"))

    @property
    def chosen(self) -> str | None:
        """The vehicle that is chosen."""
        uuid = self.plan.get("rental_context", {}).get("vehicle_uuid")
        return str(uuid) if uuid else None

    @property
    def names_a_vehicle(self) -> bool:
        """Whether the message says something about the vehicle."""
        return bool(self.u.category or self.u.brand or self.u.model or self.u.search_text)

    @property
    def quote_is_open(self) -> bool:
        """Whether a price is on offer."""
        return bool(self.plan.get("quote", {}).get("quote_uuid"))

    @property
    def only_booked(self) -> bool:
        """A rental is booked and no new wish has begun."""
        plan = self.plan
        return bool(plan.get("booking")) and plan.get("phase") == "booked" and not plan.get("wish")
