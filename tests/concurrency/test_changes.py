"""Many who change rentals at once: one wins, the others hear why, and the history explains every state."""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import date, timedelta
from itertools import combinations
from threading import Barrier
from typing import Any

import httpx
import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from api.mcp import create_mcp_app
from store.crm.bots import issue_bot_token
from store.crm.holds import hold_vehicle
from store.crm.rental_changes import ChangeOrder, apply_change
from store.crm.staff_rentals import change_status
from store.errors import Refused
from store.sql.rentals import is_overlap

WAIT_SECONDS = 60
CLIENTS, STEPS, SEEDS = (50, 40, 10) if os.environ.get("RIDEPASS_LONG_RUNS") else (16, 8, 1)
BLOCKING = {"pending", "confirmed", "active"}


@asynccontextmanager
async def http_client(world: Any) -> Any:
    token = issue_bot_token(world.db, "coral-rentals", "race", now=world.now)
    app = create_mcp_app(world.db, lambda: world.now)
    transport = httpx.ASGITransport(app)
    headers = {"X-Bot-Token": token}
    async with httpx.AsyncClient(transport=transport, base_url="http://crm.test/", headers=headers) as client:
        yield client


def at_once(count: int, work: Any) -> Counter[str]:
    """What `count` threads got that started together."""
    barrier = Barrier(count, timeout=WAIT_SECONDS)

    def run(number: int) -> str:
        barrier.wait()
        try:
            return str(work(number))
        except Refused as error:
            return error.code

    with ThreadPoolExecutor(count) as pool:
        return Counter(pool.map(run, range(count), timeout=WAIT_SECONDS))


def drop_guard(world: Any) -> None:
    if world.db.is_sqlite:
        world.run("DROP TRIGGER rental_no_overlap_insert")
        world.run("DROP TRIGGER rental_no_overlap_update")
    else:
        world.run("ALTER TABLE rental DROP CONSTRAINT rental_no_overlap")


PLATES = ("V1", "V2", "V4")


def put_rentals(world: Any, number: int) -> list[str]:
    """So many rentals of one chat on V2, one after the other."""
    starts = [date(2027, 8, 1) + timedelta(days=2 * n) for n in range(number)]
    return [world.book("V2", s.isoformat(), (s + timedelta(days=1)).isoformat()).rental.uuid for s in starts]


@pytest.mark.parametrize("belts", ["both", "lock only"])
def test_of_many_rentals_that_move_to_the_same_days_one_arrives(world: Any, belts: str) -> None:
    """BL-001 for changes, also when the schema does not help."""
    uuids = put_rentals(world, 8)
    if belts == "lock only":
        drop_guard(world)

    def move(number: int) -> str:
        order = ChangeOrder(
            "move", uuids[number], f"key-of-move-{number:08d}", start=date(2027, 7, 10), end=date(2027, 7, 14)
        )
        return apply_change(world.db, world.a, world.now, order).rental.status

    assert at_once(8, move) == {"confirmed": 1, "dates_taken": 7}
    assert world.value("SELECT count(*) FROM rental WHERE start_date = '2027-07-10'") == 1


def careless_movers(world: Any, uuids: list[str]) -> Counter[str]:
    """All have looked before one moves: what a path without any lock would do."""
    barrier = Barrier(len(uuids), timeout=WAIT_SECONDS)

    def move(uuid: str) -> str:
        is_free = world.value("SELECT count(*) FROM rental WHERE start_date = '2027-07-10'") == 0
        barrier.wait()
        statement = (
            "UPDATE rental SET start_date = '2027-07-10', end_date = '2027-07-14', block_start = '2027-07-10',"
            " block_end = '2027-07-14' WHERE uuid = :uuid"
        )
        try:
            world.run(statement, uuid=uuid)
        except IntegrityError as error:
            return "refused by the schema" if is_overlap(error) else "other"
        return "moved" if is_free else "seen as taken"

    with ThreadPoolExecutor(len(uuids)) as pool:
        return Counter(pool.map(move, uuids, timeout=WAIT_SECONDS))


def test_the_schema_alone_lets_one_careless_mover_through(world: Any) -> None:
    assert careless_movers(world, put_rentals(world, 8)) == {"moved": 1, "refused by the schema": 7}


def test_without_guard_and_lock_all_of_them_move(world: Any) -> None:
    """Negative control."""
    uuids = put_rentals(world, 8)
    drop_guard(world)
    assert careless_movers(world, uuids) == {"moved": 8}


def test_one_key_of_a_change_many_times_at_once_changes_once(world: Any) -> None:
    """R5 for changes."""
    (uuid,) = put_rentals(world, 1)
    order = ChangeOrder("extend", uuid, "one-key-for-everybody", end=date(2027, 8, 4))
    answers = at_once(20, lambda _: apply_change(world.db, world.a, world.now, order).idempotent)
    assert answers == {"False": 1, "True": 19}
    assert world.value("SELECT version FROM rental WHERE uuid = :uuid", uuid=uuid) == 2


def test_of_many_staff_with_the_same_board_one_drag_counts(world: Any) -> None:
    """BL-206: confirmed by one, cancelled by another, all from version 1."""
    world.put_rental("V2", "07-01", "07-04", "pending")
    uuid = world.value("SELECT uuid FROM rental WHERE start_date = '2027-07-01'")

    def drag(number: int) -> str:
        status = "confirmed" if number % 2 else "cancelled"
        change_status(world.db, world.a, world.now, uuid, status, 1)
        return "done"

    assert at_once(10, drag) == {"done": 1, "stale_version": 9}


def test_of_many_requests_for_the_same_days_staff_confirm_one(world: Any) -> None:
    """BL-003 at once."""
    world.run("UPDATE company SET pending_blocks = :off", off=False)
    for _ in range(8):
        world.put_rental("V2", "07-01", "07-04", "pending")
    with world.db.read() as session:
        rows = session.connection().execute(text("SELECT uuid FROM rental WHERE status = 'pending'"))
        uuids = [row[0] for row in rows]

    def confirm(number: int) -> str:
        return change_status(world.db, world.a, world.now, uuids[number], "confirmed", 1).rental.status

    assert at_once(8, confirm) == {"confirmed": 1, "dates_taken": 7}


def test_of_many_reviews_of_one_vehicle_one_holds_it(world: Any) -> None:
    """BL-018 at once: the vehicle's lock decides."""
    world.run("UPDATE company SET hold_minutes = 10")
    scopes = [type(world.a)(world.a.company_id, actor=f"web:{n}") for n in range(10)]
    quotes = [world.quote("V2", "06-20", "06-22", scope) for scope in scopes]

    def hold(number: int) -> str:
        return str(hold_vehicle(world.db, scopes[number], world.now, quotes[number].quote_uuid).held_until is not None)

    assert at_once(10, hold) == {"True": 1, "dates_taken": 9}
    assert world.count("vehicle_hold") == 1


# ---- R3: everybody does anything -----------------------------------------------------------------


class Customer:
    """One chat that books, moves, extends and cancels at random; remembers what it was told."""

    def __init__(self, client: httpx.AsyncClient, world: Any, number: int, seed: int) -> None:
        self.client, self.world, self.number = client, world, number
        self.random = random.Random(seed * 1000 + number)
        self.headers = {"X-User-Id": f"web:customer-{number}"}
        self.rentals: dict[str, Any] = {}
        self.statuses: Counter[int] = Counter()
        self.intents = 0

    async def post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        key = f"key-{self.number:04d}-{self.intents:08d}"
        self.intents += 1
        answer = await self.client.post(path, json={**body, "idempotency_key": key}, headers=self.headers)
        self.statuses[answer.status_code] += 1
        return answer

    def days(self) -> dict[str, str]:
        start = date(2027, 7, 1) + timedelta(days=self.random.randrange(20))
        return {"start": start.isoformat(), "end": (start + timedelta(days=self.random.randint(1, 5))).isoformat()}

    async def step(self) -> None:
        uuid = self.random.choice(sorted(self.rentals)) if self.rentals else None
        if uuid is None or self.random.random() < 0.4:
            await self.create()
        elif self.random.random() < 0.3:
            await self.change(uuid, "cancel", {})
        elif self.random.random() < 0.5:
            await self.change(uuid, "extend", {"end": self.days()["end"]})
        else:
            await self.change(uuid, "move", self.days())

    async def create(self) -> None:
        query = {"vehicle_uuid": self.world.uuid(self.random.choice(PLATES)), **self.days()}
        quote = await self.client.get("vehicles/pricing/", params=query, headers=self.headers)
        self.statuses[quote.status_code] += 1
        if quote.status_code == 200:
            client = {"first_name": "Somebody", "phone": f"+66812{self.number:06d}"}
            body = {"quote_uuid": quote.json()["quote_uuid"], "client": client}
            answer = await self.post("vehicles/rentals/", body)
            if answer.status_code == 200:
                self.rentals[answer.json()["rental_uuid"]] = answer.json()

    async def change(self, uuid: str, kind: str, body: dict[str, Any]) -> None:
        answer = await self.post(f"rentals/{uuid}/{kind}/", body)
        if answer.status_code == 200:
            self.rentals[uuid] = answer.json()["rental"]


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_whatever_customers_do_at_once_the_books_are_right(world: Any, seed: int) -> None:
    """R3: no overlap, no lost or invented rental, each as its customer was told last, nothing unexpected."""
    async with http_client(world) as client, asyncio.timeout(WAIT_SECONDS * 5):
        customers = [Customer(client, world, number, seed) for number in range(CLIENTS)]

        async def live(customer: Customer) -> None:
            for _ in range(STEPS):
                await customer.step()

        await asyncio.gather(*(live(customer) for customer in customers))
    statuses = sum((c.statuses for c in customers), Counter())
    assert set(statuses) <= {200, 409, 422}
    assert statuses[200] > CLIENTS
    check_books(world, customers)


def check_books(world: Any, customers: list[Customer]) -> None:
    every = "SELECT uuid, vehicle_id, block_start, block_end, status, version, order_number FROM rental"
    with world.db.read() as session:
        connection = session.connection()
        rows = connection.execute(text(f"{every} WHERE source = 'mcp' OR company_id = 1")).mappings().all()
        entries = "SELECT r.uuid, count(*) FROM rental_status_change c JOIN rental r ON r.id = c.rental_id GROUP BY 1"
        history = {uuid: count for uuid, count in connection.execute(text(entries))}  # noqa: C416 - rows
    assert overlaps([dict(row) for row in rows]) == []
    told = {uuid: rental for customer in customers for uuid, rental in customer.rentals.items()}
    stored = {row["uuid"]: row for row in rows if row["uuid"] in told}
    assert set(stored) == set(told)
    for uuid, row in stored.items():
        assert (row["status"], row["version"]) == (told[uuid]["status"], told[uuid]["version"])
        assert history[uuid] == row["version"]
    assert len({row["order_number"] for row in rows}) == len(rows)
    made = world.value("SELECT count(*) FROM rental WHERE source = 'mcp'")
    assert made == len(told)
    assert world.count("outbox") == sum(rental["version"] for rental in told.values())


def overlaps(rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Pairs of blocking rentals of one vehicle that share a day."""
    blocking = [row for row in rows if row["status"] in BLOCKING]
    return [
        (one["uuid"], other["uuid"])
        for one, other in combinations(blocking, 2)
        if one["vehicle_id"] == other["vehicle_id"]
        and str(one["block_start"]) < str(other["block_end"])
        and str(other["block_start"]) < str(one["block_end"])
    ]


def test_the_checker_of_the_books_sees_an_overlap() -> None:
    """Negative control."""
    row = {"vehicle_id": 1, "block_start": "2027-07-01", "block_end": "2027-07-04", "status": "confirmed"}
    other = {**row, "uuid": "b", "block_start": "2027-07-03", "block_end": "2027-07-05"}
    assert overlaps([{**row, "uuid": "a"}, other]) == [("a", "b")]
    assert overlaps([{**row, "uuid": "a"}, {**other, "status": "cancelled"}]) == []
