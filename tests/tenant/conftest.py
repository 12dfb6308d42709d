"""Two shops whose every name is a canary, with clients, rentals, holds and quotes, behind one API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from store.crm.bots import issue_bot_token
from store.crm.imports import import_company
from store.migrations import upgrade
from store.rules.company_file import CompanyFile
from store.sql.engine import make_engine
from store.sql.unit import Database

NOW = datetime(2027, 5, 31, 7, 30, tzinfo=UTC)
HOURS = {day: ["08:00-20:00"] for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")}


@dataclass
class Shop:
    """One of the two, what it knows, and what nobody else may see."""

    word: str
    token: str
    vehicles: list[str] = field(default_factory=list)
    quotes: list[str] = field(default_factory=list)
    rentals: list[str] = field(default_factory=list)
    secrets: set[str] = field(default_factory=set)


@dataclass
class Town:
    """Both shops over one database."""

    database: Database
    shops: tuple[Shop, Shop]
    now: datetime = NOW


def shop_file(word: str, n: int) -> CompanyFile:
    """A shop in which every text begins with its own word."""
    low = word.lower()
    vehicles = [
        {"plate": f"{word}-{k}", "model": f"{low}-m{k % 2}", "office": f"{low}-office", "details": f"{word} detail"}
        for k in range(4)
    ]
    return CompanyFile.model_validate(
        {
            "company": {
                "slug": f"{low}-shop",
                "name": f"{word} Rentals",
                "tagline": f"{word} tagline",
                "currency": ("IDR", "EUR")[n],
                "timezone": "Asia/Makassar",
                "locale": "en",
                "date_order": "dmy",
                "phone_region": "ID",
                "phone": f"+62 {word}",
                "hold_minutes": 15,
                "house_rules": {"deposit": f"{word} rule"},
                "order_prefix": word[:8].upper(),
                "cancellation": [{"hours_before": 0, "fee_percent": 10}],
            },
            "offices": [
                {"slug": f"{low}-office", "name": f"{word} office", "address": f"{word} road", "city": f"{word} town", "hours": HOURS}  # noqa: E501
            ],
            "brands": [{"slug": f"{low}-brand", "name": f"{word} brand", "aliases": [f"{word} maker"]}],
            "models": [
                {"slug": f"{low}-m{k}", "brand": f"{low}-brand", "name": f"{word} M{k}", "category": "scooter", "aliases": [f"{word} alias"]}  # noqa: E501
                for k in range(2)
            ],
            "seasons": [{"code": f"{low}-season", "name": f"{word} season", "first": "06-01", "last": "08-31"}],
            "extras": [
                {"code": f"{low}-helmet", "name": f"{word} helmet", "per": "day", "price": 5 + n},
                {"code": f"{low}-fuel", "name": f"{word} fuel", "mode": "by_use"},
            ],
            "price_lists": [{"code": f"{low}-prices", "base": 100 + n, "seasons": {f"{low}-season": 200 + n}}],
            "vehicles": vehicles,
        }
    )  # fmt: skip


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    database = Database(make_engine(f"sqlite:///{tmp_path / 'town.db'}"))
    upgrade(database.engine)
    shops = []
    for n, word in enumerate(("Ambrosiax", "Belladonny")):
        import_company(database, shop_file(word, n), NOW)
        shop = Shop(word, issue_bot_token(database, f"{word.lower()}-shop", "test", now=NOW))
        shop.secrets = {word.lower(), shop.token}
        shops.append(shop)
    yield Town(database, (shops[0], shops[1]))
    database.dispose()


@pytest.fixture
def plates(town: Town) -> Any:
    """Fill in the addresses of the vehicles of each shop."""
    from sqlalchemy import text

    with town.database.read() as session:
        rows = session.connection().execute(text("SELECT plate, uuid FROM vehicle ORDER BY id")).all()
    for shop in town.shops:
        shop.vehicles = [uuid for plate, uuid in rows if plate.startswith(shop.word)]
        shop.secrets |= set(shop.vehicles)
    return rows
