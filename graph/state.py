"""The dialog passport: what the agent remembers of one conversation. Plain JSON values only.

Business facts never live only here: a lost passport costs the customer a repeated sentence, never a booking.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypedDict

Phase = Literal["searching", "quoting", "confirming", "booked"]
NodeName = Literal["coordinator", "search", "alternatives", "pricing", "booking"]
Json = dict[str, Any]

HISTORY_LIMIT: Final = 50
HISTORY_TEXT_LIMIT: Final = 160
"""Characters kept of each message; the full log is in the database."""
STATE_VERSION: Final = 1


def append_capped(old: list[Json], new: list[Json]) -> list[Json]:
    """Append and keep the newest `HISTORY_LIMIT` entries."""
    return (old + new)[-HISTORY_LIMIT:]


class DialogState(TypedDict, total=False):
    """Channels of the graph. Each is a JSON value; a node returns only what it changes."""

    version: int
    phase: Phase
    lang: str
    client: Json
    """{name, first_name, last_name, phone}: what the customer told about themselves."""
    wish: Json
    """{start, end, days, category, brand, model, text, budget_minor, budget_per, gearbox, seats, sort, office,
    quantity}."""
    rental_context: Json
    """{vehicle_uuid, vehicle_name, start_date, end_date, total_price}: what is being rented."""
    shown: Json
    """{kind: vehicles|periods, items: [...]}: the newest list; "the second one" points here."""
    search: Json
    """{page, has_more} of the newest search."""
    quote: Json
    """The open quote: {quote_uuid, vehicle, period, office, total, deposit, expires_at, reviewed}."""
    booking: Json
    """The last booked rental: {quote_uuid, order_number, ...}."""
    pending_commit: Json
    """A confirm whose outcome is not known yet: {quote_uuid, client}; cleared when it is."""
    rental_change: Json
    """A change of a booking that was told: {kind, rental_uuid, order_number, vehicle_name, start, end, ..., mark}."""
    open_question: Json
    """{kind, ...}: what a bare answer binds to."""
    failures: int
    """Messages in a row that were not understood."""
    live_cards: dict[str, str]
    """Card type -> id of the newest turn of that type that still counts."""
    history: Annotated[list[Json], append_capped]
    """[{role, text}], newest last."""
    inbound: Json
    """The message or action of this run: {inbox_id, kind, text | action}."""
    agenda: list[Json]
    """Steps still to do in this run: [{node, ...}]."""
    drafts: list[Json]
    """Turns of this run, in graph order."""
    done_inbox_id: str
    """The newest message that is wholly answered: running it again repeats `drafts`."""


def next_node(agenda: list[Json]) -> str:
    """Return the node of the first step, or the end of the graph."""
    return str(agenda[0]["node"]) if agenda else "__end__"


def with_draft(state: DialogState, *drafts: Json) -> list[Json]:
    """Return the drafts of this run with more at the end."""
    return [*state.get("drafts", []), *drafts]
