"""Any number of callers, one vehicle, the same days: exactly one rental. Each belt holds alone, neither is idle."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from threading import Barrier
from typing import Any

import httpx
import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from api.mcp import create_mcp_app
from store.crm.bots import issue_bot_token
from store.crm.rentals import create_rental
from store.sql.rentals import is_overlap

CALLERS = 200
QUOTES = 20
WRITERS = 20
WAIT_SECONDS = 60
BOOKED = "SELECT count(*) FROM rental WHERE start_date = '2027-06-20' AND status IN ('pending', 'confirmed', 'active')"


@asynccontextmanager
async def http_client(world: Any) -> AsyncIterator[httpx.AsyncClient]:
    token = issue_bot_token(world.db, "coral-rentals", "test", now=world.now)
    transport = httpx.ASGITransport(create_mcp_app(world.db, lambda: world.now))
    headers = {"X-Bot-Token": token, "X-User-Id": "web:alex"}
    async with httpx.AsyncClient(transport=transport, base_url="http://crm.test/", headers=headers) as client:
        yield client


def order(number: int, quote: Any, key: str | None = None) -> dict[str, Any]:
    client = {"first_name": f"Customer {number}", "phone": f"+66812{number:06d}"}
    key = key or f"key-of-customer-{number:06d}"
    return {"quote_uuid": quote.quote_uuid, "idempotency_key": key, "client": client}


async def post_all(world: Any, orders: list[dict[str, Any]]) -> list[httpx.Response]:
    async with http_client(world) as client, asyncio.timeout(WAIT_SECONDS):
        return await asyncio.gather(*(client.post("vehicles/rentals/", json=body) for body in orders))


def outcomes(answers: list[httpx.Response]) -> Counter[str]:
    return Counter("booked" if a.status_code == 200 else a.json()["code"] for a in answers)


def drop_guard(world: Any) -> None:
    if world.db.is_sqlite:
        world.run("DROP TRIGGER rental_no_overlap_insert")
        world.run("DROP TRIGGER rental_no_overlap_update")
    else:
        world.run("ALTER TABLE rental DROP CONSTRAINT rental_no_overlap")


def careless_writers(world: Any) -> Counter[str]:
    """Look, wait until all have looked, then insert: what a code path without any lock would do."""
    barrier = Barrier(WRITERS, timeout=WAIT_SECONDS)

    def write(_number: int) -> str:
        is_free = world.value(BOOKED) == 0
        barrier.wait()
        if not is_free:
            return "seen as taken"
        try:
            world.put_rental("V1", "06-20", "06-27")
        except IntegrityError as error:
            return "refused by the schema" if is_overlap(error) else "other"
        return "booked"

    with ThreadPoolExecutor(WRITERS) as pool:
        return Counter(pool.map(write, range(WRITERS), timeout=WAIT_SECONDS))


@pytest.mark.parametrize("belts", ["both", "lock only"])
async def test_two_hundred_callers_make_one_rental(world: Any, belts: str) -> None:
    """BL-001, with and without the schema's guard: the lock and the second look hold by themselves."""
    quotes = [world.quote("V1", "06-20", "06-27") for _ in range(QUOTES)]
    orders = [order(number, quotes[number % QUOTES]) for number in range(CALLERS)]
    if belts == "lock only":
        drop_guard(world)
    answers = await post_all(world, orders)
    assert outcomes(answers) == {"booked": 1, "dates_taken": CALLERS - 1}
    assert world.value(BOOKED) == 1
    refused = next(a for a in answers if a.status_code == 409).json()
    assert refused["facts"]["conflicting_rentals"] == [
        {"start": "2027-06-20", "end": "2027-06-27", "days": 7, "status": "confirmed"}
    ]
    # One key, one notice, one order number: the others left nothing behind.
    assert [world.count(table) for table in ("idempotency", "outbox")] == [1, 1]
    assert world.value("SELECT next_order_number FROM company WHERE slug = 'coral-rentals'") == 1049


def test_the_schema_alone_lets_one_careless_writer_through(world: Any) -> None:
    """Nobody locks, everybody has seen the days free: the guard still leaves one."""
    assert careless_writers(world) == {"booked": 1, "refused by the schema": WRITERS - 1}


def test_without_guard_and_lock_the_days_are_booked_many_times(world: Any) -> None:
    """Negative control: the same writers without the guard show what both belts prevent."""
    drop_guard(world)
    assert careless_writers(world) == {"booked": WRITERS}
    assert world.value(BOOKED) == WRITERS


async def test_one_key_many_times_at_once_makes_one_rental(world: Any) -> None:
    """The same request, repeated in parallel, and once with another body."""
    body = order(1, world.quote("V1", "06-20", "06-27"), "one-key-for-everybody")
    other = {**body, "client": {**body["client"], "first_name": "Somebody"}}
    answers = await post_all(world, [body] * 50)
    late = await post_all(world, [other, body])
    rentals = {a.json()["rental_uuid"] for a in answers}
    assert outcomes(answers) == {"booked": 50}
    assert len(rentals) == 1
    assert Counter(a.json()["idempotent"] for a in answers) == {True: 49, False: 1}
    assert [late[0].json()["code"], late[1].json()["idempotent"]] == ["idempotency_key_reused", True]
    assert world.value(BOOKED) == 1


async def test_one_new_customer_at_two_vehicles_at_once_is_one_client(world: Any) -> None:
    """Two transactions want to add the same phone; the loser finds the winner's client."""
    first, second = world.quote("V1", "06-20", "06-27"), world.quote("V2", "06-20", "06-27")
    client = {"first_name": "Alex", "phone": "+66812345678"}
    orders = [
        {"quote_uuid": quote.quote_uuid, "idempotency_key": f"key-of-request-{number:04d}", "client": client}
        for number, quote in enumerate((first, second))
    ]
    answers = await post_all(world, orders)
    assert outcomes(answers) == {"booked": 2}
    assert world.value("SELECT count(*) FROM client_contact WHERE value = '+66812345678'") == 1
    assert world.value("SELECT count(DISTINCT client_id) FROM rental WHERE source = 'mcp'") == 1
    assert {a.json()["order_number"] for a in answers} == {"CR-1048", "CR-1049"}


def test_order_numbers_are_given_once(world: Any) -> None:
    """Four vehicles are booked at the same time."""
    quotes = [world.quote(plate, "07-05", "07-08") for plate in ("V1", "V2", "V3", "V4")]

    def book(quote: Any) -> str:
        return create_rental(world.db, world.a, world.now, world.order(quote)).rental.order_number

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(book, quotes, timeout=WAIT_SECONDS)) == ["CR-1048", "CR-1049", "CR-1050", "CR-1051"]


@pytest.mark.postgres
async def test_a_request_that_is_still_running_is_told_after_two_seconds(postgres_world: Any) -> None:
    """Its twin holds the key in an open transaction; nobody waits for ever, and nothing is booked twice."""
    body = order(1, postgres_world.quote("V1", "06-20", "06-27"), "one-key-for-both-of-us")
    with postgres_world.db.write() as session:
        session.connection().execute(
            text(
                "INSERT INTO idempotency (company_id, key, fingerprint, status, created_at)"
                " VALUES (:company, 'one-key-for-both-of-us', 'f', 201, now())"
            ),
            {"company": postgres_world.a.company_id},
        )
        (answer,) = await post_all(postgres_world, [body])
        session.rollback()
    assert (answer.status_code, answer.json()["code"], answer.json()["retryable"]) == (409, "in_progress", True)
    assert outcomes(await post_all(postgres_world, [body])) == {"booked": 1}
