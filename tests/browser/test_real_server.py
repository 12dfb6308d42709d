"""The seed's conversation, typed and tapped in a browser, against the real server."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]

START_SECONDS = 60


class Server:
    """`ridepass serve` in a process of its own, on a port and a data directory that outlive a restart."""

    def __init__(self, data_dir: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._data_dir = data_dir
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("RIDEPASS_")}
        env = clean | {"RIDEPASS_DATA_DIR": str(self._data_dir), "RIDEPASS_NOW": "2027-05-31T15:30"}
        with (self._data_dir / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", "from api.cli import main; main()", "serve", "--port", str(self.port)],
                cwd=Path(__file__).parents[2],
                env=env,
                stdout=log,
                stderr=log,
            )
        self._wait()

    def _wait(self) -> None:
        pause = threading.Event()
        for _ in range(START_SECONDS * 10):
            assert self._process is not None
            assert self._process.poll() is None, (self._data_dir / "server.log").read_text(encoding="utf-8")
            try:
                httpx.get(self.url, timeout=5).raise_for_status()
            except httpx.HTTPError:
                pause.wait(0.1)
            else:
                return
        pytest.fail("the server did not come up")

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(20)
            self._process = None


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A fresh installation with its demo company."""
    running = Server(tmp_path)
    running.start()
    yield running
    running.stop()


def _say(page: Any, text: str) -> None:
    box = page.get_by_label("Your message")
    box.fill(text)
    box.press("Enter")
    page.locator("ridepass-chat .rp-me", has_text=text).last.wait_for()
    page.locator("[role=log][aria-busy=false]").wait_for()


def _open(page_on: Any, server: Server, **options: Any) -> Any:
    page = page_on(server.url, **options)
    page.get_by_text("Tell me the dates to begin").wait_for()
    return page


def _words(page: Any) -> str:
    text: str = page.get_by_role("log").inner_text()
    return text


def test_the_seeds_conversation_ends_in_one_booking_through_restart_and_reload(page_on: Any, server: Server) -> None:
    page = _open(page_on, server)
    _say(page, "I want a motorcycle June 20-27")
    page.locator(".rp-turn[data-type=vehicle_carousel]").wait_for()
    _say(page, "the second one")
    page.locator(".rp-turn[data-type=price_quote]").wait_for()
    _say(page, "yes, my name is Alex")
    page.get_by_label("Mobile number").wait_for()
    server.stop()
    server.start()
    page.get_by_label("Mobile number").fill("+66 812 345 678")
    page.get_by_label("Mobile number").press("Enter")
    page.get_by_role("button", name="Confirm booking").click()
    page.get_by_text("Show this number at pick-up.").wait_for()
    page.locator("[role=log][aria-busy=false]").wait_for()
    number = page.locator(".rp-order").inner_text()
    _say(page, "confirm")
    assert set(page.locator(".rp-order").all_inner_texts()) == {number}
    before = _words(page)
    page.reload()
    page.locator(".rp-order").last.wait_for()
    page.locator(".rp-rental .rp-tag").wait_for()
    assert _words(page) == before
    assert page.locator("ridepass-chat .rp-me").all_inner_texts()[:3] == [
        "I want a motorcycle June 20-27",
        "the second one",
        "yes, my name is Alex",
    ]
    assert [fault for fault in page.faults if "ERR_CONNECTION" not in fault] == []


def test_taken_dates_lead_by_taps_to_a_price(page_on: Any, server: Server) -> None:
    page = _open(page_on, server, width=390, height=844, zone="America/Los_Angeles")
    _say(page, "Honda PCX 10-17 June")
    page.get_by_text("Asked for: Thu 10 – Thu 17 Jun 2027").wait_for()
    page.locator(".rp-alt").first.click()
    page.get_by_text("How this price is made").wait_for()
    page.locator("[role=log][aria-busy=false]").wait_for()
    page.locator(".rp-rental summary", has_text="Honda PCX 160").wait_for()
    assert page.faults == []
