"""The dates are taken: offers ways out, each bookable and priced."""

from __future__ import annotations

from datetime import date

from langgraph.runtime import Runtime
from langgraph.types import Command

from frontend_contract.payloads import (
    AlternativeOption,
    AlternativePeriodsPayload,
    ConflictPayload,
    DayStrip,
    NoticePayload,
)
from graph.after_sale.leaving import end_search, hand_on
from graph.cards import facts
from graph.cards.desk import ActionDraft, Desk
from graph.cards.lists import period_item
from graph.context import RunContext
from graph.replies.spans import day_of
from graph.replies.trouble import say_no_answer
from graph.state import DialogState, Json
from graph.tools import wire
from graph.tools.gateway import ToolResult
from graph.writing.formats import short_day

_LIMIT = 4


async def alternatives(state: DialogState, runtime: Runtime[RunContext]) -> Command[str]:
    """Show other periods of the wished vehicle and similar vehicles for the asked dates."""
    context = runtime.context
    context.on_status("checking_dates", "alternatives")
    step = state["agenda"][0]
    desk = Desk.open(state, context, "alternatives")
    result = await context.gateway.call("alternatives", _arguments(state), wire.Alternatives)
    found = result.value
    if found is None:
        question = say_no_answer(desk, result.error, result.call_id)
        return end_search(desk, {"open_question": question})
    if found.available and not found.options:
        # Free after all: the wish itself is the best way out.
        return hand_on(desk, "pricing")
    options = [facts.alternative(option, f"a{n}") for n, option in enumerate(found.options, start=1)]
    if step.get("lost"):
        _say_lost(desk, result, found, options)
    elif options:
        _say_options(desk, result, found, options)
    else:
        _say_none(desk, result, found)
    update = {
        "shown": {"kind": "periods", "items": [period_item(option) for option in options]},
        "open_question": {"kind": "period" if options else "dates"},
        "phase": "searching",
        "quote": {},
    }
    return end_search(desk, update)


def _arguments(state: DialogState) -> wire.AlternativesArgs:
    wish = state["wish"]
    return wire.AlternativesArgs(
        vehicle_uuid=state["rental_context"]["vehicle_uuid"],
        start=date.fromisoformat(wish["start"]),
        end=date.fromisoformat(wish["end"]),
        limit=_LIMIT,
    )


def _say_options(
    desk: Desk, result: ToolResult[wire.Alternatives], found: wire.Alternatives, options: list[AlternativeOption]
) -> None:
    if len(found.conflicts) == 1:
        text = desk.phrases.say("alternatives.head", vehicle=found.vehicle.name, conflict=_conflict(desk, found))
    else:
        text = desk.phrases.say("alternatives.head.many", vehicle=found.vehicle.name)
    desk.say(
        "alternative_periods",
        text,
        _payload(found, options),
        actions=_actions(options),
        evidence=[result.call_id],
        observed_at=found.observed_at,
    )


def _say_lost(
    desk: Desk, result: ToolResult[wire.Alternatives], found: wire.Alternatives, options: list[AlternativeOption]
) -> None:
    """Somebody else was faster: say so, then the ways out."""
    key = "conflict.lost" if options else "conflict.lost.bare"
    conflicts = [facts.period(conflict) for conflict in found.conflicts] or [facts.period(found.requested)]
    payload = ConflictPayload(
        requested=facts.period(found.requested),
        vehicle=facts.vehicle(found.vehicle, available=False),
        conflicting_rentals=conflicts,
        suggested=options[0] if options else None,
    )
    actions = [*_actions(options[:1]), ActionDraft("change_dates", input="dates", style="quiet", once=False)]
    text = desk.phrases.say(key, vehicle=found.vehicle.name)
    desk.say("conflict", text, payload, actions=actions, evidence=[result.call_id], observed_at=found.observed_at)
    if options:
        _say_options(desk, result, found, options)


def _say_none(desk: Desk, result: ToolResult[wire.Alternatives], found: wire.Alternatives) -> None:
    text = desk.phrases.say("alternatives.none", vehicle=found.vehicle.name, conflict=_conflict(desk, found))
    actions = [ActionDraft("change_dates", input="dates", once=False), ActionDraft("change_vehicle", once=False)]
    payload = NoticePayload(code="no_vehicles", severity="info")
    desk.say("notice", text, payload, actions=actions, evidence=[result.call_id], facts=[facts.dump(found)])


def _conflict(desk: Desk, found: wire.Alternatives) -> str:
    period = found.conflicts[0] if found.conflicts else found.requested
    start, end = short_day(period.start, desk.lang), short_day(period.end, desk.lang)
    if period.start.year != desk.context.now_local().year:
        start, end = day_of(desk, period.start), day_of(desk, period.end)
    return desk.phrases.say("conflict.span", start=start, end=end)


def _payload(found: wire.Alternatives, options: list[AlternativeOption]) -> AlternativePeriodsPayload:
    strip = DayStrip(start=found.strip_start, taken=list(found.strip_taken)) if found.strip_taken else None
    return AlternativePeriodsPayload(
        requested=facts.period(found.requested),
        vehicle=facts.vehicle(found.vehicle, available=False),
        conflicts=[facts.period(conflict) for conflict in found.conflicts],
        options=options,
        strip=strip,
    )


def _actions(options: list[AlternativeOption]) -> list[ActionDraft]:
    return [
        ActionDraft("select_period", _action_arguments(option), target=option.ref, style="primary")
        for option in options
    ]


def _action_arguments(option: AlternativeOption) -> Json:
    return {
        "vehicle_uuid": option.vehicle.ref,
        "name": option.vehicle.name,
        "start": option.period.start.isoformat(),
        "end": option.period.end.isoformat(),
    }
