"""Four agents that understand nothing. A harness that lets them pass measures nothing."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, Final

from tests.replay.door import Answer, Chat, Door, Turn
from tests.replay.world import World

_PHONES: Final = {"coral-rentals": "+62 361 555 0142", "harbour-wheels": "+30 21 0555 0186"}
_PERIOD: Final = {"start": "2027-06-20", "end": "2027-06-27"}
_CLIENT: Final = {"first_name": "Alex", "last_name": "Smith", "phone": "+66812345678"}


class NullChat:
    """Answers whatever comes with what `reply` gives."""

    def __init__(self, reply: Callable[[], Any]) -> None:
        self._reply = reply

    async def say(self, words: str, key: str) -> Answer:
        return Answer(200, await self._reply())

    async def press(self, action_id: str, key: str, given: dict[str, Any] | None) -> Answer:
        return Answer(200, await self._reply())


class NullDoor:
    """Opens null conversations."""

    def __init__(self, world: World, kind: str) -> None:
        self._world, self._kind = world, kind
        self._number = count()

    async def open(self, company: str) -> Chat:
        booked: list[dict[str, Any]] = []

        async def books_the_first() -> list[Turn]:
            if not booked:
                booked.append(await self._world.book(company, "", _PERIOD, _CLIENT))
            return [self._booked(booked[0])]

        async def says_yes() -> list[Turn]:
            return [self._turn("text", "Yes! Booked. Your order number is CR-1048, see you on 20 June!")]

        async def nothing() -> list[Turn]:
            return []

        async def hands_off() -> list[Turn]:
            phone = _PHONES[company]
            return [self._turn("text", f"Please call us: {phone}.", [{"id": "person", "kind": "call_operator"}])]

        replies = {
            "says yes": says_yes,
            "does nothing": nothing,
            "always hands off": hands_off,
            "books the first": books_the_first,
        }
        return NullChat(replies[self._kind])

    def _booked(self, rental: dict[str, Any]) -> Turn:
        turn = self._turn("confirmation", f"Booked. Your order number is {rental['order_number']}.")
        turn["payload"] = {key: rental[key] for key in ("order_number", "vehicle", "period", "total")}
        return turn

    def _turn(self, kind: str, content: str, actions: list[dict[str, Any]] | None = None) -> Turn:
        number = next(self._number)
        turn: Turn = {"id": f"null{number}", "role": "agent", "type": kind, "lang": "en", "content": content}
        return {**turn, "payload": {}, "actions": actions or []}


NULL_AGENTS: Final = ("says yes", "does nothing", "always hands off", "books the first")


def null_door(kind: str) -> Callable[[World], Door]:
    """The door of one null agent."""
    return lambda world: NullDoor(world, kind)
