"""Customers, the ways to reach them, and what was done to their records."""

# No `from __future__ import annotations`: SQLModel reads the annotations when the class is made.
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Column, Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from store.sql.types import UtcDateTime


class Client(SQLModel, table=True):
    """A customer of one company. A placeholder has an identity but no name yet."""

    __tablename__ = "client"
    __table_args__ = (Index("ix_client_search_name", "company_id", "search_name"),)

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id", index=True)
    uuid: str = Field(max_length=36, unique=True)
    first_name: str = Field(default="", max_length=120)
    """As typed, in any script."""
    last_name: str = Field(default="", max_length=120)
    search_name: str = Field(default="", max_length=500)
    """Both names as `store.rules.identity.searchable` folds them."""
    language: str = Field(default="", max_length=20)
    notes: str = Field(default="", max_length=2000)
    """Of staff."""
    is_placeholder: bool = False
    merged_into_id: int | None = None
    """The client that this record was merged into; it keeps its own fields, so that the merge can be undone."""
    erased_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)


class ClientContact(SQLModel, table=True):
    """One contact or identity of a client; belongs to one client inside a company."""

    __tablename__ = "client_contact"
    __table_args__ = (
        UniqueConstraint("company_id", "kind", "value", name="uq_client_contact"),
        CheckConstraint("kind IN ('phone', 'email', 'telegram_id', 'session')", name="ck_client_contact_kind"),
    )

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id")
    client_id: int = Field(foreign_key="client.id", index=True)
    kind: str = Field(max_length=12)
    value: str = Field(max_length=254)
    """Phone: E.164. Email: lower case. telegram_id: digits. session: the chat user of another channel."""
    is_verified: bool = False
    """A platform vouches for it: an account's id, or the phone of its own contact card. Typed ones are claims."""


class ClientChange(SQLModel, table=True):
    """A merge, its undoing, a contact that moved, an erasure. Holds ids, never names or numbers."""

    __tablename__ = "client_change"
    __table_args__ = (
        CheckConstraint("kind IN ('merge', 'contact_moved', 'erased')", name="ck_client_change_kind"),
        Index("ix_client_change_client", "company_id", "client_id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id")
    kind: str = Field(max_length=16)
    client_id: int = Field(foreign_key="client.id")
    """Who has it now."""
    other_client_id: int | None = Field(default=None, foreign_key="client.id")
    """Who was merged, or had the contact before."""
    reason: str = Field(max_length=40)
    """verified_phone, verified_telegram, staff, request."""
    moved: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    """What undoing needs: ids of contacts and rentals that moved, names of the fields that were filled."""
    done_by: str = Field(default="", max_length=100)
    created_at: datetime = Field(sa_type=UtcDateTime)
    undone_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    undone_by: str = Field(default="", max_length=100)
