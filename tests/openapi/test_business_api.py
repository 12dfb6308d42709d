"""R20: everything that the OpenAPI document allows, and much that it does not, is answered as it promises; no 5xx."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
import store_world
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from api.mcp import create_mcp_app
from graph.tools.catalog import CATALOG
from store.crm.bots import issue_bot_token
from store.migrations import upgrade
from store.sql.engine import make_engine
from store.sql.unit import Database

EXAMPLES = int(os.environ.get("RIDEPASS_OPENAPI_EXAMPLES", "25"))
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
BOUNDED = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, str]]:
    """The world of the fault log, and a token of one of its companies."""
    db = Database(make_engine(f"sqlite:///{tmp_path_factory.mktemp('openapi') / 'ridepass.db'}"))
    upgrade(db.engine)
    world = store_world.make_world(db)
    yield world, issue_bot_token(db, "coral-rentals", "test", now=store_world.START)
    db.dispose()


@pytest.fixture(scope="module")
def app(shop: tuple[Any, str]) -> FastAPI:
    return create_mcp_app(shop[0].db, lambda: store_world.START)


@pytest.fixture(scope="module")
def seen() -> Counter[int]:
    """How often each status was answered."""
    return Counter()


def with_real_ids(case: Any, world: Any) -> None:
    """Let some of the made-up calls name a vehicle and days that exist, so that more than refusals is seen."""
    query = case.query if isinstance(case.query, dict) else {}
    if "vehicle_uuid" in query and len(str(query)) % 2 == 0:
        query |= {"vehicle_uuid": world.uuid("V1"), "start": "2027-06-20", "end": "2027-06-25"}
    elif "start" in query and len(str(query)) % 3 == 0:
        query |= {"start": "2027-06-20", "end": "2027-06-25"}


OPERATIONS = (*((spec.method, f"/{spec.path}") for spec in CATALOG.values()), ("GET", "/tools/"), ("GET", "/health/"))


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_answer_is_as_promised(
    method: str, path: str, app: FastAPI, shop: tuple[Any, str], seen: Counter[int]
) -> None:
    world, token = shop
    operation = schemathesis.openapi.from_asgi("/openapi.json", app)[path][method]

    @BOUNDED
    @given(case=operation.as_strategy())
    def ask(case: Any) -> None:
        with_real_ids(case, world)
        case.headers = {k: v for k, v in dict(case.headers or {}).items() if k.lower() != "x-bot-token"}
        response = case.call(headers={"X-Bot-Token": token})
        case.validate_response(response, checks=CHECKS)
        seen[response.status_code] += 1

    ask()


def test_every_route_of_the_document_is_asked(app: FastAPI) -> None:
    document = app.openapi()["paths"]
    assert {(m.upper(), path) for path, methods in document.items() for m in methods} == set(OPERATIONS)


def test_all_kinds_of_answers_were_seen(seen: Counter[int]) -> None:
    """The calls above were no mere refusals."""
    if not seen:
        pytest.skip("only meaningful after the calls above")
    assert {200, 404, 422} <= set(seen)


def broken() -> FastAPI:
    """An API that breaks its promise."""
    app = FastAPI()

    @app.get("/bad/", response_model=dict[str, int])
    def bad() -> Any:
        from starlette.responses import JSONResponse

        return JSONResponse({"a": "text"})

    @app.get("/worse/")
    def worse() -> Any:
        from starlette.responses import Response

        return Response(status_code=500)

    return app


@pytest.mark.parametrize("path", ["/bad/", "/worse/"])
def test_a_broken_promise_would_be_seen(path: str) -> None:
    """Negative control."""
    operation = schemathesis.openapi.from_asgi("/openapi.json", broken())[path]["GET"]
    with pytest.raises(BaseExceptionGroup):
        operation.Case().call_and_validate(checks=CHECKS)
