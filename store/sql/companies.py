"""Companies, offices and bots. A company is found by a bot's token or its public name, and only here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any, Final

from sqlalchemy import and_, bindparam, select, update
from sqlalchemy.orm import Session

from store.errors import NotFound
from store.rules.cancellation import read_policy
from store.rules.facts import CompanyFacts, OfficeFacts
from store.rules.hours import Interval, OpeningHours
from store.rules.stay import StayRules
from store.sql.core import COMPANY_ID, table
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


_COMPANY_QUERY: Final = select(_company).where(_company.c.id == COMPANY_ID)
_OFFICES_QUERY: Final = (
    select(
        _office.c.id,
        _office.c.slug,
        _office.c.name,
        _office.c.address,
        _office.c.city,
        _office.c.latitude,
        _office.c.longitude,
        _office.c.phone,
        _office.c.timezone,
        _office.c.closed_days,
        _hours.c.weekday,
        _hours.c.opens,
        _hours.c.closes,
    )
    .select_from(
        _office.outerjoin(_hours, and_(_hours.c.office_id == _office.c.id, _hours.c.company_id == _office.c.company_id))
    )
    .where(_office.c.company_id == COMPANY_ID)
    .order_by(_office.c.position, _office.c.id, _hours.c.weekday, _hours.c.opens)
)
_BOTS_QUERY: Final = select(
    _bot.c.id, _bot.c.company_id, _bot.c.token_sha256, _bot.c.is_active, _bot.c.last_used_at
).where(_bot.c.token_prefix == bindparam("token_prefix"))


def load_company(session: Session, scope: Scope) -> CompanyFacts:
    """Return the company of the scope with its offices.

    Raises:
        NotFound: there is no such company.
    """
    parameters = {"company_id": scope.company_id}
    row: Any = session.execute(_COMPANY_QUERY, parameters).one_or_none()
    if row is None:
        raise NotFound("no such company")
    return _company_facts(row, _offices(session.execute(_OFFICES_QUERY, parameters)))


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
    return [BotRecord(*row) for row in session.execute(_BOTS_QUERY, {"token_prefix": token_prefix})]


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


def _company_facts(row: Any, offices: tuple[OfficeFacts, ...]) -> CompanyFacts:
    return CompanyFacts(
        id=row.id,
        slug=row.slug,
        name=row.name,
        tagline=row.tagline,
        currency=row.currency,
        currency_exponent=row.currency_exponent,
        timezone=row.timezone,
        locale=row.locale,
        date_order=row.date_order,
        phone_region=row.phone_region,
        phone=row.phone,
        rules=StayRules(
            row.min_days, row.max_days, row.max_ahead_days, row.turnaround_hours, lead_minutes=row.lead_minutes
        ),
        pickup_time=row.pickup_time,
        quote_minutes=row.quote_minutes,
        hold_minutes=row.hold_minutes,
        cancellation=read_policy(row.cancellation),
        house_rules=row.house_rules,
        allowed_origins=tuple(row.allowed_origins),
        offices=offices,
    )


def _offices(rows: Iterable[Any]) -> tuple[OfficeFacts, ...]:
    intervals: dict[tuple[Any, ...], list[Interval]] = {}
    for *office, closed_days, weekday, opens, closes in rows:
        of_office = intervals.setdefault((*office, frozenset(closed_days)), [])
        if weekday is not None:
            of_office.append(Interval(weekday, time.fromisoformat(opens), time.fromisoformat(closes)))
    return tuple(
        _office_facts((*office, OpeningHours(tuple(found), closed_days)))
        for (*office, closed_days), found in intervals.items()
    )


def _office_facts(values: Any) -> OfficeFacts:
    return OfficeFacts(*values)
