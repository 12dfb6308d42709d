"""What people read in the documents is what the product says."""

from __future__ import annotations

from pathlib import Path

from tests.transcripts import transcribe

WRITTEN = Path(__file__).parents[2] / "docs" / "transcripts.md"


async def test_the_transcripts_are_what_the_product_says_today() -> None:
    assert await transcribe() == WRITTEN.read_text(encoding="utf-8")
