"""What a tap reads like in the conversation: the customer's side of an action."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from graph.writing.formats import short_day
from graph.writing.phrases import Phrases


def caption(kind: str, arguments: Mapping[str, Any], given: Mapping[str, Any], lang: str) -> str:
    """Return the words for a tapped action, in the conversation's language."""
    phrases = Phrases(lang)
    contact = given.get("contact") or {}
    if given.get("text"):
        return str(given["text"])
    if contact:
        return ", ".join(str(contact[key]) for key in ("name", "phone") if contact.get(key)) or phrases.say("tap.other")
    dates = given.get("dates") or (arguments if kind in {"select_period", "select_option", "refresh_quote"} else {})
    if dates.get("start"):
        span = _span(dates, lang)
        return f"{arguments['name']}, {span}" if arguments.get("name") else span
    if kind == "ask":
        return phrases.say(f"tap.ask.{arguments.get('topic', 'general')}")
    if arguments.get("name"):
        return str(arguments["name"])
    if arguments.get("category"):
        return phrases.category(str(arguments["category"]), 2).capitalize()
    return phrases.say(f"tap.{kind}")


def _span(dates: Mapping[str, Any], lang: str) -> str:
    start, end = (date.fromisoformat(str(dates[key])) for key in ("start", "end"))
    return f"{short_day(start, lang)} – {short_day(end, lang)} {end.year}"
