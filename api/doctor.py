"""`ridepass doctor`: what is configured, what is missing, what answers."""

from __future__ import annotations

from typing import Final

import httpx
from anyio import to_thread

from api.clock import Clock, parse_clock
from api.models import describe_models
from api.settings import Settings
from api.site.failing import describe_failing
from api.wiring import open_database
from renderers.web.assets import load_assets
from store.errors import StoreError
from store.passport import PassportError, choose_server, probe
from store.sql.roles import excess_powers

_HEALTH_SECONDS: Final = 3.0


async def examine(settings: Settings, *, running_at: str = "") -> tuple[list[str], bool]:
    """Return lines to print, and whether everything that is needed is there. A warning is no failure.

    `running_at`: address of a server of this installation, which knows what fails at this moment; where none runs, none
    is asked.
    """
    database, powers = await _database(settings)
    checks = [database, await _passport(settings), *describe_models(settings), _widget()]
    lines = [f"{'ok ' if ok else 'BAD'}  {line}" for line, ok in checks]
    running = await _running(running_at) if running_at else []
    return [*lines, *_warnings(powers), *running], all(ok for _, ok in checks)


async def _running(address: str) -> list[str]:
    """What the running server says that fails."""
    try:
        async with httpx.AsyncClient(base_url=address, timeout=_HEALTH_SECONDS, trust_env=False) as http:
            health = (await http.get("/health/ready")).json()
            failing = [describe_failing(one) for one in health["failing"]]
            answering = str(health["answering"])
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return [f"ok   server: none answers at {address}, so that nothing is known of calls at this moment"]
    if not failing:
        return [f"ok   server: at {address}, {answering} understanding, no tool and no model fails"]
    return [f"WARN server: {line}" for line in failing]


def _warnings(powers: tuple[str, ...]) -> list[str]:
    if not powers:
        return []
    # Companies are kept apart by every query and not by row security, so that nothing is void for such a role. But
    # whoever gets hold of the connection gets hold of the whole server.
    needless = f"has powers that Ridepass never needs ({', '.join(powers)})"
    return [f"WARN database: its role {needless}: RIDEPASS_DATABASE_URL should name the owner of this database alone"]


async def _database(settings: Settings) -> tuple[tuple[str, bool], tuple[str, ...]]:
    """Look at the database; also which powers its role has too many."""
    try:
        clock = parse_clock(settings.now, settings.now_zone)
    except (ValueError, KeyError):
        wrong = "RIDEPASS_NOW or RIDEPASS_NOW_ZONE cannot be read: 2027-05-31T15:30 and Asia/Makassar are examples"
        return (f"clock: {wrong}", False), ()
    try:
        powers = await to_thread.run_sync(_open_once, settings, clock)
    except (StoreError, OSError) as error:
        wrong = f"database: {type(error).__name__}: check RIDEPASS_DATABASE_URL and RIDEPASS_DATA_DIR"
        return (wrong, False), ()
    kind = "PostgreSQL" if settings.database_url else f"SQLite in {settings.data_dir.absolute()}"
    return (f"database: {kind}, schema up to date", True), powers


def _open_once(settings: Settings, clock: Clock) -> tuple[str, ...]:
    database = open_database(settings, clock)
    try:
        return excess_powers(database)
    finally:
        database.dispose()


async def _passport(settings: Settings) -> tuple[str, bool]:
    try:
        server = await to_thread.run_sync(lambda: choose_server(settings.redis_url or None, settings.data_dir))
    except PassportError as error:
        return f"passports: {error.code}: check RIDEPASS_REDIS_URL", False
    client = server.connect()
    try:
        health = await probe(client)
    finally:
        await client.aclose()
        await to_thread.run_sync(server.close)
    if not health.ok:
        return f"passports: {server.kind} does not answer ({health.reason})", False
    durable = server.durable if server.durable is not None else health.durable
    return f"passports: {health.kind} {health.version}, durable: {durable}, ping {health.latency_ms:.1f} ms", True


def _widget() -> tuple[str, bool]:
    assets = load_assets()
    there = "/widget/loader.js" in assets
    return f"widget: {len(assets)} files", there
