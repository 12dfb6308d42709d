"""Search, availability, prices, alternatives."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

from pydantic import Field

from graph.tools.wire.extras import ExtraWishes, OfferedExtra, read_wishes
from graph.tools.wire.facts import (
    Category,
    Gearbox,
    MoneyWire,
    PeriodWire,
    Ref,
    RentalStatus,
    RuleRefusal,
    Source,
    VehicleOffer,
    VehicleWire,
    Wire,
)


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

    code: Literal["word_is_category", "typo_corrected", "no_such_word", "over_budget"]
    """over_budget: vehicles that match are free, but all cost more; `word` is empty."""
    word: str
    meaning: str = ""


class SearchResult(Wire):
    """Free vehicles, priced. Nothing free is an ordinary answer, told apart from nothing known."""

    requested: PeriodWire
    vehicles: tuple[VehicleOffer, ...] = ()
    """One of each kind: same model, office and price. Its `also_free` tells how many more there are."""
    total_found: int = 0
    """Kinds that are free and match, over all pages."""
    vehicles_found: int = 0
    """Free vehicles of these kinds."""
    totals_are_minimum: bool = False
    """True where counting stopped early, in a large fleet: at least so many."""
    matching_total: int = 0
    """Vehicles matching the words and filters, free or not: tells "taken" from "we have none". At most 100."""
    taken: tuple[VehicleWire, ...] = ()
    """Up to 5 matching vehicles that are not free, by name."""
    refusal: RuleRefusal | None = None
    """Set when no vehicle can be rented for this period by rule."""
    hints: tuple[SearchHint, ...] = ()
    page: int = 1
    has_more: bool = False
    observed_at: datetime


class VehiclePeriodArgs(Wire):
    """One vehicle and one period."""

    vehicle_uuid: Ref
    start: date
    end: date


class PricingArgs(VehiclePeriodArgs):
    """One vehicle, one period, and what the customer wants with it."""

    extras: ExtraWishes = ()
    """E.g. ["helmet:2", "gps"]; in a query repeated: extras=helmet:2&extras=gps. Codes: `extras_offered` of a quote."""

    @property
    def chosen(self) -> tuple[tuple[str, int], ...]:
        """What is wanted: (code, pieces)."""
        return read_wishes(self.extras)


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
    """Days of `days`, pieces of an `extra`."""
    unit_amount: MoneyWire | None = None
    """Of one of them; for an extra one piece for the whole rental."""
    percent: int | None = None
    """For `length_discount`: percent off, positive."""
    min_days: int | None = None
    """For `length_discount`: from how many days it applies."""
    name: str = ""
    """For packages, extras and what is included: the shop's name of it, e.g. "helmet"."""
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
    extras_offered: tuple[OfferedExtra, ...] = ()
    """What the customer may have with it; price again with `extras` to add or to drop some."""
    by_use: tuple[str, ...] = ()
    """Names of what comes on top of the total and is known only after the rental, e.g. "fuel": say so."""
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


class AlternativesArgs(VehiclePeriodArgs):
    """The wished vehicle and period, which is taken."""

    limit: int = Field(default=5, ge=1, le=10)


class AlternativeReason(Wire):
    """Why this way out is where it is."""

    code: Literal[
        "back_before_booking",
        "after_booking",
        "between_bookings",
        "office_open",
        "same_model",
        "similar_vehicle",
    ]
    day: date | None = None
    """The day that it is anchored to: where a booking begins or ends, or the office opens."""


class Alternative(Wire):
    """One bookable way out, priced. One boundary stays anchored to the wish or to a conflict."""

    strategy: Literal["shorter", "shift_earlier", "shift_later", "gap", "other_vehicle"]
    period: PeriodWire
    offer: VehicleOffer
    difference: MoneyWire
    """This total minus the total of the wish, both without chosen extras; may be negative."""
    shift_days: int = 0
    """Start compared with the asked start, in days; negative is earlier."""
    reason: AlternativeReason | None = None


class Alternatives(Wire):
    """Ways out, best first; other periods of the vehicle, then similar vehicles for the asked dates."""

    vehicle: VehicleWire
    requested: PeriodWire
    wish_total: MoneyWire
    """Without chosen extras."""
    available: bool = False
    """True when the wish itself turned out to be free."""
    conflicts: tuple[PeriodWire, ...] = ()
    options: tuple[Alternative, ...] = ()
    strip_start: date
    strip_taken: tuple[bool, ...] = ()
    """One flag a day from `strip_start`: is the wished vehicle taken on that rental day."""
    observed_at: datetime
