"""One turn class per card type, and the envelope they share."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AwareDatetime, Field, TypeAdapter, model_validator

from frontend_contract.actions import ActionRef
from frontend_contract.base import CONTRACT_VERSION, ContractModel
from frontend_contract.payloads import (
    AlternativePeriodsPayload,
    BookingReviewPayload,
    ClarifyingQuestionPayload,
    ConfirmationPayload,
    ConflictPayload,
    ContactRequestPayload,
    HandoffPayload,
    NoticePayload,
    OfficeInfoPayload,
    PriceQuotePayload,
    VehicleCarouselPayload,
    VehicleDetailPayload,
)

MAX_CONTENT_UNITS = 1500
"""Longest `content` of ours, in UTF-16 code units (what JavaScript and Telegram count)."""
MAX_USER_CONTENT_UNITS = 4000
"""Longest message of a customer that is accepted, in UTF-16 code units."""

AgentName = Literal["coordinator", "search", "alternatives", "pricing", "booking"]
Role = Literal["user", "agent", "operator", "system"]
Status = Literal["streaming", "final", "superseded", "expired", "failed"]


def utf16_units(text: str) -> int:
    """Length in UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


class TurnBase(ContractModel):
    """The envelope. Every turn stands alone as text: `content` is a complete answer."""

    id: str = Field(pattern=r"^[0-9A-HJKMNP-TV-Z]{26}$")
    """ULID, made by the server; clients upsert by it."""
    seq: int = Field(ge=1)
    """Gap-free per conversation; the order of turns."""
    conversation_id: str
    run_id: str
    """Which run made it (one message or action, one run)."""
    role: Role = "agent"
    agent: AgentName
    """The node that speaks; for the customer's own turns the node that received them."""
    content: str = Field(min_length=1)
    """Plain text in `lang`. Numbers in it are backed by `evidence`."""
    actions: list[ActionRef] = Field(default_factory=list, max_length=24)
    lang: str
    """BCP 47, of `content` only."""
    status: Status = "final"
    supersedes: str | None = None
    """Id of an older turn that this one replaces."""
    contract: str = Field(default=CONTRACT_VERSION, pattern=r"^\d+\.\d+$")
    """Version it was written with."""
    created_at: AwareDatetime
    observed_at: AwareDatetime | None = None
    """Age of the facts."""
    evidence: list[str] = Field(default_factory=list)
    """Ids of the tool calls behind the facts."""
    meta: dict[str, Any] = Field(default_factory=dict)
    """Never drawn; keys begin with `x-`."""

    @model_validator(mode="after")
    def _check_content(self) -> Self:
        limit = MAX_USER_CONTENT_UNITS if self.role == "user" else MAX_CONTENT_UNITS
        if utf16_units(self.content) > limit:
            raise ValueError(f"content is longer than {limit} UTF-16 units")
        if not self.content.strip():
            raise ValueError("content is blank")
        return self


class TextTurn(TurnBase):
    """Words only; also the customer's own messages."""

    type: Literal["text"] = "text"
    payload: None = None


class ClarifyingQuestionTurn(TurnBase):
    """Asks one thing, with answers to tap."""

    type: Literal["clarifying_question"] = "clarifying_question"
    payload: ClarifyingQuestionPayload


class VehicleCarouselTurn(TurnBase):
    """Free vehicles with prices."""

    type: Literal["vehicle_carousel"] = "vehicle_carousel"
    payload: VehicleCarouselPayload


class VehicleDetailTurn(TurnBase):
    """One vehicle in full."""

    type: Literal["vehicle_detail"] = "vehicle_detail"
    payload: VehicleDetailPayload


class AlternativePeriodsTurn(TurnBase):
    """Ways out when the dates are taken."""

    type: Literal["alternative_periods"] = "alternative_periods"
    payload: AlternativePeriodsPayload


class PriceQuoteTurn(TurnBase):
    """A price that holds for some minutes."""

    type: Literal["price_quote"] = "price_quote"
    payload: PriceQuotePayload


class ContactRequestTurn(TurnBase):
    """Asks for name or phone."""

    type: Literal["contact_request"] = "contact_request"
    payload: ContactRequestPayload


class BookingReviewTurn(TurnBase):
    """Everything, before the one confirm."""

    type: Literal["booking_review"] = "booking_review"
    payload: BookingReviewPayload


class ConfirmationTurn(TurnBase):
    """The booked rental."""

    type: Literal["confirmation"] = "confirmation"
    payload: ConfirmationPayload


class ConflictTurn(TurnBase):
    """Taken a moment ago."""

    type: Literal["conflict"] = "conflict"
    payload: ConflictPayload


class OfficeInfoTurn(TurnBase):
    """Address and hours."""

    type: Literal["office_info"] = "office_info"
    payload: OfficeInfoPayload


class HandoffTurn(TurnBase):
    """A person takes over."""

    type: Literal["handoff"] = "handoff"
    payload: HandoffPayload


class NoticeTurn(TurnBase):
    """Something to know."""

    type: Literal["notice"] = "notice"
    payload: NoticePayload


Turn = Annotated[
    TextTurn
    | ClarifyingQuestionTurn
    | VehicleCarouselTurn
    | VehicleDetailTurn
    | AlternativePeriodsTurn
    | PriceQuoteTurn
    | ContactRequestTurn
    | BookingReviewTurn
    | ConfirmationTurn
    | ConflictTurn
    | OfficeInfoTurn
    | HandoffTurn
    | NoticeTurn,
    Field(discriminator="type"),
]
"""Any turn that this version can write."""

TURN: TypeAdapter[Turn] = TypeAdapter(Turn)
"""Strict adapter, for producers and tests."""


class ChatResponse(ContractModel):
    """The answer to one message or action."""

    answer: str
    """The final text: `content` of the last turn of ours."""
    turns: list[Turn]
    conversation_id: str
    agent: AgentName
    """The node that gave the answer."""
    run_id: str
    idempotent: bool = False
    """True when this repeats the stored answer of an earlier, equal request."""


class TurnPage(ContractModel):
    """A page of the conversation as stored, oldest first inside the page."""

    conversation_id: str
    turns: list[Turn]
    has_more: bool = False
    """Older turns exist; ask with `before` = the smallest `seq` here."""
    last_seq: int
