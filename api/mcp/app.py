"""Make the business API as an ASGI app of its own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from fastapi import FastAPI

from api.mcp.caller import Resources
from api.mcp.endpoints import make_router
from api.mcp.failures import LastResort, install_failures
from store.sql.unit import Database


def create_mcp_app(database: Database, clock: Callable[[], datetime]) -> FastAPI:
    """Return the app. `clock` gives aware instants; the database is migrated already."""
    app = FastAPI(
        title="Ridepass business API",
        description="What an agent may do for a rental shop. Every call needs the shop's X-Bot-Token.",
        # The agent's gateway builds its paths from the same catalogue; a redirect would hide a mistake.
        redirect_slashes=False,
    )
    app.state.resources = Resources(database, clock)
    app.include_router(make_router())
    install_failures(app)
    app.add_middleware(LastResort)
    return app
