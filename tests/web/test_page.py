"""The demo page: facts in, HTML out; and the files that go with it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from frontend_contract.facts import Money, OfficeFacts, OpeningHours, VehicleFacts
from renderers.web.assets import load_assets
from renderers.web.page import (
    DemoPageContext,
    FleetCard,
    KnowItem,
    PriceRow,
    format_amount,
    group_hours,
    render_demo_page,
)

HOSTILE = "<img src=x onerror=alert(1)>\"'&"
MONEY = Money(minor=200000, currency="IDR", exponent=0)


def _vehicle(name: str) -> VehicleFacts:
    return VehicleFacts(ref="v", brand="B", model="M", name=name, category="scooter", colour=HOSTILE)


def _context(text: str) -> DemoPageContext:
    hours = [OpeningHours(weekday=day, opens="08:00", closes="18:00") for day in range(6)]
    return DemoPageContext(
        slug="shop",
        name=text,
        tagline=text,
        city=text,
        theme=text,
        sign=text,
        headline=text,
        fleet=(FleetCard(_vehicle(text), (PriceRow(text, MONEY),), text),),
        fleet_note=text,
        know=(KnowItem(text, text),),
        offices=(OfficeFacts(slug="o", name=text, address=text, phone=text, tz="Asia/Makassar", hours=hours),),
        telegram_url="javascript:alert(1)",
    )


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def _tags(html: str) -> list[tuple[str, dict[str, str | None]]]:
    reader = _Tags()
    reader.feed(html)
    return reader.tags


def test_hostile_facts_stay_text() -> None:
    html = render_demo_page(_context(HOSTILE))
    assert "<img" not in html
    assert "&lt;img src=x onerror=alert(1)&gt;" in html
    assert "javascript:" not in html


def test_nothing_on_the_page_needs_an_unsafe_policy() -> None:
    for tag, attributes in _tags(render_demo_page(_context("Coral Rentals"))):
        assert tag != "style"
        assert not [name for name in attributes if name == "style" or name.startswith("on")]
        assert tag != "script" or (attributes.get("src") or "").startswith("/")


def test_a_shop_without_facts_has_a_page_without_those_sections() -> None:
    html = render_demo_page(DemoPageContext(slug="bare", name="Bare"))
    assert not re.search(r'id="(fleet|know|office)"|href="#(fleet|know|office)"', html)
    assert 'data-company="bare"' in html


def test_every_placeholder_is_filled() -> None:
    assert not re.search(r"\$[a-z_]+", render_demo_page(_context("Coral Rentals")))


@pytest.mark.parametrize(
    ("minor", "exponent", "text"),
    [(200000, 0, "200,000"), (9900, 2, "99"), (9990, 2, "99.90"), (5, 2, "0.05"), (-280000, 0, "−280,000")],
)
def test_amounts_read_as_in_the_widget(minor: int, exponent: int, text: str) -> None:
    assert format_amount(Money(minor=minor, currency="EUR", exponent=exponent)) == text


def test_equal_neighbouring_days_share_a_row() -> None:
    hours = [OpeningHours(weekday=day, opens="08:00", closes="18:00") for day in range(6)]
    assert group_hours(hours) == [("Mon – Sat", "08:00 – 18:00"), ("Sun", "closed")]


def test_a_lunch_break_shows_both_halves() -> None:
    hours = [
        OpeningHours(weekday=0, opens="14:00", closes="18:00"),
        OpeningHours(weekday=0, opens="08:00", closes="12:00"),
    ]
    assert group_hours(hours)[0] == ("Mon", "08:00 – 12:00 and 14:00 – 18:00")


def test_every_file_of_the_manifest_is_served_and_only_hashed_names_are_immutable() -> None:
    assets = load_assets()
    manifest = json.loads(
        (Path(__file__).parents[2] / "renderers/web/bundle/manifest.json").read_text(encoding="utf-8")
    )
    for part, names in manifest.items():
        for name in names:
            asset = assets[f"/widget/{name}"]
            assert asset.immutable == (part in {"widget", "cards"})
            assert asset.body


def test_every_file_that_the_page_names_is_served() -> None:
    assets = load_assets()
    for tag, attributes in _tags(render_demo_page(_context("Coral Rentals"))):
        address = attributes.get("src") if tag == "script" else attributes.get("href") if tag == "link" else None
        assert address is None or address in assets
