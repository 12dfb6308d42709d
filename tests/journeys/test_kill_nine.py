"""kill -9 between the message and the answer: nothing lost, nothing doubled. Real processes, real files."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from store.sql.engine import make_engine

SERVER = Path(__file__).with_name("dying_server.py")
BOUND_SECONDS = 60


class Process:
    """One server process on a data directory that outlives it."""

    def __init__(self, data_dir: Path, database_url: str = "") -> None:
        self.data_dir, self.database_url = data_dir, database_url
        self.http = httpx.Client(timeout=30)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, nth: int, when: str) -> None:
        """Start and wait until it answers."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        env = {**os.environ, "RIDEPASS_DATA_DIR": str(self.data_dir), "RIDEPASS_NOW": "2027-05-31T15:30"}
        env["RIDEPASS_DATABASE_URL"] = self.database_url
        command = [sys.executable, str(SERVER), str(port), str(nth), when]
        self.process = subprocess.Popen(command, env=env, cwd=SERVER.parents[2])
        self.http.base_url = httpx.URL(f"http://127.0.0.1:{port}")
        self._until(lambda: self.http.get("/health/live").status_code == 200)

    def _until(self, done: Any) -> None:
        deadline = time.monotonic() + BOUND_SECONDS
        while time.monotonic() < deadline:
            try:
                if done():
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.05)  # waits for another process, which offers no event
        raise AssertionError("the server did not come up in time")

    def until_dead(self) -> None:
        """Wait until it killed itself."""
        assert self.process is not None
        assert self.process.wait(BOUND_SECONDS) == -signal.SIGKILL

    def stop(self) -> None:
        """End it, whatever state it is in."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait(BOUND_SECONDS)
        self.http.close()


@pytest.fixture
def server(request: pytest.FixtureRequest, tmp_path: Path, seeded: Path, engine: str) -> Iterator[Process]:
    data_dir = tmp_path / "data"
    shutil.copytree(seeded, data_dir)
    process = Process(data_dir, request.getfixturevalue("postgres_url") if engine == "postgres" else "")
    yield process
    process.stop()


def count(server: Process, query: str) -> Any:
    engine = make_engine(server.database_url or f"sqlite:///{server.data_dir / 'ridepass.db'}")
    with engine.connect() as connection:
        value = connection.execute(text(query)).scalar()
    engine.dispose()
    return value


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "nth", "when", "point"),
    [
        ("sqlite", 1, "before", "the message is not yet kept"),
        ("sqlite", 1, "after", "the message is kept, nothing ran"),
        ("sqlite", 2, "before", "the rental is about to be committed"),
        ("sqlite", 2, "after", "the rental is committed, nobody knows"),
        pytest.param("postgres", 2, "after", "the same on PostgreSQL", marks=pytest.mark.postgres),
        ("sqlite", 3, "before", "the passport has moved, the answer is not stored"),
        ("sqlite", 3, "after", "the answer is stored, the customer has not seen it"),
    ],
)
def test_a_confirm_that_is_killed_anywhere_books_once_and_is_answered_once(
    server: Process, nth: int, when: str, point: str
) -> None:
    """BL-030, issue: kill -9 between the message and the answer loses nothing and doubles nothing."""
    server.start(nth, when)
    opened = server.http.post("/api/chat/sessions", json={"company": "coral-rentals"}).json()
    headers = {"Authorization": f"Bearer {opened['token']}"}
    for words in ("Honda PCX 20-27 June", "the first one", "yes, I'm Alex, +66 812 345 678"):
        answer = server.http.post("/api/chat", json={"message": words}, headers=headers)
    review = answer.json()["turns"][-1]
    assert review["type"] == "booking_review"
    before = count(server, "select count(*) from rental")
    server.http.post("/arm")
    confirm = {
        "action_id": next(a["id"] for a in review["actions"] if a["kind"] == "confirm_booking"),
        "client_key": "c",
    }
    with pytest.raises(httpx.TransportError):
        server.http.post("/api/chat/actions", json=confirm, headers=headers)
    server.until_dead()

    server.start(0, "never")
    again = server.http.post("/api/chat/actions", json=confirm, headers=headers)
    assert again.status_code == 200, (point, again.text)
    final = again.json()["turns"][-1]
    assert final["type"] == "confirmation", point
    assert count(server, "select count(*) from rental") == before + 1, point
    turns = server.http.get("/api/chat/turns", headers=headers).json()["turns"]
    assert [turn["type"] for turn in turns].count("confirmation") == 1, point
    assert [turn["seq"] for turn in turns] == list(range(1, len(turns) + 1))
    assert count(server, "select count(*) from inbox_message where state <> 'done'") == 0
