"""Finds free vehicles for the wish and shows them, priced."""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from langgraph.runtime import Runtime
from langgraph.types import Command

from frontend_contract.facts import VehicleFacts
from frontend_contract.payloads import NoticePayload, VehicleCarouselPayload
from graph.cards import facts
from graph.cards.desk import ActionDraft, Desk
from graph.cards.lists import vehicle_item
from graph.context import RunContext
from graph.replies.spans import span_of
from graph.replies.trouble import say_refusal, say_trouble
from graph.state import DialogState, Json, next_node
from graph.tools import wire
from graph.tools.gateway import ToolResult

_PAGE_SIZE = 10


_BUDGET: Final = ("budget_minor", "budget_per")


async def search(state: DialogState, runtime: Runtime[RunContext]) -> Command[str]:
    """Search for the wish; nothing free leads to alternatives."""
    context = runtime.context
    context.on_status("searching", "search")
    step, rest = state["agenda"][0], state["agenda"][1:]
    desk = Desk.open(state, context, "search")
    wish = state.get("wish", {})
    result = await context.gateway.call("search_available", _arguments(wish, step), wire.SearchResult)
    found = result.value
    wider = _wider(wish, found) if found and not found.vehicles and not found.refusal else None
    if wider is not None:
        # The limits, not the calendar, may be why nothing is there: look without them before saying "taken".
        result = await context.gateway.call("search_available", _arguments(wider, step), wire.SearchResult)
        found = result.value
    if found is None:
        say_trouble(desk, result.error, result.call_id)
        return _end(desk, {"open_question": {"kind": "none"}})
    if found.refusal:
        say_refusal(desk, found.refusal, result.call_id)
        return _end(desk, {"open_question": {"kind": "dates"}})
    if found.vehicles:
        return _show(state, desk, result, rest, wider=wider)
    if found.taken and _names_a_vehicle(wish):
        return _towards_alternatives(desk, found.taken[0])
    _say_nothing_free(state, desk, result)
    return _end(desk, {"open_question": {"kind": "dates" if found.taken else "none"}})


def _wider(wish: Json, found: wire.SearchResult) -> Json | None:
    """The wish without the limits that nothing fits; None when it has none."""
    is_dear = any(hint.code == "over_budget" for hint in found.hints)
    limits = _BUDGET if is_dear else (*_BUDGET, "gearbox", "seats")
    if not any(wish.get(key) for key in limits):
        return None
    return {key: value for key, value in wish.items() if key not in limits}


def _arguments(wish: Json, step: Json) -> wire.SearchArgs:
    return wire.SearchArgs(
        start=date.fromisoformat(wish["start"]),
        end=date.fromisoformat(wish["end"]),
        category=wish.get("category"),
        brand=wish.get("brand"),
        model=wish.get("model"),
        text=wish.get("text"),
        budget_minor=wish.get("budget_minor"),
        budget_per=wish.get("budget_per", "total"),
        gearbox=wish.get("gearbox"),
        seats=wish.get("seats"),
        sort=wish.get("sort", "price"),
        page=int(step.get("page", 1)),
        page_size=_PAGE_SIZE,
    )


def _names_a_vehicle(wish: Json) -> bool:
    return bool(wish.get("brand") or wish.get("model") or wish.get("text"))


def _show(
    state: DialogState,
    desk: Desk,
    result: ToolResult[wire.SearchResult],
    rest: list[Json],
    *,
    wider: Json | None = None,
) -> Command[str]:
    assert result.value is not None  # noqa: S101 - told by the caller
    found = result.value
    vehicles = [facts.offered(offer) for offer in found.vehicles]
    payload = VehicleCarouselPayload(
        requested=facts.period(found.requested),
        vehicles=vehicles,
        total_found=found.total_found,
        sort=state.get("wish", {}).get("sort", "price"),
        page_token=str(found.page + 1) if found.has_more else None,
    )
    desk.say(
        "vehicle_carousel",
        _sentence(state, desk, found, vehicles) if wider is None else _beyond(state, desk, found, wider),
        payload,
        actions=_actions(found, vehicles),
        evidence=[result.call_id],
        facts=[state.get("wish"), len(vehicles), _count(found)],
        observed_at=found.observed_at,
    )
    update: dict[str, Any] = {
        "shown": {"kind": "vehicles", "items": [vehicle_item(vehicle) for vehicle in vehicles]},
        "search": {"page": found.page, "has_more": found.has_more},
        "open_question": {"kind": "vehicle"},
        "phase": "searching",
    }
    if wider is not None:
        update["wish"] = wider  # a limit that nothing fits is not carried along unseen
    if rest and rest[0].get("exact_match"):
        return _price_the_match(desk, vehicles, rest, update)
    return Command(goto=next_node(rest), update={**desk.update(), **update, "agenda": rest})


def _price_the_match(desk: Desk, vehicles: list[VehicleFacts], rest: list[Json], update: Json) -> Command[str]:
    """The message asked for a price too; it can be told only where one vehicle is meant."""
    exact = [vehicle for vehicle in vehicles if vehicle.is_exact_match]
    if not exact:
        return _end(desk, update)
    update["rental_context"] = {"vehicle_uuid": exact[0].ref, "vehicle_name": exact[0].name}
    return Command(goto="pricing", update={**desk.update(), **update, "agenda": rest})


def _sentence(state: DialogState, desk: Desk, found: wire.SearchResult, vehicles: list[VehicleFacts]) -> str:
    phrases, span = desk.phrases, span_of(desk, found.requested)
    if found.page > 1:
        shown = phrases.number(len(vehicles))
        return phrases.say("search.found.next", shown=shown, total=_at_least(found, str(_count(found))), span=span)
    hint = _hint(desk, found)
    if _count(found) == 1 and vehicles[0].is_exact_match and vehicles[0].total:
        name, total = vehicles[0].name, desk.money(vehicles[0].total)
        return hint + phrases.say("search.exact", vehicle=name, span=span, total=total)
    kinds = {vehicle.category for vehicle in vehicles}
    category = state.get("wish", {}).get("category") or (kinds.pop() if len(kinds) == 1 else None)
    number = _at_least(found, phrases.number(_count(found)))
    words: dict[str, Any] = {"Number": number[:1].upper() + number[1:], "span": span}
    category_name = phrases.category(category, _count(found))
    if found.has_more:
        shown = phrases.number(len(vehicles))
        return hint + phrases.say("search.found.first", category=category_name, shown=shown, **words)
    key = "search.cheapest" if _step(state).get("cheapest") else "search.found"
    return hint + phrases.say(key, count=_count(found), category=category_name, **words)


def _count(found: wire.SearchResult) -> int:
    """Free vehicles: of a kind that is listed once there may be several."""
    return found.vehicles_found or found.total_found


def _at_least(found: wire.SearchResult, number: str) -> str:
    return f"{number}+" if found.totals_are_minimum else number


def _beyond(state: DialogState, desk: Desk, found: wire.SearchResult, wider: Json) -> str:
    asked = state.get("wish", {})
    only_dear = all(wider.get(key) == value for key, value in asked.items() if key not in _BUDGET)
    key = "search.over_budget" if only_dear else "search.beyond_filter"
    return desk.phrases.say(key, span=span_of(desk, found.requested))


def _step(state: DialogState) -> Json:
    return next((step for step in state.get("agenda", []) if step["node"] == "search"), {})


def _hint(desk: Desk, found: wire.SearchResult) -> str:
    unknown = next((hint.word for hint in found.hints if hint.code == "no_such_word"), None)
    return desk.phrases.say("search.hint.word", word=unknown) if unknown else ""


def _actions(found: wire.SearchResult, vehicles: list[VehicleFacts]) -> list[ActionDraft]:
    period = {"start": found.requested.start.isoformat(), "end": found.requested.end.isoformat()}
    actions = [
        ActionDraft(
            "select_vehicle",
            {"vehicle_uuid": vehicle.ref, "name": vehicle.name, **period},
            target=vehicle.ref,
            style="primary",
        )
        for vehicle in vehicles
    ]
    if found.has_more:
        actions.append(ActionDraft("show_more", {"page": found.page + 1}, style="quiet"))
    actions.append(ActionDraft("change_dates", style="quiet", input="dates", once=False))
    return actions


def _towards_alternatives(desk: Desk, taken: wire.VehicleWire) -> Command[str]:
    update = {"rental_context": {"vehicle_uuid": taken.uuid, "vehicle_name": taken.name}}
    return Command(goto="alternatives", update={**desk.update(), **update, "agenda": [{"node": "alternatives"}]})


def _say_nothing_free(state: DialogState, desk: Desk, result: ToolResult[wire.SearchResult]) -> None:
    assert result.value is not None  # noqa: S101 - told by the caller
    found, wish, phrases = result.value, state.get("wish", {}), desk.phrases
    span = span_of(desk, found.requested)
    category = phrases.category(wish.get("category"), 1)
    words = " ".join(str(wish[key]) for key in ("brand", "model", "text") if wish.get(key))
    if found.taken:
        text = phrases.say("search.taken.all", category=category, span=span)
    elif words:
        text = phrases.say("search.none.words", words=words, span=span)
    else:
        text = phrases.say("search.none", category=category, span=span)
    actions = [
        ActionDraft("change_vehicle", once=False),
        ActionDraft("change_dates", input="dates", once=False),
    ]
    payload = NoticePayload(code="no_vehicles", severity="info")
    known = [wish, facts.dump(found.requested)]
    desk.say("notice", text, payload, actions=actions, evidence=[result.call_id], facts=known)


def _end(desk: Desk, update: Json) -> Command[str]:
    return Command(goto="__end__", update={**desk.update(), **update, "agenda": []})
