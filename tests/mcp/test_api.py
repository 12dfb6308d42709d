"""Each tool of the catalogue, through HTTP, with the catalogue's own models as the judge."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from api.mcp.endpoints import ENDPOINTS
from graph.tools import wire
from graph.tools.catalog import CATALOG
from store.sql.engine import make_engine
from store.sql.unit import Database

DATES = {"start": "2027-06-20", "end": "2027-06-27"}


def test_every_tool_is_served_at_its_path() -> None:
    assert set(ENDPOINTS) == set(CATALOG)


async def test_search_finds_free_vehicles_with_prices(api: Any) -> None:
    answer = await api.get("vehicles/search_available/", **DATES, category="scooter")
    found = wire.SearchResult.model_validate_json(answer.content)
    assert answer.status_code == 200
    assert [(o.vehicle.name, o.total.minor) for o in found.vehicles] == [
        ("Honda PCX 160", 1_120_000),
        ("Yamaha NMAX 155", 1_120_000),
    ]
    assert found.vehicles[0].per_day == wire.MoneyWire(minor=160_000, currency="IDR", exponent=0)
    assert found.requested.timezone == "Asia/Makassar"


async def test_no_plate_leaves_the_shop(api: Any) -> None:
    answer = await api.get("vehicles/search_available/", **DATES)
    assert "plate" not in answer.text
    assert '"V1"' not in answer.text


async def test_availability_tells_the_conflicting_periods(api: Any) -> None:
    uuid = api.world.uuid("V1")
    answer = await api.get("vehicles/availability/", vehicle_uuid=uuid, start="2027-06-12", end="2027-06-14")
    found = wire.Availability.model_validate_json(answer.content)
    assert not found.available
    assert [(c.start.isoformat(), c.end.isoformat()) for c in found.conflicts] == [("2027-06-10", "2027-06-17")]
    assert "Ingrid" not in answer.text


async def test_a_quote_adds_up_and_expires(api: Any) -> None:
    uuid = api.world.uuid("V1")
    answer = await api.get("vehicles/pricing/", vehicle_uuid=uuid, **DATES)
    quote = wire.Quote.model_validate_json(answer.content)
    assert sum(line.amount.minor for line in quote.lines) == quote.total.minor == 1_120_000
    assert [(s.code, s.days, s.per_day.minor) for s in quote.seasons] == [("high", 7, 200_000)]
    assert quote.expires_at - quote.observed_at == timedelta(minutes=15)
    assert quote.pickup_at.isoformat() == "2027-06-20T10:00:00+08:00"


async def test_a_taken_vehicle_has_no_quote(api: Any) -> None:
    uuid = api.world.uuid("V1")
    answer = await api.get("vehicles/pricing/", vehicle_uuid=uuid, start="2027-06-10", end="2027-06-17")
    error = wire.ToolError.model_validate_json(answer.content)
    assert (answer.status_code, error.code, error.retryable) == (409, "dates_taken", False)
    assert error.facts["conflicting_rentals"][0]["start"] == "2027-06-10"


async def test_a_rule_is_a_typed_refusal(api: Any) -> None:
    uuid = api.world.uuid("V3")
    answer = await api.get("vehicles/pricing/", vehicle_uuid=uuid, start="2027-06-06", end="2027-06-08")
    error = wire.ToolError.model_validate_json(answer.content)
    assert (answer.status_code, error.code) == (409, "period_refused")
    assert wire.RuleRefusal.model_validate(error.facts["refusal"]).code == "pickup_closed"


async def test_alternatives_are_priced_and_shown_on_a_strip(api: Any) -> None:
    uuid = api.world.uuid("V1")
    answer = await api.get("vehicles/alternatives/", vehicle_uuid=uuid, start="2027-06-10", end="2027-06-17")
    found = wire.Alternatives.model_validate_json(answer.content)
    assert [o.strategy for o in found.options] == ["shift_earlier", "shift_later", "other_vehicle"]
    assert len(found.strip_taken) == 17
    assert not found.available


async def test_a_rental_is_made_and_then_seen(api: Any) -> None:
    """The seed's story to its end."""
    quote = await api.quote("V1", **DATES)
    first = await api.post("vehicles/rentals/", api.order(quote))
    rental = wire.Rental.model_validate_json(first.content)
    assert (first.status_code, rental.status, rental.source, rental.idempotent) == (200, "confirmed", "mcp", False)
    assert (rental.order_number, rental.office.slug, rental.client_first_name) == ("CR-1048", "sanur", "Alex")
    again = wire.Rental.model_validate_json((await api.post("vehicles/rentals/", api.order(quote))).content)
    assert again == rental.model_copy(update={"idempotent": True})
    seen = await api.get(f"vehicles/{rental.vehicle.uuid}/bookings/")
    taken = wire.Bookings.model_validate_json(seen.content).bookings
    assert [(t.start.isoformat(), t.source) for t in taken] == [("2027-06-10", "admin"), ("2027-06-20", "mcp")]
    assert "Ingrid" not in seen.text
    assert "Alex" not in seen.text


async def test_a_reused_key_is_unprocessable(api: Any) -> None:
    first, second = await api.quote("V1", **DATES), await api.quote("V2", **DATES)
    await api.post("vehicles/rentals/", api.order(first))
    answer = await api.post("vehicles/rentals/", api.order(second))
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")


async def test_a_second_booking_of_the_days_is_told_to_offer_alternatives(api: Any) -> None:
    first, second = await api.quote("V1", **DATES), await api.quote("V1", **DATES)
    await api.post("vehicles/rentals/", api.order(first, "key-of-the-first-one"))
    answer = await api.post("vehicles/rentals/", api.order(second, "key-of-the-second-one"))
    assert (answer.status_code, answer.json()["code"], answer.json()["retryable"]) == (409, "dates_taken", False)
    assert answer.json()["facts"]["conflicting_rentals"] == [
        {"start": "2027-06-20", "end": "2027-06-27", "days": 7, "status": "confirmed"}
    ]


async def test_an_expired_quote_is_a_conflict(api: Any) -> None:
    quote = await api.quote("V1", **DATES)
    api.world.now += timedelta(minutes=15)
    answer = await api.post("vehicles/rentals/", api.order(quote))
    assert (answer.status_code, answer.json()["code"]) == (409, "quote_expired")


async def test_company_facts_and_offices(api: Any) -> None:
    info = wire.CompanyInfo.model_validate_json((await api.get("company_info/")).content)
    assert (info.currency, info.currency_exponent, info.timezone) == ("IDR", 0, "Asia/Makassar")
    assert info.words.brands == ("Honda", "Nusa", "Yamaha")
    assert info.words.aliases == {"dirt bike": "Honda CRF 150"}
    offices = wire.Offices.model_validate_json((await api.get("offices/")).content).offices
    assert [office.slug for office in offices] == ["sanur", "kuta"]
    assert {i.weekday for i in offices[1].hours} == {0, 1, 2, 3, 4, 5}


async def test_a_client_is_known_by_the_channel_and_masked(api: Any) -> None:
    assert not wire.ClientInfo.model_validate_json((await api.get("client/info/")).content).known
    await api.post("client/update/", {"first_name": "Alex", "phone": "+66812345678"})
    answer = await api.get("client/info/")
    assert wire.ClientInfo.model_validate_json(answer.content).phone_masked == "+66••••••678"
    assert "812345" not in answer.text
    assert not (await api.get("client/info/", actor="web:other")).json()["known"]


async def test_the_list_of_tools_is_the_catalogue(api: Any) -> None:
    tools = (await api.get("tools/")).json()["tools"]
    assert tools == [spec.descriptor() for spec in CATALOG.values()]


async def test_health_needs_no_token_and_tells_the_truth(api: Any, tmp_path: Any) -> None:
    up = await api.client.get("health/")
    assert (up.status_code, up.json()) == (200, {"status": "ok", "database": "ok"})
    resources = api.client._transport.app.state.resources
    nowhere = Database(make_engine(f"sqlite:///{tmp_path}/no/such/folder/x.db"))
    api.client._transport.app.state.resources = type(resources)(nowhere, resources.clock)
    down = await api.client.get("health/")
    assert (down.status_code, down.json()) == (503, {"status": "degraded", "database": "down"})
    failed = await api.get("offices/")
    assert (failed.status_code, failed.json()["code"], failed.json()["retryable"]) == (503, "unavailable", True)
    nowhere.dispose()


@pytest.mark.parametrize("name", sorted(CATALOG))
async def test_the_published_document_declares_every_failure(api: Any, name: str) -> None:
    spec = CATALOG[name]
    document = api.client._transport.app.openapi()
    declared = document["paths"][f"/{spec.path}"][spec.method.lower()]["responses"]
    assert {"200", "401", "404", "409", "422", "503"} <= set(declared)
