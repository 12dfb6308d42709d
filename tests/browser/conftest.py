"""A real browser and a small fake shop. `page_on` serves any server, the real one too."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from frontend_contract.facts import Money, OfficeFacts, VehicleFacts
from renderers.web.assets import load_assets
from renderers.web.page import DemoPageContext, FleetCard, KnowItem, PriceRow, render_demo_page

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "frontend_contract" / "examples"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
STRICT_CSP = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:;"
    " require-trusted-types-for 'script'"
)
PAGE_CSP = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: https:"

Json = dict[str, Any]


# --- the browser -------------------------------------------------------------------------------------------


def _chromium() -> str | None:
    return os.environ.get("RIDEPASS_TEST_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One headless Chromium for the tests of a file.

    Not for the session: while the driver lives, its event loop is the running one, and no async test could start.
    """
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra: dev)")
    program = _chromium()
    if program is None:
        pytest.skip("no chromium on this machine (RIDEPASS_TEST_CHROMIUM names one)")
    with sync_api.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page_on(browser: Any) -> Iterator[Callable[..., Any]]:
    """`page_on(url, width=…, height=…, dark=…, zone=…)` opens a page in a context of its own.

    `page.faults` collects what the console shows as an error.
    """
    contexts: list[Any] = []

    def open_page(
        url: str, *, width: int = 1280, height: int = 900, dark: bool = False, zone: str = "Asia/Makassar", **more: Any
    ) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            timezone_id=zone,
            locale=more.pop("locale", "en-GB"),
            **more,
        )
        contexts.append(context)
        context.set_default_timeout(10_000)
        page = context.new_page()
        page.faults = []
        page.on("console", lambda line: page.faults.append(line.text) if line.type == "error" else None)
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()


# --- the fake shop -----------------------------------------------------------------------------------------


def golden(name: str) -> Json:
    """One turn of frontend_contract/examples."""
    path = EXAMPLES / f"{name}.json"
    if not path.exists():
        pytest.skip(f"no golden example {name}")
    turn: Json = json.loads(path.read_text(encoding="utf-8"))["turn"]
    return turn


COMPANY = {
    "slug": "coral-rentals",
    "name": "Coral Rentals",
    "tagline": "",
    "locale": "en",
    "tz": "Asia/Makassar",
    "currency": "IDR",
    "city": "Sanur",
}
START = datetime(2027, 5, 31, 7, 30, tzinfo=UTC)
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass
class FakeShop:
    """Just enough of the HTTP surface: sessions, streams, history. Answers are golden turns that a test names."""

    url: str = ""
    answers: dict[str, list[Json]] = field(default_factory=dict)
    """By message text, or by action kind."""
    turns: dict[str, list[Json]] = field(default_factory=dict)
    """By token."""
    posts: list[tuple[str, Json]] = field(default_factory=list)
    done: dict[str, list[Json]] = field(default_factory=dict)
    """Stored streams by client key."""
    failures: list[int] = field(default_factory=list)
    """Status codes that the next posts get; 0 cuts the stream after its first event."""
    gate: threading.Event = field(default_factory=threading.Event)
    """Streams wait here after `status`; open unless a test closes it."""
    extra: list[Json] = field(default_factory=list)
    """Events put into every stream, e.g. one of the future."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    tells_user_turn_early: bool = True
    """Whether `run_started` names the customer's own turn."""
    counter: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def new_id(self) -> str:
        n, text = next(self.counter), ""
        for _ in range(24):
            n, rest = divmod(n, 32)
            text = ALPHABET[rest] + text
        return "01" + text

    def add(self, token: str, turn: Json, run_id: str, **changes: Any) -> Json:
        """Store a copy of a turn as the next one of the conversation."""
        with self.lock:
            turns = self.turns.setdefault(token, [])
            copy = deepcopy(turn) | {"id": self.new_id(), "run_id": run_id, "conversation_id": f"c-{token}", **changes}
            copy["seq"] = len(turns) + 1
            copy.setdefault("created_at", (START + timedelta(minutes=len(turns))).isoformat())
            turns.append(copy)
            return copy

    def user_turn(self, token: str, text: str, run_id: str) -> Json:
        base = golden("text.user") | {"content": text}
        return self.add(token, base, run_id)

    def action(self, token: str, action_id: str) -> Json:
        found = [a for turn in self.turns.get(token, []) for a in turn.get("actions", []) if a["id"] == action_id]
        return found[0] if found else {"kind": "unknown"}

    def run(self, token: str, said: str, key: str, posted_key: str) -> list[Json]:
        """The events of one message or tap; the same client key gives the same again."""
        posted_key = f"{token} {posted_key}"
        if posted_key in self.done:
            events = deepcopy(self.done[posted_key])
            events[-1]["idempotent"] = True
            return events
        run_id = f"r-{len(self.done) + 1}"
        mine = self.user_turn(token, said, run_id)
        body: list[Json] = [
            {"event": "run_started", "contract": "1.0", "conversation_id": f"c-{token}"},
            {"event": "card", "turn": mine},
            {"event": "status", "code": "searching", "agent": "search"},
            *deepcopy(self.extra),
        ]
        if self.tells_user_turn_early:
            body[0]["user_turn_id"] = mine["id"]
        for answer in self.answers.get(key, [golden("text")]):
            body += self._say(token, answer, run_id)
        last = len(self.turns[token])
        body.append({"event": "done", "outcome": "success", "last_seq": last, "idempotent": False})
        self.done[posted_key] = [{"seq": n, "run_id": run_id, **event} for n, event in enumerate(body, 1)]
        return self.done[posted_key]

    def _say(self, token: str, answer: Json, run_id: str) -> list[Json]:
        turn = self.add(token, answer, run_id)
        if turn["type"] != "text":
            return [{"event": "card", "turn": turn}]
        words, half = turn["content"], len(turn["content"]) // 2
        return [
            {"event": "text_start", "turn_id": turn["id"], "agent": "search"},
            {"event": "text_delta", "turn_id": turn["id"], "offset": 0, "delta": words[:half]},
            {"event": "text_delta", "turn_id": turn["id"], "offset": half, "delta": words[half:]},
            {"event": "text_end", "turn_id": turn["id"], "content": words, "turn": turn},
        ]

    def sent(self, path: str) -> list[Json]:
        return [body for where, body in self.posts if where == path]


class _Handler(BaseHTTPRequestHandler):
    shop: FakeShop
    files: dict[str, Any]
    pages: dict[str, tuple[str, str]]
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        return

    def _send(self, status: int, body: bytes, kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def _json(self, value: Any, status: int = 200) -> None:
        self._send(status, json.dumps(value).encode())

    def _problem(self, status: int, code: str) -> None:
        self._json({"code": code, "message": code, "retryable": status >= 500, "facts": {}}, status)

    def _token(self) -> str | None:
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        return token if token in self.shop.turns else None

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        if path == "/api/chat/turns":
            return self._turns()
        if path == "/favicon.ico":
            return self._send(200, b"", "image/x-icon")
        if path in self.pages:
            html, policy = self.pages[path]
            return self._send(200, html.encode(), "text/html; charset=utf-8", Content_Security_Policy=policy)
        asset = self.files.get(path)
        if asset is None:
            return self._problem(404, "not_found")
        return self._send(200, asset.body, asset.content_type)

    def _turns(self) -> None:
        token = self._token()
        if token is None:
            return self._problem(401, "token_unknown")
        turns = list(self.shop.turns[token])
        before = re.search(r"before=(\d+)", self.path)
        older = [turn for turn in turns if not before or turn["seq"] < int(before[1])]
        page = older[-50:]
        return self._json(
            {"conversation_id": f"c-{token}", "turns": page, "has_more": len(older) > len(page), "last_seq": len(turns)}
        )

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        shop, path = self.shop, self.path.removeprefix("/api/chat/")
        shop.posts.append((path, body))
        if path == "sessions":
            token = f"token-{shop.new_id()}"
            shop.turns[token] = []
            return self._json(
                {"conversation_id": f"c-{token}", "token": token, "contract": "1.0", "company": COMPANY}, 201
            )
        token = self._token()
        if token is None:
            return self._problem(401, "token_unknown")
        failure = shop.failures.pop(0) if shop.failures else None
        if failure:
            return self._problem(failure, "busy")
        if path == "stream":
            events = shop.run(token, body["message"], body["message"], body["client_key"])
        else:
            action = shop.action(token, body["action_id"])
            events = shop.run(token, action["kind"], action["kind"], body["client_key"])
        return self._stream(events, cut=failure == 0)

    def _stream(self, events: list[Json], *, cut: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        self.wfile.write(b": hello\n\n")
        for event in events:
            text = f"id: {event['run_id']}:{event['seq']}\nevent: {event['event']}\ndata: {json.dumps(event)}\n\n"
            self.wfile.write(text.encode())
            self.wfile.flush()
            if cut:
                return
            if event["event"] == "status":
                self.shop.gate.wait(10)


def _host_page(body: str) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Host</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"></head><body><h1>A page of a shop</h1>'
        f"{body}</body></html>"
    )


SCRIPT = '<script src="/widget/loader.js" data-company="coral-rentals" async></script>'


@pytest.fixture
def shop() -> Iterator[FakeShop]:
    """A running fake shop: / is the demo page, /float a strict page with the launcher, /inline one around the panel."""

    four = golden("vehicle_carousel.four")["payload"]["vehicles"]
    office = golden("booking_review")["payload"]["office"]
    context = DemoPageContext(
        slug="coral-rentals",
        name="Coral Rentals",
        city="Sanur",
        theme="coral",
        sign="coral",
        fleet=tuple(
            FleetCard(
                VehicleFacts(**vehicle),
                (PriceRow("a day, 20–27 Jun", Money(**vehicle["per_day"])),),
                f"{vehicle['category'].title()}, {vehicle.get('year', '')}",
            )
            for vehicle in four
        ),
        know=(KnowItem("Licence", "Your own, valid for the engine size.", "person"),),
        offices=(OfficeFacts(**office),),
    )
    inline = f'<ridepass-chat data-mode="inline" data-company="coral-rentals"></ridepass-chat>{SCRIPT}'
    pages = {
        "/": (render_demo_page(context), PAGE_CSP),
        "/float": (_host_page(SCRIPT), STRICT_CSP),
        "/inline": (_host_page(inline), STRICT_CSP),
    }
    fake = FakeShop()
    fake.gate.set()
    handler = type("Handler", (_Handler,), {"shop": fake, "files": load_assets(), "pages": pages})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield fake
    fake.gate.set()
    server.shutdown()
    server.server_close()
    thread.join(5)


class Goldens:
    """The golden turns by name."""

    folder = EXAMPLES

    def __call__(self, name: str) -> Json:
        return golden(name)


@pytest.fixture(name="golden")
def _golden() -> Goldens:
    return Goldens()
