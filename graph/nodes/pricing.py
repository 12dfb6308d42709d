"""Prices one vehicle for one period on the server and opens a quote."""

from __future__ import annotations

from datetime import date
from zoneinfo import ZoneInfo

from langgraph.runtime import Runtime
from langgraph.types import Command

from frontend_contract.payloads import PriceQuotePayload
from graph.after_sale.leaving import end_search, hand_on
from graph.cards import facts
from graph.cards.desk import ActionDraft, Desk
from graph.context import RunContext
from graph.replies.spans import day_of
from graph.replies.trouble import say_no_answer
from graph.state import DialogState, Json
from graph.tools import wire
from graph.tools.gateway import ToolResult
from graph.writing.formats import clock_time


async def pricing(state: DialogState, runtime: Runtime[RunContext]) -> Command[str]:
    """Ask the server for the price; taken dates lead to alternatives."""
    context = runtime.context
    context.on_status("pricing", "pricing")
    desk = Desk.open(state, context, "pricing")
    wish = state["wish"]
    arguments = wire.PricingArgs(
        vehicle_uuid=state["rental_context"]["vehicle_uuid"],
        start=date.fromisoformat(wish["start"]),
        end=date.fromisoformat(wish["end"]),
    )
    result = await context.gateway.call("pricing", arguments, wire.Quote)
    if result.value is None:
        return _no_price(desk, result)
    return _offer(state, desk, result)


def _no_price(desk: Desk, result: ToolResult[wire.Quote]) -> Command[str]:
    error = result.error
    if error and error.code == "dates_taken":
        return hand_on(desk, "alternatives")
    question = say_no_answer(desk, error, result.call_id)
    return end_search(desk, {"open_question": question, "quote": {}})


def _offer(state: DialogState, desk: Desk, result: ToolResult[wire.Quote]) -> Command[str]:
    assert result.value is not None  # noqa: S101 - told by the caller
    quote = result.value
    payload = PriceQuotePayload(
        quote_ref=quote.quote_uuid,
        vehicle=facts.vehicle(quote.vehicle),
        period=facts.period(quote.period, quote.pickup_at, quote.return_at),
        lines=[facts.price_line(line) for line in quote.lines],
        seasons=[facts.season_span(span) for span in quote.seasons],
        total=facts.money(quote.total),
        per_day=facts.money(quote.per_day),
        deposit=facts.maybe_money(quote.deposit),
        by_use=list(quote.by_use) or None,
        expires_at=quote.expires_at,
    )
    held_until = quote.expires_at.astimezone(ZoneInfo(quote.period.timezone))
    desk.say(
        "price_quote",
        _sentence(state, desk, quote, clock_time(held_until, desk.lang)),
        payload,
        actions=_actions(quote),
        evidence=[result.call_id],
        facts=[held_until, *[step.get("old_total") for step in state.get("agenda", [])]],
        observed_at=quote.observed_at,
    )
    update = {
        "quote": _remembered(quote, payload),
        "rental_context": _rental_context(quote, payload),
        "open_question": {"kind": "accept_quote"},
        "phase": "quoting",
    }
    return end_search(desk, update)


def _sentence(state: DialogState, desk: Desk, quote: wire.Quote, until: str) -> str:
    phrases = desk.phrases
    offer = phrases.say(
        "quote",
        vehicle=quote.vehicle.name,
        start=day_of(desk, quote.period.start),
        end=day_of(desk, quote.period.end),
        days=phrases.say("days", count=quote.period.days),
        total=desk.money(quote.total),
        time=until,
    )
    step = next((step for step in state.get("agenda", []) if step["node"] == "pricing"), {})
    if step.get("old_total") and step["old_total"]["minor"] != quote.total.minor:
        old = desk.money(wire.MoneyWire.model_validate(step["old_total"]))
        return f"{phrases.say('quote.changed', old=old, new=desk.money(quote.total))} {offer}"
    return f"{phrases.say('quote.expired')} {offer}" if step.get("expired") else offer


def _actions(quote: wire.Quote) -> list[ActionDraft]:
    return [
        ActionDraft("accept_quote", {"quote_uuid": quote.quote_uuid}, style="primary", expires_at=quote.expires_at),
        ActionDraft("change_dates", style="quiet", input="dates", once=False),
    ]


def _remembered(quote: wire.Quote, payload: PriceQuotePayload) -> Json:
    """What the passport keeps of an open quote."""
    return {
        "quote_uuid": quote.quote_uuid,
        "vehicle": facts.dump(payload.vehicle),
        "period": facts.dump(payload.period),
        "total": facts.dump(payload.total),
        "deposit": facts.dump(payload.deposit) if payload.deposit else None,
        "office_slug": quote.vehicle.office.slug,
        "expires_at": quote.expires_at.isoformat(),
    }


def _rental_context(quote: wire.Quote, payload: PriceQuotePayload) -> Json:
    return {
        "vehicle_uuid": quote.vehicle.uuid,
        "vehicle_name": quote.vehicle.name,
        "start_date": quote.period.start.isoformat(),
        "end_date": quote.period.end.isoformat(),
        "total_price": facts.dump(payload.total),
    }
