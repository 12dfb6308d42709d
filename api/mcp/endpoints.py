"""The endpoints, one for each tool of the catalogue, at the path and with the models that the catalogue names."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from api.mcp import answers
from api.mcp.caller import Caller, CallerDep, refuse_nul, refuse_query, resources_of
from api.mcp.failures import DECLARED
from graph.tools import wire
from graph.tools.catalog import CATALOG
from store.crm.alternatives import find_alternatives
from store.crm.clients import Claim, client_info, client_update
from store.crm.companies import company_info, get_company, is_reachable
from store.crm.holds import hold_vehicle
from store.crm.own_rentals import get_own_rental, list_rentals
from store.crm.rental_changes import ChangeOrder, apply_change, preview_change
from store.crm.rentals import RentalOrder, create_rental
from store.crm.search import SearchQuery, search_vehicles
from store.crm.vehicles import check_availability, list_bookings, make_quote

VehicleUuid = Annotated[wire.Ref, Path()]
RentalUuid = VehicleUuid


async def search_available(caller: CallerDep, args: Annotated[wire.SearchArgs, Query()]) -> Response:
    """Find free vehicles."""
    query = SearchQuery(**args.model_dump())
    return await caller.answer(
        lambda db, scope, now: answers.search_result(search_vehicles(db, scope, now, query), args.page, now)
    )


async def availability(caller: CallerDep, args: Annotated[wire.VehiclePeriodArgs, Query()]) -> Response:
    """Say whether one vehicle is free."""
    wanted = (args.vehicle_uuid, args.start, args.end)
    return await caller.answer(
        lambda db, scope, now: answers.availability(check_availability(db, scope, now, *wanted), now)
    )


async def pricing(caller: CallerDep, args: Annotated[wire.PricingArgs, Query()]) -> Response:
    """Open a quote."""
    wanted = (args.vehicle_uuid, args.start, args.end, args.chosen)
    return await caller.answer(lambda db, scope, now: answers.quote(make_quote(db, scope, now, *wanted), now))


async def alternatives(caller: CallerDep, args: Annotated[wire.AlternativesArgs, Query()]) -> Response:
    """Find ways out."""
    wanted = (args.vehicle_uuid, args.start, args.end, args.limit)
    return await caller.answer(
        lambda db, scope, now: answers.alternatives(find_alternatives(db, scope, now, *wanted), now)
    )


async def vehicle_bookings(caller: CallerDep, vehicle_uuid: VehicleUuid) -> Response:
    """List the taken periods of one vehicle."""
    return await caller.answer(
        lambda db, scope, now: answers.bookings(vehicle_uuid, list_bookings(db, scope, now, vehicle_uuid), now)
    )


async def create_rental_of_quote(caller: CallerDep, args: wire.CreateRentalArgs) -> Response:
    """Create the rental of a quote."""
    refuse_nul({**_texts(args), **_texts(args.client)})
    order = RentalOrder(args.quote_uuid, args.idempotency_key, Claim(**args.client.model_dump()), args.note)
    return await caller.answer(lambda db, scope, now: answers.rental(create_rental(db, scope, now, order)))


async def hold_vehicle_of_quote(caller: CallerDep, args: wire.HoldArgs) -> Response:
    """Keep a vehicle for the customer who reads the review."""
    refuse_nul(_texts(args))
    return await caller.answer(lambda db, scope, now: answers.hold(hold_vehicle(db, scope, now, args.quote_uuid), now))


async def own_rentals(caller: CallerDep, args: Annotated[wire.ListRentalsArgs, Query()]) -> Response:
    """List the customer's rentals."""
    wanted = args.model_dump()
    return await caller.answer(lambda db, scope, now: answers.own_rentals(list_rentals(db, scope, now, **wanted), now))


async def own_rental(caller: CallerDep, rental_uuid: RentalUuid) -> Response:
    """Return one rental of the customer."""
    return await caller.answer(lambda db, scope, _now: answers.own_rental(get_own_rental(db, scope, rental_uuid)))


async def move_own_rental(caller: CallerDep, rental_uuid: RentalUuid, args: wire.MoveRentalBody) -> Response:
    """Give the customer's rental other dates."""
    order = ChangeOrder(
        "move",
        rental_uuid,
        args.idempotency_key or "",
        start=args.start,
        end=args.end,
        version=args.version,
        expected_minor=args.expected_total_minor,
    )
    return await _change(caller, order, args)


async def extend_own_rental(caller: CallerDep, rental_uuid: RentalUuid, args: wire.ExtendRentalBody) -> Response:
    """Let the customer's rental end later."""
    order = ChangeOrder(
        "extend",
        rental_uuid,
        args.idempotency_key or "",
        end=args.end,
        version=args.version,
        expected_minor=args.expected_total_minor,
    )
    return await _change(caller, order, args)


async def cancel_own_rental(caller: CallerDep, rental_uuid: RentalUuid, args: wire.CancelRentalBody) -> Response:
    """Cancel the customer's rental."""
    order = ChangeOrder(
        "cancel",
        rental_uuid,
        args.idempotency_key or "",
        version=args.version,
        expected_minor=args.expected_fee_minor,
    )
    return await _change(caller, order, args)


async def _change(caller: Caller, order: ChangeOrder, args: wire.ChangeBody) -> Response:
    refuse_nul(_texts(args))
    use_case = preview_change if args.preview else apply_change
    return await caller.answer(lambda db, scope, now: answers.rental_change(use_case(db, scope, now, order), now))


async def company_facts(caller: CallerDep) -> Response:
    """Return the facts of the company."""
    return await caller.answer(lambda db, scope, now: answers.company_info(company_info(db, scope), now))


async def offices(caller: CallerDep) -> Response:
    """Return its offices."""
    return await caller.answer(lambda db, scope, now: answers.offices(get_company(db, scope), now))


async def client_behind_chat(caller: CallerDep) -> Response:
    """Return the client behind the chat."""
    return await caller.answer(lambda db, scope, _now: answers.client(client_info(db, scope)))


async def update_client(caller: CallerDep, args: wire.UpdateClientArgs) -> Response:
    """Store what the customer told."""
    refuse_nul(_texts(args))
    claim = Claim(**args.model_dump(exclude_none=True))
    return await caller.answer(lambda db, scope, now: answers.client(client_update(db, scope, now, claim)))


async def list_tools(_caller: CallerDep) -> Response:
    """Return the descriptors of all tools."""
    return JSONResponse({"tools": [spec.descriptor() for spec in CATALOG.values()]})


async def health(request: Request) -> Response:
    """Say whether the database answers; needs no token."""
    is_up = await run_in_threadpool(is_reachable, resources_of(request).database)
    state = wire.Health(status="ok" if is_up else "degraded", database="ok" if is_up else "down")
    return Response(state.model_dump_json(), 200 if is_up else 503, media_type="application/json")


ENDPOINTS: Final[Mapping[str, Callable[..., Awaitable[Response]]]] = {
    "search_available": search_available,
    "availability": availability,
    "pricing": pricing,
    "alternatives": alternatives,
    "vehicle_bookings": vehicle_bookings,
    "create_rental": create_rental_of_quote,
    "hold_vehicle": hold_vehicle_of_quote,
    "list_rentals": own_rentals,
    "get_rental": own_rental,
    "move_rental": move_own_rental,
    "extend_rental": extend_own_rental,
    "cancel_rental": cancel_own_rental,
    "company_info": company_facts,
    "offices": offices,
    "client_info": client_behind_chat,
    "client_update": update_client,
}
"""Tool of the catalogue -> what serves it."""


def make_router() -> APIRouter:
    """Return the routes of all tools, of the list of tools and of health."""
    router = APIRouter()
    for name, endpoint in ENDPOINTS.items():
        _add(router, name, endpoint)
    router.add_api_route("/tools/", list_tools, methods=["GET"], responses=DECLARED)
    router.add_api_route("/tools", list_tools, methods=["GET"], include_in_schema=False)
    router.add_api_route("/health/", health, methods=["GET"], response_model=wire.Health)
    return router


def _add(router: APIRouter, name: str, endpoint: Callable[..., Awaitable[Response]]) -> None:
    spec = CATALOG[name]
    takes_query = bool(spec.method == "GET" and spec.arguments.model_fields and "{" not in spec.path)
    router.add_api_route(
        f"/{spec.path}",
        endpoint,
        methods=[spec.method],
        name=name,
        description=spec.description,
        response_model=spec.result,
        responses=DECLARED,
        dependencies=[] if takes_query else [Depends(refuse_query)],
    )


def _texts(model: wire.Wire) -> dict[str, str]:
    return {name: value for name, value in model if isinstance(value, str)}
