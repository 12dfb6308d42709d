"""The company, its offices and its bots."""

# No `from __future__ import annotations`: SQLModel reads the annotations when the class is made.
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Column, UniqueConstraint
from sqlmodel import Field, SQLModel

from store.sql.types import UtcDateTime


class Company(SQLModel, table=True):
    """One rental shop: the tenant. Everything else hangs on it."""

    __tablename__ = "company"

    id: int | None = Field(default=None, primary_key=True)
    slug: str = Field(max_length=60, unique=True)
    name: str = Field(max_length=120)
    tagline: str = Field(default="", max_length=200)
    currency: str = Field(max_length=3)
    currency_exponent: int
    timezone: str = Field(max_length=60)
    locale: str = Field(max_length=20)
    date_order: str = Field(max_length=3)
    phone_region: str = Field(max_length=2)
    phone: str = Field(default="", max_length=40)
    min_days: int = 1
    max_days: int = 30
    max_ahead_days: int = 540
    turnaround_hours: int = 0
    pickup_time: str = Field(default="10:00", max_length=5)
    quote_minutes: int = 15
    hold_minutes: int = 0
    """How long a review keeps the vehicle for its customer; 0: it does not."""
    pending_blocks: bool = True
    """Whether a request that waits for staff keeps the vehicle. A trigger carries a change to the rentals."""
    lead_minutes: int = 0
    """Least time between booking and pick-up."""
    cancellation: list[Any] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    """Steps of the policy: `{"hours_before": 24, "fee_percent": 0}`, `{"hours_before": 0, "fee_days": 1}`."""
    house_rules: dict[str, str] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    allowed_origins: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    order_prefix: str = Field(max_length=8)
    next_order_number: int = 1001
    created_at: datetime = Field(sa_type=UtcDateTime)


class CompanyStamp(SQLModel, table=True):
    """Renewed by triggers with every change of the company, its offices or their hours: what was read may be kept."""

    __tablename__ = "company_stamp"

    company_id: int = Field(foreign_key="company.id", primary_key=True, sa_column_kwargs={"autoincrement": False})
    stamp: str = Field(max_length=32)
    """Random."""


class Office(SQLModel, table=True):
    """Where vehicles are handed over. Its own zone decides what a rental day is."""

    __tablename__ = "office"
    __table_args__ = (UniqueConstraint("company_id", "slug", name="uq_office_slug"),)

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id")
    slug: str = Field(max_length=60)
    name: str = Field(max_length=120)
    address: str = Field(max_length=300)
    city: str = Field(max_length=120)
    latitude: float | None = None
    longitude: float | None = None
    phone: str = Field(default="", max_length=40)
    timezone: str = Field(max_length=60)
    position: int = 0
    """The main office is 0."""
    closed_days: list[Any] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    """Holidays: "2027-12-25" for one year, "12-25" for every year."""


class OfficeHours(SQLModel, table=True):
    """One opening interval of one weekday. A weekday without a row is closed."""

    __tablename__ = "office_hours"
    __table_args__ = (
        UniqueConstraint("office_id", "weekday", "opens", name="uq_office_hours"),
        CheckConstraint("weekday BETWEEN 0 AND 6", name="ck_office_hours_weekday"),
        CheckConstraint("opens < closes", name="ck_office_hours_order"),
    )

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id")
    office_id: int = Field(foreign_key="office.id")
    weekday: int
    opens: str = Field(max_length=5)
    closes: str = Field(max_length=5)


class Bot(SQLModel, table=True):
    """A caller of the business API. The token itself is never stored."""

    __tablename__ = "bot"

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id", index=True)
    name: str = Field(max_length=80)
    token_prefix: str = Field(max_length=16, index=True)
    token_sha256: str = Field(max_length=64, unique=True)
    channel: str = Field(default="api", max_length=20)
    is_active: bool = True
    settings: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    created_at: datetime = Field(sa_type=UtcDateTime)
    last_used_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
