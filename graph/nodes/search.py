"""Finds free vehicles for the wish and shows them, priced."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any, Final

from langgraph.runtime import Runtime
from langgraph.types import Command

from frontend_contract.facts import VehicleFacts
from frontend_contract.payloads import NoticePayload, VehicleCarouselPayload
from graph.after_sale.leaving import end_search, hand_on
from graph.cards import facts
from graph.cards.desk import ActionDraft, Desk
from graph.cards.lists import vehicle_item
from graph.context import RunContext
from graph.replies.next_step import next_step
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
    if step.get("cheaper_than"):
        return await _cheaper(state, desk, step)
    result = await context.gateway.call("search_available", _arguments(desk, wish, step), wire.SearchResult)
    found = result.value
    described = await _described(desk, wish, step, found)
    if described is not None:
        return _show(state, desk, described, rest, is_described=True)
    wider = _wider(wish, found) if found and not found.vehicles and not found.refusal else None
    if wider is not None:
        # The limits, not the calendar, may be why nothing is there: look without them before saying "taken".
        result = await context.gateway.call("search_available", _arguments(desk, wider, step), wire.SearchResult)
        found = result.value
    if found is None:
        say_trouble(desk, result.error, result.call_id)
        return end_search(desk, {"open_question": {"kind": "none"}})
    if found.refusal:
        say_refusal(desk, found.refusal, result.call_id)
        return end_search(desk, {"open_question": {"kind": "dates"}})
    if found.vehicles:
        return _show(state, desk, result, rest, wider=wider)
    if found.taken and _names_a_vehicle(wish):
        return _towards_alternatives(desk, found.taken[0])
    _say_nothing_free(state, desk, result)
    return end_search(desk, {"open_question": {"kind": "dates" if found.taken else "none"}})


async def _described(
    desk: Desk, wish: Json, step: Json, found: wire.SearchResult | None
) -> ToolResult[wire.SearchResult] | None:
    """What comes closest to words that name nothing of the shop: they may say what the vehicle shall be good for."""
    describer = desk.context.describer
    is_known = found is None or found.vehicles or found.refusal or found.matching_total
    if describer is None or is_known or not wish.get("text"):
        return None
    arguments = _arguments(desk, {**wish, "text": None}, step).model_copy(update={"page": 1, "page_size": 50})
    result = await desk.context.gateway.call("search_available", arguments, wire.SearchResult)
    if result.value is None:
        return None
    nearest = await describer.nearest(str(wish["text"]), [offer.vehicle for offer in result.value.vehicles])
    offers = tuple(result.value.vehicles[position] for position in nearest)
    if not offers:
        return None
    counts = {"total_found": len(offers), "vehicles_found": sum(offer.also_free + 1 for offer in offers)}
    only = {"vehicles": offers, "has_more": False, "totals_are_minimum": False, **counts}
    return replace(result, value=result.value.model_copy(update=only))


def _wider(wish: Json, found: wire.SearchResult) -> Json | None:
    """The wish without the limits that nothing fits; None when it has none."""
    is_dear = any(hint.code == "over_budget" for hint in found.hints)
    limits = _BUDGET if is_dear else (*_BUDGET, "gearbox", "seats", "office")
    if not any(wish.get(key) for key in limits):
        return None
    return {key: value for key, value in wish.items() if key not in limits}


def _arguments(desk: Desk, wish: Json, step: Json) -> wire.SearchArgs:
    return wire.SearchArgs(
        start=date.fromisoformat(wish["start"]),
        end=date.fromisoformat(wish["end"]),
        category=wish.get("category"),
        brand=wish.get("brand"),
        model=wish.get("model"),
        text=wish.get("text"),
        budget_minor=wish.get("budget_minor"),
        budget_per=wish.get("budget_per", "total"),
        office=_office_slug(desk, wish.get("office")),
        gearbox=wish.get("gearbox"),
        seats=wish.get("seats"),
        sort=wish.get("sort", "price"),
        page=int(step.get("page", 1)),
        page_size=_PAGE_SIZE,
    )


def _office_slug(desk: Desk, name: str | None) -> str | None:
    offices = desk.context.offices.offices
    return next((office.slug for office in offices if name and name in {office.name, office.slug}), None)


def _names_a_vehicle(wish: Json) -> bool:
    return bool(wish.get("brand") or wish.get("model") or wish.get("text"))


def _show(
    state: DialogState,
    desk: Desk,
    result: ToolResult[wire.SearchResult],
    rest: list[Json],
    *,
    wider: Json | None = None,
    more: Json | None = None,
    is_described: bool = False,
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
        desk.phrases.say("search.described", span=span_of(desk, found.requested))
        if is_described
        else _words(state, desk, found, vehicles, wider=wider),
        payload,
        actions=_actions(found, vehicles),
        evidence=[result.call_id],
        facts=[state.get("wish"), len(vehicles), _count(found), _free_counts(found)],
        observed_at=found.observed_at,
    )
    update: dict[str, Any] = {
        "shown": {"kind": "vehicles", "items": [vehicle_item(vehicle) for vehicle in vehicles]},
        "search": {"page": found.page, "has_more": found.has_more},
        "open_question": {"kind": "vehicle"},
        "phase": "searching",
        **(more or {}),
    }
    if wider is not None:
        update["wish"] = wider  # a limit that nothing fits is not carried along unseen
    if rest and rest[0].get("exact_match"):
        return _price_the_match(desk, vehicles, rest, update)
    return Command(goto=next_node(rest), update={**desk.update(), **update, "agenda": rest})


async def _cheaper(state: DialogState, desk: Desk, step: Json) -> Command[str]:
    """Cheaper than what is offered: shown where there is any, else what is open stays open."""
    wish = _of_the_kind(state)
    limited = {**wish, "budget_minor": int(step["cheaper_than"]) - 1, "budget_per": "total"}
    result = await desk.context.gateway.call("search_available", _arguments(desk, limited, step), wire.SearchResult)
    found = result.value
    if found is None:
        say_trouble(desk, result.error, result.call_id)
        return end_search(desk, {})
    # The server may show what is nearest above the limit: that is not cheaper.
    if found.vehicles and found.vehicles[0].total.minor < int(step["cheaper_than"]):
        cleared = {"wish": wish, "quote": {}, "rental_context": {}}
        return _show({**state, **cleared}, desk, result, [], more=cleared)  # type: ignore[typeddict-item]
    _say_nothing_cheaper(state, desk, result)
    return end_search(desk, {})


def _of_the_kind(state: DialogState) -> Json:
    """The wish without names: other vehicles of the kind that is shown or offered."""
    wish = state.get("wish", {})
    kinds = {item.get("facts", {}).get("category") for item in state.get("shown", {}).get("items", [])}
    offered = state.get("quote", {}).get("vehicle", {}).get("category")
    kind = wish.get("category") or offered or (kinds.pop() if len(kinds) == 1 else None)
    ended = ("brand", "model", "text", "budget_minor", "budget_per")
    return {**{key: value for key, value in wish.items() if key not in ended}, "category": kind, "sort": "price"}


def _say_nothing_cheaper(state: DialogState, desk: Desk, result: ToolResult[wire.SearchResult]) -> None:
    assert result.value is not None  # noqa: S101 - told by the caller
    span = span_of(desk, result.value.requested)
    text = desk.phrases.say("search.cheaper.none", span=span, next=next_step(desk, state))
    actions = [ActionDraft("change_dates", input="dates", once=False), ActionDraft("change_vehicle", once=False)]
    known = [facts.dump(result.value.requested), state.get("quote"), state.get("booking")]
    desk.say("text", text, actions=actions, evidence=[result.call_id], facts=known)


def _price_the_match(desk: Desk, vehicles: list[VehicleFacts], rest: list[Json], update: Json) -> Command[str]:
    """The message asked for a price too; it can be told only where one vehicle is meant."""
    exact = [vehicle for vehicle in vehicles if vehicle.is_exact_match]
    if not exact:
        return end_search(desk, update)
    update["rental_context"] = {"vehicle_uuid": exact[0].ref, "vehicle_name": exact[0].name}
    return Command(goto="pricing", update={**desk.update(), **update, "agenda": rest})


def _words(
    state: DialogState, desk: Desk, found: wire.SearchResult, vehicles: list[VehicleFacts], *, wider: Json | None
) -> str:
    text = _sentence(state, desk, found, vehicles) if wider is None else _beyond(state, desk, found, wider)
    quantity = int(state.get("wish", {}).get("quantity") or 1)
    if _step(state).get("next_of"):
        return f"{desk.phrases.say('quantity.next', count=quantity)} {text}"
    return f"{text} {_several(desk, found, quantity)}" if quantity > 1 else text


def _several(desk: Desk, found: wire.SearchResult, quantity: int) -> str:
    """One booking at a time, and whether a kind is free often enough."""
    enough = next((offer for offer in found.vehicles if offer.also_free + 1 >= quantity), None)
    if enough is None:
        return desk.phrases.say("quantity.few", quantity=str(quantity))
    return desk.phrases.say("quantity.enough", vehicle=enough.vehicle.name, free=str(enough.also_free + 1))


def _free_counts(found: wire.SearchResult) -> list[int]:
    return [offer.also_free + 1 for offer in found.vehicles]


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
    words: dict[str, Any] = {"Number": number[:1].upper() + number[1:], "number": number, "span": span}
    category_name = phrases.category(category, _count(found))
    if found.has_more:
        shown = phrases.number(len(vehicles))
        return hint + phrases.say("search.found.first", category=category_name, shown=shown, **words)
    step = _step(state)
    key = (
        "search.cheapest" if step.get("cheapest") else "search.cheaper" if step.get("cheaper_than") else "search.found"
    )
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
    return hand_on(desk, "alternatives", update)


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
