"""Price lists with seasons and length-of-stay tiers. Amounts are minor units of the company's currency."""

# No `from __future__ import annotations`: SQLModel reads the annotations when the class is made.
from sqlalchemy import BigInteger, CheckConstraint, Index, UniqueConstraint
from sqlmodel import Field, SQLModel


class PriceList(SQLModel, table=True):
    """Prices for one vehicle, one model, one category or the whole company; the most specific list wins."""

    __tablename__ = "price_list"
    __table_args__ = (
        UniqueConstraint("company_id", "code", name="uq_price_list_code"),
        UniqueConstraint("vehicle_id", name="uq_price_list_vehicle"),
        UniqueConstraint("model_id", name="uq_price_list_model"),
        Index("ix_price_list_category", "company_id", "category"),
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
    """Price of a day outside every season; None: such a day has no price."""
    deposit_minor: int | None = Field(default=None, sa_type=BigInteger)
    version: int = 1


class PriceSeason(SQLModel, table=True):
    """A yearly span of days, both ends inclusive; may cross the new year."""

    __tablename__ = "price_season"
    __table_args__ = (
        UniqueConstraint("price_list_id", "code", name="uq_price_season_code"),
        CheckConstraint("(per_day_minor IS NULL) <> (percent IS NULL)", name="ck_price_season_one_price"),
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
    """Shortest rental that starts in this season."""


class PriceTier(SQLModel, table=True):
    """A discount on the whole rental by its length."""

    __tablename__ = "price_tier"
    __table_args__ = (
        UniqueConstraint("price_list_id", "min_days", name="uq_price_tier_min_days"),
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
