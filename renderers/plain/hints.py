"""What a person at a terminal may do: numbers to type instead of buttons to tap."""

from __future__ import annotations

from itertools import groupby

from frontend_contract.actions import ActionRef
from frontend_contract.compat import UnknownTurn
from frontend_contract.turns import (
    AlternativePeriodsTurn,
    ClarifyingQuestionTurn,
    ConflictTurn,
    OfficeInfoTurn,
    Turn,
    VehicleCarouselTurn,
)
from renderers.labels import Labels
from renderers.phrases import action_caption, vehicle_name
from renderers.plain.layout import facts, wrap

_PICKS = frozenset({"select_vehicle", "select_period", "select_option"})


def number_actions(turn: Turn | UnknownTurn) -> dict[int, ActionRef]:
    """Return the actions under the numbers that `render` prints for them.

    The number of a listed vehicle or option picks it; other actions get the numbers after the list. Actions
    that need words (`input`) and links have none; a card that is over has none at all.
    """
    if turn.status != "final":
        return {}
    listed = listed_refs(turn)
    picks = {action.target: action for action in reversed(turn.actions) if _is_pick(action)}
    numbered = {number: picks[ref] for number, ref in enumerate(listed, start=1) if ref in picks}
    taken = {action.id for action in numbered.values()}
    others = [action for action in turn.actions if action.id not in taken and _is_typed_as_number(action)]
    return numbered | dict(enumerate(others, start=len(listed) + 1))


def listed_refs(turn: Turn | UnknownTurn) -> list[str]:
    """Return the refs of the numbered items of a card, in the order drawn."""
    match turn:
        case VehicleCarouselTurn():
            return [vehicle.ref for vehicle in turn.payload.vehicles]
        case ClarifyingQuestionTurn() | AlternativePeriodsTurn():
            return [option.ref for option in turn.payload.options]
        case ConflictTurn():
            return [turn.payload.suggested.ref] if turn.payload.suggested else []
        case _:
            return []


def hint_lines(turn: Turn | UnknownTurn, labels: Labels, width: int) -> list[str]:
    """Return the line of numbers, links and things to type; none where nothing can be done."""
    if turn.status != "final":
        return []
    lines = facts([*_numbers(turn, labels), *_typing(turn, labels)], width)
    return lines + [line for link in _links(turn, labels) for line in wrap(link, width)]


def _numbers(turn: Turn | UnknownTurn, labels: Labels) -> list[str]:
    listed = len(listed_refs(turn))
    captions = [(number, _caption(turn, action, labels, named=number > listed)) for number, action in _sorted(turn)]
    hints: list[str] = []
    for (caption, _), group in groupby(captions, key=lambda item: (item[1], item[0] - captions.index(item))):
        numbers = [number for number, _ in group]
        span = f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"
        hints.append(f"[{span}] {caption}" if caption else "")
    return hints


def _sorted(turn: Turn | UnknownTurn) -> list[tuple[int, ActionRef]]:
    return sorted(number_actions(turn).items(), key=lambda item: item[0])


def _links(turn: Turn | UnknownTurn, labels: Labels) -> list[str]:
    links = [action for action in turn.actions if action.kind == "open_url" and action.url]
    return [f"{_caption(turn, action, labels, named=True)}: {labels.name(action.url or '')}" for action in links]


def _caption(turn: Turn | UnknownTurn, action: ActionRef, labels: Labels, *, named: bool) -> str:
    """Return the caption, with the name of what it acts on where the card shows several."""
    caption = action_caption(action, turn.type, labels)
    names = _target_names(turn, labels) if named and caption else {}
    known = len(names) > 1 and action.target in names
    return labels.text("action.of", caption=caption, name=names[action.target or ""]) if known else caption


def _target_names(turn: Turn | UnknownTurn, labels: Labels) -> dict[str, str]:
    match turn:
        case VehicleCarouselTurn():
            return {vehicle.ref: vehicle_name(vehicle, labels) for vehicle in turn.payload.vehicles}
        case OfficeInfoTurn():
            return {office.slug: labels.name(office.name) for office in turn.payload.offices}
        case _:
            return {}


def _typing(turn: Turn | UnknownTurn, labels: Labels) -> list[str]:
    needed = dict.fromkeys(action.input for action in turn.actions if action.input != "none")
    if not needed:
        return []
    key = "hint.or_type" if number_actions(turn) else "hint.type"
    return [labels.text(key, what=", ".join(labels.text(f"hint.{what}") for what in needed))]


def _is_pick(action: ActionRef) -> bool:
    return action.kind in _PICKS and action.input == "none"


def _is_typed_as_number(action: ActionRef) -> bool:
    nameless = action.kind == "other" and not action.label
    return action.input == "none" and action.kind != "open_url" and not nameless
