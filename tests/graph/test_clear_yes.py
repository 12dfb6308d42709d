"""The one word that books. The list of what is none was found by somebody who tried to break it."""

from __future__ import annotations

import pytest

from graph.understanding.clear_yes import is_clear_yes


@pytest.mark.parametrize(
    "words",
    [
        "yes", "Yes!", "yes please", "YES", "confirm", "Confirm.", "ok confirm", "yes, confirm", "yep", "yeah sure",
        "ok book it", "book it please", "confirm the booking", "yes, that's right", "that’s correct", "go ahead",
        "perfect, book it", "all good, confirm", "sure, let's do it",
        "please confirm my booking",
        "i'll take it", "yes 👍",
        "that sounds good to me", "yes, that works for me", "sounds perfect, book it", "that is what I want",
    ],
)  # fmt: skip
def test_a_plain_yes_is_one(words: str) -> None:
    """However politely."""
    assert is_clear_yes(words)


@pytest.mark.parametrize(
    "words",
    [
        "correct my name", "please correct my phone number", "correct the details", "are you sure", "you sure",
        "is it confirmed", "is this correct", "is that right", "are the details correct", "send it to my email",
        "confirm my number", "do it again", "would be great", "thanks for confirming", "is it a deal",
        "let me confirm with you", "would be nice to book", "book it to my friend", "all good for now",
        "please confirm the details to me", "yes?", "yes but cheaper", "yes 500", "yes, the second",
        "yes from the 21st",
        "right now", "all right", "right", "that's it", "that would be perfect", "is it right", "that right",
        "I confirm later", "book another",
        "perfect, thanks", "ok", "great", "thanks", "no", "not yet", "yes no",
        "don't confirm",
        "confirm tomorrow",
        "", "   ", "👍", "si", "yes " * 40, "my name is Yes", "never book it", "wait, yes or no",
    ],
)  # fmt: skip
def test_anything_else_is_none(words: str) -> None:
    """Never book on anything but a yes."""
    assert not is_clear_yes(words)
