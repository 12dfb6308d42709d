"""What a booked conversation costs beside a usual agent: the promise of the README."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


@pytest.mark.skipif(find_spec("langchain") is None, reason="langchain is not installed; it is part of the extra `dev`")
async def test_a_booked_conversation_takes_at_most_a_call_a_message_and_a_quarter_of_the_tokens() -> None:
    """The other agent is scripted to make the fewest calls that book. Both conversations really book."""
    from tests.eval import cost

    mine, other = await cost.compare()
    assert mine.booked
    assert other.booked
    assert mine.calls <= len(cost.MESSAGES)
    assert mine.tokens * 4 <= other.tokens
