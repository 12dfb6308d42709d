"""Search at size: builds fleets of 10, 1,000 and 100,000 vehicles and measures search_available and availability.

`python -m tests.bench.search [--write README.md]`, or `make bench-search`. PostgreSQL is measured when
RIDEPASS_BENCH_POSTGRES_URL names a server on which databases may be made. Side by side: the form of the query that
the seed document shows (icontains for each token, conflicts read out as a list of ids and excluded).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import make_url, text

from store.crm.search import SearchQuery, search_vehicles
from store.crm.vehicles import check_availability
from store.migrations import upgrade
from store.rules.prices import price_stay
from store.sql.catalogue import period_prices
from store.sql.engine import make_engine
from store.sql.scope import Scope
from store.sql.unit import Database
from tests.bench.marked import keep
from tests.bench.search_fleet import NOW, OFFICES, TODAY, build, model_entries
from tests.bench.search_seed_form import seed_search

VARIABLE = "RIDEPASS_BENCH_POSTGRES_URL"
SIZES = (10, 1_000, 100_000)
REPEATS = 5
PERIODS = 8
MIX: tuple[dict[str, Any], ...] = (
    {},
    {"category": "scooter"},
    {"category": "car", "page": 3},
    {"brand": "Honda", "model": "PCX"},
    {"text": "honda pcx160"},
    {"text": "toyota automatic"},
    {"brand": "hnoda"},
    {"brand": "motorcycle"},
    {"text": "bmw gs"},
    {"text": "big bike"},
    {"text": "phone holder"},
    {"text": "000777"},
    {"text": "zzzzqq"},
    {"category": "car", "budget_minor": 100_000, "budget_per": "day"},
    {"category": "car", "seats": 7, "sort": "price_desc"},
    {"office": f"office-{OFFICES // 2}", "category": "motorcycle"},
)
SEED_MIX: tuple[dict[str, Any], ...] = ({}, {"brand": "Honda"}, {"brand": "Honda", "model": "PCX"}, {"brand": "BMW"})
"""What the seed's endpoint has parameters for: brand and model."""


def periods(count: int) -> list[tuple[date, date]]:
    """Stays of one to 21 days in the next two months."""
    draw = random.Random(11)
    starts = [TODAY + timedelta(days=draw.randint(1, 60)) for _ in range(count)]
    return [(start, start + timedelta(days=draw.randint(1, 21))) for start in starts]


def best_ms(run: Callable[[], object], before: Callable[[], object] | None = None, repeats: int = REPEATS) -> float:
    """The quickest of several runs: on a machine that others use too, the slower ones measure the others."""
    samples = []
    for _ in range(repeats):
        if before:
            before()
        started = time.perf_counter()
        run()
        samples.append((time.perf_counter() - started) * 1000)
    return min(samples)


def quantiles(samples: list[float]) -> tuple[float, float]:
    """(p50, p95)"""
    ordered = sorted(samples)
    return ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]


def forget_prices() -> None:
    """As when nobody has asked for the period yet."""
    period_prices.cache_clear()
    price_stay.cache_clear()


def measure(url: str, vehicles: int) -> dict[str, Any]:
    """What one process sees of one database."""
    database, scope = Database(make_engine(url)), Scope(1, actor="web:bench")
    queries = [SearchQuery(start, end, **query) for start, end in periods(PERIODS) for query in MIX]

    def search(query: SearchQuery) -> object:
        return search_vehicles(database, scope, NOW, query)

    for query in queries[: len(MIX)]:
        search(query)
    ours = [best_ms(lambda q=query: search(q)) for query in queries]  # type: ignore[misc]
    cold = [best_ms(lambda q=query: search(q), forget_prices) for query in queries[: len(MIX)]]  # type: ignore[misc]
    draw = random.Random(5)
    uuids = [f"{draw.randint(1, vehicles):036d}" for _ in range(10)]
    stays = [(uuid, start, end) for uuid in _in_service(database, uuids) for start, end in periods(PERIODS)]
    asked = [best_ms(lambda s=stay: check_availability(database, scope, NOW, *s)) for stay in stays]  # type: ignore[misc]
    rss_mb = _resident_mb()
    like_seed = [(start, end, query) for start, end in periods(2) for query in SEED_MIX]
    seeds = [best_ms(lambda q=q: seed_search(database, *q), repeats=2) for q in like_seed]  # type: ignore[misc]
    same = [best_ms(lambda q=q: search(SearchQuery(q[0], q[1], **q[2]))) for q in like_seed]  # type: ignore[misc]
    database.dispose()
    results = {"search": ours, "search_new_period": cold, "availability": asked, "seed": seeds, "same": same}
    return {name: quantiles(samples) for name, samples in results.items()} | {"rss_mb": rss_mb}


def _in_service(database: Database, uuids: list[str]) -> list[str]:
    with database.read() as session:
        rows = session.connection().execute(text("SELECT uuid FROM vehicle WHERE state = 'ready'")).scalars()
        found = set(rows) & set(uuids)
    return sorted(found)


def _resident_mb() -> float:
    status = Path("/proc/self/status")
    found = re.search(r"VmRSS:\s+(\d+)", status.read_text(encoding="ascii")) if status.exists() else None
    return int(found.group(1)) / 1024 if found else 0.0


@contextmanager
def made_database(engine_name: str, size: int, place: Path) -> Iterator[str]:
    """A migrated database with a fleet of that size in it."""
    if engine_name == "SQLite":
        url = f"sqlite:///{place}/bench-{size}.db"
        _fill(url, size)
        yield url
        return
    name = f"ridepass_bench_{os.getpid()}_{size}"
    server = make_url(os.environ[VARIABLE])
    admin = make_engine(server).execution_options(isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
        try:
            url = server.set(database=name).render_as_string(hide_password=False)
            _fill(url, size)
            yield url
        finally:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


def _fill(url: str, size: int) -> None:
    started = time.perf_counter()
    engine = make_engine(url)
    upgrade(engine)
    with engine.connect() as connection, connection.begin():
        fleet = build(connection, size)
    tidy = "ANALYZE" if engine.dialect.name == "sqlite" else "VACUUM ANALYZE"
    with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        connection.exec_driver_sql(tidy)
    engine.dispose()
    took = time.perf_counter() - started
    _say(f"{engine.dialect.name}: {fleet.vehicles:,} vehicles, {fleet.rentals:,} rentals built in {took:.0f} s")


def run(sizes: tuple[int, ...]) -> str:
    """Build and measure everything; return the page."""
    engines = ["SQLite", *(["PostgreSQL"] if os.environ.get(VARIABLE) else [])]
    load_before, results = os.getloadavg(), {}
    with tempfile.TemporaryDirectory() as place:
        for engine_name in engines:
            for size in sizes:
                with made_database(engine_name, size, Path(place)) as url:
                    command = [sys.executable, "-m", "tests.bench.search", "--measure", url, str(size)]
                    answer = subprocess.run(command, check=True, capture_output=True, text=True)
                    results[engine_name, size] = json.loads(answer.stdout)
                    _say(f"  {answer.stdout.strip()}")
    return page(results, load_before)


def page(results: dict[tuple[str, int], dict[str, Any]], load_before: tuple[float, float, float]) -> str:
    """The table, with all that is needed to judge it."""
    lines = [*_preface(load_before), "", f"| {' | '.join(_COLUMNS)} |", f"|---{'|--:' * (len(_COLUMNS) - 1)}|"]
    for (engine_name, size), found in results.items():
        (seed_50, seed_95), (same_50, same_95) = found["seed"], found["same"]
        cells = [engine_name, f"{size:,}", *(_pair(found[name]) for name in ("search", "search_new_period"))]
        cells += [_pair(found[name]) for name in ("availability", "seed", "same")]
        cells += [f"{seed_50 / same_50:.1f} / {seed_95 / same_95:.1f}", f"{found['rss_mb']:.0f} MB"]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *_targets(results)]
    return "\n".join(lines) + "\n"


_COLUMNS = (
    "engine",
    "vehicles",
    "search",
    "new period",
    "availability",
    "seed's form",
    "ours, same questions",
    "times faster",
    "process",
)


def _preface(load_before: tuple[float, float, float]) -> Iterator[str]:
    source, entries = model_entries()
    yield f"Made by `make bench-search`. {len(entries)} models of {source}, each with its own prices;"
    yield f"{OFFICES} offices, ten rentals a vehicle over 18 months, a tenth cancelled. In ms, p50 / p95 over"
    yield f"{len(MIX)} questions times {PERIODS} periods, each the best of {REPEATS} runs. New period: not asked for"
    yield "before in this process. Seed's form: the query of the seed document on the same tables and"
    yield "indexes, without its prices, beside our whole answer to the same questions. Process: resident memory."
    yield ""
    yield f"Python {platform.python_version()}, {os.cpu_count()} cores shared with other work; load (1, 5, 15 minutes)"
    yield f"before: {_load(load_before)}; after: {_load(os.getloadavg())}."


def _targets(results: dict[tuple[str, int], dict[str, Any]]) -> Iterator[str]:
    small, large = SIZES[1], SIZES[2]
    for engine_name, most_ms in (("PostgreSQL", 20.0), ("SQLite", 60.0)):
        if (engine_name, large) not in results or (engine_name, small) not in results:
            continue
        found, before = results[engine_name, large], results[engine_name, small]
        p95, growth = found["search"][1], found["search"][1] / before["search"][1]
        yield f"- {engine_name}, p95 at {large:,}: {p95:.1f} ms, {_met(p95 <= most_ms)} (at most {most_ms:.0f} ms)"
        yield f"- {engine_name}, {small:,} to {large:,}: {growth:.1f} times slower, {_met(growth <= 4)} (at most 4)"
        if engine_name == "PostgreSQL":
            times = found["seed"][1] / found["same"][1]
            yield f"- {engine_name}, p95 against the seed's form: {times:.0f} times, {_met(times >= 50)} (at least 50)"


def _met(is_met: bool) -> str:
    return "met" if is_met else "MISSED"


def _pair(found: tuple[float, float]) -> str:
    return f"{found[0]:.1f} / {found[1]:.1f}"


def _load(load: tuple[float, float, float]) -> str:
    return ", ".join(f"{value:.1f}" for value in load)


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)  # noqa: T201 - the command's own output


def main() -> None:
    """Run the whole bench, or measure one database for it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="put the table between its marks in this file")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--measure", nargs=2, metavar=("URL", "VEHICLES"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure[0], int(given.measure[1]))))  # noqa: T201
        return
    made = run(tuple(given.sizes))
    print(made)  # noqa: T201
    if given.write:
        keep(given.write, "bench-search", made)


if __name__ == "__main__":
    main()
