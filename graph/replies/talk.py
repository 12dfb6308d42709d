"""Greetings, thanks, small talk, notices: short, and each says what can be done next."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date

from frontend_contract.payloads import NoticeCode
from graph.cards.desk import ActionDraft
from graph.replies.questions import category_question
from graph.replies.shop import shop_phone
from graph.replies.spans import day_of
from graph.replies.speech import Speech, change_actions, person_action
from graph.state import Json
from graph.writing.formats import day

Saying = Callable[[Speech, Json], Awaitable[None]]

_STARTER_TOPICS = ("documents", "deposit", "hours")


async def greet(speech: Speech, _saying: Json) -> None:
    """Introduce the shop, or greet again and go on."""
    company, phrases = speech.desk.context.company, speech.desk.phrases
    if speech.channels.get("history"):
        text = f"{phrases.say('greet.back')} {speech.next}"
    else:
        text = phrases.say("greet", company=company.name, city=speech.desk.context.offices.offices[0].city)
    speech.desk.say("text", text, actions=_starters(), facts=speech.open_facts)


def _starters() -> list[ActionDraft]:
    return [ActionDraft("ask", {"topic": topic}, target=topic, style="quiet", once=False) for topic in _STARTER_TOPICS]


def plain(key: str, *, lead_on: bool = False) -> Saying:
    """A fixed sentence, and what can be done next unless it says so itself."""

    async def say(speech: Speech, _saying: Json) -> None:
        text = speech.desk.phrases.say(key)
        known = [text, *speech.open_facts]  # the sentence is fixed: no fact of a shop is filled into it
        speech.desk.say("text", f"{text} {speech.next}" if lead_on else text, facts=known)

    return say


def leading(key: str, *, offers_person: bool = False) -> Saying:
    """A sentence of the catalogue that holds `{next}`."""

    async def say(speech: Speech, _saying: Json) -> None:
        actions = [person_action()] if offers_person else []
        text = speech.desk.phrases.say(key, next=speech.next)
        speech.desk.say("text", text, actions=actions, facts=speech.open_facts)

    return say


def noticed(code: NoticeCode, key: str, severity: str = "info") -> Saying:
    """A typed notice that holds `{next}`."""

    async def say(speech: Speech, _saying: Json) -> None:
        text = speech.desk.phrases.say(key, next=speech.next)
        speech.notice(code, text, severity=severity, facts=speech.open_facts)

    return say


async def thanks(speech: Speech, _saying: Json) -> None:
    """Welcome, and see you on the day."""
    booking = speech.channels.get("booking") or {}
    if speech.channels.get("phase") == "booked" and booking.get("start"):
        start = day_of(speech.desk, date.fromisoformat(booking["start"]))
        speech.desk.say("text", speech.desk.phrases.say("thanks.booked", start=start), facts=[booking])
        return
    speech.desk.say("text", f"{speech.desk.phrases.say('thanks')} {speech.next}", facts=speech.open_facts)


async def contact_kept(speech: Speech, _saying: Json) -> None:
    """Name or phone came early: noted."""
    name = (speech.channels.get("client") or {}).get("first_name")
    text = speech.desk.phrases.say("contact.kept", name=name) if name else speech.desk.phrases.say("contact.kept.bare")
    speech.desk.say("text", f"{text} {speech.next}", facts=[name, *speech.open_facts])


async def phone_unread(speech: Speech, saying: Json) -> None:
    """Half a number is not thanked for."""
    reasons = {"too_short": "contact.phone_too_short", "too_long": "contact.phone_too_long"}
    text = speech.desk.phrases.say(reasons.get(saying["problem"], "contact.phone_invalid"))
    speech.desk.say("text", text)


async def today(speech: Speech, _saying: Json) -> None:
    """Which day it is, in the shop's zone."""
    now = speech.desk.context.now_local().date()
    text = speech.desk.phrases.say("today", day=day(now, speech.desk.lang, year=True))
    speech.desk.say("text", speech.returning(text), facts=[now, *speech.open_facts])


async def quantity(speech: Speech, saying: Json) -> None:
    """Several of a kind: one at a time, and how many are free where it is known."""
    phrases = speech.desk.phrases
    free = saying.get("free")
    if free:
        text = phrases.say("quantity.free", vehicle=saying["vehicle"], count=free)
        speech.desk.say("text", f"{text} {speech.next}", facts=[saying, *speech.open_facts])
        return
    speech.desk.say("text", phrases.say("ask.quantity"))


async def ask_change(speech: Speech, _saying: Json) -> None:
    """What shall be different?"""
    speech.desk.say("text", speech.desk.phrases.say("change"), actions=change_actions())


async def declined(speech: Speech, _saying: Json) -> None:
    """A no to what was offered: what shall change?"""
    chosen = bool((speech.channels.get("rental_context") or {}).get("vehicle_uuid"))
    actions = change_actions(vehicle=chosen)
    if chosen:
        actions.append(ActionDraft("change_contact", style="quiet", once=False))
    speech.desk.say("text", speech.desk.phrases.say("declined"), actions=actions)


async def unclear(speech: Speech, saying: Json) -> None:
    """Not understood: once the open question again, twice choices and a way to a person."""
    phrases = speech.desk.phrases
    if not saying.get("twice"):
        text = phrases.say("unclear", next=speech.next)
        speech.desk.say("text", text, actions=_starters(), facts=speech.open_facts)
        return
    phone = shop_phone(speech.desk.context)
    category_question(
        speech, phrases.say("unclear.twice" if phone else "unclear.twice.bare", phone=phone), facts=[phone]
    )
