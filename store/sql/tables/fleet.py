"""What can be rented."""

# No `from __future__ import annotations`: SQLModel reads the annotations when the class is made.
from sqlalchemy import JSON, CheckConstraint, Column, Index, UniqueConstraint
from sqlmodel import Field, SQLModel


class Brand(SQLModel, table=True):
    """A maker."""

    __tablename__ = "brand"
    __table_args__ = (UniqueConstraint("company_id", "slug", name="uq_brand_slug"),)

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id")
    slug: str = Field(max_length=60)
    name: str = Field(max_length=120)
    aliases: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    """Other names, in any language."""


class VehicleModel(SQLModel, table=True):
    """A model, as the shop offers it."""

    __tablename__ = "vehicle_model"
    __table_args__ = (
        UniqueConstraint("company_id", "slug", name="uq_vehicle_model_slug"),
        CheckConstraint(
            "category IN ('scooter', 'motorcycle', 'car', 'boat', 'bicycle')", name="ck_vehicle_model_category"
        ),
        Index("ix_vehicle_model_category", "company_id", "category"),
    )

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id")
    brand_id: int = Field(foreign_key="brand.id")
    slug: str = Field(max_length=80)
    name: str = Field(max_length=120)
    """Without the brand."""
    display_name: str = Field(max_length=160)
    """Brand and model, as the shop writes them."""
    category: str = Field(max_length=20)
    drawing: str = Field(max_length=20)
    engine_cc: int | None = None
    power_hp: int | None = None
    gearbox: str = Field(default="none", max_length=10)
    gears: int | None = None
    seats: int | None = None
    helmets: int | None = None
    skipper: bool = False
    fuel: str = Field(default="", max_length=20)
    licence: str = Field(default="", max_length=120)
    image_url: str = Field(default="", max_length=500)
    aliases: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    """Other names and descriptions that customers use ("big bike")."""


class Vehicle(SQLModel, table=True):
    """One vehicle that can stand in one place at a time."""

    __tablename__ = "vehicle"
    __table_args__ = (
        CheckConstraint("state IN ('ready', 'workshop', 'retired')", name="ck_vehicle_state"),
        UniqueConstraint("company_id", "plate", name="uq_vehicle_plate"),
        # The walk over kinds reads a few vehicles of each, in the order of their ids.
        Index("ix_vehicle_offer", "company_id", "state", "model_id", "office_id", "id"),
        # Trigrams on PostgreSQL; on SQLite a list to read through that is shorter than the table.
        Index(
            "ix_vehicle_search_text",
            "search_text",
            postgresql_using="gin",
            postgresql_ops={"search_text": "gin_trgm_ops"},
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id")
    uuid: str = Field(max_length=36, unique=True)
    model_id: int = Field(foreign_key="vehicle_model.id")
    office_id: int = Field(foreign_key="office.id")
    plate: str = Field(max_length=40)
    colour: str = Field(default="", max_length=20)
    year: int | None = None
    details: str = Field(default="", max_length=500)
    search_text: str = Field(default="", max_length=700)
    """Lower-case words of the details and the plate, made by `store.rules.matching`; a space before and after each."""
    state: str = Field(default="ready", max_length=10)


class CatalogueStamp(SQLModel, table=True):
    """Renewed by triggers with every change of the company's brands, models or prices: what was read may be kept."""

    __tablename__ = "catalogue_stamp"

    company_id: int = Field(foreign_key="company.id", primary_key=True, sa_column_kwargs={"autoincrement": False})
    stamp: str = Field(max_length=32)
    """Random."""
