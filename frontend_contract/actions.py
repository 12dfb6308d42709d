"""What a card lets a person do, and what a client sends. The client never holds an action's arguments."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

from pydantic import AwareDatetime, Field

from frontend_contract.base import ContractModel

ActionKind = Literal[
    "select_vehicle",
    "select_period",
    "select_option",
    "show_more",
    "show_details",
    "accept_quote",
    "confirm_booking",
    "change_dates",
    "change_vehicle",
    "change_contact",
    "share_contact",
    "refresh_quote",
    "cancel",
    "show_rentals",
    "change_rental",
    "confirm_change",
    "keep_rental",
    "call_operator",
    "open_url",
    "retry",
    "ask",
    "other",
]
"""`ask` is a ready-made question of the shop ("what do I need?"), its `target` says which.
`change_rental` asks to `move`, `extend` or `cancel` a booking (its `target`), `confirm_change` does what was told.
`other` is never written: a reader folds an unknown kind that has a label into it."""


class ActionRef(ContractModel):
    """A thing the person may do. The caption is the client's, by `kind` and the facts of `target`."""

    id: str = Field(pattern=r"^[A-Za-z0-9_-]{22}$")
    """Opaque and unguessable; the server holds verb, arguments and owner."""
    kind: ActionKind
    target: str | None = None
    """Ref of the vehicle, option or topic in the payload that it acts on."""
    style: Literal["primary", "plain", "quiet", "danger"] = "plain"
    input: Literal["none", "text", "contact", "dates"] = "none"
    """What has to be sent along."""
    expires_at: AwareDatetime | None = None
    once: bool = True
    """A second use gives the same answer as the first."""
    label: str | None = None
    """Only for kinds that a client may not know."""
    url: str | None = Field(default=None, pattern=r"^(https|tel|mailto):")
    """Only for `open_url`."""


class ContactInput(ContractModel):
    """For actions with `input: contact`."""

    name: str | None = Field(default=None, max_length=200)
    phone: str | None = Field(default=None, max_length=40)


class DatesInput(ContractModel):
    """For actions with `input: dates`."""

    start: date
    end: date
    """Return day, exclusive."""


class ActionInput(ContractModel):
    """What the person entered; exactly the part that the action asks for."""

    text: str | None = Field(default=None, max_length=4000)
    contact: ContactInput | None = None
    dates: DatesInput | None = None


class SessionRequest(ContractModel):
    """Opens a conversation."""

    company: str = Field(min_length=1, max_length=80, pattern=r"^[a-z0-9-]+$")
    """Public slug."""
    locale: str | None = Field(default=None, max_length=35)
    """BCP 47, the browser's or the customer's."""
    accepts: list[str] | None = Field(default=None, max_length=50)
    """Card types that the client can draw; absent means all."""
    contract: str | None = Field(default=None, pattern=r"^\d+\.\d+$")
    """Contract version that the client was built with."""


class SessionOpened(ContractModel):
    """The answer: keep the token secret, it opens this conversation only."""

    conversation_id: str
    token: str
    contract: str
    company: CompanyCard


class CompanyCard(ContractModel):
    """What a screen needs to introduce the shop."""

    slug: str
    name: str
    tagline: str = ""
    locale: str
    tz: str
    currency: str
    city: str = ""


class MessageRequest(ContractModel):
    """One message of the customer."""

    message: str
    client_key: str | None = Field(default=None, min_length=1, max_length=128)
    """Made by the client once per message; repeats give the same answer."""


class ActionRequest(ContractModel):
    """One tap."""

    action_id: str = Field(min_length=1, max_length=64)
    input: ActionInput | None = None
    client_key: str | None = Field(default=None, min_length=1, max_length=128)


class Problem(ContractModel):
    """The one error form of every HTTP answer that is not a success."""

    code: str
    message: str
    retryable: bool = False
    facts: dict[str, Any] = Field(default_factory=dict)


SessionOpened.model_rebuild()
