"""Whatever is sent, the answer is the one error form with a declared status, and nothing is stored."""

from __future__ import annotations

from typing import Any

import pytest

from graph.tools.wire import ToolError

DATES = {"start": "2027-06-20", "end": "2027-06-27"}
CLIENT = {"first_name": "Alex", "phone": "+66812345678"}
KEY = "key-of-one-request"

GETS: list[tuple[str, dict[str, Any], int]] = [
    ("vehicles/search_available/", {}, 422),
    ("vehicles/search_available/", {"start": "2027-06-20"}, 422),
    ("vehicles/search_available/", {"start": "20.6.2027", "end": "27.6.2027"}, 422),
    ("vehicles/search_available/", {"start": "2027-02-30", "end": "2027-03-02"}, 422),
    ("vehicles/search_available/", {"start": "2027-06-27", "end": "2027-06-20"}, 422),
    ("vehicles/search_available/", {"start": "0001-01-01", "end": "9999-12-31"}, 422),
    ("vehicles/search_available/", {"start": "9999-12-31", "end": "9999-12-31"}, 422),
    ("vehicles/search_available/", {**DATES, "company_id": 2}, 422),  # BL-181
    ("vehicles/search_available/", {**DATES, "category": "motorbike"}, 422),
    ("vehicles/search_available/", {**DATES, "budget_minor": -1}, 422),
    ("vehicles/search_available/", {**DATES, "budget_minor": "1.5"}, 422),
    ("vehicles/search_available/", {**DATES, "page": 0}, 422),
    ("vehicles/search_available/", {**DATES, "page_size": 51}, 422),
    ("vehicles/search_available/", {**DATES, "text": "x" * 121}, 422),
    ("vehicles/search_available/", {**DATES, "text": "pcx\0"}, 422),
    ("vehicles/search_available/", {**DATES, "sort": "name; DROP TABLE rental"}, 422),
    ("vehicles/availability/", {**DATES}, 422),
    ("vehicles/availability/", {**DATES, "vehicle_uuid": "nope"}, 404),
    ("vehicles/availability/", {**DATES, "vehicle_uuid": "x" * 65}, 422),
    ("vehicles/availability/", {**DATES, "vehicle_uuid": ""}, 422),
    ("vehicles/pricing/", {**DATES, "vehicle_uuid": "nope"}, 404),
    ("vehicles/pricing/", {**DATES, "vehicle_uuid": "nope", "total": 1}, 422),
    ("vehicles/alternatives/", {**DATES, "vehicle_uuid": "nope"}, 404),
    ("vehicles/alternatives/", {**DATES, "vehicle_uuid": "nope", "limit": 0}, 422),
    ("vehicles/nope/bookings/", {}, 404),
    ("vehicles/%00/bookings/", {}, 422),
    (f"vehicles/{'x' * 65}/bookings/", {}, 422),
    ("vehicles/nope/bookings/", {"company_id": 2}, 422),
    ("company_info/", {"company_id": 2}, 422),
    ("offices/", {"company_id": 2}, 422),
    ("client/info/", {"client_uuid": "x"}, 422),
    ("no/such/endpoint/", {}, 404),
]

BODIES: list[tuple[str, Any, int]] = [
    ("vehicles/rentals/", None, 422),
    ("vehicles/rentals/", [], 422),
    ("vehicles/rentals/", "text", 422),
    ("vehicles/rentals/", {}, 422),
    ("vehicles/rentals/", {"quote_uuid": "nope", "idempotency_key": KEY, "client": CLIENT}, 404),
    ("vehicles/rentals/", {"quote_uuid": "nope", "idempotency_key": "short", "client": CLIENT}, 422),
    ("vehicles/rentals/", {"quote_uuid": "nope", "idempotency_key": "k" * 129, "client": CLIENT}, 422),
    ("vehicles/rentals/", {"quote_uuid": "no\0pe", "idempotency_key": KEY, "client": CLIENT}, 422),
    ("vehicles/rentals/", {"quote_uuid": "q", "idempotency_key": KEY, "client": CLIENT, "total": 1}, 422),
    ("vehicles/rentals/", {"quote_uuid": "q", "idempotency_key": KEY, "client": CLIENT, "company_id": 2}, 422),
    ("vehicles/rentals/", {"quote_uuid": "q", "idempotency_key": KEY, "client": {"first_name": "A"}}, 422),
    ("vehicles/rentals/", {"quote_uuid": "q", "idempotency_key": KEY, "client": {**CLIENT, "phone": "0812"}}, 422),
    ("vehicles/rentals/", {"quote_uuid": "q", "idempotency_key": KEY, "client": {**CLIENT, "first_name": "A\0"}}, 422),
    ("vehicles/rentals/", {"quote_uuid": {"$ne": ""}, "idempotency_key": KEY, "client": CLIENT}, 422),
    ("client/update/", {"phone": "12"}, 422),
    ("client/update/", {"phone": "+999999999999999"}, 422),
    ("client/update/", {"first_name": "x" * 121}, 422),
    ("client/update/", {"first_name": "\u202e"}, 422),
    ("client/update/", {"is_admin": True}, 422),
]


@pytest.mark.parametrize(("path", "query", "status"), GETS)
async def test_a_bad_question_is_answered_in_the_one_form(
    api: Any, path: str, query: dict[str, Any], status: int
) -> None:
    answer = await api.get(path, **query)
    assert answer.status_code == status, answer.text
    ToolError.model_validate_json(answer.content)


@pytest.mark.parametrize(("path", "body", "status"), BODIES)
async def test_a_bad_order_is_answered_in_the_one_form_and_stores_nothing(
    api: Any, path: str, body: Any, status: int
) -> None:
    answer = await api.post(path, body)
    assert answer.status_code == status, answer.text
    ToolError.model_validate_json(answer.content)
    assert [api.world.count(table) for table in ("rental", "idempotency", "outbox")] == [2, 0, 0]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a":1e999}', b'{"quote_uuid":"\\ud800"}']
)
async def test_a_body_that_cannot_be_read_is_invalid(api: Any, content: bytes) -> None:
    headers = {"X-Bot-Token": api.tokens["coral-rentals"], "Content-Type": "application/json"}
    answer = await api.client.post("vehicles/rentals/", content=content, headers=headers)
    assert answer.status_code == 422
    ToolError.model_validate_json(answer.content)


@pytest.mark.parametrize(
    "token", [None, "", "x", "rp_" + "a" * 43, "x" * 5000, "' OR 1=1 --", "rp_\u00e9".encode().decode("latin-1")]
)
@pytest.mark.parametrize("path", ["offices/", "vehicles/search_available/", "tools/", "client/info/"])
async def test_without_a_good_token_nothing_is_told(api: Any, token: str | None, path: str) -> None:
    headers = {} if token is None else {"X-Bot-Token": token.encode("latin-1")}
    answer = await api.client.get(path, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")


async def test_a_token_that_was_switched_off_opens_nothing(api: Any) -> None:
    assert (await api.get("offices/")).status_code == 200
    api.world.run("UPDATE bot SET is_active = false")
    assert (await api.get("offices/")).status_code == 401


async def test_a_user_id_has_a_length(api: Any) -> None:
    assert (await api.get("client/info/", actor="u" * 100)).status_code == 200
    answer = await api.get("client/info/", actor="u" * 101)
    assert (answer.status_code, answer.json()["facts"]) == (422, {"fields": ["X-User-Id"]})


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "POST"])
async def test_a_method_that_does_not_exist_is_told_in_the_one_form(api: Any, method: str) -> None:
    answer = await api.client.request(method, "offices/", headers={"X-Bot-Token": api.tokens["coral-rentals"]})
    assert answer.status_code == 405
    ToolError.model_validate_json(answer.content)


async def test_a_bug_is_answered_not_thrown(api: Any, caplog: pytest.LogCaptureFixture) -> None:
    """An in-process caller must get the 500 form, as one over the network would."""
    api.world.run("UPDATE company SET timezone = 'Mars/Olympus'")
    api.world.run("UPDATE office SET timezone = 'Mars/Olympus'")
    answer = await api.get("vehicles/search_available/", **DATES)
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "Mars" not in answer.text
    assert "unexpected failure" in caplog.text
