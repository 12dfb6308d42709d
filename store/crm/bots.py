"""Tokens of bots: made here, shown once, stored as a hash, checked in constant time."""

from __future__ import annotations

import hmac
import secrets
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from store.errors import NotFound, StoreUnavailable
from store.sql.bots import BotEntry, list_bots, switch_off
from store.sql.companies import BotRecord, add_bot, company_id_of, find_bots, touch_bot
from store.sql.scope import Scope
from store.sql.unit import Database

AGENT_TOKEN_PREFIX: Final = "rpa_"  # noqa: S105 - the public beginning, no secret
"""Of tokens that the server derives for its own agent."""
_PREFIX_LENGTH: Final = 12
_TOKEN_BYTES: Final = 32
_MAX_TOKEN_LENGTH: Final = 200
_TOUCH_EVERY: Final = timedelta(minutes=15)
"""Being used is noted this often, not on every call."""


def issue_bot_token(database: Database, company_slug: str, name: str, *, now: datetime, channel: str = "api") -> str:
    """Make a bot of the company and return its token. It cannot be shown again.

    Raises:
        NotFound: no such company.
    """
    token = f"rp_{secrets.token_urlsafe(_TOKEN_BYTES)}"
    _register(database, company_slug, name, token, channel, now)
    return token


def rotate_bot_token(database: Database, company_slug: str, name: str, *, now: datetime) -> str:
    """Return a new token of that name. The newest one before it stays good until it is revoked; older ones end now.

    Raises:
        NotFound: no such company, or no good token of that name.
    """
    token = f"rp_{secrets.token_urlsafe(_TOKEN_BYTES)}"
    with database.write() as session:
        scope = Scope(company_id_of(session, company_slug))
        active = [bot for bot in list_bots(session, scope) if bot.name == name and bot.is_active]
        if not active:
            raise NotFound("no such token")
        switch_off(session, scope, [bot.id for bot in active[:-1]])
        add_bot(session, scope, _new_bot(name, token, active[-1].channel, now))
    return token


def revoke_bot_tokens(database: Database, company_slug: str, beginning: str) -> list[BotEntry]:
    """Switch off the good tokens that begin like that, or all of that name; return them. They stop at once.

    Raises:
        NotFound: no such company, or no good token like that.
    """
    with database.write() as session:
        scope = Scope(company_id_of(session, company_slug))
        # Somebody with a leak pastes what is at hand: the whole token, or the line of the list with its dots.
        named = {beginning, _prefix(beginning.rstrip("…."))}
        meant = [b for b in list_bots(session, scope) if b.is_active and named & {b.token_prefix, b.name}]
        if not meant:
            raise NotFound("no such token")
        switch_off(session, scope, [bot.id for bot in meant])
    return meant


def list_bot_tokens(database: Database, company_slug: str) -> list[BotEntry]:
    """Return the bots of a company, without their tokens.

    Raises:
        NotFound: no such company.
    """
    with database.read() as session:
        return list_bots(session, Scope(company_id_of(session, company_slug)))


def ensure_agent_token(database: Database, company_slug: str, token_plaintext: str, *, now: datetime) -> None:
    """Register a given token for the embedded agent, unless it is registered already.

    Raises:
        NotFound: no such company.
    """
    with database.read() as session:
        known = _matching(find_bots(session, _prefix(token_plaintext)), token_plaintext)
    if known is None:
        _register(database, company_slug, "embedded agent", token_plaintext, "agent", now)


def authenticate_bot(database: Database, token: str, now: datetime) -> Scope | None:
    """Return the scope of an active bot's token, or None for any other."""
    if not _PREFIX_LENGTH < len(token) <= _MAX_TOKEN_LENGTH or not (token.isascii() and token.isprintable()):
        return None
    with database.read() as session:
        bot = _matching(find_bots(session, _prefix(token)), token)
    if bot is None or not bot.is_active:
        return None
    scope = Scope(company_id=bot.company_id, bot_id=bot.id)
    if bot.last_used_at is None or now - bot.last_used_at >= _TOUCH_EVERY:
        _touch(database, scope, now)
    return scope


def act_for(scope: Scope, actor: str) -> Scope:
    """Return the scope of the same bot, acting for a chat user."""
    return replace(scope, actor=actor)


def _register(database: Database, company_slug: str, name: str, token: str, channel: str, now: datetime) -> None:
    with database.write() as session:
        add_bot(session, Scope(company_id_of(session, company_slug)), _new_bot(name, token, channel, now))


def _new_bot(name: str, token: str, channel: str, now: datetime) -> dict[str, Any]:
    return {
        "name": name,
        "token_prefix": _prefix(token),
        "token_sha256": _digest(token),
        "channel": channel,
        "created_at": now,
    }


def _touch(database: Database, scope: Scope, now: datetime) -> None:
    # A busy database must not refuse a caller for the sake of a statistic.
    with suppress(StoreUnavailable), database.write() as session:
        touch_bot(session, scope, now)


def _matching(bots: list[BotRecord], token: str) -> BotRecord | None:
    digest = _digest(token)
    return next((bot for bot in bots if hmac.compare_digest(bot.token_sha256, digest)), None)


def _prefix(token: str) -> str:
    return token[:_PREFIX_LENGTH]


def _digest(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
