"""Making, keeping, seeing and changing a rental."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal, Self

from pydantic import Field, model_validator

from graph.tools.wire.company import Office
from graph.tools.wire.extras import ChosenExtra
from graph.tools.wire.facts import MoneyWire, PeriodWire, Ref, RentalStatus, Source, VehicleWire, Wire
from graph.tools.wire.vehicles import PriceLine


class ClientClaim(Wire):
    """Who the customer says they are. A phone typed in a chat is a claim, never an identity."""

    first_name: str = Field(min_length=1, max_length=120)
    last_name: str = Field(default="", max_length=120)
    phone: str = Field(pattern=r"^\+[1-9][0-9]{6,14}$")
    """E.164."""
    email: str = Field(default="", max_length=254)
    language: str = Field(default="", max_length=20)


class CreateRentalArgs(Wire):
    """Make the rental that the customer confirmed."""

    quote_uuid: Ref
    idempotency_key: str = Field(min_length=16, max_length=128)
    client: ClientClaim
    note: str = Field(default="", max_length=500)


class Rental(Wire):
    """A rental that is in the database."""

    rental_uuid: str
    order_number: str
    status: RentalStatus
    source: Source
    vehicle: VehicleWire
    period: PeriodWire
    pickup_at: datetime
    return_at: datetime
    office: Office
    total: MoneyWire
    deposit: MoneyWire | None = None
    extras: tuple[ChosenExtra, ...] = ()
    """What was chosen with it; in the total, and priced again with it when the rental changes."""
    client_first_name: str
    idempotent: bool = False
    """True when this answer repeats an earlier success of the same key."""
    version: int = 1
    """Grows with each change; give it back when you change the rental."""
    cancel_fee: MoneyWire | None = None
    """What the cancellation cost, once it is cancelled and the shop's policy says so."""
    created_at: datetime


class HoldArgs(Wire):
    """Keep the vehicle of a quote while the customer reads the review."""

    quote_uuid: Ref


class Hold(Wire):
    """Whether the vehicle is kept for this chat user."""

    quote_uuid: str
    vehicle: VehicleWire
    period: PeriodWire
    held: bool
    """False: this shop keeps nothing before the booking; say "price held", never "vehicle held"."""
    held_until: datetime | None = None
    observed_at: datetime


class ListRentalsArgs(Wire):
    """Which of the customer's rentals."""

    include_past: bool = False
    """Also those that are over, cancelled or rejected."""
    limit: int = Field(default=20, ge=1, le=50)


class RentalArgs(Wire):
    """One rental of the customer."""

    rental_uuid: Ref


class OwnRentals(Wire):
    """The customer's own rentals, by the day of pick-up."""

    rentals: tuple[Rental, ...] = ()
    observed_at: datetime


class ChangeBody(Wire):
    """What every change of a rental takes."""

    preview: bool = False
    """True: only say what it would do. Show that to the customer before the change itself."""
    idempotency_key: str | None = Field(default=None, min_length=16, max_length=128)
    """Needed for the change itself."""
    version: int | None = Field(default=None, ge=1)
    """The rental's version in the preview: another one means that somebody changed it meanwhile."""

    @model_validator(mode="after")
    def _has_key(self) -> Self:
        if not self.preview and self.idempotency_key is None:
            raise ValueError("a change needs an idempotency_key")
        return self


class MoveRentalBody(ChangeBody):
    """Other dates."""

    start: date
    end: date
    expected_total_minor: int | None = Field(default=None, ge=0)
    """The new total that the customer was told: another one is refused as price_changed. Left out: any."""


class MoveRentalArgs(MoveRentalBody, RentalArgs):
    """Other dates for one rental."""


class ExtendRentalBody(ChangeBody):
    """A later return."""

    end: date
    """The new day of return, later than the old one."""
    expected_total_minor: int | None = Field(default=None, ge=0)
    """The new total that the customer was told: another one is refused as price_changed. Left out: any."""


class ExtendRentalArgs(ExtendRentalBody, RentalArgs):
    """A later return for one rental."""


class CancelRentalBody(ChangeBody):
    """No rental at all."""

    expected_fee_minor: int | None = Field(default=None, ge=0)
    """The fee that the customer was told: another one is refused as price_changed. Left out: no fee."""


class CancelRentalArgs(CancelRentalBody, RentalArgs):
    """Cancel one rental."""


class CancelFacts(Wire):
    """What the shop's policy says about cancelling this rental."""

    fee: MoneyWire | None = None
    """Absent when the shop decides case by case: say so, never "free"."""
    free_until: datetime | None = None
    """Local; until when cancelling costs nothing."""
    policy: str = ""
    """The shop's own words."""


class RentalChange(Wire):
    """What a change does (preview) or did. `difference` is the new total minus the old one."""

    kind: Literal["move", "extend", "cancel"]
    preview: bool
    rental: Rental
    """As it is now: before the change in a preview, after it otherwise."""
    old_period: PeriodWire
    new_period: PeriodWire
    old_total: MoneyWire
    new_total: MoneyWire
    difference: MoneyWire
    deposit: MoneyWire | None = None
    lines: tuple[PriceLine, ...] = ()
    """Of the new total, with the rental's extras; none for a cancellation."""
    cancellation: CancelFacts | None = None
    """For a cancellation."""
    idempotent: bool = False
    """True when this answer repeats an earlier success of the same key."""
    observed_at: datetime
