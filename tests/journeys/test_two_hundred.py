"""200 customers confirm one vehicle for the same days: 1 rental, 199 clear answers."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest


async def ready_to_confirm(open_chat: Any, gate: asyncio.Semaphore) -> tuple[Any, dict[str, Any]]:
    async with gate:
        chat = await open_chat()
        await chat.say("Honda PCX 20-27 June")
        await chat.say("the first one")
        answer = await chat.say("yes, my name is Alex, +66 812 345 678")
        return chat, answer["turns"][-1]


@pytest.mark.slow
async def test_of_200_confirms_one_books_and_199_get_ways_out(open_chat: Any, shop: Any) -> None:
    """R1 through the chat: every customer is answered, nobody is told "booked" who is not."""
    gate = asyncio.Semaphore(16)
    waiting = await asyncio.gather(*(ready_to_confirm(open_chat, gate) for _ in range(200)))
    assert {card["type"]: card["content"] for _, card in waiting}.keys() == {"booking_review"}
    answers = await asyncio.gather(*(chat.press(card, "confirm_booking") for chat, card in waiting))
    kinds = Counter(
        next(t["type"] for t in answer["turns"] if t["role"] == "agent" and t["type"] != "alternative_periods")
        for answer in answers
    )
    assert kinds == {"confirmation": 1, "conflict": 199}
    assert len(shop.rentals()) == 1
    for answer in answers:
        for turn in answer["turns"]:
            if turn["type"] == "conflict":
                assert set(turn["payload"]["conflicting_rentals"][0]) <= {
                    "start", "end", "days", "tz", "pickup_time", "return_time",
                }  # fmt: skip
