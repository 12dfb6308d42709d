"""Questions, with answers to tap. Each is remembered, so that a bare answer binds to it."""

from __future__ import annotations

from datetime import date
from typing import Any

from frontend_contract.payloads import ClarifyingQuestionPayload, QuestionOption
from graph.cards.desk import ActionDraft
from graph.replies.options import candidate_period, item_arguments, item_option
from graph.replies.spans import day_of
from graph.replies.speech import Speech
from graph.state import Json


async def ask_dates(speech: Speech, saying: Json) -> None:
    """Which dates?"""
    phrases = speech.desk.phrases
    if saying.get("vehicle"):
        text = phrases.say("ask.dates.for", vehicle=saying["vehicle"])
    elif saying.get("category"):
        text = phrases.say("ask.dates.category", category=phrases.category(saying["category"], 1))
    else:
        text = phrases.say("ask.dates")
    _date_question(speech, text, [], facts=[saying])


async def ask_end(speech: Speech, saying: Json) -> None:
    """Until when?"""
    start = date.fromisoformat(saying["start"])
    _date_question(speech, speech.desk.phrases.say("ask.end", start=day_of(speech.desk, start)), [], facts=[saying])


async def ask_start(speech: Speech, saying: Json) -> None:
    """From when?"""
    days = speech.desk.phrases.say("days", count=int(saying["days"]))
    _date_question(speech, speech.desk.phrases.say("ask.start", days=days), [], facts=[saying])


async def clarify_dates(speech: Speech, saying: Json) -> None:
    """Which of these readings, or why no date could be taken."""
    candidates: list[Json] = saying["candidates"]
    reason = saying["reason"]
    phrases = speech.desk.phrases
    key = "dates.unreadable" if reason in {"unreadable", "same_role_twice"} else f"dates.{reason}"
    if reason == "past":
        key = "dates.past.bare"
    text = phrases.say(key, days=phrases.say("days", count=speech.desk.context.company.max_days))
    _date_question(speech, text, candidates, facts=[speech.desk.context.company.max_days])


def _date_question(speech: Speech, text: str, candidates: list[Json], *, facts: list[Any]) -> None:
    tz = speech.desk.context.company.timezone
    options, actions = [], []
    for number, candidate in enumerate(candidates[:8], start=1):
        ref = f"d{number}"
        options.append(QuestionOption(ref=ref, period=candidate_period(candidate, tz)))
        actions.append(ActionDraft("select_option", dict(candidate), target=ref))
    actions.append(ActionDraft("change_dates", style="quiet", input="dates", once=False))
    payload = ClarifyingQuestionPayload(slot="dates", options=options, confidence=0.5 if options else 0.0)
    speech.ask("dates", **({"candidates": candidates[:8]} if candidates else {}))
    speech.desk.say("clarifying_question", text, payload, actions=actions, facts=facts)


async def clarify_vehicle(speech: Speech, saying: Json) -> None:
    """Which of the shown things?"""
    items: list[Json] = saying["items"][:7]
    key = "ask.which.gone" if saying.get("gone") else "ask.which"
    text = speech.desk.phrases.say(key, count=len(saying["items"]))
    options = [item_option(item, speech.desk.context.company.timezone) for item in items]
    actions = [ActionDraft("select_option", item_arguments(item), target=item["ref"]) for item in items]
    options.append(QuestionOption(ref="other", code="other"))
    actions.append(ActionDraft("select_option", {"other": True}, target="other", style="quiet"))
    payload = ClarifyingQuestionPayload(slot="vehicle", options=options, confidence=0.5)
    speech.ask("period" if items and items[0].get("start") else "vehicle")
    speech.desk.say("clarifying_question", text, payload, actions=actions, facts=[items, len(saying["items"])])


def category_question(speech: Speech, text: str, *, facts: list[Any]) -> None:
    """Which kind of vehicle?"""
    categories = speech.desk.context.company.words.categories
    options = [QuestionOption(ref=category, code=category) for category in categories[:8]]
    actions = [ActionDraft("select_option", {"category": category}, target=category) for category in categories[:8]]
    if not options:
        speech.desk.say("text", text, facts=facts)
        return
    payload = ClarifyingQuestionPayload(slot="category", options=options, confidence=0.0)
    speech.desk.say("clarifying_question", text, payload, actions=actions, facts=facts)
