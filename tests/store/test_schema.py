"""Models and migrations say the same on both engines; demo data is sound; tokens are kept as hashes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

from store.crm.bots import authenticate_bot, ensure_agent_token, issue_bot_token
from store.crm.search import SearchQuery, search_vehicles
from store.crm.vehicles import list_bookings
from store.errors import InvalidData, NotFound
from store.migrations import downgrade, upgrade
from store.seed import SEED_DATA, read_company_file, seed
from store.sql.companies import company_id_of
from store.sql.engine import make_engine
from store.sql.scope import Scope
from store.sql.tables import METADATA
from store.sql.unit import Database

NOW = datetime(2027, 5, 31, 7, 30, tzinfo=UTC)


def differences(world: Any) -> list[Any]:
    with world.db.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return list(compare_metadata(context, METADATA))


def test_models_and_migrations_agree(any_world: Any) -> None:
    assert differences(any_world) == []


def test_a_column_without_a_migration_would_be_seen(any_world: Any) -> None:
    """Negative control."""
    any_world.run("ALTER TABLE client DROP COLUMN language")
    assert [difference[0] for difference in differences(any_world)] == ["add_column"]


def test_every_table_of_a_company_carries_its_id() -> None:
    without = {t.name for t in METADATA.sorted_tables if "company_id" not in t.columns} - {"company"}
    assert without == set()


def test_money_is_a_whole_number_in_every_table() -> None:
    money = [c for t in METADATA.sorted_tables for c in t.columns if c.name.endswith("_minor")]
    assert len(money) >= 7
    assert {c.type.python_type for c in money} == {int}


def test_migrations_go_down_and_up_again(any_world: Any) -> None:
    engine = any_world.db.engine
    downgrade(engine, "base")
    assert set(inspect(engine).get_table_names()) <= {"alembic_version"}
    upgrade(engine)
    upgrade(engine)
    assert differences(any_world) == []


def test_migrations_need_no_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    engine = make_engine(f"sqlite:///{tmp_path}/x%20y.db")
    upgrade(engine)
    assert "rental" in inspect(engine).get_table_names()
    engine.dispose()


# ---- the demo ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "demo.db"
    db = Database(make_engine(f"sqlite:///{path}"))
    upgrade(db.engine)
    seed(db, NOW)
    db.dispose()
    return path


@pytest.fixture
def demo(demo_file: Path, tmp_path: Path) -> Iterator[Database]:
    db = Database(make_engine(f"sqlite:///{shutil.copy(demo_file, tmp_path / 'demo.db')}"))
    yield db
    db.dispose()


def coral(db: Database) -> Scope:
    with db.read() as session:
        return Scope(company_id_of(session, "coral-rentals"), actor="web:alex")


def find(db: Database, day: Any, start: str = "06-20", end: str = "06-27", **query: Any) -> Any:
    return search_vehicles(db, coral(db), NOW, SearchQuery(day(start), day(end), page_size=50, **query))


@pytest.mark.parametrize(
    ("text", "high_minor", "low_minor", "drawing", "colour"),
    [
        ("pcx 160", 200_000, 150_000, "maxi-scooter", "coral"),
        ("nmax 155", 225_000, 170_000, "maxi-scooter", "navy"),
        ("crf 150", 275_000, 200_000, "adventure", "red"),
        ("nusa 7", 1_500_000, 1_200_000, "boat", "lagoon"),
    ],
)
def test_the_demo_has_the_vehicles_and_prices_of_the_screens(
    demo: Database, day: Any, text: str, high_minor: int, low_minor: int, drawing: str, colour: str
) -> None:
    high, low = find(demo, day, text=text), find(demo, day, "09-21", "09-22", text=text)
    (offer,) = high.offers
    assert (offer.vehicle.drawing, offer.vehicle.colour) == (drawing, colour)
    assert offer.price.total_minor == 7 * high_minor * 80 // 100
    assert low.offers[0].price.total_minor == low_minor


def test_the_demo_fleet_is_large_and_mixed(demo: Database, day: Any) -> None:
    found = find(demo, day, "09-21", "09-22")
    assert found.total_found >= 24
    assert {offer.vehicle.category for offer in found.offers} == {"scooter", "motorcycle", "car", "boat"}
    assert len(find(demo, day, category="motorcycle").offers) >= 3
    (pcx,) = find(demo, day, text="pcx").offers
    assert pcx.price.deposit_minor == 500_000


def test_the_pcx_is_booked_in_june(demo: Database, day: Any) -> None:
    (pcx,) = find(demo, day, text="pcx").offers
    (booking,) = list_bookings(demo, coral(demo), NOW, pcx.vehicle.uuid)
    assert (booking.period.start, booking.period.end, booking.status) == (day("06-10"), day("06-17"), "confirmed")


def test_seeding_again_changes_nothing(demo: Database) -> None:
    before = [_count(demo, table) for table in ("company", "vehicle", "rental", "price_season", "client")]
    seed(demo, NOW + timedelta(days=1))
    assert [_count(demo, table) for table in ("company", "vehicle", "rental", "price_season", "client")] == before


def test_a_demo_that_has_gone_quiet_gets_bookings_again(demo: Database) -> None:
    before = _count(demo, "rental")
    seed(demo, NOW + timedelta(days=200))
    assert _count(demo, "rental") > before


@pytest.mark.parametrize(
    "now",
    [datetime(2026, 1, 1, 12, tzinfo=UTC), datetime(2027, 6, 18, 12, tzinfo=UTC), datetime(2028, 2, 29, tzinfo=UTC)],
)
def test_the_demo_can_be_seeded_on_any_day(tmp_path: Path, now: datetime) -> None:
    db = Database(make_engine(f"sqlite:///{tmp_path}/demo.db"))
    upgrade(db.engine)
    seed(db, now)
    assert _count(db, "company") == 2
    near = "SELECT count(*) FROM rental WHERE start_date BETWEEN date(:day, '-7 day') AND date(:day, '+7 day')"
    with db.read() as session:
        assert session.connection().execute(text(near), {"day": now.date().isoformat()}).scalar_one() >= 7
    db.dispose()


def test_a_file_with_a_faulty_price_list_is_refused_by_name(tmp_path: Path) -> None:
    """BL-105, when the list is loaded."""
    data = json.loads((SEED_DATA / "coral-rentals.json").read_text(encoding="utf-8"))
    data["tiers"] = [{"min_days": 1, "max_days": 3, "percent_off": 0}, {"min_days": 3, "percent_off": 10}]
    (tmp_path / "bad.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(InvalidData, match="two tiers cover a stay of 3 days"):
        read_company_file(tmp_path / "bad.json")


# ---- tokens --------------------------------------------------------------------------------------


def test_a_token_opens_its_company_and_is_not_kept(world: Any) -> None:
    token = issue_bot_token(world.db, "harbour-wheels", "partner", now=world.now)
    scope = authenticate_bot(world.db, token, world.now)
    assert scope is not None
    assert scope.company_id == world.b.company_id
    stored = world.value("SELECT token_prefix || ':' || token_sha256 FROM bot")
    assert token not in stored
    assert token[12:] not in stored


def test_a_token_that_is_nearly_right_opens_nothing(world: Any) -> None:
    token = issue_bot_token(world.db, "harbour-wheels", "partner", now=world.now)
    for nearly in (f"{token}x", f"x{token}", token[:-1], token.upper(), token[:12]):
        assert authenticate_bot(world.db, nearly, world.now) is None


def test_two_tokens_are_valid_at_a_time(world: Any) -> None:
    tokens = [issue_bot_token(world.db, "coral-rentals", "partner", now=world.now) for _ in range(2)]
    assert all(authenticate_bot(world.db, token, world.now) for token in tokens)


def test_the_embedded_agents_token_is_registered_once(world: Any) -> None:
    for _ in range(2):
        ensure_agent_token(world.db, "coral-rentals", "derived-from-the-server-secret", now=world.now)
    assert world.count("bot") == 1
    assert authenticate_bot(world.db, "derived-from-the-server-secret", world.now) is not None


def test_a_token_needs_a_company(world: Any) -> None:
    with pytest.raises(NotFound):
        issue_bot_token(world.db, "nobody", "partner", now=world.now)


def test_use_is_noted_now_and_then(world: Any) -> None:
    token = issue_bot_token(world.db, "coral-rentals", "partner", now=world.now)
    authenticate_bot(world.db, token, world.now)
    first = world.value("SELECT last_used_at FROM bot")
    authenticate_bot(world.db, token, world.now + timedelta(minutes=1))
    assert world.value("SELECT last_used_at FROM bot") == first
    authenticate_bot(world.db, token, world.now + timedelta(minutes=16))
    assert world.value("SELECT last_used_at FROM bot") != first


def _count(db: Database, table: str) -> int:
    with db.read() as session:
        return int(session.connection().execute(text(f"SELECT count(*) FROM {table}")).scalar_one())  # noqa: S608
