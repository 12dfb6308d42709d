"""What the cards look like to a person, from the golden turns."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytestmark = pytest.mark.browser

PIXEL = "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>"
CARDS = {
    "text": "text",
    "vehicle_carousel": "Choose Honda PCX 160",
    "alternative_periods": "your wish",
    "price_quote": "How this price is made",
    "contact_request": "Who is picking up?",
    "booking_review": "Check and confirm",
    "confirmation": "Show this number at pick-up.",
}


def _say(page: Any, text: str) -> None:
    box = page.get_by_label("Your message")
    box.fill(text)
    box.press("Enter")


def _panel(page_on: Any, shop: Any, **options: Any) -> Any:
    page = page_on(f"{shop.url}/inline", **options)
    page.get_by_text("Tell me the dates to begin").wait_for()
    return page


def _answer_with(page_on: Any, shop: Any, *turns: Any, **options: Any) -> Any:
    shop.answers["go"] = list(turns)
    page = _panel(page_on, shop, **options)
    _say(page, "go")
    page.locator(f".rp-turn[data-id] >> nth={len(turns)}").wait_for()
    page.locator("[role=log][aria-busy=false]").wait_for()
    return page


def _log_text(page: Any) -> str:
    text: str = page.get_by_role("log").inner_text()
    return text


@pytest.mark.parametrize(("name", "mark"), CARDS.items())
def test_every_card_type_is_drawn(page_on: Any, shop: Any, golden: Any, name: str, mark: str) -> None:
    turn = golden(name)
    page = _answer_with(page_on, shop, turn)
    words = turn["content"] if name == "text" else mark
    page.get_by_role("log").get_by_text(words.split("\n")[0]).or_(
        page.get_by_role("button", name=mark)
    ).first.wait_for()
    assert page.locator(f".rp-turn[data-type={name}]").count() >= 1
    assert page.faults == []


@pytest.mark.parametrize("name", ["reader.unknown_type", "reader.unknown_type_null_payload", "reader.newer_major"])
def test_news_shows_as_its_words(page_on: Any, shop: Any, golden: Any, name: str) -> None:
    turn = golden(name)
    page = _answer_with(page_on, shop, turn)
    assert turn["content"].split("\n")[0] in _log_text(page)
    assert page.faults == []


@pytest.mark.parametrize("name", ["reader.wrong_payload", "reader.wrong_money"])
def test_a_wrong_payload_costs_its_own_card_and_no_other(page_on: Any, shop: Any, golden: Any, name: str) -> None:
    wrong = golden(name)
    page = _answer_with(page_on, shop, wrong, golden("confirmation"))
    assert wrong["content"].split("\n")[0] in _log_text(page)
    page.get_by_text("Show this number at pick-up.").wait_for()
    page.get_by_text("CR-1048").first.wait_for()
    assert page.faults == []


def test_the_reload_shows_the_same(page_on: Any, shop: Any, golden: Any) -> None:
    names = ("vehicle_carousel", "price_quote", "contact_request", "reader.unknown_type", "confirmation")
    page = _answer_with(page_on, shop, *[golden(name) for name in names])
    before = _log_text(page)
    bar = page.locator(".rp-rental").inner_text()
    page.reload()
    page.get_by_text("Show this number at pick-up.").wait_for()
    page.locator(".rp-rental .rp-tag").wait_for()
    assert _log_text(page) == before
    assert page.locator(".rp-rental").inner_text() == bar
    assert page.faults == []


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Pacific/Kiritimati"])
def test_dates_never_shift_with_the_browsers_zone(page_on: Any, shop: Any, golden: Any, zone: str) -> None:
    """BL-092: a browser a day behind shows 10-17 June as 10-17 June, and the time of the office."""
    page = _answer_with(page_on, shop, golden("alternative_periods"), zone=zone)
    text = _log_text(page)
    assert "Thu 10 – Thu 17 Jun 2027" in text
    assert "20–27 Jun, 7 days" in text
    assert "15:31" in text


def test_hostile_words_stay_words(page_on: Any, shop: Any, golden: Any) -> None:
    evil = "<img src=x onerror=\"document.title='owned'\"> [go](javascript:alert(1)) https://example.com/a."
    turn = golden("vehicle_carousel.hostile_names")
    loose = golden("text") | {
        "content": evil,
        "actions": [
            {"id": "x" * 22, "kind": "open_url", "url": "javascript:alert(1)", "style": "plain", "input": "none"},
            {"id": "y" * 22, "kind": "zz_new", "label": evil, "style": "plain", "input": "none"},
        ],
    }
    page = _answer_with(page_on, shop, turn, loose)
    assert evil in _log_text(page)
    links = page.locator("ridepass-chat a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert links == ["https://example.com/a"]
    assert page.locator("ridepass-chat img").count() == 0
    assert page.title() == "Host"
    assert page.faults == []


def test_a_page_that_forbids_almost_everything_is_enough(page_on: Any, shop: Any, golden: Any) -> None:
    """Also without inline style and with trusted types required."""
    page = _answer_with(page_on, shop, *[golden(name) for name in CARDS])
    page.get_by_role("button", name="Pick dates").click()
    assert page.locator("ridepass-chat [style]").count() == 0
    assert page.locator(".rp-panel").evaluate("one => getComputedStyle(one).display") == "grid"
    assert page.faults == []


def test_an_old_card_says_why_and_offers_nothing(page_on: Any, shop: Any, golden: Any) -> None:
    page = _answer_with(
        page_on, shop, golden("price_quote.expired"), golden("vehicle_carousel.superseded"), golden("text")
    )
    page.get_by_text("price no longer held").wait_for()
    page.get_by_text("Replaced by something newer").wait_for()
    choose = page.get_by_role("button", name=re.compile("^Choose ")).first
    assert choose.get_attribute("aria-disabled") == "true"
    choose.click(force=True)
    assert shop.sent("actions") == []


def test_every_golden_turn_survives_in_one_history(page_on: Any, shop: Any, golden: Any) -> None:
    names = sorted(path.stem for path in golden.folder.glob("*.json"))
    page = page_on(shop.url)
    page.route("https://example.com/**", lambda route: route.fulfill(body=PIXEL, content_type="image/svg+xml"))
    page.get_by_text("Tell me the dates to begin").wait_for()
    token = next(iter(shop.turns))
    for name in names:
        turn = golden(name)
        shop.add(token, turn, f"r-{name}", content=turn.get("content") or "", created_at=turn.get("created_at"))
    page.reload()
    page.locator(f".rp-turn[data-id] >> nth={min(len(names), 50) - 1}").wait_for()
    earlier = page.get_by_role("button", name="Show earlier messages")
    if earlier.count():
        earlier.click()
    page.locator(f".rp-turn[data-id] >> nth={len(names) - 1}").wait_for()
    text = _log_text(page)
    assert page.locator("img.rp-photo").count() > 0
    assert "NaN" not in text
    assert "undefined" not in text
    assert page.faults == []
