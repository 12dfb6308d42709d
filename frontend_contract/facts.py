"""Facts that several cards share. No label, no formatted number, no text of ours."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import AwareDatetime, Field

from frontend_contract.base import MAX_SAFE_INTEGER, ContractModel

Category = Literal["scooter", "motorcycle", "car", "boat", "bicycle", "other"]
Gearbox = Literal["automatic", "manual", "none", "other"]
Drawing = Literal["scooter", "maxi-scooter", "motorcycle", "adventure", "car", "suv", "boat", "bicycle", "other"]


class Money(ContractModel):
    """An amount: integer minor units, never a float."""

    minor: int = Field(ge=-MAX_SAFE_INTEGER, le=MAX_SAFE_INTEGER)
    """E.g. 1120000 for IDR 1,120,000 (exponent 0), 9999 for EUR 99.99 (exponent 2)."""
    currency: str = Field(pattern=r"^[A-Z]{3}$")
    """ISO 4217."""
    exponent: int = Field(ge=0, le=4)
    """How many of the digits are minor: amount = minor / 10**exponent."""


class Period(ContractModel):
    """A rental in local days of the office; never shifted to the viewer's zone."""

    start: date
    """Pick-up day."""
    end: date
    """Return day; exclusive, so the last rented day is the one before (a same-day return is one day)."""
    days: int = Field(ge=1)
    """What is paid for."""
    tz: str
    """IANA zone of the office."""
    pickup_time: str | None = Field(default=None, pattern=r"^\d{2}:\d{2}$")
    """Office-local, where known."""
    return_time: str | None = Field(default=None, pattern=r"^\d{2}:\d{2}$")
    """Office-local, latest, where known."""


class Image(ContractModel):
    """A photo from the shop's allow-list."""

    url: str = Field(pattern=r"^https://")
    width: int = Field(ge=1)
    height: int = Field(ge=1)


class OfficeRef(ContractModel):
    """Where a vehicle is picked up."""

    slug: str
    name: str
    """As the shop writes it."""


class VehicleFacts(ContractModel):
    """One vehicle, with its price for the asked period where there is one."""

    ref: str
    """Opaque. Actions name it as their `target`."""
    brand: str
    model: str
    name: str
    """Brand and model, as the shop writes them."""
    category: Category
    drawing: Drawing = "other"
    """Which of the product's drawings fits when there is no image."""
    colour: str = ""
    """Paint key of the drawing; empty for the default."""
    year: int | None = None
    engine_cc: int | None = None
    power_hp: int | None = None
    gearbox: Gearbox = "none"
    gears: int | None = None
    seats: int | None = None
    helmets: int | None = None
    """Included."""
    skipper: bool = False
    fuel: str = ""
    licence: str = ""
    """What the driver needs, in the shop's words."""
    image: Image | None = None
    office: OfficeRef | None = None
    per_day: Money | None = None
    """Average of the period, rounded down."""
    total: Money | None = None
    """For the whole period."""
    deposit: Money | None = None
    is_cheapest: bool = False
    is_exact_match: bool = False
    """The customer named this brand and model."""
    available: bool = True
    also_free: int | None = Field(default=None, ge=1)
    """How many more of this model are free at this office for this price, where there are: they stand in one line."""


class SeasonSpan(ContractModel):
    """Consecutive days of a rental inside one season."""

    code: str
    name: str
    """The shop's name of the season."""
    start: date
    end: date
    """Exclusive."""
    days: int
    per_day: Money
    """Before a discount for length of stay."""


class PriceLine(ContractModel):
    """One line of a price. The amounts of all lines add up to the total, to the last minor unit."""

    code: Literal["days", "length_discount", "package", "extra", "included", "other"]
    amount: Money
    season_code: str | None = None
    season_name: str | None = None
    start: date | None = None
    end: date | None = None
    """Exclusive."""
    quantity: int = 1
    unit_amount: Money | None = None
    percent: int | None = None
    """Percent off, positive, for `length_discount`."""
    min_days: int | None = None
    """From how many days a `length_discount` applies."""
    name: str | None = None
    """The shop's name of an extra or an included thing, e.g. "helmet"."""


class OpeningHours(ContractModel):
    """Opening on one weekday; a weekday without an entry is closed."""

    weekday: int = Field(ge=0, le=6)
    """0 is Monday."""
    opens: str = Field(pattern=r"^\d{2}:\d{2}$")
    closes: str = Field(pattern=r"^\d{2}:\d{2}$")


class OfficeFacts(ContractModel):
    """One office."""

    slug: str
    name: str
    address: str
    city: str = ""
    latitude: float | None = None
    longitude: float | None = None
    phone: str | None = None
    tz: str
    hours: list[OpeningHours] = Field(default_factory=list)
    opens_at: AwareDatetime | None = None
    """When it opens next; absent while it is open."""
    closes_at: AwareDatetime | None = None
    """When it closes today; absent while it is closed."""


class ContactMasked(ContractModel):
    """What is known of the customer, masked: enough to recognise, useless to others."""

    name: str | None = None
    phone: str | None = None
    """E.g. "+66 •• ••• •678"."""
