"""Which of the shown things is meant: always the newest list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from graph.state import Json
from graph.understanding.meaning import Reference, Understanding

SURE = 0.6
"""Under this confidence nothing runs; the customer is asked."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """`one` thing is meant, `many` could be, `gone` (a position that the list does not have), or `none`."""

    kind: Literal["one", "many", "gone", "none"]
    items: tuple[Json, ...] = ()


def resolve(shown: Json, understanding: Understanding) -> Resolution:
    """Resolve a reference, or the brand and model that the message names, against what was shown."""
    items = list(shown.get("items", []))
    reference = understanding.reference
    if reference is None:
        if not (understanding.brand or understanding.model):
            return Resolution("none")
        return _pick(_named(items, understanding.brand, understanding.model, None))
    if reference.confidence < SURE:
        # Unsure of the words, but perhaps only one shown thing fits them; else only those that fit are asked about.
        fitting = _pick(
            _named(items, reference.brand or understanding.brand, reference.model or understanding.model, None)
        )
        if fitting.kind != "none":
            return fitting
        return Resolution("many", tuple(items)) if items else Resolution("none")
    return _by_reference(items, reference, understanding)


def _by_reference(items: list[Json], reference: Reference, understanding: Understanding) -> Resolution:
    if not items:
        return Resolution("none")
    brand = reference.brand or understanding.brand
    model = reference.model or understanding.model
    match reference.kind:
        case "ordinal":
            position = reference.ordinal or 0
            return Resolution("one", (items[position - 1],)) if 1 <= position <= len(items) else Resolution("gone")
        case "last":
            return Resolution("one", (items[-1],))
        case "cheapest" | "dearest":
            named = bool(brand or model or reference.colour)
            fitting = _named(items, brand, model, reference.colour) if named else items
            if not fitting:
                return Resolution("none")
            ordered = sorted(fitting, key=lambda item: item.get("total_minor", 0), reverse=reference.kind == "dearest")
            return Resolution("one", (ordered[0],))
        case "named" | "other":
            return _pick(_named(items, brand, model, reference.colour))
        case "that":
            return Resolution("one", (items[0],)) if len(items) == 1 else Resolution("many", tuple(items))


def _named(items: list[Json], brand: str | None, model: str | None, colour: str | None) -> list[Json]:
    if not (brand or model or colour):
        return []
    return [
        item
        for item in items
        if _same(brand, item.get("brand")) and _contains(model, item.get("name")) and _same(colour, item.get("colour"))
    ]


def _same(asked: str | None, given: str | None) -> bool:
    return not asked or asked.casefold() == (given or "").casefold()


def _contains(asked: str | None, given: str | None) -> bool:
    return not asked or asked.casefold() in (given or "").casefold()


def _pick(items: list[Json]) -> Resolution:
    if not items:
        return Resolution("none")
    # Two of the same kind are the same to the customer: take the first, which is the cheaper.
    alike = len({(item.get("name"), item.get("start"), item.get("end")) for item in items}) == 1
    return Resolution("one" if alike else "many", tuple(items))
