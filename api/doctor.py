"""`ridepass doctor`: what is configured, what is missing, what answers."""

from __future__ import annotations

from anyio import to_thread

from api.clock import parse_clock
from api.models import describe_models
from api.settings import Settings
from api.wiring import open_database
from renderers.web.assets import load_assets
from store.errors import StoreError
from store.passport import PassportError, choose_server, probe


async def examine(settings: Settings) -> tuple[list[str], bool]:
    """Return lines to print, and whether everything that is needed is there."""
    checks = [await _database(settings), await _passport(settings), *describe_models(settings), _widget()]
    return [f"{'ok ' if ok else 'BAD'}  {line}" for line, ok in checks], all(ok for _, ok in checks)


async def _database(settings: Settings) -> tuple[str, bool]:
    try:
        clock = parse_clock(settings.now, settings.now_zone)
    except (ValueError, KeyError):
        return (
            "clock: RIDEPASS_NOW or RIDEPASS_NOW_ZONE cannot be read: 2027-05-31T15:30 and Asia/Makassar are examples",
            False,
        )
    try:
        database = await to_thread.run_sync(open_database, settings, clock)
        database.dispose()
    except (StoreError, OSError) as error:
        return f"database: {type(error).__name__}: check RIDEPASS_DATABASE_URL and RIDEPASS_DATA_DIR", False
    kind = "PostgreSQL" if settings.database_url else f"SQLite in {settings.data_dir.absolute()}"
    return f"database: {kind}, schema up to date", True


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
