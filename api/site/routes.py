"""Pages and files for browsers, and health for operators."""

from __future__ import annotations

from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse

from api.chat.companies import CompanyDirectory
from api.clock import Clock, system_now
from api.models import answering, model_states
from api.site.demo import demo_page_context
from api.site.failing import failing
from graph.models.gateway import ModelGateway
from graph.understanding.meaning import Interpreter
from renderers.web.assets import Asset
from renderers.web.page import render_demo_page
from store.crm.companies import find_company, is_reachable
from store.passport import RedisClient, probe
from store.sql.unit import Database

_PAGE_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
}

router = APIRouter()


class SiteDoors:
    """What these routes need; set on the app's state by `main`."""

    def __init__(
        self,
        *,
        database: Database,
        companies: CompanyDirectory,
        clock: Clock,
        redis: RedisClient,
        interpreter: Interpreter,
        models: ModelGateway,
        passport_durable: bool | None,
        assets: dict[str, Asset],
        default_company: str,
        is_remote: bool = False,
    ) -> None:
        self.database = database
        self.companies = companies
        self.clock = clock
        self.redis = redis
        self.interpreter = interpreter
        self.models = models
        self.passport_durable = passport_durable
        self.assets = assets
        self.default_company = default_company
        self.is_remote = is_remote
        """The business API is another installation's."""


def site(request: Request) -> SiteDoors:
    """Return the site's parts."""
    found: SiteDoors = request.app.state.site
    return found


Site = Annotated[SiteDoors, Depends(site)]


@router.get("/", response_class=HTMLResponse)
async def default_page(parts: Site) -> HTMLResponse:
    """Show the demo page of the default company."""
    return await _page(parts, parts.default_company)


@router.get("/shops/{slug}", response_class=HTMLResponse)
async def shop_page(parts: Site, slug: str) -> HTMLResponse:
    """Show the demo page of one company."""
    return await _page(parts, slug)


async def _page(parts: SiteDoors, slug: str) -> HTMLResponse:
    company = await to_thread.run_sync(find_company, parts.database, slug)
    context = await demo_page_context(parts.companies, company.id, parts.clock())
    return HTMLResponse(render_demo_page(context), headers=_PAGE_HEADERS)


@router.get("/widget/{name}")
async def widget_file(parts: Site, name: str) -> Response:
    """Serve a file of the widget's bundle."""
    return _asset(parts, f"/widget/{name}")


@router.get("/demo/{name}")
async def demo_file(parts: Site, name: str) -> Response:
    """Serve a file of the demo page."""
    return _asset(parts, f"/demo/{name}")


@router.get("/favicon.ico")
async def favicon(parts: Site) -> Response:
    """Serve the icon where browsers look for it unasked."""
    return _asset(parts, "/demo/icon.svg")


def _asset(parts: SiteDoors, path: str) -> Response:
    asset = parts.assets.get(path)
    if asset is None:
        body = {"code": "not_found", "message": "There is no such file.", "retryable": False, "facts": {}}
        return JSONResponse(body, status_code=404)
    cache = "public, max-age=31536000, immutable" if asset.immutable else "no-cache"
    headers = {"Cache-Control": cache, "X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "*"}
    return Response(asset.body, media_type=asset.content_type, headers=headers)


@router.get("/health/live")
async def live() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


@router.get("/health/ready")
async def ready(parts: Site) -> JSONResponse:
    """Each dependency with its state, the interpreter in use, what fails now and who must act."""
    database = await to_thread.run_sync(is_reachable, parts.database)
    passport = await probe(parts.redis)
    ok = database and passport.ok
    body: dict[str, Any] = {
        "status": "ready" if ok else "not_ready",
        "database": {"ok": database, "engine": parts.database.engine.dialect.name},
        "passport": {
            "ok": passport.ok,
            "kind": passport.kind,
            "version": passport.version,
            "durable": passport.durable if parts.passport_durable is None else parts.passport_durable,
            "latency_ms": round(passport.latency_ms, 2),
        },
        "interpreter": parts.interpreter.name,
        "answering": answering(parts.models),
        "models": model_states(parts.models),
        "encoder": parts.models.encoder_name,
        # A chat that says "I do not know" is no reason to take the process away: told, and still ready.
        "failing": failing(parts.companies.breakers, parts.models, is_remote=parts.is_remote, now=system_now()),
        "clock": {"now": parts.clock().isoformat(), "stands_still": parts.clock.stands_still},
    }
    return JSONResponse(body, status_code=200 if ok else 503)
