"""Companies, offices and bots. A company is found by a bot's token or its public name, and only here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

from sqlalchemy import and_, select, update
from sqlalchemy.orm import Session

from store.errors import NotFound
from store.rules.facts import CompanyFacts, OfficeFacts
from store.rules.hours import Interval, OpeningHours
from store.rules.stay import StayRules
from store.sql.core import table
from store.sql.scope import Scope
from store.sql.tables.company import Bot, Company, Office, OfficeHours

_company, _office, _hours, _bot = table(Company), table(Office), table(OfficeHours), table(Bot)


@dataclass(frozen=True, slots=True)
class BotRecord:
    """A bot as the authentication needs it."""

    id: int
    company_id: int
    token_sha256: str
    is_active: bool
    last_used_at: datetime | None


def load_company(session: Session, scope: Scope) -> CompanyFacts:
    """Return the company of the scope with its offices, in one query.

    Raises:
        NotFound: there is no such company.
    """
    query = (
        select(_company, *_prefixed("office", _office), _hours.c.weekday, _hours.c.opens, _hours.c.closes)
        .select_from(_company)
        .outerjoin(_office, _office.c.company_id == _company.c.id)
        .outerjoin(_hours, and_(_hours.c.office_id == _office.c.id, _hours.c.company_id == _company.c.id))
        .where(_company.c.id == scope.company_id)
        .order_by(_office.c.position, _office.c.id, _hours.c.weekday, _hours.c.opens)
    )
    rows = session.execute(query).mappings().all()
    if not rows:
        raise NotFound("no such company")
    return _company_facts(rows)


def company_id_of(session: Session, slug: str) -> int:
    """Return the id behind a public name.

    Raises:
        NotFound: there is no such company.
    """
    company_id = session.execute(select(_company.c.id).where(_company.c.slug == slug)).scalar_one_or_none()
    if company_id is None:
        raise NotFound("no such company")
    return int(company_id)


def find_bots(session: Session, token_prefix: str) -> list[BotRecord]:
    """Return the bots whose token starts like that. The only read across companies: it finds out which one it is."""
    query = select(_bot.c.id, _bot.c.company_id, _bot.c.token_sha256, _bot.c.is_active, _bot.c.last_used_at).where(
        _bot.c.token_prefix == token_prefix
    )
    return [BotRecord(*row) for row in session.execute(query)]


def add_bot(session: Session, scope: Scope, bot: dict[str, Any]) -> None:
    """Store a bot of the company."""
    session.add(Bot(company_id=scope.company_id, **bot))


def touch_bot(session: Session, scope: Scope, now: datetime) -> None:
    """Note that the bot of the scope was used."""
    session.execute(
        update(_bot).where(_bot.c.company_id == scope.company_id, _bot.c.id == scope.bot_id).values(last_used_at=now)
    )


def take_order_number(session: Session, scope: Scope) -> str:
    """Return the company's next order number ("CR-1048") and move the counter on. Locks the company's row."""
    query = (
        update(_company)
        .where(_company.c.id == scope.company_id)
        .values(next_order_number=_company.c.next_order_number + 1)
        .returning(_company.c.order_prefix, _company.c.next_order_number)
    )
    prefix, following = session.execute(query).one()
    return f"{prefix}-{following - 1}"


def _prefixed(prefix: str, of: Any) -> list[Any]:
    return [column.label(f"{prefix}_{column.name}") for column in of.c]


def _company_facts(rows: Sequence[Any]) -> CompanyFacts:
    first = rows[0]
    return CompanyFacts(
        id=first["id"],
        slug=first["slug"],
        name=first["name"],
        tagline=first["tagline"],
        currency=first["currency"],
        currency_exponent=first["currency_exponent"],
        timezone=first["timezone"],
        locale=first["locale"],
        date_order=first["date_order"],
        phone_region=first["phone_region"],
        phone=first["phone"],
        rules=StayRules(first["min_days"], first["max_days"], first["max_ahead_days"], first["turnaround_hours"]),
        pickup_time=first["pickup_time"],
        quote_minutes=first["quote_minutes"],
        house_rules=first["house_rules"],
        allowed_origins=tuple(first["allowed_origins"]),
        offices=_offices(rows),
    )


def _offices(rows: Sequence[Any]) -> tuple[OfficeFacts, ...]:
    by_office: dict[int, list[Any]] = {}
    for row in rows:
        if row["office_id"] is not None:
            by_office.setdefault(row["office_id"], []).append(row)
    return tuple(_office_facts(group) for group in by_office.values())


def _office_facts(rows: Sequence[Any]) -> OfficeFacts:
    first = rows[0]
    intervals = tuple(
        Interval(row["weekday"], time.fromisoformat(row["opens"]), time.fromisoformat(row["closes"]))
        for row in rows
        if row["weekday"] is not None
    )
    return OfficeFacts(
        id=first["office_id"],
        slug=first["office_slug"],
        name=first["office_name"],
        address=first["office_address"],
        city=first["office_city"],
        latitude=first["office_latitude"],
        longitude=first["office_longitude"],
        phone=first["office_phone"],
        timezone=first["office_timezone"],
        hours=OpeningHours(intervals),
    )
