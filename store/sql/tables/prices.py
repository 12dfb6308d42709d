"""Price lists with seasons, tiers, packages and extras. Amounts are minor units of the company's currency."""

# No `from __future__ import annotations`: SQLModel reads the annotations when the class is made.
from datetime import date

from sqlalchemy import BigInteger, CheckConstraint, Index, UniqueConstraint, false, text
from sqlmodel import Field, SQLModel

_FOR_NOTHING_ELSE = text("vehicle_id IS NULL AND model_id IS NULL AND category IS NULL")


class PriceList(SQLModel, table=True):
    """Prices for one vehicle, one model, one category or the whole company; the most specific list wins."""

    __tablename__ = "price_list"
    __table_args__ = (
        UniqueConstraint("company_id", "code", name="uq_price_list_code"),
        UniqueConstraint("vehicle_id", name="uq_price_list_vehicle"),
        UniqueConstraint("model_id", name="uq_price_list_model"),
        # Two lists for the same things would offer each of their vehicles twice.
        Index("ix_price_list_category", "company_id", "category", unique=True),
        Index(
            "ix_price_list_company",
            "company_id",
            unique=True,
            sqlite_where=_FOR_NOTHING_ELSE,
            postgresql_where=_FOR_NOTHING_ELSE,
        ),
        CheckConstraint(
            "(CASE WHEN vehicle_id IS NULL THEN 0 ELSE 1 END) + (CASE WHEN model_id IS NULL THEN 0 ELSE 1 END)"
            " + (CASE WHEN category IS NULL THEN 0 ELSE 1 END) <= 1",
            name="ck_price_list_one_target",
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id")
    code: str = Field(max_length=80)
    vehicle_id: int | None = Field(default=None, foreign_key="vehicle.id")
    model_id: int | None = Field(default=None, foreign_key="vehicle_model.id")
    category: str | None = Field(default=None, max_length=20)
    base_per_day_minor: int | None = Field(default=None, sa_type=BigInteger)
    """Price of a day outside every season; None: such a day has no price, or its tier's."""
    deposit_minor: int | None = Field(default=None, sa_type=BigInteger)
    version: int = 1
    tier_mode: str = Field(default="whole", max_length=10, sa_column_kwargs={"server_default": "whole"})
    """whole, stepwise."""
    package_rest: str = Field(default="by_day", max_length=10, sa_column_kwargs={"server_default": "by_day"})
    """by_day, share, cheapest."""
    stay_by: str = Field(default="arrival", max_length=10, sa_column_kwargs={"server_default": "arrival"})
    """arrival, any_day."""
    min_days: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    max_days: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """0: no limit of its own."""


class PriceSeason(SQLModel, table=True):
    """A span of days, both ends inclusive; yearly (may cross the new year) or between two dates."""

    __tablename__ = "price_season"
    __table_args__ = (
        UniqueConstraint("price_list_id", "code", name="uq_price_season_code"),
        CheckConstraint("per_day_minor IS NULL OR percent IS NULL", name="ck_price_season_one_price"),
        CheckConstraint(
            "start_month BETWEEN 1 AND 12 AND end_month BETWEEN 1 AND 12"
            " AND start_day BETWEEN 1 AND 31 AND end_day BETWEEN 1 AND 31",
            name="ck_price_season_days",
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id")
    price_list_id: int = Field(foreign_key="price_list.id")
    code: str = Field(max_length=40)
    name: str = Field(max_length=80)
    start_month: int
    start_day: int
    end_month: int
    end_day: int
    priority: int = 0
    per_day_minor: int | None = Field(default=None, sa_type=BigInteger)
    percent: int | None = None
    """Of the base price: 120 is a fifth more."""
    min_days: int | None = None
    """Shortest rental in this season; the list's `stay_by` says which rentals those are."""
    max_days: int | None = None
    valid_from: date | None = None
    valid_until: date | None = None
    """Inclusive."""
    is_closed: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Nothing is rented in it."""


class PriceTier(SQLModel, table=True):
    """A price by the length of the rental: a percentage off, or a price of the day."""

    __tablename__ = "price_tier"
    __table_args__ = (
        UniqueConstraint("price_list_id", "season_code", "min_days", name="uq_price_tier_min_days"),
        CheckConstraint("percent_off BETWEEN 0 AND 100", name="ck_price_tier_percent"),
        CheckConstraint("min_days >= 1 AND (max_days IS NULL OR max_days >= min_days)", name="ck_price_tier_days"),
    )

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id")
    price_list_id: int = Field(foreign_key="price_list.id")
    min_days: int
    max_days: int | None = None
    """Inclusive; None: no upper end."""
    percent_off: int
    per_day_minor: int | None = Field(default=None, sa_type=BigInteger)
    season_code: str = Field(default="", max_length=40, sa_column_kwargs={"server_default": ""})
    """Empty: for the days of all seasons without tiers of their own."""


class PricePackage(SQLModel, table=True):
    """One price for a number of days or calendar months."""

    __tablename__ = "price_package"
    __table_args__ = (
        CheckConstraint("(days IS NULL) <> (months IS NULL)", name="ck_price_package_length"),
        CheckConstraint("amount_minor >= 0", name="ck_price_package_amount"),
    )

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id")
    price_list_id: int = Field(foreign_key="price_list.id", index=True)
    amount_minor: int = Field(sa_type=BigInteger)
    days: int | None = None
    """0: a return on the day of the pick-up."""
    months: int | None = None
    name: str = Field(default="", max_length=80)
    season_code: str = Field(default="", max_length=40)
    weekdays: str = Field(default="", max_length=7)
    """Digits of the days on which it may begin, 0 is Monday; empty: any."""


class PriceExtra(SQLModel, table=True):
    """Something besides the vehicle."""

    __tablename__ = "price_extra"
    __table_args__ = (
        UniqueConstraint("price_list_id", "code", name="uq_price_extra_code"),
        CheckConstraint("mode IN ('included', 'required', 'chosen', 'by_use')", name="ck_price_extra_mode"),
        CheckConstraint("per IN ('day', 'rental')", name="ck_price_extra_per"),
        CheckConstraint("amount_minor >= 0", name="ck_price_extra_amount"),
    )

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id")
    price_list_id: int = Field(foreign_key="price_list.id")
    code: str = Field(max_length=40)
    name: str = Field(max_length=80)
    mode: str = Field(max_length=10)
    per: str = Field(max_length=10)
    amount_minor: int = Field(default=0, sa_type=BigInteger)
    at_most_minor: int | None = Field(default=None, sa_type=BigInteger)
    """Cap per piece and rental."""
