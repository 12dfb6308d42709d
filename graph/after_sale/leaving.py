"""How a run goes on when a node is done: steps about own bookings come last, whatever was found before them."""

from __future__ import annotations

from langgraph.types import Command

from graph.cards.desk import Desk
from graph.state import Json, next_node


def end(desk: Desk, update: Json) -> Command[str]:
    """End the run with what the desk has said."""
    return Command(goto="__end__", update={**desk.update(), **update, "agenda": []})


def end_search(desk: Desk, update: Json) -> Command[str]:
    """End what was looked for; what is still to do about own bookings follows."""
    left = _own_steps_left(desk)
    return Command(goto=next_node(left), update={**desk.update(), **update, "agenda": left})


def hand_on(desk: Desk, node: str, update: Json | None = None) -> Command[str]:
    """Let another node go on; what is to do about own bookings stays behind it."""
    agenda = [{"node": node}, *_own_steps_left(desk)]
    return Command(goto=node, update={**desk.update(), **(update or {}), "agenda": agenda})


def _own_steps_left(desk: Desk) -> list[Json]:
    return [step for step in desk.state.get("agenda", [])[1:] if step.get("task")]
