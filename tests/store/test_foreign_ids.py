"""Whoever works for company A reaches nothing of company B by its id, on any path that takes one."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import pytest
from sqlalchemy import select

import store.crm
from store.crm.alternatives import find_alternatives
from store.crm.client_merges import link_telegram, list_merges, merge_clients, undo_merge
from store.crm.clients import Claim, client_info, client_update
from store.crm.holds import hold_vehicle
from store.crm.own_rentals import get_own_rental
from store.crm.privacy import Sought, erase_client, export_client
from store.crm.rental_changes import ChangeOrder, apply_change, preview_change
from store.crm.rentals import RentalOrder, create_rental
from store.crm.staff_rentals import change_status, move_rental, rental_history
from store.crm.vehicles import check_availability, list_bookings, make_quote
from store.errors import NotFound
from store.sql.tables import METADATA

KEY = "key-of-a-stranger"
PRIVATE = ("uuid", "_id")
TAKES_NO_FOREIGN_ID = {"link_telegram"}  # the account's own number, which the channel vouches for


@dataclass(frozen=True)
class Belongings:
    """Addresses of things of company B."""

    vehicle: str
    quote: str
    rental: str
    client: str
    other_client: str
    merge: int


@pytest.fixture
def theirs(any_world: Any) -> Belongings:
    """A vehicle, an open quote, a rental, clients and a merge of company B."""
    world, b = any_world, any_world.b
    rental = world.book("H1", "06-20", "06-22", b, first_name="Nikos", phone="+306912345678").rental
    telegram = replace(b, actor="telegram:5")
    client_update(world.db, telegram, world.now, Claim(first_name="Nikos"))
    joined = link_telegram(world.db, b, world.now, "5")
    (merge,) = list_merges(world.db, b)
    other = replace(b, actor="web:other")
    client_update(world.db, other, world.now, Claim(first_name="Eleni"))
    quote = world.quote("H1", "07-20", "07-22", b).quote_uuid
    second = client_info(world.db, other).client_uuid
    assert joined.client_uuid is not None
    assert second is not None
    return Belongings(world.uuid("H1"), quote, rental.uuid, joined.client_uuid, second, merge.id)


def rows_of(world: Any, company_id: int) -> list[str]:
    """Every row of a company, in every table."""
    with world.db.read() as session:
        connection = session.connection()
        return sorted(
            f"{table.name}: {row}"
            for table in METADATA.sorted_tables
            if "company_id" in table.c
            for row in connection.execute(select(table).where(table.c.company_id == company_id))
        )


def calls(world: Any, scope: Any, b: Belongings, day: Any) -> Iterator[tuple[Callable[..., Any], Callable[[], Any]]]:
    """Each use case that takes an id, with the id of something of B."""
    db, now, start, end = world.db, world.now, day("07-20"), day("07-22")
    yield change_status, lambda: change_status(db, scope, now, b.rental, "cancelled", 1)
    yield move_rental, lambda: move_rental(db, scope, now, b.rental, start, end, 1)
    yield rental_history, lambda: rental_history(db, scope, b.rental)
    yield get_own_rental, lambda: get_own_rental(db, scope, b.rental)
    yield check_availability, lambda: check_availability(db, scope, now, b.vehicle, start, end)
    yield make_quote, lambda: make_quote(db, scope, now, b.vehicle, start, end)
    yield find_alternatives, lambda: find_alternatives(db, scope, now, b.vehicle, start, end, 5)
    yield list_bookings, lambda: list_bookings(db, scope, now, b.vehicle)
    yield hold_vehicle, lambda: hold_vehicle(db, scope, now, b.quote)
    yield merge_clients, lambda: merge_clients(db, scope, now, b.client, b.other_client)
    yield undo_merge, lambda: undo_merge(db, scope, now, b.merge)
    yield create_rental, lambda: create_rental(db, scope, now, RentalOrder(b.quote, KEY, Claim(phone="+66812345678")))
    for kind in ("move", "extend", "cancel"):
        order = ChangeOrder(kind, b.rental, KEY, start=start, end=end)  # type: ignore[arg-type]
        yield preview_change, lambda order=order: preview_change(db, scope, now, order)  # type: ignore[misc]
        yield apply_change, lambda order=order: apply_change(db, scope, now, order)  # type: ignore[misc]
    yield export_client, lambda: export_client(db, scope, Sought(uuid=b.client))
    yield erase_client, lambda: erase_client(db, scope, now, Sought(uuid=b.client))


@pytest.mark.parametrize("actor", ["staff:wayan", "web:alex", "telegram:5"])
def test_nothing_of_another_company_is_read_or_changed_by_its_id(
    any_world: Any, theirs: Belongings, day: Any, actor: str
) -> None:
    """BL-183: every use case says "not found", its staff's too, and B is as it was, to the last row."""
    before = rows_of(any_world, any_world.b.company_id)
    for use_case, call in calls(any_world, replace(any_world.a, actor=actor), theirs, day):
        with pytest.raises(NotFound):
            pytest.fail(f"{use_case.__name__} answered: {call()}")
    assert rows_of(any_world, any_world.b.company_id) == before


def test_the_same_calls_reach_the_own_things(any_world: Any, theirs: Belongings, day: Any) -> None:
    """Negative control: with B's own scope the ids lead somewhere, and the comparison of rows sees it."""
    before = rows_of(any_world, any_world.b.company_id)
    found = set()
    for use_case, call in calls(any_world, any_world.b, theirs, day):
        try:
            call()
        except NotFound:
            continue
        except Exception:  # noqa: BLE001, S110 - refused by a rule: so it was found
            pass
        found.add(use_case)
    assert {change_status, rental_history, check_availability, export_client} <= found
    assert rows_of(any_world, any_world.b.company_id) != before


def takers() -> set[str]:
    """Public use cases with an argument that is an id."""
    found = set()
    for module in pkgutil.iter_modules(store.crm.__path__):
        if module.name.startswith("chat"):
            continue  # a conversation's token is its scope: tests/chat_store
        for name, thing in inspect.getmembers(import_module(f"store.crm.{module.name}"), inspect.isfunction):
            mine = thing.__module__ == f"store.crm.{module.name}" and not name.startswith("_")
            parameters = inspect.signature(thing).parameters
            if mine and "database" in parameters and any(p.endswith(PRIVATE) for p in parameters):
                found.add(name)
    return found


def test_no_use_case_that_takes_an_id_is_left_out(any_world: Any, theirs: Belongings, day: Any) -> None:
    """A new one has to be added above."""
    tried = {use_case.__name__ for use_case, _ in calls(any_world, any_world.a, theirs, day)}
    assert takers() - TAKES_NO_FOREIGN_ID <= tried
    assert len(takers()) > 10
