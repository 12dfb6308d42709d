"""Customers and the ways to reach them."""

# No `from __future__ import annotations`: SQLModel reads the annotations when the class is made.
from datetime import datetime

from sqlalchemy import CheckConstraint, UniqueConstraint
from sqlmodel import Field, SQLModel

from store.sql.types import UtcDateTime


class Client(SQLModel, table=True):
    """A customer of one company. A placeholder has an identity but no name yet."""

    __tablename__ = "client"

    id: int | None = Field(default=None, primary_key=True)
    company_id: int = Field(foreign_key="company.id", index=True)
    uuid: str = Field(max_length=36, unique=True)
    first_name: str = Field(default="", max_length=120)
    last_name: str = Field(default="", max_length=120)
    language: str = Field(default="", max_length=20)
    is_placeholder: bool = False
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
