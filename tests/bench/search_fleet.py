"""Builds a rental chain of any size out of the public lists of models, quickly, on either engine."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert, text
from sqlmodel import SQLModel

from store.rules.matching import search_text
from store.sql.core import table
from store.sql.tables.clients import Client
from store.sql.tables.company import Company, Office, OfficeHours
from store.sql.tables.fleet import Brand, Vehicle, VehicleModel
from store.sql.tables.prices import PriceList, PriceSeason, PriceTier
from store.sql.tables.rentals import RentalRow

SHARED = Path(__file__).parents[3] / "shared" / "data"
NOW = datetime(2027, 5, 31, 7, 30, tzinfo=UTC)
TODAY = NOW.date()
OFFICES = 8
RENTALS_EACH = 10
HISTORY_DAYS, AHEAD_DAYS = 365, 180
COLOURS = ("black", "white", "red", "blue", "green", "silver")
DETAILS = (
    "",
    "",
    "",
    "phone holder",
    "top box",
    "ABS",
    "child seat",
    "roof rack",
    "rain cape in the seat",
    "new tyres",
)
OWN_MODELS = [
    {"make": make, "model": f"{name} {size}", "kind": kind, "cc": size}
    for make, kind, names in (
        ("Honda", "scooter", ("Click", "PCX", "Scoopy", "Forza")),
        ("Yamaha", "scooter", ("NMAX", "Aerox", "Fazzio")),
        ("Kawasaki", "motorcycle", ("Ninja", "Versys", "KLX")),
        ("Toyota", "car", ("Yaris", "Corolla", "Fortuner")),
    )
    for name in names
    for size in (110, 125, 155, 160, 250, 300)
]
SCOOTERS = (
    "click",
    "pcx",
    "scoopy",
    "adv",
    "forza",
    "jive",
    "slingshot",
    "nmax",
    "aerox",
    "activa",
    "vespa",
    "lambretta",
)


@dataclass(frozen=True)
class Fleet:
    """What was built."""

    company_id: int
    vehicles: int
    rentals: int
    models: int


def model_entries() -> tuple[str, list[dict[str, Any]]]:
    """Where the models come from, and each as {make, model, kind, cc}."""
    bikes, cars = SHARED / "fleet_models_bikes.csv", SHARED / "fleet_models_cars.csv"
    if not (bikes.exists() and cars.exists()):
        return "the bench's own short list of models", OWN_MODELS
    found: dict[tuple[str, str], dict[str, Any]] = {}
    with bikes.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            entry = {"make": row["make"], "model": row["model"], "kind": _bike_kind(row), "cc": _number(row["cc"])}
            found.setdefault((row["make"], row["model"]), entry)
    with cars.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            entry = {"make": row["make"], "model": row["model"], "kind": "car", "cc": None}
            found.setdefault((row["make"], row["model"]), entry)
    return "the public lists of models", list(found.values())


def _bike_kind(row: dict[str, str]) -> str:
    words = row["model"].lower()
    small = (_number(row["cc"]) or 0) <= 125
    return "scooter" if small or any(word in words for word in SCOOTERS) else "motorcycle"


def _number(cell: str) -> int | None:
    return int(float(cell)) if cell else None


def build(connection: Connection, vehicles: int) -> Fleet:
    """Fill a migrated, empty database with one company. A tenth of the rentals per vehicle was cancelled."""
    draw = random.Random(20270531)
    _, entries = model_entries()
    # Not more models than a fleet of that size would have; popular ones come first and often.
    draw.shuffle(entries)
    entries = sorted(entries[: max(4, min(len(entries), vehicles * 2 // 3))], key=lambda entry: entry["kind"] == "car")
    _company(connection)
    _models(connection, entries, draw)
    _vehicles(connection, entries, vehicles, draw)
    rentals = _rentals(connection, vehicles, draw)
    return Fleet(1, vehicles, rentals, len(entries))


def _put(connection: Connection, model: type[SQLModel], rows: list[dict[str, Any]]) -> None:
    defaults = _defaults(model)
    filled = [{**defaults, **row} for row in rows]
    for first in range(0, len(filled), 20_000):
        connection.execute(insert(table(model)), filled[first : first + 20_000])


def _defaults(model: type[SQLModel]) -> dict[str, Any]:
    fields = {name: f for name, f in model.model_fields.items() if not f.is_required() and name != "id"}
    return {name: field.get_default(call_default_factory=True) for name, field in fields.items()}


def _company(connection: Connection) -> None:
    company = {
        "id": 1,
        "slug": "big-chain",
        "name": "Big Chain",
        "currency": "THB",
        "currency_exponent": 2,
        "timezone": "Asia/Bangkok",
        "locale": "en-GB",
        "date_order": "DMY",
        "phone_region": "TH",
        "order_prefix": "BC",
        "created_at": NOW,
    }
    _put(connection, Company, [company])
    offices = [
        {
            "id": n,
            "company_id": 1,
            "slug": f"office-{n}",
            "name": f"Office {n}",
            "address": f"{n} Beach Road",
            "city": "Phuket",
            "timezone": "Asia/Bangkok",
            "position": n - 1,
        }
        for n in range(1, OFFICES + 1)
    ]
    _put(connection, Office, offices)
    hours = [
        {"company_id": 1, "office_id": n, "weekday": weekday, "opens": "08:00", "closes": "20:00"}
        for n in range(1, OFFICES + 1)
        for weekday in range(7)
    ]
    _put(connection, OfficeHours, hours)
    client = {"id": 1, "company_id": 1, "uuid": f"{1:036d}", "is_placeholder": True, "created_at": NOW}
    _put(connection, Client, [{"first_name": "", "last_name": "", "language": "", **client}])


def _models(connection: Connection, entries: list[dict[str, Any]], draw: random.Random) -> None:
    """Each model has its own list of prices: the hardest case for sorting by price."""
    makes = {make: n for n, make in enumerate(sorted({entry["make"] for entry in entries}), 1)}
    brands = [{"id": n, "company_id": 1, "slug": _slug(make), "name": make} for make, n in makes.items()]
    _put(connection, Brand, brands)
    models, lists, seasons, tiers = [], [], [], []
    for n, entry in enumerate(entries, 1):
        name = f"{entry['make']} {entry['model']}"
        is_car = entry["kind"] == "car"
        models.append(
            {
                "id": n,
                "company_id": 1,
                "brand_id": makes[entry["make"]],
                "slug": f"{_slug(name)[:70]}-{n}",
                "name": entry["model"],
                "display_name": name,
                "category": entry["kind"],
                "drawing": "car" if is_car else "scooter",
                "engine_cc": entry["cc"],
                "gearbox": "manual" if entry["kind"] == "motorcycle" else "automatic",
                "seats": draw.choice((4, 5, 5, 7)) if is_car else 2,
                "aliases": ["big bike"] if entry["kind"] == "motorcycle" and (entry["cc"] or 0) >= 500 else [],
            }
        )
        per_day_minor = draw.randrange(60_000, 400_000, 5_000) if is_car else draw.randrange(15_000, 90_000, 1_000)
        lists.append(
            {"id": n, "company_id": 1, "code": f"list-{n}", "model_id": n, "base_per_day_minor": per_day_minor}
        )
        seasons += [_season(n, "high", (11, 1), (3, 31), 130), _season(n, "peak", (12, 20), (1, 5), 160)]
        tiers += [
            {"company_id": 1, "price_list_id": n, "min_days": first, "max_days": last, "percent_off": percent}
            for first, last, percent in ((1, 6, 0), (7, 29, 10), (30, None, 25))
        ]
    for table_of, rows in ((VehicleModel, models), (PriceList, lists), (PriceSeason, seasons), (PriceTier, tiers)):
        _put(connection, table_of, rows)


def _season(list_id: int, code: str, start: tuple[int, int], end: tuple[int, int], percent: int) -> dict[str, Any]:
    return {
        "company_id": 1,
        "price_list_id": list_id,
        "code": code,
        "name": code.title(),
        "start_month": start[0],
        "start_day": start[1],
        "end_month": end[0],
        "end_day": end[1],
        "priority": 10 if code == "peak" else 5,
        "percent": percent,
    }


def _slug(name: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split())


def _vehicles(connection: Connection, entries: list[dict[str, Any]], count: int, draw: random.Random) -> None:
    weights = [1 / (1 + n % 400) ** 0.5 for n in range(len(entries))]
    models = draw.choices(range(1, len(entries) + 1), weights, k=count)
    rows = []
    for n, model_id in enumerate(models, 1):
        plate, details = f"{draw.choice('ABCDEFGH')}{draw.choice('KLMNPRST')} {n:06d}", draw.choice(DETAILS)
        rows.append(
            {
                "id": n,
                "company_id": 1,
                "uuid": f"{n:036d}",
                "model_id": model_id,
                "office_id": draw.randint(1, OFFICES),
                "plate": plate,
                "colour": draw.choice(COLOURS),
                "year": draw.randint(2015, 2027),
                "details": details,
                "search_text": search_text(details, plate),
                "state": "workshop" if draw.random() < 0.02 else "ready",
            }
        )
    _put(connection, Vehicle, rows)


def stays(vehicles: int, draw: random.Random) -> Iterator[tuple[int, date, date, str]]:
    """Ten rentals a vehicle that never overlap: (vehicle, pick-up, return, status)."""
    span = (HISTORY_DAYS + AHEAD_DAYS) // RENTALS_EACH
    first_day = TODAY - timedelta(days=HISTORY_DAYS)
    days = [first_day + timedelta(days=n) for n in range(HISTORY_DAYS + AHEAD_DAYS + span)]
    for vehicle_id in range(1, vehicles + 1):
        for turn in range(RENTALS_EACH):
            length = int(draw.random() ** 2 * 20) + 1
            begin = turn * span + int(draw.random() * (span - length))
            yield vehicle_id, days[begin], days[begin + length], _status(days[begin], days[begin + length], draw)


def _status(start: date, end: date, draw: random.Random) -> str:
    if draw.random() < 0.1:
        return "cancelled"
    if end < TODAY:
        return "completed"
    return "active" if start <= TODAY else "confirmed"


def _rentals(connection: Connection, vehicles: int, draw: random.Random) -> int:
    """Narrow rows go over the wire; the database widens them."""
    is_postgresql = connection.dialect.name == "postgresql"
    connection.execute(
        text("CREATE TEMPORARY TABLE stay (id INTEGER, vehicle_id INTEGER, s DATE, e DATE, status TEXT)")
    )
    rows = ((n, v, s, e, status) for n, (v, s, e, status) in enumerate(stays(vehicles, draw), 1))
    if is_postgresql:
        raw: Any = connection.connection.driver_connection
        with raw.cursor() as cursor, cursor.copy("COPY stay FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
    else:
        texts = ((n, v, s.isoformat(), e.isoformat(), status) for n, v, s, e, status in rows)
        cursor = connection.connection.cursor()
        cursor.executemany("INSERT INTO stay VALUES (?, ?, ?, ?, ?)", texts)  # type: ignore[arg-type]
    laid_aside = _lay_aside_guards(connection, is_postgresql)
    _widen(connection, is_postgresql)
    for statement in laid_aside:
        connection.exec_driver_sql(statement)
    return int(connection.execute(text("SELECT count(*) FROM rental")).scalar_one())


def _widen(connection: Connection, is_postgresql: bool) -> None:
    pad = "lpad(stay.id::text, 36, '0')" if is_postgresql else "printf('%036d', stay.id)"
    values = {name: _literal(value) for name, value in _defaults(RentalRow).items()}
    values |= {
        "id": "stay.id",
        "company_id": "1",
        "uuid": pad,
        "order_number": "'BC-' || stay.id",
        "vehicle_id": "stay.vehicle_id",
        "office_id": "vehicle.office_id",
        "client_id": "1",
        "status": "stay.status",
        "source": "'admin'",
        "start_date": "s",
        "end_date": "e",
        "block_start": "s",
        "block_end": "e",
        "total_minor": "100000",
        "customer_first_name": "'Alex'",
        **dict.fromkeys(("pickup_at", "return_at", "created_at", "updated_at"), f"'{NOW:%Y-%m-%d %H:%M:%S.%f}'"),
    }
    if is_postgresql:
        values |= {
            name: f"TIMESTAMPTZ {values[name]}" for name in ("pickup_at", "return_at", "created_at", "updated_at")
        }
    columns = [name for name in values if name in table(RentalRow).columns]
    query = f"SELECT {', '.join(values[c] for c in columns)} FROM stay JOIN vehicle ON vehicle.id = stay.vehicle_id"  # noqa: S608
    connection.execute(text(f"INSERT INTO rental ({', '.join(columns)}) {query} ORDER BY stay.id"))


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, list | dict):
        return f"'{json.dumps(value)}'".replace(":", r"\:")
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else f"'{value}'"


def _lay_aside_guards(connection: Connection, is_postgresql: bool) -> list[str]:
    """Drop what makes a bulk load slow; return the statements that put it back."""
    return _lay_aside_postgresql(connection) if is_postgresql else _lay_aside_sqlite(connection)


def _lay_aside_sqlite(connection: Connection) -> list[str]:
    found = connection.exec_driver_sql(
        "SELECT type, name, sql FROM sqlite_master WHERE tbl_name = 'rental' AND type IN ('index', 'trigger')"
        " AND sql IS NOT NULL"
    ).all()
    for kind, name, _ in found:
        connection.exec_driver_sql(f"DROP {kind} {name}")
    return [definition for _, _, definition in found]


def _lay_aside_postgresql(connection: Connection) -> list[str]:
    constraints = connection.exec_driver_sql(
        "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'rental'::regclass"
        " AND contype IN ('f', 'u', 'x') ORDER BY contype DESC"
    ).all()
    for name, _ in constraints:
        connection.exec_driver_sql(f"ALTER TABLE rental DROP CONSTRAINT {name}")
    indexes = connection.exec_driver_sql(
        "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'rental' AND indexname LIKE 'ix_%%'"
    ).all()
    for name, _ in indexes:
        connection.exec_driver_sql(f"DROP INDEX {name}")
    restored = [definition for _, definition in indexes]
    return [*restored, *(f"ALTER TABLE rental ADD CONSTRAINT {name} {definition}" for name, definition in constraints)]
