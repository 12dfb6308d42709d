"""Facts about companies, offices and vehicles as the use cases hand them on. No table, no wire."""

from __future__ import annotations

from dataclasses import dataclass

from store.rules.cancellation import CancelPolicy
from store.rules.hours import OpeningHours
from store.rules.stay import StayRules


@dataclass(frozen=True, slots=True)
class OfficeFacts:
    """One office."""

    id: int
    slug: str
    name: str
    address: str
    city: str
    latitude: float | None
    longitude: float | None
    phone: str
    timezone: str
    hours: OpeningHours


@dataclass(frozen=True, slots=True)
class CompanyFacts:
    """One company with its offices, the main one first."""

    id: int
    slug: str
    name: str
    tagline: str
    currency: str
    currency_exponent: int
    timezone: str
    locale: str
    date_order: str
    phone_region: str
    phone: str
    rules: StayRules
    pickup_time: str
    """HH:MM, local."""
    quote_minutes: int
    hold_minutes: int
    """How long a review keeps the vehicle; 0: it does not."""
    cancellation: CancelPolicy
    house_rules: dict[str, str]
    allowed_origins: tuple[str, ...]
    offices: tuple[OfficeFacts, ...]

    def office(self, office_id: int) -> OfficeFacts:
        """Return one of its offices."""
        return next(office for office in self.offices if office.id == office_id)


@dataclass(frozen=True, slots=True)
class VehicleFacts:
    """One vehicle as a customer may see it."""

    id: int
    uuid: str
    brand: str
    model: str
    name: str
    category: str
    drawing: str
    colour: str
    year: int | None
    engine_cc: int | None
    power_hp: int | None
    gearbox: str
    gears: int | None
    seats: int | None
    helmets: int | None
    skipper: bool
    fuel: str
    licence: str
    image_url: str
    details: str
    model_id: int
    office_id: int
    office_slug: str
    office_name: str
    price_list_id: int | None
