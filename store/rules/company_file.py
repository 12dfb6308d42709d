"""The form of a company's data file: what a shop writes, checked before anything is stored.

Amounts are in the currency's major unit as a shop writes them ("45.00", 150000); they become minor units exactly.
"""

from __future__ import annotations

from datetime import date
from typing import Literal

from babel.numbers import get_currency_precision
from pydantic import BaseModel, ConfigDict, Field

from store.rules.price_checks import price_list_problems
from store.rules.price_file import (
    WEEKDAYS,
    Amount,
    HousePrices,
    PriceListEntry,
    SeasonEntry,
    TierEntry,
    Weekday,
    read_price_list,
    target_problems,
    to_minor,
)
from store.rules.prices import PriceList

__all__ = [
    "WEEKDAYS",
    "Amount",
    "BrandEntry",
    "CompanyEntry",
    "CompanyFile",
    "ModelEntry",
    "OfficeEntry",
    "PriceListEntry",
    "RentalEntry",
    "SeasonEntry",
    "TierEntry",
    "VehicleEntry",
    "to_minor",
]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CompanyEntry(_Entry):
    """The company itself."""

    slug: str
    name: str
    tagline: str = ""
    currency: str = Field(pattern=r"^[A-Z]{3}$")
    timezone: str
    locale: str
    date_order: Literal["dmy", "mdy", "ymd"]
    phone_region: str = Field(pattern=r"^[A-Z]{2}$")
    phone: str = ""
    min_days: int = 1
    max_days: int = 30
    max_ahead_days: int = 540
    turnaround_hours: int = 0
    pickup_time: str = "10:00"
    quote_minutes: int = 15
    house_rules: dict[str, str] = Field(default_factory=dict)
    allowed_origins: tuple[str, ...] = ()
    order_prefix: str
    next_order_number: int = 1001

    @property
    def currency_exponent(self) -> int:
        """Decimal places of the currency."""
        return get_currency_precision(self.currency)


class OfficeEntry(_Entry):
    """One office; a weekday that is missing in `hours` is closed."""

    slug: str
    name: str
    address: str
    city: str
    latitude: float | None = None
    longitude: float | None = None
    phone: str = ""
    timezone: str | None = None
    """The company's zone when not given."""
    hours: dict[Weekday, tuple[str, ...]]
    """Weekday -> intervals like "08:00-18:00"."""


class BrandEntry(_Entry):
    """A maker."""

    slug: str
    name: str
    aliases: tuple[str, ...] = ()


class ModelEntry(_Entry):
    """A model; `display_name` is brand and name when not given."""

    slug: str
    brand: str
    name: str
    display_name: str | None = None
    category: Literal["scooter", "motorcycle", "car", "boat", "bicycle"]
    drawing: str
    engine_cc: int | None = None
    power_hp: int | None = None
    gearbox: Literal["automatic", "manual", "none"] = "none"
    gears: int | None = None
    seats: int | None = None
    helmets: int | None = None
    skipper: bool = False
    fuel: str = ""
    licence: str = ""
    image_url: str = ""
    aliases: tuple[str, ...] = ()


class VehicleEntry(_Entry):
    """One vehicle."""

    plate: str
    model: str
    office: str
    colour: str = ""
    year: int | None = None
    details: str = ""


class RentalEntry(_Entry):
    """A rental to start with: on fixed days, or so many days from the day of loading."""

    plate: str
    status: Literal["pending", "confirmed", "active", "completed", "cancelled", "rejected"]
    source: Literal["mcp", "admin", "widget", "app"] = "admin"
    start: date | None = None
    end: date | None = None
    starts_in_days: int | None = None
    days: int | None = None
    first_name: str
    last_name: str = ""
    phone: str = ""


class CompanyFile(HousePrices):
    """Everything of one company; seasons, tiers and what else all price lists share comes from `HousePrices`."""

    company: CompanyEntry
    offices: tuple[OfficeEntry, ...]
    brands: tuple[BrandEntry, ...]
    models: tuple[ModelEntry, ...]
    price_lists: tuple[PriceListEntry, ...]
    vehicles: tuple[VehicleEntry, ...]
    rentals: tuple[RentalEntry, ...] = ()

    def price_list(self, entry: PriceListEntry) -> PriceList:
        """Return the list as the pricing rules read it.

        Raises:
            ValueError: an amount is not one, or has more decimals than the currency.
            KeyError: it names a season that the file does not have.
        """
        return read_price_list(entry, self, self.company.currency_exponent)

    def price_problems(self) -> tuple[str, ...]:
        """Return what is wrong with the price lists, each named; empty when they may be used.

        Raises:
            ValueError: an amount is not one, or has more decimals than the currency.
            KeyError: a list names a season that the file does not have.
        """
        found = [
            f"{entry.code}: {problem}"
            for entry in self.price_lists
            for problem in price_list_problems(self.price_list(entry), self.company.max_days)
        ]
        return (*target_problems(self.price_lists), *found)
