"""The HTTP application: one factory, everything wired."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

from anyio import to_thread
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from starlette.routing import Route

from api.body_limit import BodyLimit
from api.chat.routes import contract_router
from api.chat.routes import router as chat_router
from api.errors import install_error_handlers
from api.logs import configure_logging
from api.mcp_server import McpDoor
from api.settings import Settings
from api.site.routes import SiteDoors
from api.site.routes import router as site_router
from api.wiring import Services, build_services
from renderers.web.assets import load_assets
from store.passport import choose_server

MAX_BODY_BYTES: Final = 512 * 1024
MAX_THREADS: Final = 16


def create_app() -> FastAPI:
    """Build the application from the environment; uvicorn's factory."""
    settings = Settings()
    configure_logging(settings.log_level)
    server = choose_server(settings.redis_url or None, settings.data_dir, cluster=settings.redis_cluster)
    services = build_services(settings, server)
    return build_app(services, on_close=server.close)


def build_app(services: Services, *, on_close: Callable[[], None] | None = None) -> FastAPI:
    """Build the application around given services."""
    door = McpDoor(services.database, services.clock, services.mcp)
    app = FastAPI(
        title="Ridepass",
        version="0.1.0",
        summary="Conversational booking for vehicle rentals.",
        lifespan=_lifespan(services, door, on_close),
        docs_url="/api/docs",
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.chat = services.doors
    app.state.site = SiteDoors(
        database=services.database,
        companies=services.companies,
        clock=services.clock,
        redis=services.redis,
        interpreter=services.interpreter,
        models=services.models,
        passport_durable=services.server.durable,
        assets=load_assets(),
        default_company=services.settings.company,
        is_remote=bool(services.settings.crm_url),
    )
    install_error_handlers(app)
    app.include_router(chat_router)
    app.include_router(contract_router)
    app.include_router(site_router)
    app.mount("/api/mcp", services.mcp)
    app.router.routes.append(Route("/mcp", door, include_in_schema=False))
    app.add_middleware(BodyLimit, max_bytes=MAX_BODY_BYTES)
    if services.settings.origins:
        # A bearer token and no cookie: another site's page can do nothing that its own server could not.
        app.add_middleware(
            CORSMiddleware,
            allow_origins=services.settings.origins,
            allow_methods=["GET", "POST"],
            allow_headers=["authorization", "content-type", "accept", "last-event-id"],
            max_age=3600,
        )
    return app


def _lifespan(
    services: Services, door: McpDoor, on_close: Callable[[], None] | None
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        # Each thread costs memory; so many keep up with the runs that go on at once.
        to_thread.current_default_thread_limiter().total_tokens = MAX_THREADS
        services.start()
        try:
            yield
        finally:
            await door.aclose()
            await services.stop()
            if on_close is not None:
                on_close()
            logging.getLogger(__name__).info("stopped")

    return lifespan
