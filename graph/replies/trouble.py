"""When a tool could not answer, or refused: said plainly, with what can be done."""

from __future__ import annotations

from datetime import date
from typing import Any

from frontend_contract.payloads import NoticeFacts, NoticePayload
from graph.cards.desk import ActionDraft, Desk
from graph.replies.spans import day_of
from graph.state import Json
from graph.tools.wire import RuleRefusal, ToolError

_DAY_FACTS = ("day", "next_open")
_COUNT_FACTS = ("min_days", "max_days")


def say_no_answer(desk: Desk, error: ToolError | None, call_id: str) -> Json:
    """Say why a tool gave nothing, rule or trouble; return what is asked now."""
    if error is not None and error.code == "period_refused":
        say_refusal(desk, RuleRefusal.model_validate(error.facts["refusal"]), call_id)
        return {"kind": "dates"}
    say_trouble(desk, error, call_id)
    return {"kind": "none"}


def say_trouble(desk: Desk, error: ToolError | None, call_id: str, key: str = "trouble") -> None:
    """Say that nobody knows: a timeout is never "there is none"."""
    if error is not None and error.code == "invalid_arguments":
        # No outage: the server does not take such days or words.
        payload = NoticePayload(code="dates_refused", severity="warning")
        desk.say("notice", desk.phrases.say("dates.unreadable"), payload, evidence=[call_id])
        return
    payload = NoticePayload(code="unavailable", severity="problem", retryable=bool(error and error.retryable))
    desk.say("notice", desk.phrases.say(key), payload, evidence=[call_id])


def say_refusal(desk: Desk, refusal: RuleRefusal, call_id: str) -> None:
    """Explain a rule of the shop and ask for other dates."""
    company = desk.context.company
    known: dict[str, Any] = {"min_days": company.min_days, "max_days": company.max_days, **refusal.facts}
    closed_day = known.get("day")
    payload = NoticePayload(
        code="period_refused",
        severity="warning",
        facts=NoticeFacts(
            reason=refusal.code,
            min_days=known.get("min_days"),
            max_days=known.get("max_days"),
            day=date.fromisoformat(str(closed_day)) if closed_day else None,
        ),
    )
    actions = [ActionDraft("change_dates", input="dates", style="primary", once=False)]
    text = f"{refusal_words(desk, refusal)} {desk.phrases.say('next.dates')}"
    desk.say("notice", text, payload, actions=actions, evidence=[call_id], facts=[known])


def refusal_words(desk: Desk, refusal: RuleRefusal) -> str:
    """The rule in words, without what follows from it."""
    company = desk.context.company
    known: dict[str, Any] = {"min_days": company.min_days, "max_days": company.max_days, **refusal.facts}
    words: dict[str, Any] = {
        key: desk.phrases.say("days", count=int(known[key])) for key in _COUNT_FACTS if known.get(key)
    }
    words |= {key: day_of(desk, date.fromisoformat(str(known[key]))) for key in _DAY_FACTS if known.get(key)}
    words = {key: words.get(key, "…") for key in (*_COUNT_FACTS, *_DAY_FACTS)}
    return desk.phrases.say(f"refusal.{refusal.code}", **words)
