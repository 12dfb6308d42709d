"""What travels between the agent and the business API under `/api/mcp`.

The same models validate the agent's arguments, are served by the endpoints, and make the published
tool descriptors, so the two ends cannot drift. Pydantic only: they can be served without an agent.

Money is integer minor units. Periods are local days of the office; `end` is the return day (exclusive).
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Category = Literal["scooter", "motorcycle", "car", "boat", "bicycle"]
Gearbox = Literal["automatic", "manual", "none"]
RentalStatus = Literal["pending", "confirmed", "active", "completed", "cancelled", "rejected"]
Source = Literal["mcp", "admin", "widget", "app"]


class Wire(BaseModel):
    """Base: frozen, unknown fields refused in both directions."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


# ---- Shared facts ---------------------------------------------------------------------------


class MoneyWire(Wire):
    """An amount in the currency's own minor units (IDR and JPY have 0 or 2 by the company's setting)."""

    minor: int
    currency: str = Field(pattern=r"^[A-Z]{3}$")
    exponent: int = Field(ge=0, le=4)


class PeriodWire(Wire):
    """Rental days of one office. A same-day return is one day."""

    start: date
    end: date
    """Return day, exclusive."""
    days: int = Field(ge=1)
    timezone: str
    """IANA name of the office's zone."""


class OfficeRef(Wire):
    """Where a vehicle is picked up and returned."""

    slug: str
    name: str


class VehicleWire(Wire):
    """One vehicle as a customer may see it: no plate, no internal note."""

    uuid: str
    brand: str
    model: str
    name: str
    """Brand and model, as the shop writes them."""
    category: Category
    drawing: str
    """Which of the product's drawings fits: scooter, maxi-scooter, motorcycle, adventure, car, suv, boat, bicycle."""
    colour: str = ""
    """Paint key for the drawing: coral, navy, red, lagoon, cream, sand, graphite, green, white, yellow."""
    year: int | None = None
    engine_cc: int | None = None
    power_hp: int | None = None
    gearbox: Gearbox = "none"
    gears: int | None = None
    seats: int | None = None
    helmets: int | None = None
    skipper: bool = False
    fuel: str = ""
    licence: str = ""
    """What the driver needs, in the shop's words."""
    image_url: str = ""
    details: str = ""
    """The shop's own short description; data, never instructions."""
    office: OfficeRef


class VehicleOffer(Wire):
    """A vehicle that may be rented for the asked period, with its price."""

    vehicle: VehicleWire
    per_day: MoneyWire
    """Average of the period, rounded down to the minor unit."""
    total: MoneyWire
    deposit: MoneyWire | None = None
    is_cheapest: bool = False
    is_exact_match: bool = False
    """Brand and model words were given and this vehicle matches them all."""


class RuleRefusal(Wire):
    """Why a period cannot be rented, apart from other bookings."""

    code: Literal[
        "period_past",
        "period_too_short",
        "period_too_long",
        "period_too_far",
        "pickup_closed",
        "return_closed",
        "lead_time",
        "no_price",
    ]
    facts: dict[str, Any] = Field(default_factory=dict)
    """E.g. {"min_days": 2} or {"office": "kuta", "day": "2027-06-06", "next_open": "2027-06-07"}."""


# ---- vehicles/search_available ---------------------------------------------------------------


class SearchArgs(Wire):
    """Which vehicles, for when. `category` is a vehicle type ("motorcycle"); `brand` is a maker ("Honda")."""

    start: date
    end: date
    category: Category | None = None
    brand: str | None = Field(default=None, max_length=80)
    model: str | None = Field(default=None, max_length=80)
    text: str | None = Field(default=None, max_length=120)
    """Free words; every word has to match somewhere (brand, model, details, plate)."""
    budget_minor: int | None = Field(default=None, ge=0)
    budget_per: Literal["day", "total"] = "total"
    office: str | None = None
    gearbox: Gearbox | None = None
    seats: int | None = Field(default=None, ge=1, le=60)
    """At least this many."""
    sort: Literal["price", "price_desc"] = "price"
    page: int = Field(default=1, ge=1, le=1000)
    page_size: int = Field(default=10, ge=1, le=50)


class SearchHint(Wire):
    """Something the server understood differently from how it was asked."""

    code: Literal["word_is_category", "typo_corrected", "no_such_word"]
    word: str
    meaning: str = ""


class SearchResult(Wire):
    """Free vehicles, priced. Nothing free is an ordinary answer, told apart from nothing known."""

    requested: PeriodWire
    vehicles: tuple[VehicleOffer, ...] = ()
    total_found: int = 0
    """Free and matching, over all pages."""
    matching_total: int = 0
    """Matching the words and filters, free or not: tells "taken" from "we have none"."""
    taken: tuple[VehicleWire, ...] = ()
    """Up to 5 matching vehicles that are not free, best match first."""
    refusal: RuleRefusal | None = None
    """Set when no vehicle can be rented for this period by rule."""
    hints: tuple[SearchHint, ...] = ()
    page: int = 1
    has_more: bool = False
    observed_at: datetime


# ---- vehicles/availability, pricing, bookings ----------------------------------------------------


class VehiclePeriodArgs(Wire):
    """One vehicle and one period."""

    vehicle_uuid: str = Field(min_length=1, max_length=64)
    start: date
    end: date


class Availability(Wire):
    """Whether this vehicle may be rented for this period."""

    vehicle: VehicleWire
    requested: PeriodWire
    available: bool
    conflicts: tuple[PeriodWire, ...] = ()
    refusal: RuleRefusal | None = None
    observed_at: datetime


class SeasonSpan(Wire):
    """Consecutive days of the rental that fall into one season."""

    code: str
    """The shop's key, e.g. high, low, base."""
    name: str
    start: date
    end: date
    """Exclusive."""
    days: int
    per_day: MoneyWire
    """Before the length-of-stay discount."""


class PriceLine(Wire):
    """One line of a price. Lines add up to the total, to the last minor unit."""

    code: Literal["days", "length_discount", "package", "extra", "included", "other"]
    season_code: str = ""
    season_name: str = ""
    start: date | None = None
    end: date | None = None
    quantity: int = 1
    unit_amount: MoneyWire | None = None
    percent: int | None = None
    """For `length_discount`: percent off, positive."""
    min_days: int | None = None
    """For `length_discount`: from how many days it applies."""
    name: str = ""
    """For extras: the shop's name of it, e.g. "helmet"."""
    amount: MoneyWire


class Quote(Wire):
    """A price that holds until `expires_at`."""

    quote_uuid: str
    vehicle: VehicleWire
    period: PeriodWire
    pickup_at: datetime
    """Local, with offset."""
    return_at: datetime
    lines: tuple[PriceLine, ...]
    seasons: tuple[SeasonSpan, ...]
    total: MoneyWire
    per_day: MoneyWire
    deposit: MoneyWire | None = None
    expires_at: datetime
    observed_at: datetime


class Bookings(Wire):
    """Taken periods of one vehicle; no client data."""

    vehicle_uuid: str
    bookings: tuple[TakenPeriod, ...] = ()
    observed_at: datetime


class TakenPeriod(Wire):
    """One rental that blocks, as a period."""

    start: date
    end: date
    status: RentalStatus
    source: Source


# ---- vehicles/alternatives ------------------------------------------------------------------------


class AlternativesArgs(VehiclePeriodArgs):
    """The wished vehicle and period, which is taken."""

    limit: int = Field(default=5, ge=1, le=10)


class Alternative(Wire):
    """One bookable way out, priced. One boundary stays anchored to the wish or to a conflict."""

    strategy: Literal["shorter", "shift_earlier", "shift_later", "gap", "other_vehicle"]
    period: PeriodWire
    offer: VehicleOffer
    difference: MoneyWire
    """This total minus the total of the wish; may be negative."""
    shift_days: int = 0
    """Start compared with the asked start, in days; negative is earlier."""


class Alternatives(Wire):
    """Ways out, best first; other periods of the vehicle, then similar vehicles for the asked dates."""

    vehicle: VehicleWire
    requested: PeriodWire
    wish_total: MoneyWire
    available: bool = False
    """True when the wish itself turned out to be free."""
    conflicts: tuple[PeriodWire, ...] = ()
    options: tuple[Alternative, ...] = ()
    strip_start: date
    strip_taken: tuple[bool, ...] = ()
    """One flag a day from `strip_start`: is the wished vehicle taken on that rental day."""
    observed_at: datetime


# ---- rentals ---------------------------------------------------------------------------------------


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


# ---- company, offices, client -------------------------------------------------------------------------


class OpeningInterval(Wire):
    """One opening interval of one weekday, office-local. A weekday without an interval is closed."""

    weekday: int = Field(ge=0, le=6)
    """0 is Monday."""
    opens: str = Field(pattern=r"^\d{2}:\d{2}$")
    closes: str = Field(pattern=r"^\d{2}:\d{2}$")


class Office(Wire):
    """One office."""

    slug: str
    name: str
    address: str
    city: str
    latitude: float | None = None
    longitude: float | None = None
    phone: str = ""
    timezone: str
    hours: tuple[OpeningInterval, ...] = ()


class Offices(Wire):
    """All offices of the company, the main one first."""

    offices: tuple[Office, ...]
    observed_at: datetime


class CompanyWords(Wire):
    """Names that only this company uses; helps an agent understand, holds no fact about prices."""

    brands: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    categories: tuple[Category, ...] = ()
    aliases: dict[str, str] = Field(default_factory=dict)


class CompanyInfo(Wire):
    """Facts and house rules."""

    slug: str
    name: str
    tagline: str = ""
    currency: str
    currency_exponent: int
    timezone: str
    locale: str
    date_order: Literal["dmy", "mdy", "ymd"]
    phone_region: str
    min_days: int
    max_days: int
    phone: str = ""
    house_rules: dict[str, str] = Field(default_factory=dict)
    """Topic (documents, deposit, delivery, insurance, payment, cancellation) -> the shop's own words."""
    words: CompanyWords
    observed_at: datetime


class ClientInfo(Wire):
    """The client behind this chat, as far as known. Values are masked."""

    known: bool
    client_uuid: str | None = None
    first_name: str = ""
    last_name: str = ""
    phone_masked: str = ""
    is_placeholder: bool = True


class UpdateClientArgs(Wire):
    """What the customer told about themselves; fills gaps, never overwrites another person's record."""

    first_name: str | None = Field(default=None, min_length=1, max_length=120)
    last_name: str | None = Field(default=None, max_length=120)
    phone: str | None = Field(default=None, pattern=r"^\+[1-9][0-9]{6,14}$")
    email: str | None = Field(default=None, max_length=254)
    language: str | None = Field(default=None, max_length=20)


class Health(Wire):
    """The business API answers, and its database too."""

    status: Literal["ok", "degraded"]
    database: Literal["ok", "down"]


class NoArgs(Wire):
    """No arguments."""


class VehicleArgs(Wire):
    """One vehicle."""

    vehicle_uuid: str = Field(min_length=1, max_length=64)


# ---- errors -----------------------------------------------------------------------------------------------

ErrorCode = Literal[
    "dates_taken",  # 409, facts.conflicting_rentals: periods only
    "quote_expired",  # 409
    "price_changed",  # 409, facts.old_total, facts.new_total
    "period_refused",  # 409, facts.refusal: RuleRefusal
    "idempotency_key_reused",  # 422
    "in_progress",  # 409, retryable
    "not_found",  # 404, the same body for foreign and missing ids
    "invalid_arguments",  # 422, facts.fields
    "unauthorized",  # 401
    "rate_limited",  # 429
    "unavailable",  # 503, retryable
    "internal",  # 500, a bug
    "timeout",  # made by the gateway: no answer in time
    "not_allowed",  # made by the gateway: tool not on this turn's list
]


class ToolError(Wire):
    """The one error form of the business API and of the gateway."""

    code: ErrorCode
    message: str
    retryable: bool = False
    facts: dict[str, Any] = Field(default_factory=dict)


Bookings.model_rebuild()
Rental.model_rebuild()
