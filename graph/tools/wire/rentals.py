"""Making a rental."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from graph.tools.wire.company import Office
from graph.tools.wire.facts import MoneyWire, PeriodWire, RentalStatus, Source, VehicleWire, Wire


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

    quote_uuid: str = Field(min_length=1, max_length=64)
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
    client_first_name: str
    idempotent: bool = False
    """True when this answer repeats an earlier success of the same key."""
    created_at: datetime
