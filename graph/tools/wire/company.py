"""Company, offices, the client behind a chat."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from graph.tools.wire.facts import Category, Ref, Wire


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

    vehicle_uuid: Ref
