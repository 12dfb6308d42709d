"""Where a node writes its turns: ids, superseding, what they rest on, in one place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

from frontend_contract.base import ContractModel
from graph.cards.facts import dump
from graph.context import RunContext
from graph.state import HISTORY_TEXT_LIMIT, DialogState, Json, NodeName
from graph.writing.formats import money as write_money
from graph.writing.phrases import Phrases

_OFFERS: Final = (
    "vehicle_carousel",
    "vehicle_detail",
    "alternative_periods",
    "price_quote",
    "booking_review",
    "conflict",
)
REPLACES: Final[dict[str, tuple[str, ...]]] = {
    # New dates or a new search void availability, price and quote, never name or phone.
    "vehicle_carousel": (*_OFFERS, "clarifying_question", "contact_request"),
    "alternative_periods": (*_OFFERS, "clarifying_question", "contact_request"),
    "conflict": (*_OFFERS, "contact_request"),
    "price_quote": ("price_quote", "booking_review", "clarifying_question", "contact_request"),
    "clarifying_question": ("clarifying_question",),
    "contact_request": ("contact_request",),
    "booking_review": ("booking_review", "contact_request"),
    "confirmation": (*_OFFERS, "clarifying_question", "contact_request"),
}
"""Card type -> older card types whose offers end when it is shown."""

ACTION_TTL: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class ActionDraft:
    """What a card lets a person do. The arguments stay on the server."""

    kind: str
    arguments: Json = field(default_factory=dict)
    target: str | None = None
    style: str = "plain"
    input: str = "none"
    expires_at: datetime | None = None
    once: bool = True
    url: str | None = None
    label: str | None = None
    """Caption for clients that do not know the kind yet."""


class Place(Protocol):
    """An office, of the wire or of the contract."""

    @property
    def slug(self) -> str:
        """Its name in actions."""

    @property
    def latitude(self) -> float | None:
        """Degrees north."""

    @property
    def longitude(self) -> float | None:
        """Degrees east."""


def map_actions(offices: Sequence[Place]) -> list[ActionDraft]:
    """Open a map, for each office whose place is known."""
    return [
        ActionDraft("open_url", target=office.slug, url=_map_url(office.latitude, office.longitude), once=False)
        for office in offices
        if office.latitude is not None and office.longitude is not None
    ]


def _map_url(latitude: float, longitude: float) -> str:
    return f"https://www.openstreetmap.org/?mlat={latitude}&mlon={longitude}#map=17/{latitude}/{longitude}"


@dataclass(slots=True)
class Desk:
    """Collects the turns that one node says in one run."""

    state: DialogState
    context: RunContext
    agent: NodeName
    phrases: Phrases
    drafts: list[Json] = field(default_factory=list)
    live_cards: dict[str, str] = field(default_factory=dict)

    @classmethod
    def open(cls, state: DialogState, context: RunContext, agent: NodeName) -> Desk:
        """Open the desk of one node for this run."""
        phrases = Phrases(state.get("lang", "en"))
        return cls(state, context, agent, phrases, list(state.get("drafts", [])), dict(state.get("live_cards", {})))

    @property
    def lang(self) -> str:
        """Language of the replies."""
        return self.phrases.lang

    def money(self, value: Any) -> str:
        """Write an amount given as wire or contract money."""
        return write_money(value.minor, value.currency, value.exponent, self.lang)

    def say(
        self,
        card: str,
        content: str,
        payload: ContractModel | None = None,
        *,
        actions: Sequence[ActionDraft] = (),
        evidence: Sequence[str] = (),
        facts: Iterable[Any] = (),
        observed_at: datetime | None = None,
        replaces: bool = True,
    ) -> None:
        """Add one turn. `facts` are what its words rest on besides the card; the gate checks them and drops them."""
        data = dump(payload) if payload is not None else None
        old = REPLACES.get(card, ()) if replaces else ()
        superseded = [self.live_cards.pop(kind) for kind in old if kind in self.live_cards]
        turn_id = self.context.new_turn_id()
        if card in _TRACKED:
            self.live_cards[card] = turn_id
        self.drafts.append(
            {
                "id": turn_id,
                "agent": self.agent,
                "type": card,
                "content": content.strip(),
                "payload": data,
                "actions": [self._action(action) for action in actions],
                "lang": self.lang,
                "supersedes": superseded[0] if superseded else None,
                "superseded": superseded,
                "observed_at": observed_at.isoformat() if observed_at else None,
                "evidence": list(evidence),
                "facts": list(facts),
            }
        )

    def update(self) -> Json:
        """Return the channels that this desk has changed."""
        said = self.drafts[len(self.state.get("drafts", [])) :]
        history = [{"role": "agent", "text": draft["content"][:HISTORY_TEXT_LIMIT]} for draft in said]
        return {"drafts": self.drafts, "live_cards": self.live_cards, "history": history}

    def _action(self, action: ActionDraft) -> Json:
        expires_at = action.expires_at or self.context.clock() + ACTION_TTL
        return {
            "kind": action.kind,
            "arguments": action.arguments,
            "target": action.target,
            "style": action.style,
            "input": action.input,
            "once": action.once,
            "url": action.url,
            "label": action.label,
            "expires_at": expires_at.isoformat(),
        }


_TRACKED: Final = frozenset(REPLACES) | frozenset(_OFFERS)
