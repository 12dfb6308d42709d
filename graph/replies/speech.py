"""What every saying works with: the desk, and the channels as they will be after this message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from frontend_contract.payloads import NoticeCode, NoticePayload
from graph.cards.desk import ActionDraft, Desk
from graph.replies.next_step import next_step

Channels = dict[str, Any]


@dataclass(slots=True)
class Speech:
    """The desk, and the channels as they will be after this message; sayings may set the open question."""

    desk: Desk
    channels: Channels
    changed: Channels

    def ask(self, kind: str, **details: Any) -> None:
        """Remember what is being asked, so that a bare answer binds to it."""
        question = {"kind": kind, **details}
        self.channels["open_question"] = question
        self.changed["open_question"] = question

    def notice(self, code: str, text: str, *, severity: str = "info", **more: Any) -> None:
        """Say something short and typed."""
        payload = NoticePayload(code=cast(NoticeCode, code), severity=cast(Any, severity))
        self.desk.say("notice", text, payload, **more)

    @property
    def next(self) -> str:
        """The sentence that leads on."""
        return next_step(self.desk, self.channels)

    @property
    def open_facts(self) -> list[Any]:
        """What the sentence that leads on may speak of."""
        return [self.channels.get(channel) for channel in ("quote", "booking", "rental_change")]

    @property
    def has_question(self) -> bool:
        """Whether something is being asked."""
        return str((self.channels.get("open_question") or {}).get("kind", "none")) != "none"

    def returning(self, text: str) -> str:
        """The text, and after a digression the question that is open."""
        return f"{text} {self.next}" if self.has_question else text


def person_action() -> ActionDraft:
    """A way to a person."""
    return ActionDraft("call_operator", style="quiet", once=False)


def change_actions(*, vehicle: bool = True) -> list[ActionDraft]:
    """Other dates, another vehicle."""
    actions = [ActionDraft("change_dates", input="dates", once=False)]
    return [*actions, ActionDraft("change_vehicle", once=False)] if vehicle else actions
