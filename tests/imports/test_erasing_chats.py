"""Erasing at the command line reaches the passport too, which lies in another server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import redis
from typer.testing import CliRunner

from api.cli import app
from store.passport import choose_server

SAID = (
    "I want a motorcycle June 20-27",
    "the second one",
    "yes, my name is Zuleika Canarytwist",
    "+66 812 349 876",
    "confirm",
)
CANARIES = (b"Zuleika", b"Canarytwist", b"66812349876", b"812 349 876")


def passports(data_dir: Path) -> int:
    """Number of keys in the installation's own server."""
    server = choose_server(None, data_dir)
    try:
        assert server.url is not None
        client = redis.Redis.from_url(server.url)
        keys = len(client.keys())
        client.close()
        return keys
    finally:
        server.close()


def on_disk(data_dir: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(data_dir.glob("ridepass.db*")))


def test_a_real_chat_is_erased_with_its_passport(tmp_path: Path) -> None:
    """R27, end to end: talk, book, erase, look into the files."""
    data_dir = tmp_path / "data"
    environment = {"RIDEPASS_DATA_DIR": str(data_dir), "RIDEPASS_NOW": "2027-05-31T15:30"}

    def ridepass(*arguments: str) -> Any:
        result = CliRunner().invoke(app, list(arguments), env=environment)
        assert result.exit_code == 0, result.output
        return result

    ours = ("--company", "coral-rentals")
    ridepass("chat", *(part for message in SAID for part in ("--message", message)))
    assert all(canary in on_disk(data_dir) for canary in CANARIES), "the control: it was all there"
    assert passports(data_dir) > 0
    told = ridepass("client", "erase", *ours, "--phone", "+66812349876", "--yes").output
    assert "1 rentals, 1 chats" in told
    assert [canary for canary in CANARIES if canary in on_disk(data_dir)] == []
    assert passports(data_dir) == 0
    uuid = told.split()[2].rstrip(":")
    rental = json.loads(ridepass("client", "export", *ours, "--uuid", uuid).output)["rental"][0]
    assert (rental["total_minor"], rental["customer_first_name"], rental["actor"]) == (1_540_000, "", f"erased:{uuid}")
