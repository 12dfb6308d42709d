"""The bots of one company, for those who look after its tokens."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from store.sql.core import table
from store.sql.scope import Scope
from store.sql.tables.company import Bot

_bot = table(Bot)


@dataclass(frozen=True, slots=True)
class BotEntry:
    """A bot as staff see it; the beginning of its token tells which one it is."""

    id: int
    name: str
    token_prefix: str
    channel: str
    is_active: bool
    created_at: datetime
    last_used_at: datetime | None


def list_bots(session: Session, scope: Scope) -> list[BotEntry]:
    """Return all bots of the company, the oldest first."""
    columns = (
        _bot.c.id,
        _bot.c.name,
        _bot.c.token_prefix,
        _bot.c.channel,
        _bot.c.is_active,
        _bot.c.created_at,
        _bot.c.last_used_at,
    )
    query = select(*columns).where(_bot.c.company_id == scope.company_id).order_by(_bot.c.id)
    return [BotEntry(*row) for row in session.execute(query)]


def switch_off(session: Session, scope: Scope, bot_ids: Collection[int]) -> None:
    """Make tokens open nothing any more."""
    session.execute(
        update(_bot).where(_bot.c.company_id == scope.company_id, _bot.c.id.in_(bot_ids)).values(is_active=False)
    )
