"""Readable conversations, made by the product itself: `python -m tests.transcripts --write docs/transcripts.md`."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import httpx

from api.main import build_app
from api.settings import Settings
from api.wiring import build_services
from store.passport import choose_server

CONVERSATIONS: Final = Path(__file__).with_suffix(".json")
"""Titles, and what the customer says."""


async def transcribe() -> str:
    """Hold all conversations on a fresh installation with a clock that stands still; return them as Markdown."""
    wanted = json.loads(CONVERSATIONS.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        given: Any = {"now": "2027-05-31T15:30", "strict_grounding": True}
        # What the deadline does is specified elsewhere: a busy machine writes the same transcripts.
        given |= {"crm_deadline_seconds": 15, "_env_file": None}
        settings = Settings(data_dir=Path(folder) / "data", **given)
        valkey = choose_server(None, Path(folder))
        services = await asyncio.to_thread(build_services, settings, valkey)
        try:
            transport = httpx.ASGITransport(build_app(services))
            async with httpx.AsyncClient(transport=transport, base_url="http://ridepass.test") as http:
                parts = [await _hold(http, told["title"], told["says"]) for told in wanted]
        finally:
            await services.stop()
            valkey.close()
    made_by = "Made by `python -m tests.transcripts --write docs/transcripts.md`; cards are named in brackets."
    head = f"# Transcripts\n\n{made_by}\n\n"
    return head + "\n".join(parts)


async def _hold(http: httpx.AsyncClient, title: str, messages: list[str]) -> str:
    opened = (await http.post("/api/chat/sessions", json={"company": "coral-rentals"})).raise_for_status().json()
    lines = [f"## {title}\n"]
    for message in messages:
        answer = await http.post(
            "/api/chat", json={"message": message}, headers={"Authorization": f"Bearer {opened['token']}"}
        )
        lines.append(f"> {message}\n")
        lines += [_line(turn) for turn in answer.raise_for_status().json()["turns"] if turn["role"] != "user"]
    return "\n".join(lines)


def _line(turn: dict[str, Any]) -> str:
    content = str(turn["content"]).replace("\n", "  \n")
    card = "" if turn["type"] == "text" else f" *[{turn['type']}]*"
    return f"{content}{card}\n"


def main() -> None:
    """Write the transcripts, or print them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", type=Path)
    target: Path | None = parser.parse_args().write
    made = asyncio.run(transcribe())
    if target is None:
        sys.stdout.write(made)
    else:
        target.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
