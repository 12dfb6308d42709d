"""What people read in the documents is what the product says."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

WRITTEN = Path(__file__).parents[2] / "docs" / "transcripts.md"


async def test_the_transcripts_are_what_the_product_says_today() -> None:
    made: str = await import_module("tests.transcripts").transcribe()
    assert made == WRITTEN.read_text(encoding="utf-8")
