"""Extras that a customer may choose from a price list, and what was chosen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from store.rules.price_lists import Extra, PriceList

Chosen = tuple[tuple[str, int], ...]
"""Extras that the customer wants: (code, pieces)."""


@dataclass(frozen=True, slots=True)
class ChosenExtra:
    """An extra of a quote or a rental, with its name at that time."""

    code: str
    name: str
    pieces: int


def to_choose(prices: PriceList) -> tuple[Extra, ...]:
    """Return the extras of a list that are had only on wish."""
    return tuple(extra for extra in prices.extras if extra.mode == "chosen")


def chosen_extras(prices: PriceList, chosen: Chosen) -> tuple[ChosenExtra, ...]:
    """Return what is chosen, with names, in the order of the list; what is not on offer is left out."""
    pieces = dict(chosen)
    return tuple(ChosenExtra(e.code, e.name, pieces[e.code]) for e in to_choose(prices) if e.code in pieces)


def not_offered(prices: PriceList, codes: Iterable[str]) -> tuple[str, ...]:
    """Return the codes that cannot be chosen from the list: unknown ones, and what comes without being asked for."""
    offered = {extra.code for extra in to_choose(prices)}
    return tuple(code for code in codes if code not in offered)
