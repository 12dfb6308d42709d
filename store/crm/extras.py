"""Extras that a customer asks for: on offer, not on offer, or not any more. Said with what is on offer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from store.errors import InvalidData, Refused
from store.rules.extras import Chosen, ChosenExtra, not_offered, to_choose
from store.rules.price_lists import PriceList


def require_offered(prices: PriceList | None, chosen: Chosen) -> None:
    """Raise when something is asked for that the list does not offer. Without a list there is no price anyway.

    Raises:
        InvalidData: `unknown_extra` with what is on offer, and what of it comes without being asked for.
    """
    strange = not_offered(prices, (code for code, _ in chosen)) if prices else ()
    if prices and strange:
        facts = {"fields": ["extras"], "unknown": list(strange), **_offer_facts(prices, strange)}
        raise InvalidData("this vehicle has no such extra", code="unknown_extra", facts=facts)


def still_offered(prices: PriceList | None, extras: Iterable[ChosenExtra]) -> Chosen:
    """Return what of earlier chosen extras can be priced now; follow it with `require_still_offered`."""
    chosen = tuple((extra.code, extra.pieces) for extra in extras)
    gone = not_offered(prices, (code for code, _ in chosen)) if prices else ()
    return tuple((code, pieces) for code, pieces in chosen if code not in gone)


def require_still_offered(prices: PriceList | None, extras: Sequence[ChosenExtra]) -> None:
    """Raise when the list has lost an extra that a quote or a rental holds: no price would be the agreed thing's.

    Raises:
        Refused: `extra_gone` with what is gone and what is on offer.
    """
    gone = not_offered(prices, (extra.code for extra in extras)) if prices else ()
    if prices and gone:
        names = [{"code": extra.code, "name": extra.name} for extra in extras if extra.code in gone]
        facts = {"gone": names, **_offer_facts(prices, gone)}
        raise Refused("an extra of it is not offered any more", code="extra_gone", facts=facts)


def _offer_facts(prices: PriceList, asked: Sequence[str]) -> dict[str, Any]:
    anyway = [extra for extra in prices.extras if extra.code in asked]
    return {
        "offered": [{"code": extra.code, "name": extra.name} for extra in to_choose(prices)],
        "not_to_choose": [{"code": extra.code, "name": extra.name, "mode": extra.mode} for extra in anyway],
    }
