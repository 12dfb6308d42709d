"""The form of a company's data file: what a shop writes, checked before anything is stored.

Amounts are in the currency's major unit as a shop writes them ("45.00", 150000); they become minor units exactly.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal
from zoneinfo import available_timezones

from babel.core import Locale, UnknownLocaleError
from babel.numbers import get_currency_precision, list_currencies
from phonenumbers import SUPPORTED_REGIONS
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

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
from store.rules.spellings import CURRENCY, HOLIDAY, INTERVAL, REGION, SLUG, TIME

__all__ = [
    "WEEKDAYS",
    "Amount",
    "BrandEntry",
    "CompanyDocument",
    "CompanyEntry",
    "CompanyFile",
    "ModelEntry",
    "OfficeEntry",
    "PriceListEntry",
    "PricesDocument",
    "RentalEntry",
    "SeasonEntry",
    "TierEntry",
    "VehicleEntry",
    "to_minor",
]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _known_zone(name: str) -> str:
    if name not in available_timezones():
        raise ValueError('not a time zone; write it like "Asia/Makassar"')
    return name


def _known_currency(code: str) -> str:
    if code not in list_currencies():
        raise ValueError('not a currency; write its code, like "IDR"')
    return code


def _known_region(code: str) -> str:
    if code not in SUPPORTED_REGIONS:
        raise ValueError('not a country; write its two letters, like "ID"')
    return code


def _known_locale(name: str) -> str:
    try:
        Locale.parse(name, sep="-" if "-" in name else "_")
    except (ValueError, UnknownLocaleError) as error:
        raise ValueError('not a language; write it like "en" or "pt-BR"') from error
    return name


def _in_order(interval: str) -> str:
    opens, closes = interval.split("-")
    if opens >= closes:
        raise ValueError("the office would close before it opens")
    return interval


Slug = Annotated[str, Field(pattern=SLUG, max_length=60)]
"""Lower-case letters, digits and single dashes."""
Zone = Annotated[str, Field(max_length=60), AfterValidator(_known_zone)]
Interval = Annotated[str, Field(pattern=INTERVAL), AfterValidator(_in_order)]
"""Like "08:00-18:00"."""
Holiday = Annotated[str, Field(pattern=HOLIDAY)]
"""One day ("2027-12-25"), or that day of every year ("12-25")."""


class CancellationStep(_Entry):
    """What cancelling costs from so many hours before the pick-up on."""

    hours_before: int = Field(ge=0)
    fee_percent: int | None = Field(default=None, ge=0, le=100)
    fee_days: int | None = Field(default=None, ge=0)


class CompanyEntry(_Entry):
    """The company itself."""

    slug: Slug
    name: str = Field(min_length=1, max_length=120)
    tagline: str = Field(default="", max_length=200)
    currency: Annotated[str, Field(pattern=CURRENCY), AfterValidator(_known_currency)]
    timezone: Zone
    locale: Annotated[str, Field(max_length=20), AfterValidator(_known_locale)]
    date_order: Literal["dmy", "mdy", "ymd"]
    phone_region: Annotated[str, Field(pattern=REGION), AfterValidator(_known_region)]
    """Where a number without a country code is dialled from."""
    phone: str = Field(default="", max_length=40)
    min_days: int = Field(default=1, ge=1)
    max_days: int = Field(default=30, ge=1, le=366)
    max_ahead_days: int = Field(default=540, ge=1, le=1500)
    lead_minutes: int = Field(default=0, ge=0, le=60 * 24 * 60)
    """Least time between booking and pick-up."""
    turnaround_hours: int = Field(default=0, ge=0, le=30 * 24)
    """A vehicle is not handed out again for so long."""
    pickup_time: str = Field(default="10:00", pattern=TIME)
    quote_minutes: int = Field(default=15, ge=1, le=7 * 24 * 60)
    hold_minutes: int = Field(default=0, ge=0, le=7 * 24 * 60)
    """How long a review keeps the vehicle for its customer; 0: it does not."""
    pending_blocks: bool = True
    """Whether a request that waits for staff keeps the vehicle."""
    cancellation: tuple[CancellationStep, ...] = ()
    house_rules: dict[str, str] = Field(default_factory=dict)
    """Topic (documents, deposit, delivery, insurance, payment, cancellation) -> the shop's own words."""
    allowed_origins: tuple[str, ...] = ()
    """Sites that may show the chat."""
    order_prefix: str = Field(min_length=1, max_length=8)
    next_order_number: int = Field(default=1001, ge=1)
    """Of a new company; later it only grows."""

    @property
    def currency_exponent(self) -> int:
        """Decimal places of the currency."""
        return get_currency_precision(self.currency)


class OfficeEntry(_Entry):
    """One office; a weekday that is missing in `hours` is closed."""

    slug: Slug
    name: str = Field(min_length=1, max_length=120)
    address: str = Field(max_length=300)
    city: str = Field(max_length=120)
    latitude: float | None = Field(default=None, ge=-90, le=90)
    longitude: float | None = Field(default=None, ge=-180, le=180)
    phone: str = Field(default="", max_length=40)
    timezone: Zone | None = None
    """The company's zone when not given."""
    closed_days: tuple[Holiday, ...] = ()
    hours: dict[Weekday, tuple[Interval, ...]]
    """Weekday -> intervals like "08:00-18:00"."""


class BrandEntry(_Entry):
    """A maker."""

    slug: Slug
    name: str = Field(min_length=1, max_length=120)
    aliases: tuple[str, ...] = ()


class ModelEntry(_Entry):
    """A model; `display_name` is brand and name when not given."""

    slug: Slug
    brand: str
    name: str = Field(min_length=1, max_length=120)
    display_name: str | None = Field(default=None, min_length=1, max_length=160)
    category: Literal["scooter", "motorcycle", "car", "boat", "bicycle"]
    drawing: Literal["", "scooter", "maxi-scooter", "motorcycle", "adventure", "car", "suv", "boat", "bicycle"] = ""
    """The category's own drawing when not given."""
    engine_cc: int | None = Field(default=None, ge=0, le=100_000)
    power_hp: int | None = Field(default=None, ge=0, le=100_000)
    gearbox: Literal["automatic", "manual", "none"] = "none"
    gears: int | None = Field(default=None, ge=0, le=30)
    seats: int | None = Field(default=None, ge=1, le=1000)
    helmets: int | None = Field(default=None, ge=0, le=100)
    skipper: bool = False
    fuel: str = Field(default="", max_length=20)
    licence: str = Field(default="", max_length=120)
    image_url: str = Field(default="", max_length=500)
    aliases: tuple[str, ...] = ()


class VehicleEntry(_Entry):
    """One vehicle: a line of the fleet file."""

    plate: str = Field(min_length=1, max_length=40)
    model: str
    office: str
    colour: str = Field(default="", max_length=20)
    year: int | None = Field(default=None, ge=1900, le=2100)
    details: str = Field(default="", max_length=500)
    state: Literal["ready", "workshop"] = "ready"


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


class CompanyDocument(_Entry):
    """The company's own file."""

    company: CompanyEntry
    offices: tuple[OfficeEntry, ...] = Field(min_length=1)
    """The main one first."""
    brands: tuple[BrandEntry, ...]
    models: tuple[ModelEntry, ...]


class PricesDocument(HousePrices):
    """The file of prices."""

    price_lists: tuple[PriceListEntry, ...]


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
