"""One payload model per card type: facts only."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import AwareDatetime, Field

from frontend_contract.base import ContractModel
from frontend_contract.facts import (
    ContactMasked,
    Money,
    OfficeFacts,
    OfficeRef,
    Period,
    PriceLine,
    SeasonSpan,
    VehicleFacts,
)


class QuestionOption(ContractModel):
    """One possible answer; its action has the same `target`."""

    ref: str
    vehicle: VehicleFacts | None = None
    period: Period | None = None
    day: date | None = None
    office: OfficeRef | None = None
    code: str | None = None
    """For options that are neither, e.g. a category ("scooter") or "other"."""


class ClarifyingQuestionPayload(ContractModel):
    """One question with two to eight answers that can be tapped; free text always works too."""

    slot: Literal["dates", "category", "vehicle", "contact", "office", "other"]
    options: list[QuestionOption] = Field(default_factory=list, max_length=8)
    confidence: float = Field(ge=0, le=1)
    """Never shown; for QA."""


class VehicleCarouselPayload(ContractModel):
    """Free vehicles, in the order of the dialog passport ("the second one")."""

    requested: Period
    vehicles: list[VehicleFacts] = Field(min_length=1, max_length=10)
    total_found: int = Field(ge=1)
    sort: Literal["price", "price_desc", "other"] = "price"
    page_token: str | None = None
    """Present when there are more."""


class VehicleDetailPayload(ContractModel):
    """One vehicle, in full."""

    vehicle: VehicleFacts
    requested: Period | None = None
    details: str = ""
    """The shop's own description; plain text."""


class AlternativeOption(ContractModel):
    """One way out. Everything the row says is here."""

    ref: str
    strategy: Literal["shorter", "shift_earlier", "shift_later", "gap", "other_vehicle", "other"]
    period: Period
    shift_days: int = 0
    """Start compared with the wish, in days; negative is earlier."""
    vehicle: VehicleFacts
    total: Money
    difference: Money
    """Total minus the total of the wish; negative is cheaper."""


class DayStrip(ContractModel):
    """Rental days of the wished vehicle, one flag each."""

    start: date
    taken: list[bool] = Field(min_length=1, max_length=62)


class AlternativePeriodsPayload(ContractModel):
    """Why the wish is not free, and the ways out."""

    requested: Period
    vehicle: VehicleFacts
    conflicts: list[Period] = Field(default_factory=list)
    """Taken periods; never whose."""
    options: list[AlternativeOption] = Field(min_length=1, max_length=10)
    strip: DayStrip | None = None


class PriceQuotePayload(ContractModel):
    """A price, made on the server, that holds until `expires_at`."""

    quote_ref: str
    vehicle: VehicleFacts
    period: Period
    lines: list[PriceLine] = Field(min_length=1)
    seasons: list[SeasonSpan] = Field(default_factory=list)
    total: Money
    per_day: Money
    deposit: Money | None = None
    """Not part of the total."""
    by_use: list[str] | None = None
    """The shop's names of what comes on top, known only after the rental, e.g. "fuel"; absent when nothing does."""
    expires_at: AwareDatetime


class ContactRequestPayload(ContractModel):
    """Asks only for what is missing."""

    need: list[Literal["name", "phone", "other"]] = Field(min_length=1)
    have: ContactMasked | None = None
    reason: Literal["booking", "phone_invalid", "phone_too_short", "phone_too_long", "other"] = "booking"
    phone_region: str | None = Field(default=None, pattern=r"^[A-Z]{2}$")
    """Where a number without a country code is taken to be from."""


class BookingReviewPayload(ContractModel):
    """All that will be booked. Nothing is booked before `confirm_booking`."""

    quote_ref: str
    vehicle: VehicleFacts
    period: Period
    office: OfficeFacts
    contact: ContactMasked
    total: Money
    deposit: Money | None = None
    expires_at: AwareDatetime


class ConfirmationPayload(ContractModel):
    """A rental that is in the database."""

    rental_ref: str
    order_number: str
    rental_status: Literal["pending", "confirmed", "active", "completed", "cancelled", "rejected", "other"]
    vehicle: VehicleFacts
    period: Period
    office: OfficeFacts
    contact: ContactMasked
    total: Money
    deposit: Money | None = None
    bring: str = ""
    """What to bring, in the shop's words."""
    idempotent: bool = False
    """True when this repeats an earlier success: still one booking."""


class ConflictPayload(ContractModel):
    """The vehicle was taken while the customer decided."""

    requested: Period
    vehicle: VehicleFacts
    conflicting_rentals: list[Period] = Field(min_length=1)
    """Periods only."""
    suggested: AlternativeOption | None = None


class OfficeInfoPayload(ContractModel):
    """Where, and when open."""

    offices: list[OfficeFacts] = Field(min_length=1, max_length=10)
    observed_local: AwareDatetime
    """Office-local now: which weekday is today."""


class HandoffPayload(ContractModel):
    """A person takes over."""

    queue: str
    expected_wait_seconds: int | None = None
    opens_at: AwareDatetime | None = None
    """Present when nobody is there now."""
    tz: str | None = None
    """IANA zone in which `opens_at` is to be read."""


NoticeCode = Literal[
    "empty_message",
    "message_too_long",
    "not_text",
    "action_expired",
    "quote_expired",
    "nothing_to_confirm",
    "price_fixed",
    "price_changed",
    "unavailable",
    "period_refused",
    "dates_refused",
    "not_found",
    "no_vehicles",
    "not_supported",
    "render_error",
    "fresh_start",
    "other",
]


class NoticeFacts(ContractModel):
    """Facts behind a notice, so that a client can word it itself."""

    max_characters: int | None = None
    reason: str | None = None
    """A code, e.g. a rule refusal `period_too_short`."""
    min_days: int | None = None
    max_days: int | None = None
    day: date | None = None
    old_total: Money | None = None
    new_total: Money | None = None


class NoticePayload(ContractModel):
    """Something to know, with cause and consequence in `content`."""

    code: NoticeCode
    severity: Literal["info", "warning", "problem", "other"] = "info"
    retryable: bool = False
    facts: NoticeFacts | None = None
