"""Understands, keeps the agenda, answers from company facts, asks the open question."""

from __future__ import annotations

from datetime import date
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Command

from graph.cards.desk import Desk
from graph.context import RunContext
from graph.policy.actions import plan_action
from graph.policy.message import plan_message
from graph.policy.plan import Plan
from graph.replies.speak import Speech, speak
from graph.state import HISTORY_TEXT_LIMIT, STATE_VERSION, DialogState, Json, next_node
from graph.understanding.clear_yes import is_clear_yes
from graph.understanding.form import read_contact_form
from graph.understanding.meaning import InterpretContext, OpenQuestion, OptionHint, Understanding, Vocabulary
from graph.writing.formats import decimal_mark
from graph.writing.phrases import spoken_language


async def coordinator(state: DialogState, runtime: Runtime[RunContext]) -> Command[str]:
    """Decide what the message or tap leads to, and say what needs no other node."""
    inbound = state["inbound"]
    if state.get("done_inbox_id") == inbound["inbox_id"] and state.get("drafts") and not state.get("agenda"):
        # The crash came after the passport and before the database: the turns are still here.
        return Command(goto="__end__")
    context = runtime.context
    context.on_status("thinking", "coordinator")
    plan, heard = await _decide(state, context, inbound)
    lang = spoken_language(heard.lang) if heard and heard.lang else state.get("lang", "en")
    channels: dict[str, Any] = {**state, **plan.updates, "lang": lang, "drafts": []}
    desk = Desk.open(channels, context, "coordinator")  # type: ignore[arg-type]  # a DialogState by construction
    speech = Speech(desk, channels, plan.updates)
    if context.answered_before and not state.get("version"):
        await speak(speech, {"say": "fresh_start"})
    for saying in plan.says:
        await speak(speech, saying)
    said = desk.update()
    heard_text = str(inbound.get("text", ""))[:HISTORY_TEXT_LIMIT]
    update = {
        **plan.updates,
        **said,
        "version": STATE_VERSION,
        "lang": lang,
        "agenda": plan.steps,
        "done_inbox_id": inbound["inbox_id"],
        "history": [*([{"role": "user", "text": heard_text}] if heard_text else []), *said["history"]],
    }
    return Command(goto=next_node(plan.steps), update=update)


async def _decide(state: DialogState, context: RunContext, inbound: Json) -> tuple[Plan, Understanding | None]:
    if inbound["kind"] == "action":
        return await _decide_action(state, context, inbound)
    heard = await context.interpreter.interpret(inbound["text"], interpret_context(state, context))
    heard = _only_a_clear_yes_books(state, heard, inbound["text"])
    return plan_message(state, heard, context.now_local(), context.company.currency_exponent), heard


def _only_a_clear_yes_books(state: DialogState, heard: Understanding, text: str) -> Understanding:
    """Where a yes would book, the interpreter's word is not enough: the message itself has to be one."""
    if "confirm" not in heard.intents or _open_question(state) != "confirm_booking" or is_clear_yes(text):
        return heard
    left = tuple(intent for intent in heard.intents if intent != "confirm")
    return heard.model_copy(update={"intents": left or ("unclear",)})


async def _decide_action(state: DialogState, context: RunContext, inbound: Json) -> tuple[Plan, Understanding | None]:
    """A form or a line of text sent along takes the path of a message."""
    action = inbound["action"]
    given = action.get("input") or {}
    if given.get("contact"):
        contact = given["contact"]
        heard = read_contact_form(contact.get("name") or "", contact.get("phone") or "", context.company.phone_region)
    elif given.get("text"):
        heard = await context.interpreter.interpret(given["text"], interpret_context(state, context))
    else:
        return plan_action(state, action), None
    return plan_message(state, heard, context.now_local(), context.company.currency_exponent), heard


def interpret_context(state: DialogState, context: RunContext) -> InterpretContext:
    """Collect what an interpreter may know of this conversation."""
    company, wish = context.company, state.get("wish", {})
    return InterpretContext(
        now=context.now_local(),
        lang=state.get("lang", "en"),
        date_order=company.date_order,
        phone_region=company.phone_region,
        currency=company.currency,
        currency_exponent=company.currency_exponent,
        decimal_mark=decimal_mark(company.locale),
        max_days=company.max_days,
        open_question=_open_question(state),
        phase=state.get("phase", "searching"),
        options=tuple(_hint(position, item) for position, item in enumerate(_items(state), start=1)),
        known_start=_day(wish.get("start")),
        known_end=_day(wish.get("end")),
        vocabulary=Vocabulary(
            brands=company.words.brands,
            models=company.words.models,
            categories=company.words.categories,
            offices=tuple(office.name for office in context.offices.offices),
            aliases=company.words.aliases,
        ),
    )


def _open_question(state: DialogState) -> OpenQuestion:
    kind: OpenQuestion = state.get("open_question", {}).get("kind", "none")
    return kind


def _items(state: DialogState) -> list[Json]:
    items: list[Json] = state.get("shown", {}).get("items", [])
    return items


def _hint(position: int, item: Json) -> OptionHint:
    label = f"{item['start']} {item['end']}" if item.get("start") else ""
    return OptionHint(
        position=position,
        brand=item.get("brand", ""),
        model=item.get("model", ""),
        colour=item.get("colour", ""),
        label=label,
    )


def _day(value: str | None) -> date | None:
    return date.fromisoformat(value) if value else None
