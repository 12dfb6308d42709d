"""Facts of the shop that many sentences need."""

from __future__ import annotations

from graph.context import RunContext


def shop_phone(context: RunContext) -> str:
    """Where the team is reached; empty where no number is known."""
    return context.company.phone or next((office.phone for office in context.offices.offices if office.phone), "")
