"""What the coordinator is going to do with one message."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from graph.state import DialogState, Json


@dataclass(slots=True)
class Plan:
    """State to change, things for the coordinator to say, steps for other nodes. Built up by the policy."""

    state: DialogState
    updates: Json = field(default_factory=dict)
    says: list[Json] = field(default_factory=list)
    steps: list[Json] = field(default_factory=list)

    def get(self, channel: str, default: Any = None) -> Any:
        """Read a channel as it will be after this plan."""
        if channel in self.updates:
            return self.updates[channel]
        value = self.state.get(channel)
        return default if value is None else value

    def set(self, channel: str, value: Any) -> None:
        """Change a channel."""
        self.updates[channel] = value

    def say(self, what: str, **details: Any) -> None:
        """Let the coordinator say something."""
        self.says.append({"say": what, **details})

    def step(self, node: str, **details: Any) -> None:
        """Let another node act."""
        self.steps.append({"node": node, **details})

    @property
    def has_answer(self) -> bool:
        """Whether anything will be said or done."""
        return bool(self.says or self.steps)

    @property
    def dates(self) -> tuple[str, str] | None:
        """The wished period as ISO dates, when both ends are known."""
        wish = self.get("wish", {})
        return (wish["start"], wish["end"]) if wish.get("start") and wish.get("end") else None

    @property
    def question(self) -> str:
        """What is being asked at the moment."""
        return str(self.get("open_question", {}).get("kind", "none"))
