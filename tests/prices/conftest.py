"""The public price lists: facts of public pages, written as a shop of ours would write them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from babel.numbers import get_currency_precision

from store.rules.price_file import HousePrices, PriceListEntry, read_price_list
from store.rules.prices import PriceList

DATA = Path(__file__).parent / "data"
PUBLISHED = Path(__file__).parents[3] / "shared" / "data" / "price_lists_and_rules.json"
_HOUSE = ("seasons", "tiers", "packages", "extras", "price_rules")


@dataclass(frozen=True)
class PublicLists:
    """One file: its lists by code, and what the page says that cannot be loaded."""

    currency: str
    exponent: int
    lists: dict[str, PriceList]
    as_published: tuple[PriceList, ...]
    refused_for: tuple[str, ...]


def read_lists(data: dict[str, Any], exponent: int) -> dict[str, PriceList]:
    house = HousePrices.model_validate({key: data[key] for key in _HOUSE if key in data})
    entries = [PriceListEntry.model_validate(entry) for entry in data["price_lists"]]
    return {entry.code: read_price_list(entry, house, exponent) for entry in entries}


def read_public_lists(name: str) -> PublicLists:
    data = yaml.safe_load((DATA / f"{name}.yaml").read_text(encoding="utf-8"))
    exponent = get_currency_precision(data["currency"])
    published = data.get("as_published")
    return PublicLists(
        data["currency"],
        exponent,
        read_lists(data, exponent),
        tuple(read_lists(published, exponent).values()) if published else (),
        tuple(published["refused_for"]) if published else (),
    )


@pytest.fixture(scope="session")
def public_lists() -> dict[str, PublicLists]:
    return {path.stem: read_public_lists(path.stem) for path in sorted(DATA.glob("*.yaml"))}


@pytest.fixture(scope="session")
def pages() -> dict[str, Any]:
    """The numbers as they were read from the pages, by somebody else."""
    if not PUBLISHED.exists():
        pytest.skip("the folder of outside data is not here: ../shared/data")
    return {entry["id"]: entry for entry in json.loads(PUBLISHED.read_text(encoding="utf-8"))["price_lists"]}
