"""Whatever two customers, the desk and the clock do in whatever order: the product agrees with a small model.

15 runs of 30 steps; RIDEPASS_LONG_RUNS makes it 1,000 runs of 50, and shortens what fails (which takes minutes).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from store.crm.alternatives import find_alternatives
from store.crm.holds import hold_vehicle
from store.crm.rental_changes import ChangeOrder, apply_change, preview_change
from store.crm.rentals import create_rental
from store.crm.search import SearchQuery, search_vehicles
from store.crm.staff_rentals import change_status, move_rental
from store.crm.vehicles import check_availability
from store.errors import NotFound, Refused
from store.rules.rental_status import may_follow
from store.sql.engine import make_engine
from store.sql.unit import Database

LONG = bool(os.environ.get("RIDEPASS_LONG_RUNS"))
RUNS, STEPS = (1000, 50) if LONG else (15, 30)
HOLD, QUOTE = timedelta(minutes=10), timedelta(minutes=15)
SETTINGS = settings(
    max_examples=RUNS,
    stateful_step_count=STEPS,
    deadline=None,
    derandomize=not LONG,
    database=None,
    phases=(Phase.generate, Phase.shrink) if LONG else (Phase.generate,),
    suppress_health_check=list(HealthCheck),
)

plates = st.sampled_from(["V1", "V2"])
actors = st.sampled_from(["web:x", "web:y"])
stays = st.builds(
    lambda start, days: (start, start + timedelta(days=days)),
    st.dates(date(2027, 6, 5), date(2027, 6, 14)),
    st.integers(0, 5),
)
indexes = st.integers(0, 9)
one_in_four = st.sampled_from([False, False, False, True])
STATUSES = ("confirmed", "active", "completed", "cancelled", "rejected")
Stay = tuple[date, date]


@dataclass(frozen=True)
class Rental:
    """What the model knows of one."""

    plate: str
    stay: Stay
    status: str
    actor: str
    version: int = 1


@dataclass(frozen=True)
class Hold:
    plate: str
    stay: Stay
    quote: str
    until: datetime


class Model:
    """One dictionary of rentals, one of holds; a day is taken or not."""

    def __init__(self, now: datetime, turnaround_days: int, *, pending_blocks: bool) -> None:
        self.now, self.gap = now, timedelta(days=turnaround_days)
        self.blocking = {"confirmed", "active"} | ({"pending"} if pending_blocks else set())
        self.rentals: dict[str, Rental] = {}
        self.holds: dict[str, Hold] = {}

    def block(self, stay: Stay) -> Stay:
        return stay[0], max(stay[1], stay[0] + timedelta(days=1)) + self.gap

    def collide(self, one: Stay, other: Stay) -> bool:
        (a, b), (c, d) = self.block(one), self.block(other)
        return a < d and c < b

    def is_rented(self, plate: str, stay: Stay, but: str = "") -> bool:
        return any(
            r.plate == plate and r.status in self.blocking and uuid != but and self.collide(r.stay, stay)
            for uuid, r in self.rentals.items()
        )

    def is_free(self, plate: str, stay: Stay, actor: str, but: str = "") -> bool:
        is_held = any(
            h.plate == plate and who != actor and h.until > self.now and self.collide(h.stay, stay)
            for who, h in self.holds.items()
        )
        return not is_held and not self.is_rented(plate, stay, but)


def outcome(call: Callable[[], Any]) -> tuple[str, Any]:
    """("ok", value) or the refusal's code."""
    try:
        return "ok", call()
    except Refused as error:
        return error.code, None
    except NotFound:
        return "not_found", None


class Shop(RuleBasedStateMachine):
    """The product beside the model."""

    open_world: Any
    template: Path
    folder: Path
    numbers = count()

    def __init__(self) -> None:
        super().__init__()
        number = next(self.numbers)
        self.path = shutil.copy(self.template, self.folder / f"{number}.db")
        self.world = type(self).open_world(Database(make_engine(f"sqlite:///{self.path}")))
        self.keys = (f"key-of-request-{n:06d}" for n in count())
        self.world.run("UPDATE company SET hold_minutes = 10")
        self.world.run("DELETE FROM rental_status_change")
        self.world.run("DELETE FROM rental")
        self.model = self.make_model(0, blocks=True)
        self.quotes: list[Any] = []
        self.made: list[str] = []
        self.ids = {plate: self.world.uuid(plate) for plate in ("V1", "V2")}
        self.desk = replace(self.world.a, actor="staff:desk")

    def make_model(self, turnaround_days: int, *, blocks: bool) -> Model:
        return Model(self.world.now, turnaround_days, pending_blocks=blocks)

    @initialize(
        turnaround_days=st.integers(0, 1),
        blocks=st.booleans(),
        booked=st.lists(st.tuples(plates, stays, actors), min_size=2, max_size=4),
    )
    def set_up_company(self, turnaround_days: int, booked: list[tuple[str, Stay, str]], *, blocks: bool) -> None:
        self.world.run("UPDATE company SET turnaround_hours = :hours", hours=4 * turnaround_days)
        self.world.run("UPDATE company SET pending_blocks = :blocks", blocks=blocks)
        self.model = self.make_model(turnaround_days, blocks=blocks)
        for plate, stay, actor in booked:
            self.review(plate, stay, actor, holds=False, then="book")

    def teardown(self) -> None:
        self.world.db.dispose()
        Path(self.path).unlink()

    def scope(self, actor: str) -> Any:
        return replace(self.world.a, actor=actor)

    # What customers do. A rule that needs a quote or a rental takes one of those that there are.

    @rule(plate=plates, stay=stays, actor=actors, holds=st.booleans(), then=st.sampled_from(["", "wait", "book"]))
    def review(self, plate: str, stay: Stay, actor: str, *, holds: bool, then: str) -> None:
        quote = self.quote(plate, stay, actor)
        if quote is not None and holds:
            self.hold(quote)
        if quote is not None and then:
            self.confirm(quote, waits=then == "wait")

    @rule(index=indexes, holds=st.booleans(), waits=st.booleans())
    def come_back_to_a_review(self, index: int, *, holds: bool, waits: bool) -> None:
        if self.quotes:
            quote = self.quotes[index % len(self.quotes)]
            self.hold(quote) if holds else self.confirm(quote, waits=waits)

    def quote(self, plate: str, stay: Stay, actor: str) -> Any:
        code, made = outcome(
            lambda: self.world.quote(plate, stay[0].isoformat(), stay[1].isoformat(), self.scope(actor))
        )
        assert code == ("ok" if self.model.is_free(plate, stay, actor) else "dates_taken")
        if made is None:
            return None
        self.quotes.append((made, plate, stay, actor, self.world.now + QUOTE))
        return self.quotes[-1]

    def hold(self, quote: Any) -> None:
        made, plate, stay, actor, expires = quote
        code, held = outcome(
            lambda: hold_vehicle(self.world.db, self.scope(actor), self.world.now, made.quote_uuid).held_until
        )
        own = self.model.holds.get(actor)
        if self.model.now >= expires:
            assert code == "quote_expired"
        elif own and own.quote == made.quote_uuid and own.until > self.model.now:
            assert (code, held) == ("ok", own.until)
        elif self.model.is_free(plate, stay, actor):
            until = min(self.model.now + HOLD, expires)
            if own and own.plate == plate and own.until > self.model.now:
                until = min(until, own.until)  # another review of what one holds does not prolong it
            assert (code, held) == ("ok", until)
            self.model.holds[actor] = Hold(plate, stay, made.quote_uuid, until)
        else:
            assert code == "dates_taken"

    def confirm(self, quote: Any, *, waits: bool) -> None:
        made, plate, stay, actor, expires = quote
        order = self.world.order(made, next(self.keys))
        code, rental = outcome(lambda: create_rental(self.world.db, self.scope(actor), self.world.now, order))
        if self.model.now >= expires:
            assert code == "quote_expired"
            return
        if not self.model.is_free(plate, stay, actor):
            assert code == "dates_taken"
            return
        assert code == "ok"
        again = create_rental(self.world.db, self.scope(actor), self.world.now, order)
        assert (again.idempotent, again.rental) == (True, rental.rental)
        uuid = rental.rental.uuid
        if waits:
            self.world.run("UPDATE rental SET status = 'pending' WHERE uuid = :uuid", uuid=uuid)
        self.model.rentals[uuid] = Rental(plate, stay, "pending" if waits else "confirmed", actor)
        if actor in self.model.holds and self.model.holds[actor].plate == plate:
            del self.model.holds[actor]
        self.made.append(uuid)

    @rule(index=indexes, kind=st.sampled_from(["move", "extend", "cancel"]), stay=stays, as_other=one_in_four)
    def change_a_rental(self, index: int, kind: str, stay: Stay, *, as_other: bool) -> None:
        if not self.made:
            return
        uuid = self.made[index % len(self.made)]
        rental = self.model.rentals[uuid]
        actor = {"web:x": "web:y", "web:y": "web:x"}[rental.actor] if as_other else rental.actor
        if kind == "cancel":
            self.cancel(uuid, actor)
        elif kind == "move":
            self.change(ChangeOrder("move", uuid, next(self.keys), start=stay[0], end=stay[1]), stay, actor)
        else:
            later = rental.stay[0], rental.stay[1] + max(stay[1] - stay[0], timedelta(days=1))
            self.change(ChangeOrder("extend", uuid, next(self.keys), end=later[1]), later, actor)

    def cancel(self, uuid: str, actor: str) -> None:
        rental = self.model.rentals[uuid]
        order = ChangeOrder("cancel", uuid, next(self.keys))
        code = self.both(order, actor)
        if rental.actor != actor:
            assert code == "not_found"
        elif rental.status not in {"pending", "confirmed"}:
            assert code == "not_changeable"
        else:
            assert code == "ok"
            self.model.rentals[uuid] = replace(rental, status="cancelled", version=rental.version + 1)

    def change(self, order: ChangeOrder, stay: Stay, actor: str) -> None:
        rental = self.model.rentals[order.rental_uuid]
        changeable = {"pending", "confirmed"} | ({"active"} if order.kind == "extend" else set())
        code = self.both(order, actor)
        if rental.actor != actor:
            assert code == "not_found"
        elif rental.status not in changeable or rental.stay == stay:
            assert code == "not_changeable"
        elif self.model.is_free(rental.plate, stay, actor, order.rental_uuid):
            assert code == "ok"
            self.model.rentals[order.rental_uuid] = replace(rental, stay=stay, version=rental.version + 1)
        else:
            assert code == "dates_taken"

    def both(self, order: ChangeOrder, actor: str) -> str:
        """The preview says what the change then does."""
        scope = self.scope(actor)
        told, _ = outcome(lambda: preview_change(self.world.db, scope, self.world.now, order))
        code, done = outcome(lambda: apply_change(self.world.db, scope, self.world.now, order))
        assert told == code
        if done:
            again = apply_change(self.world.db, scope, self.world.now, order)
            assert (again.idempotent, again.rental) == (True, done.rental)
        return code

    # What the desk does.

    @rule(index=indexes, status=st.sampled_from(STATUSES), is_old=one_in_four)
    def set_a_status(self, index: int, status: Any, *, is_old: bool) -> None:
        if self.made:
            self.staff_set(self.made[index % len(self.made)], status, int(is_old))

    def staff_set(self, uuid: str, status: Any, age: int) -> None:
        rental = self.model.rentals[uuid]
        code, _ = outcome(
            lambda: change_status(self.world.db, self.desk, self.world.now, uuid, status, rental.version - age)
        )
        if age:
            assert code == "stale_version"
        elif not may_follow(rental.status, status):
            assert code == "not_changeable"
        elif status in {"confirmed", "active"} and self.model.is_rented(rental.plate, rental.stay, uuid):
            assert code == "dates_taken"
        else:
            assert code == "ok"
            self.model.rentals[uuid] = replace(rental, status=status, version=rental.version + 1)

    @rule(index=indexes, stay=stays)
    def move_on_the_board(self, index: int, stay: Stay) -> None:
        if not self.made:
            return
        uuid = self.made[index % len(self.made)]
        rental = self.model.rentals[uuid]
        code, _ = outcome(lambda: move_rental(self.world.db, self.desk, self.world.now, uuid, *stay, rental.version))
        if rental.status not in {"pending", "confirmed", "active"}:
            assert code == "not_changeable"
        elif self.model.is_free(rental.plate, stay, "staff:desk", uuid):
            assert code == "ok"
            self.model.rentals[uuid] = replace(rental, stay=stay, version=rental.version + 1)
        else:
            assert code == "dates_taken"

    @rule(minutes=st.sampled_from([1, 5, 10, 15]))
    def time_goes_by(self, minutes: int) -> None:
        self.world.now += timedelta(minutes=minutes)
        self.model.now = self.world.now

    @rule(stay=stays, actor=actors, plate=plates)
    def look(self, stay: Stay, actor: str, plate: str) -> None:
        self.search(stay, actor)
        self.look_for_ways_out(plate, stay, actor)

    def search(self, stay: Stay, actor: str) -> None:
        query = SearchQuery(*stay, category="scooter", page_size=50)
        found = search_vehicles(self.world.db, self.scope(actor), self.world.now, query)
        free = {self.ids[plate] for plate in self.ids if self.model.is_free(plate, stay, actor)}
        assert {offer.vehicle.uuid for offer in found.offers} == free

    def look_for_ways_out(self, plate: str, stay: Stay, actor: str) -> None:
        scope, now = self.scope(actor), self.world.now
        is_free = self.model.is_free(plate, stay, actor)
        assert check_availability(self.world.db, scope, now, self.ids[plate], *stay).decision.allowed == is_free
        found = find_alternatives(self.world.db, scope, now, self.ids[plate], *stay, 5)
        assert found.decision.allowed == is_free
        plate_of = {uuid: plate for plate, uuid in self.ids.items()}
        for option in found.options:
            period = option.period.start, option.period.end
            assert self.model.is_free(plate_of[option.offer.vehicle.uuid], period, actor)

    @invariant()
    def the_books_are_the_models(self) -> None:
        with self.world.db.read() as session:
            rows = session.connection().exec_driver_sql(
                "SELECT r.uuid, v.plate, r.start_date, r.end_date, r.status, r.actor, r.version"
                " FROM rental r JOIN vehicle v ON v.id = r.vehicle_id"
            )
            stored = {
                uuid: Rental(plate, (date.fromisoformat(first), date.fromisoformat(last)), status, actor, version)
                for uuid, plate, first, last, status, actor, version in rows
            }
        assert stored == self.model.rentals


def machine(world_file: Path, tmp_path: Path, open_world: Any, base: type[Shop] = Shop) -> Callable[[], Shop]:
    return type(
        "ShopHere",
        (base,),
        {"template": world_file, "folder": tmp_path, "open_world": staticmethod(open_world), "numbers": count()},
    )


@pytest.mark.slow
def test_the_product_agrees_with_the_model(world_file: Path, tmp_path: Path, open_world: Any) -> None:
    """R4."""
    run_state_machine_as_test(machine(world_file, tmp_path, open_world), settings=SETTINGS)


class ForgetfulModel(Model):
    """Believes that holds never end."""

    def is_free(self, plate: str, stay: Stay, actor: str, but: str = "") -> bool:
        now, self.now = self.now, self.now - timedelta(days=1)
        try:
            return super().is_free(plate, stay, actor, but)
        finally:
            self.now = now


class WrongShop(Shop):
    """The product beside a model that is wrong."""

    def make_model(self, turnaround_days: int, *, blocks: bool) -> Model:
        return ForgetfulModel(self.world.now, turnaround_days, pending_blocks=blocks)


def test_a_model_that_is_wrong_about_holds_is_found_out(world_file: Path, tmp_path: Path, open_world: Any) -> None:
    """Negative control: the machine reaches the end of a hold."""
    shop = machine(world_file, tmp_path, open_world, WrongShop)()
    try:
        stay = date(2027, 6, 5), date(2027, 6, 7)
        shop.hold(
            (shop.world.quote("V2", "06-05", "06-07", shop.scope("web:x")), "V2", stay, "web:x", shop.world.now + QUOTE)
        )
        shop.time_goes_by(10)
        with pytest.raises(AssertionError):
            shop.search(stay, "web:y")
    finally:
        shop.teardown()
