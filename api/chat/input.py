"""The door: what a message must be before anybody tries to understand it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from frontend_contract.payloads import NoticeFacts, NoticePayload
from frontend_contract.turns import utf16_units
from graph.state import Json
from graph.writing.phrases import Phrases

MAX_MESSAGE_UNITS: Final = 2000
"""Longest message that is read, in UTF-16 units."""
_SHOWN_OF_TOO_LONG: Final = 280
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Bad:
    """A message that gets a notice instead of a run."""

    said: str
    content: str
    payload: NoticePayload
    lang: str

    def draft(self, turn_id: str) -> Json:
        """Return the notice as a draft."""
        return {
            "id": turn_id,
            "agent": "coordinator",
            "type": "notice",
            "content": self.content,
            "payload": self.payload.model_dump(mode="json"),
            "actions": [],
            "lang": self.lang,
            "evidence": [],
        }


def examine(message: str, lang: str) -> tuple[str, Bad | None]:
    """Clean a message, or say why it is not read."""
    phrases = Phrases(lang)
    text = clean(message)
    if not text:
        payload = NoticePayload(code="empty_message", severity="info")
        return text, Bad("", phrases.say("message.empty"), payload, phrases.lang)
    if utf16_units(text) > MAX_MESSAGE_UNITS:
        facts = NoticeFacts(max_characters=MAX_MESSAGE_UNITS)
        payload = NoticePayload(code="message_too_long", severity="warning", facts=facts)
        shown = text[:_SHOWN_OF_TOO_LONG] + "…"
        limit = f"{MAX_MESSAGE_UNITS:,}" if phrases.lang == "en" else str(MAX_MESSAGE_UNITS)
        return text, Bad(shown, phrases.say("message.too_long", limit=limit), payload, phrases.lang)
    return text, None


def clean(message: str) -> str:
    """Drop control signs and half surrogate pairs, which no database stores; keep everything else as typed."""
    whole = message.encode("utf-8", "replace").decode("utf-8")
    return _CONTROL.sub("", whole).strip()
