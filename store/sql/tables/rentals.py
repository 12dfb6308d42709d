"""Quotes, rentals and what is written in the same transaction as a rental."""

# No `from __future__ import annotations`: SQLModel reads the annotations when the class is made.
from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, CheckConstraint, Column, Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from store.sql.types import UtcDateTime


class QuoteRow(SQLModel, table=True):
    """A price that holds until `expires_at`. Frozen: never updated."""

    __tablename__ = "quote"

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id")
    uuid: str = Field(max_length=36, unique=True)
    vehicle_id: int = Field(foreign_key="vehicle.id", index=True)
    start_date: date
    end_date: date
    total_minor: int = Field(sa_type=BigInteger)
    deposit_minor: int | None = Field(default=None, sa_type=BigInteger)
    lines: list[Any] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    """The price breakdown, as `store.rules.prices` made it."""
    extras: list[Any] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    """What was chosen: code, name, pieces."""
    price_list_id: int = Field(foreign_key="price_list.id")
    price_list_version: int
    bot_id: int | None = Field(default=None, foreign_key="bot.id")
    actor: str = Field(default="", max_length=100)
    created_at: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime = Field(sa_type=UtcDateTime)


class HoldRow(SQLModel, table=True):
    """A vehicle that is kept for a customer who reads the review. One for each chat user; judged when it is read."""

    __tablename__ = "vehicle_hold"
    __table_args__ = (
        UniqueConstraint("company_id", "actor", name="uq_vehicle_hold_actor"),
        Index("ix_vehicle_hold_block", "vehicle_id", "block_end"),
    )

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id")
    vehicle_id: int = Field(foreign_key="vehicle.id")
    quote_id: int = Field(foreign_key="quote.id")
    actor: str = Field(max_length=100)
    start_date: date
    end_date: date
    block_start: date
    block_end: date
    held_until: datetime = Field(sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)


class RentalRow(SQLModel, table=True):
    """A rental. `block_*` is what the guard against double booking compares; half-open days."""

    __tablename__ = "rental"
    __table_args__ = (
        UniqueConstraint("company_id", "order_number", name="uq_rental_order_number"),
        CheckConstraint(
            "status IN ('pending', 'confirmed', 'active', 'completed', 'cancelled', 'rejected')",
            name="ck_rental_status",
        ),
        CheckConstraint("source IN ('mcp', 'admin', 'widget', 'app')", name="ck_rental_source"),
        CheckConstraint(
            "start_date <= end_date AND block_start = start_date AND block_end >= end_date AND block_end > block_start",
            name="ck_rental_block",
        ),
        # The overlap check reads only this index.
        Index("ix_rental_block", "vehicle_id", "block_end", "block_start", "status", "company_id"),
        Index("ix_rental_company_start", "company_id", "start_date"),
        Index("ix_rental_actor", "company_id", "actor"),
    )

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id")
    uuid: str = Field(max_length=36, unique=True)
    order_number: str = Field(max_length=24)
    vehicle_id: int = Field(foreign_key="vehicle.id")
    office_id: int = Field(foreign_key="office.id")
    client_id: int = Field(foreign_key="client.id", index=True)
    quote_id: int | None = Field(default=None, foreign_key="quote.id")
    status: str = Field(max_length=10)
    source: str = Field(max_length=10)
    start_date: date
    end_date: date
    block_start: date
    block_end: date
    pickup_at: datetime = Field(sa_type=UtcDateTime)
    return_at: datetime = Field(sa_type=UtcDateTime)
    total_minor: int = Field(sa_type=BigInteger)
    deposit_minor: int | None = Field(default=None, sa_type=BigInteger)
    price_lines: list[Any] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    extras: list[Any] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    """What was chosen: code, name, pieces."""
    customer_first_name: str = Field(max_length=120)
    """As given with this rental; the client's own record may say otherwise."""
    customer_last_name: str = Field(default="", max_length=120)
    customer_phone: str = Field(default="", max_length=20)
    customer_email: str = Field(default="", max_length=254)
    customer_language: str = Field(default="", max_length=20)
    note: str = Field(default="", max_length=500)
    staff_flag: str = Field(default="", max_length=40)
    """Why staff should look at the client: phone_claim, phone_of_other_client."""
    flag_client_id: int | None = Field(default=None, foreign_key="client.id")
    actor: str = Field(default="", max_length=100)
    bot_id: int | None = Field(default=None, foreign_key="bot.id")
    version: int = 1
    """Grows with each change; a change that was made up from an older one is refused."""
    pending_blocks: bool = True
    """A copy of the company's setting for PostgreSQL, whose constraint sees its own row only; a trigger keeps it."""
    cancel_fee_minor: int | None = Field(default=None, sa_type=BigInteger)
    policy_pickup_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """The pick-up from which the cancellation policy counts, where a move came when cancelling already cost a fee."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    updated_at: datetime = Field(sa_type=UtcDateTime)


class RentalStatusChange(SQLModel, table=True):
    """The history of a rental: who changed what, and when."""

    __tablename__ = "rental_status_change"

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id")
    rental_id: int = Field(foreign_key="rental.id", index=True)
    old_status: str | None = Field(default=None, max_length=10)
    new_status: str = Field(max_length=10)
    kind: str = Field(default="status", max_length=10)
    """What happened: status, move, extend, cancel."""
    facts: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    """Dates and amounts before and after; no client data."""
    actor: str = Field(default="", max_length=100)
    changed_at: datetime = Field(sa_type=UtcDateTime)


class Idempotency(SQLModel, table=True):
    """A key that has done its work. Written in the transaction of that work."""

    __tablename__ = "idempotency"

    company_id: int = Field(foreign_key="company.id", primary_key=True)
    key: str = Field(max_length=128, primary_key=True)
    fingerprint: str = Field(max_length=64)
    """SHA-256 of the canonical arguments."""
    status: int
    """HTTP-like status of the first answer."""
    rental_id: int | None = Field(default=None, foreign_key="rental.id")
    """The answer is read again from here, so that no personal data is stored twice."""
    change_id: int | None = None
    """The entry of the rental's history that this request wrote, when it changed one."""
    created_at: datetime = Field(sa_type=UtcDateTime)


class Outbox(SQLModel, table=True):
    """A notice that has to go out, written in the transaction of what it tells about."""

    __tablename__ = "outbox"
    __table_args__ = (
        UniqueConstraint("company_id", "dedupe_key", name="uq_outbox_dedupe_key"),
        CheckConstraint("state IN ('waiting', 'sent', 'failed')", name="ck_outbox_state"),
        Index("ix_outbox_due", "state", "next_at"),
    )

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id")
    kind: str = Field(max_length=40)
    dedupe_key: str = Field(max_length=128)
    payload: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    state: str = Field(default="waiting", max_length=10)
    attempts: int = 0
    next_at: datetime = Field(sa_type=UtcDateTime)
    leased_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)
