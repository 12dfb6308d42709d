"""Understands, keeps the agenda, answers from company facts, asks the open question."""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from langgraph.runtime import Runtime
from langgraph.types import Command

from graph.after_sale.own_rentals import known_again
from graph.cards.desk import Desk
from graph.context import RunContext
from graph.policy.actions import plan_action
from graph.policy.message import plan_message
from graph.policy.own_rentals import CHANGE_QUESTIONS
from graph.policy.plan import Plan
from graph.policy.turn import HalfYes
from graph.replies.speak import speak
from graph.replies.speech import Speech
from graph.state import HISTORY_TEXT_LIMIT, STATE_VERSION, DialogState, Json, next_node
from graph.understanding.clear_yes import is_clear_yes
from graph.understanding.form import read_contact_form
from graph.understanding.meaning import InterpretContext, OpenQuestion, OptionHint, Understanding, Vocabulary
from graph.writing.formats import decimal_mark
from graph.writing.phrases import spoken_language

_ACTING_QUESTIONS: Final = frozenset({"confirm_booking", "confirm_change"})
"""Where a yes books or changes something."""


async def coordinator(state: DialogState, runtime: Runtime[RunContext]) -> Command[str]:
    """Decide what the message or tap leads to, and say what needs no other node."""
    inbound = state["inbound"]
    if state.get("done_inbox_id") == inbound["inbox_id"] and state.get("drafts") and not state.get("agenda"):
        # The crash came after the passport and before the database: the turns are still here.
        return Command(goto="__end__")
    context = runtime.context
    context.on_status("thinking", "coordinator")
    is_lost = context.answered_before and not state.get("version")
    # The passport is only memory: what is booked is looked up before it could be taken for a new wish.
    known = await known_again(context) if is_lost else {}
    state = {**state, **known}  # type: ignore[typeddict-item]  # channels of a DialogState
    plan, heard = await _decide(state, context, inbound)
    lang = spoken_language(heard.lang) if heard and heard.lang else state.get("lang", "en")
    channels: dict[str, Any] = {**state, **plan.updates, "lang": lang, "drafts": []}
    desk = Desk.open(channels, context, "coordinator")  # type: ignore[arg-type]  # a DialogState by construction
    speech = Speech(desk, channels, plan.updates)
    if is_lost:
        await speak(speech, {"say": "fresh_start"})
    for saying in plan.says:
        await speak(speech, saying)
    said = desk.update()
    heard_text = str(inbound.get("text", ""))[:HISTORY_TEXT_LIMIT]
    update = {
        **known,
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
    return await _decide_text(state, context, inbound["text"])


async def _decide_text(state: DialogState, context: RunContext, text: str) -> tuple[Plan, Understanding]:
    heard = await context.interpreter.interpret(text, interpret_context(state, context))
    exponent, now = context.company.currency_exponent, context.now_local()
    if _open_question(state) not in _ACTING_QUESTIONS or "confirm" not in heard.intents:
        return plan_message(state, heard, now, exponent), heard
    half_yes: HalfYes = "unseen" if state["inbound"].get("is_unseen") else "vague"
    if half_yes == "vague" and is_clear_yes(text, heard.lang or state.get("lang", "en")):
        return plan_message(state, heard, now, exponent), heard
    # Where a yes acts, the interpreter's word is not enough: the message itself has to be one.
    left = tuple(intent for intent in heard.intents if intent != "confirm")
    heard = heard.model_copy(update={"intents": left or ("unclear",)})
    return plan_message(state, heard, now, exponent, half_yes=half_yes), heard


async def _decide_action(state: DialogState, context: RunContext, inbound: Json) -> tuple[Plan, Understanding | None]:
    """A form or a line of text sent along takes the path of a message."""
    action = inbound["action"]
    given = action.get("input") or {}
    if given.get("contact"):
        contact = given["contact"]
        heard = read_contact_form(contact.get("name") or "", contact.get("phone") or "", context.company.phone_region)
    elif given.get("text"):
        return await _decide_text(state, context, given["text"])
    else:
        return plan_action(state, action), None
    return plan_message(state, heard, context.now_local(), context.company.currency_exponent), heard


def interpret_context(state: DialogState, context: RunContext) -> InterpretContext:
    """Collect what an interpreter may know of this conversation."""
    company = context.company
    known_start, known_end = _known_period(state)
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
        known_start=known_start,
        known_end=known_end,
        chosen=state.get("rental_context", {}).get("vehicle_name") or "",
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


def _known_period(state: DialogState) -> tuple[date | None, date | None]:
    """What "a week later" is reckoned from: a booking that is talked about, else the wish."""
    wish = state.get("wish", {})
    if _open_question(state) in CHANGE_QUESTIONS:
        wish = state.get("rental_change", {})
    elif state.get("phase") == "booked" and not wish:
        wish = state.get("booking", {})
    return _day(wish.get("start")), _day(wish.get("end"))


def _items(state: DialogState) -> list[Json]:
    items: list[Json] = state.get("open_question", {}).get("rentals") or state.get("shown", {}).get("items", [])
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
