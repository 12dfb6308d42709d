"""Talking through the widget: sending, streaming, losing, tapping, keys."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytestmark = pytest.mark.browser


def _say(page: Any, text: str) -> None:
    box = page.get_by_label("Your message")
    box.fill(text)
    box.press("Enter")


def _panel(page_on: Any, shop: Any, **options: Any) -> Any:
    page = page_on(f"{shop.url}/inline", **options)
    page.get_by_text("Tell me the dates to begin").wait_for()
    return page


def _idle(page: Any) -> None:
    page.locator("[role=log][aria-busy=false]").wait_for()


@pytest.mark.parametrize("early", [True, False])
def test_an_own_message_shows_at_once_and_stays_one(page_on: Any, shop: Any, early: bool) -> None:
    shop.tells_user_turn_early = early
    shop.gate.clear()
    page = _panel(page_on, shop)
    _say(page, "Hello there")
    page.locator(".rp-me", has_text="Hello there").wait_for()
    page.get_by_role("log").get_by_text("Looking through the fleet").wait_for()
    assert page.get_by_label("Your message").input_value() == ""
    shop.gate.set()
    _idle(page)
    assert page.locator(".rp-me", has_text="Hello there").count() == 1


def test_the_status_region_says_the_step_and_then_the_answer_once(page_on: Any, shop: Any, golden: Any) -> None:
    shop.gate.clear()
    page = _panel(page_on, shop)
    region = page.get_by_role("status")
    assert region.count() == 1
    _say(page, "hello")
    page.locator("[role=status]", has_text="Looking through the fleet").wait_for()
    shop.gate.set()
    page.locator("[role=status]", has_text=golden("text")["content"].split("\n")[0]).wait_for()
    assert page.get_by_role("log").get_attribute("aria-live") == "off"


def test_an_event_of_the_future_stops_nothing(page_on: Any, shop: Any, golden: Any) -> None:
    shop.extra = [{"event": "zz_future", "surprise": {"a": 1}}]
    shop.answers["go"] = [golden("vehicle_carousel")]
    page = _panel(page_on, shop)
    _say(page, "go")
    page.get_by_role("button", name="Choose Honda PCX 160").wait_for()
    assert page.faults == []


def test_a_cut_stream_is_asked_again_with_the_same_key(page_on: Any, shop: Any, golden: Any) -> None:
    shop.answers["go"] = [golden("vehicle_carousel")]
    shop.failures = [0]
    page = _panel(page_on, shop)
    _say(page, "go")
    page.get_by_role("button", name="Choose Honda PCX 160").wait_for()
    keys = [body["client_key"] for body in shop.sent("stream")]
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert page.locator(".rp-vcard", has_text="Honda PCX 160").count() == 1
    assert page.locator(".rp-me").count() == 1


def test_a_refused_message_keeps_its_place_and_is_sent_again_with_its_key(page_on: Any, shop: Any) -> None:
    shop.failures = [422]
    page = _panel(page_on, shop)
    _say(page, "hello")
    page.get_by_role("button", name="Send again").click()
    page.get_by_role("button", name="Send again").wait_for(state="detached")
    _idle(page)
    keys = [body["client_key"] for body in shop.sent("stream")]
    assert len(keys) == 2
    assert len(set(keys)) == 1


def test_a_lost_session_gives_a_new_one_and_the_message_arrives(page_on: Any, shop: Any) -> None:
    page = _panel(page_on, shop)
    shop.turns.clear()
    _say(page, "hello")
    page.get_by_text("this is a new one").wait_for()
    _idle(page)
    assert page.locator(".rp-me", has_text="hello").count() == 1
    assert len(shop.sent("sessions")) == 2


def test_a_double_tap_sends_once_and_the_button_keeps_its_place(page_on: Any, shop: Any, golden: Any) -> None:
    shop.answers = {"go": [golden("booking_review")], "confirm_booking": [golden("confirmation")]}
    page = _panel(page_on, shop)
    _say(page, "go")
    button = page.get_by_role("button", name="Confirm booking")
    button.wait_for()
    _idle(page)
    shop.gate.clear()
    place = button.bounding_box()
    button.evaluate("one => { one.click(); one.click(); }")  # faster than any finger: before anything is drawn anew
    working = page.get_by_role("button", name="Booking…")
    working.wait_for()
    working.click(force=True)
    assert working.get_attribute("aria-disabled") == "true"
    assert (working.bounding_box() or {})["width"] == (place or {})["width"]
    shop.gate.set()
    page.get_by_text("Show this number at pick-up.").wait_for()
    _idle(page)
    assert len(shop.sent("actions")) == 1


def test_contact_is_asked_and_sent_typed(page_on: Any, shop: Any, golden: Any) -> None:
    shop.answers = {"go": [golden("contact_request")], "share_contact": [golden("booking_review")]}
    page = _panel(page_on, shop)
    _say(page, "go")
    page.get_by_label("Mobile number").fill("12")
    page.get_by_role("button", name="Continue").click()
    page.get_by_text("Please write your name.").wait_for()
    page.get_by_text("Please write a number").wait_for()
    assert shop.sent("actions") == []
    page.get_by_label("First and last name").fill("Alex Moreau")
    page.get_by_label("Mobile number").fill("+66 812 345 678")
    page.get_by_label("Mobile number").press("Enter")
    page.get_by_role("button", name="Confirm booking").wait_for()
    assert shop.sent("actions")[0]["input"] == {"contact": {"name": "Alex Moreau", "phone": "+66 812 345 678"}}


def test_dates_are_picked_by_keyboard_and_sent_as_days(page_on: Any, shop: Any, golden: Any) -> None:
    shop.answers = {"go": [golden("vehicle_carousel")]}
    page = _panel(page_on, shop, zone="America/Los_Angeles")
    _say(page, "go")
    page.get_by_role("group", name="Suggestions").get_by_role("button", name="Change dates").click()
    page.get_by_role("button", name="Next month").click()
    page.get_by_role("button", name="Sunday 20 June 2027").focus()
    page.keyboard.press("Enter")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Use these dates").click()
    _idle(page)
    assert shop.sent("actions")[0]["input"] == {"dates": {"start": "2027-06-20", "end": "2027-06-22"}}


def test_the_keyboard_alone_opens_talks_and_closes(page_on: Any, shop: Any, golden: Any) -> None:
    shop.answers = {"go": [golden("vehicle_carousel")], "select_vehicle": [golden("price_quote")]}
    page = page_on(f"{shop.url}/float")
    launcher = page.get_by_role("button", name="Ask & book")
    launcher.wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_role("dialog", name="Chat with Coral Rentals").wait_for()
    page.get_by_text("Tell me the dates to begin").wait_for()
    page.keyboard.type("go")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Choose Honda PCX 160").wait_for()
    for _ in range(20):
        page.keyboard.press("Shift+Tab")
        name = page.evaluate("document.activeElement.shadowRoot.activeElement?.textContent")
        if name == "Choose Honda PCX 160":
            break
    page.keyboard.press("Enter")
    page.get_by_text("How this price is made").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    assert page.evaluate("document.activeElement.shadowRoot.activeElement.className") == "rp-launch"
    assert page.faults == []


def test_shift_enter_is_a_new_line(page_on: Any, shop: Any) -> None:
    page = _panel(page_on, shop)
    box = page.get_by_label("Your message")
    box.fill("one")
    box.press("Shift+Enter")
    box.type("two")
    assert shop.sent("stream") == []
    box.press("Enter")
    _idle(page)
    assert shop.sent("stream")[0]["message"] == "one\ntwo"


def test_offline_keeps_the_draft_and_comes_back(page_on: Any, shop: Any) -> None:
    page = _panel(page_on, shop)
    page.get_by_label("Your message").fill("hello")
    page.context.set_offline(True)
    page.get_by_text("No connection").wait_for()
    page.get_by_label("Your message").press("Enter")
    assert page.get_by_label("Your message").input_value() == "hello"
    page.context.set_offline(False)
    page.get_by_text("No connection").wait_for(state="detached")
    page.get_by_label("Your message").press("Enter")
    page.locator(".rp-me", has_text="hello").wait_for()


def test_an_answer_made_while_the_page_was_closed_is_there_on_return(page_on: Any, shop: Any, golden: Any) -> None:
    page = _panel(page_on, shop)
    token = next(iter(shop.turns))
    shop.user_turn(token, "hello", "r-9")
    page.reload()
    page.locator(".rp-me", has_text="hello").wait_for()
    shop.add(token, golden("vehicle_carousel"), "r-9")
    page.get_by_role("button", name="Choose Honda PCX 160").wait_for()


def test_typing_does_not_move_what_is_read(page_on: Any, shop: Any, golden: Any) -> None:
    shop.answers = {"go": [golden("vehicle_carousel"), golden("alternative_periods")]}
    page = _panel(page_on, shop)
    _say(page, "go")
    page.get_by_text("your wish", exact=True).wait_for()
    _idle(page)
    log = page.get_by_role("log")
    for place in ("0", "one.scrollHeight"):
        log.evaluate(f"one => {{ one.scrollTop = {place}; }}")
        before = log.evaluate("one => one.scrollTop")
        page.get_by_label("Your message").type("abc")
        assert log.evaluate("one => one.scrollTop") == before


def test_a_long_answer_is_read_from_its_beginning(page_on: Any, shop: Any, golden: Any) -> None:
    shop.answers = {"go": [golden("vehicle_carousel"), golden("alternative_periods"), golden("price_quote")]}
    page = _panel(page_on, shop)
    _say(page, "go")
    page.get_by_text("How this price is made").wait_for()
    _idle(page)
    top = page.get_by_role("log").bounding_box()["y"]
    first = page.locator(".rp-turn[data-type=vehicle_carousel]").bounding_box()["y"]
    assert 0 <= first - top <= 24


def test_a_new_conversation_is_asked_for_first(page_on: Any, shop: Any) -> None:
    page = _panel(page_on, shop)
    _say(page, "hello")
    _idle(page)
    page.get_by_role("button", name="New conversation").click()
    page.get_by_role("button", name="Keep this one").click()
    assert page.locator(".rp-me").count() == 1
    page.get_by_role("button", name="New conversation").click()
    with page.expect_response("**/api/chat/sessions"):
        page.get_by_role("button", name="Start new").click()
    page.locator(".rp-me").wait_for(state="detached")
    assert len(shop.sent("sessions")) == 2


def test_two_tabs_show_one_conversation(page_on: Any, shop: Any) -> None:
    page = _panel(page_on, shop)
    _say(page, "from the first tab")
    _idle(page)
    other = page.context.new_page()
    other.goto(f"{shop.url}/inline")
    other.locator(".rp-me", has_text="from the first tab").wait_for()
    _say(other, "from the second tab")
    other.locator("[role=log][aria-busy=false]").wait_for()
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    page.locator(".rp-me", has_text="from the second tab").wait_for()
    assert len(shop.sent("sessions")) == 1


def test_on_a_phone_the_panel_is_the_whole_screen_and_nothing_scrolls_sideways(
    page_on: Any, shop: Any, golden: Any
) -> None:
    names = ("vehicle_carousel.four", "alternative_periods", "price_quote", "booking_review", "confirmation")
    shop.answers = {"go": [golden(name) for name in names]}
    page = page_on(f"{shop.url}/float", width=390, height=844)
    page.get_by_role("button", name="Ask & book").click()
    _say(page, "go")
    page.get_by_text("Show this number at pick-up.").wait_for()
    box = page.locator(".rp-panel").bounding_box()
    assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 390, 844)
    assert page.locator(".rp-panel").get_attribute("aria-modal") == "true"
    assert page.get_by_role("log").evaluate("one => one.scrollWidth - one.clientWidth") == 0
    small = page.locator("ridepass-chat").evaluate(
        "host => [...host.shadowRoot.querySelectorAll('button:not(.rp-chip), summary, input, textarea')]"
        ".filter(one => one.offsetParent && Math.round(one.getBoundingClientRect().height) < 44)"
        ".map(one => one.outerHTML)"
    )
    assert small == []


def test_the_demo_page_talks_under_its_own_policy(page_on: Any, shop: Any, golden: Any) -> None:
    shop.answers = {"go": [golden("vehicle_carousel")]}
    page = page_on(shop.url)
    page.get_by_text("Tell me the dates to begin").wait_for()
    page.locator("button[data-ask='Honda PCX 160']").click()
    assert page.get_by_label("Your message").input_value() == "Honda PCX 160, "
    _say(page, "go")
    page.get_by_role("button", name=re.compile("Choose Honda PCX 160")).wait_for()
    assert page.faults == []
