"""The form of a company's data file: what a shop writes, checked before anything is stored.

Amounts are in the currency's major unit as a shop writes them ("45.00", 150000); they become minor units exactly.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Literal

from babel.numbers import get_currency_precision
from pydantic import BaseModel, ConfigDict, Field

from store.rules.prices import MonthDay, PriceList, Season, Tier

Amount = int | str
Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEKDAYS: tuple[Weekday, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


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


class SeasonEntry(_Entry):
    """A yearly span that price lists may price; both ends inclusive ("06-01" to "08-31")."""

    code: str
    name: str
    first: str = Field(pattern=r"^\d{2}-\d{2}$")
    last: str = Field(pattern=r"^\d{2}-\d{2}$")
    priority: int = 0
    min_days: int | None = None


class TierEntry(_Entry):
    """A discount on the whole stay by its length."""

    min_days: int
    max_days: int | None = None
    percent_off: int


class PriceListEntry(_Entry):
    """Prices of one model, category or vehicle, or of the whole company when none is named."""

    code: str
    model: str | None = None
    category: str | None = None
    plate: str | None = None
    base: Amount | None = None
    deposit: Amount | None = None
    seasons: dict[str, Amount] = Field(default_factory=dict)
    """Season code -> a price of the day, or a percentage of the base like "120%"."""


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


class CompanyFile(_Entry):
    """Everything of one company."""

    company: CompanyEntry
    offices: tuple[OfficeEntry, ...]
    brands: tuple[BrandEntry, ...]
    models: tuple[ModelEntry, ...]
    seasons: tuple[SeasonEntry, ...] = ()
    tiers: tuple[TierEntry, ...] = ()
    price_lists: tuple[PriceListEntry, ...]
    vehicles: tuple[VehicleEntry, ...]
    rentals: tuple[RentalEntry, ...] = ()

    def price_list(self, entry: PriceListEntry) -> PriceList:
        """Return the list as the pricing rules read it.

        Raises:
            ValueError: an amount is not one, or has more decimals than the currency.
            KeyError: it names a season that the file does not have.
        """
        exponent = self.company.currency_exponent
        seasons = {season.code: season for season in self.seasons}
        return PriceList(
            id=0,
            version=1,
            base_per_day_minor=None if entry.base is None else to_minor(entry.base, exponent),
            deposit_minor=None if entry.deposit is None else to_minor(entry.deposit, exponent),
            seasons=tuple(_season(seasons[code], price, exponent) for code, price in entry.seasons.items()),
            tiers=tuple(Tier(t.min_days, t.max_days, t.percent_off) for t in self.tiers),
        )


def to_minor(amount: Amount, exponent: int) -> int:
    """Return an amount in minor units, exactly.

    Raises:
        ValueError: not a number, negative, or more decimals than the currency has.
    """
    try:
        minor = Decimal(str(amount)).scaleb(exponent)
    except InvalidOperation as error:
        raise ValueError(f"{amount!r} is not an amount") from error
    if not minor.is_finite() or minor != minor.to_integral_value() or minor < 0:
        raise ValueError(f"{amount!r} does not fit {exponent} decimals")
    return int(minor)


def _season(entry: SeasonEntry, price: Amount, exponent: int) -> Season:
    percent = int(price[:-1]) if isinstance(price, str) and price.endswith("%") else None
    return Season(
        code=entry.code,
        name=entry.name,
        start=_month_day(entry.first),
        end=_month_day(entry.last),
        priority=entry.priority,
        per_day_minor=to_minor(price, exponent) if percent is None else None,
        percent=percent,
        min_days=entry.min_days,
    )


def _month_day(text: str) -> MonthDay:
    month, day = text.split("-")
    return int(month), int(day)
