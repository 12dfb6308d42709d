"""Extras: what is on offer, what a caller asks for, what is on a rental."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from graph.tools.wire.facts import MoneyWire, Wire

MAX_PIECES: Final = 20
MAX_KINDS: Final = 20

ExtraWish = Annotated[
    str,
    Field(
        pattern=r"^[^:\u0000-\u001f]{1,40}(:([1-9]|1[0-9]|20))?$",
        description="A code of `extras_offered`, and how many: helmet:2. The code alone is one piece; 20 at most.",
    ),
]


def read_wishes(wishes: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Return (code, pieces) of each wish, by code, so that the order of asking makes no difference."""
    parts = (wish.partition(":") for wish in wishes)
    return tuple(sorted((code.strip().lower(), int(pieces or 1)) for code, _, pieces in parts))


def _once_each(wishes: tuple[str, ...]) -> tuple[str, ...]:
    codes = [code for code, _ in read_wishes(wishes)]
    if len(set(codes)) < len(codes):
        raise ValueError("an extra is asked for twice: give its pieces instead")
    return wishes


ExtraWishes = Annotated[tuple[ExtraWish, ...], Field(max_length=MAX_KINDS), AfterValidator(_once_each)]


class OfferedExtra(Wire):
    """Something that the customer may have on wish, chosen in this quote or not."""

    code: str
    """Give it back in `extras` of pricing."""
    name: str
    per: Literal["day", "rental"]
    """What `unit_amount` is for: one piece for a day, or for the whole rental."""
    unit_amount: MoneyWire
    at_most: MoneyWire | None = None
    """What one piece costs at most for the whole rental, however long."""
    pieces: int = 0
    """How many are chosen, and in the total."""


class ChosenExtra(Wire):
    """Something that the customer has on the rental; its price is in the total."""

    code: str
    name: str
    pieces: int = Field(ge=1)
