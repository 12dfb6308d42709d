"""Turns each saying of a plan into turns."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final, cast

from frontend_contract.payloads import (
    ClarifyingQuestionPayload,
    NoticeCode,
    NoticePayload,
    OfficeInfoPayload,
    QuestionOption,
    VehicleDetailPayload,
)
from graph.cards import facts
from graph.cards.desk import ActionDraft, Desk, map_actions
from graph.replies.next_step import next_step
from graph.replies.options import candidate_period, item_arguments, item_option
from graph.replies.prices import limit_trouble, own_price
from graph.replies.spans import day_of
from graph.state import Json
from graph.tools import wire
from graph.writing.formats import clock_time, day, money

Channels = dict[str, Any]


@dataclass(slots=True)
class Speech:
    """The desk, and the channels as they will be after this message; sayings may set the open question."""

    desk: Desk
    channels: Channels
    changed: Channels

    def ask(self, kind: str, **details: Any) -> None:
        """Remember what is being asked, so that a bare answer binds to it."""
        question = {"kind": kind, **details}
        self.channels["open_question"] = question
        self.changed["open_question"] = question

    def notice(self, code: str, text: str, *, severity: str = "info", **more: Any) -> None:
        """Say something short and typed."""
        payload = NoticePayload(code=cast(NoticeCode, code), severity=cast(Any, severity))
        self.desk.say("notice", text, payload, **more)

    @property
    def next(self) -> str:
        """The sentence that leads on."""
        return next_step(self.desk, self.channels)


async def speak(speech: Speech, saying: Json) -> None:
    """Say one thing of the plan."""
    await _SAYINGS[saying["say"]](speech, saying)


# ---- questions -------------------------------------------------------------------------------------


async def _ask_dates(speech: Speech, saying: Json) -> None:
    phrases = speech.desk.phrases
    if saying.get("vehicle"):
        text = phrases.say("ask.dates.for", vehicle=saying["vehicle"])
    elif saying.get("category"):
        text = phrases.say("ask.dates.category", category=phrases.category(saying["category"], 1))
    else:
        text = phrases.say("ask.dates")
    _date_question(speech, text, [], facts=[saying])


async def _ask_end(speech: Speech, saying: Json) -> None:
    start = date.fromisoformat(saying["start"])
    _date_question(speech, speech.desk.phrases.say("ask.end", start=day_of(speech.desk, start)), [], facts=[saying])


async def _ask_start(speech: Speech, saying: Json) -> None:
    days = speech.desk.phrases.say("days", count=int(saying["days"]))
    _date_question(speech, speech.desk.phrases.say("ask.start", days=days), [], facts=[saying])


async def _clarify_dates(speech: Speech, saying: Json) -> None:
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


async def _clarify_vehicle(speech: Speech, saying: Json) -> None:
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


def _category_question(speech: Speech, text: str, *, facts: list[Any]) -> None:
    categories = speech.desk.context.company.words.categories
    options = [QuestionOption(ref=category, code=category) for category in categories[:8]]
    actions = [ActionDraft("select_option", {"category": category}, target=category) for category in categories[:8]]
    if not options:
        speech.desk.say("text", text, facts=facts)
        return
    payload = ClarifyingQuestionPayload(slot="category", options=options, confidence=0.0)
    speech.desk.say("clarifying_question", text, payload, actions=actions, facts=facts)


# ---- talk ---------------------------------------------------------------------------------------------


async def _greet(speech: Speech, _saying: Json) -> None:
    company = speech.desk.context.company
    if speech.channels.get("history"):
        text = f"{speech.desk.phrases.say('greet.back')} {speech.next}"
    else:
        text = speech.desk.phrases.say("greet", company=company.name, city=speech.desk.context.offices.offices[0].city)
    speech.desk.say("text", text, actions=_starters(), facts=_open_facts(speech))


def _starters() -> list[ActionDraft]:
    topics = ("documents", "deposit", "hours")
    return [ActionDraft("ask", {"topic": topic}, target=topic, style="quiet", once=False) for topic in topics]


def _plain(key: str, *, lead_on: bool = False) -> Callable[[Speech, Json], Awaitable[None]]:
    async def say(speech: Speech, _saying: Json) -> None:
        text = speech.desk.phrases.say(key)
        known = [text, *_open_facts(speech)]  # the sentence is fixed: no fact of a shop is filled into it
        speech.desk.say("text", f"{text} {speech.next}" if lead_on else text, facts=known)

    return say


async def _thanks(speech: Speech, _saying: Json) -> None:
    booking = speech.channels.get("booking") or {}
    if speech.channels.get("phase") == "booked" and booking.get("start"):
        start = day_of(speech.desk, date.fromisoformat(booking["start"]))
        speech.desk.say("text", speech.desk.phrases.say("thanks.booked", start=start), facts=[booking])
        return
    speech.desk.say("text", f"{speech.desk.phrases.say('thanks')} {speech.next}", facts=_open_facts(speech))


async def _contact_kept(speech: Speech, _saying: Json) -> None:
    name = (speech.channels.get("client") or {}).get("first_name")
    text = speech.desk.phrases.say("contact.kept", name=name) if name else speech.desk.phrases.say("contact.kept.bare")
    speech.desk.say("text", f"{text} {speech.next}", facts=[name, *_open_facts(speech)])


async def _phone_unread(speech: Speech, saying: Json) -> None:
    reasons = {"too_short": "contact.phone_too_short", "too_long": "contact.phone_too_long"}
    text = speech.desk.phrases.say(reasons.get(saying["problem"], "contact.phone_invalid"))
    speech.desk.say("text", text)


async def _today(speech: Speech, _saying: Json) -> None:
    today = speech.desk.context.now_local().date()
    text = speech.desk.phrases.say("today", day=day(today, speech.desk.lang, year=True))
    speech.desk.say("text", text, facts=[today])


async def _quantity(speech: Speech, _saying: Json) -> None:
    speech.desk.say("text", speech.desk.phrases.say("ask.quantity"))


def _limit(key: str) -> Callable[[Speech, Json], Awaitable[None]]:
    async def say(speech: Speech, _saying: Json) -> None:
        text, example = limit_trouble(speech.desk, key)
        speech.desk.say("text", text, facts=[example])

    return say


async def _other_currency(speech: Speech, saying: Json) -> None:
    text, total = own_price(speech.desk, speech.channels)
    content = f"{text} {speech.next}" if saying["leads_on"] else text
    speech.desk.say("text", content, facts=[total, *_open_facts(speech)])


def _noticed(code: NoticeCode, key: str, severity: str = "info") -> Callable[[Speech, Json], Awaitable[None]]:
    async def say(speech: Speech, _saying: Json) -> None:
        text = speech.desk.phrases.say(key, next=speech.next)
        speech.notice(code, text, severity=severity, facts=_open_facts(speech))

    return say


async def _change(speech: Speech, _saying: Json) -> None:
    actions = [ActionDraft("change_dates", input="dates", once=False), ActionDraft("change_vehicle", once=False)]
    speech.desk.say("text", speech.desk.phrases.say("change"), actions=actions)


async def _declined(speech: Speech, _saying: Json) -> None:
    actions = [
        ActionDraft("change_dates", input="dates", once=False),
        ActionDraft("change_vehicle", once=False),
        ActionDraft("change_contact", style="quiet", once=False),
    ]
    speech.desk.say("text", speech.desk.phrases.say("declined"), actions=actions if _chosen(speech) else actions[:1])


def _chosen(speech: Speech) -> bool:
    return bool((speech.channels.get("rental_context") or {}).get("vehicle_uuid"))


async def _unclear(speech: Speech, saying: Json) -> None:
    if not saying.get("twice"):
        text = speech.desk.phrases.say("unclear", next=speech.next)
        speech.desk.say("text", text, actions=_starters(), facts=_open_facts(speech))
        return
    phone = _shop_phone(speech)
    key = "unclear.twice" if phone else "unclear.twice.bare"
    _category_question(speech, speech.desk.phrases.say(key, phone=phone), facts=[phone])


def _open_facts(speech: Speech) -> list[Any]:
    return [speech.channels.get("quote"), speech.channels.get("booking")]


# ---- company facts -----------------------------------------------------------------------------------------


async def _company(speech: Speech, saying: Json) -> None:
    topic = saying["topic"]
    if topic in {"hours", "address", "phone"}:
        _say_offices(speech, _opening(speech))
        return
    rule = speech.desk.context.company.house_rules.get(topic, "")
    call_id = speech.desk.context.company_call_id
    if rule:
        text = speech.desk.phrases.say("company.documents", text=rule)
        speech.desk.say(
            "text", _with_open_question(speech, text), evidence=[call_id], facts=[rule, *_open_facts(speech)]
        )
        return
    phone = _shop_phone(speech)
    call = speech.desk.phrases.say("company.call" if phone else "company.write", phone=phone)
    text = speech.desk.phrases.say("company.missing", call=call)
    speech.desk.say("text", text, evidence=[call_id], facts=[phone])


def _with_open_question(speech: Speech, text: str) -> str:
    """After a digression the same question comes back."""
    open_kind = (speech.channels.get("open_question") or {}).get("kind", "none")
    return f"{text} {speech.next}" if open_kind != "none" else text


def _opening(speech: Speech) -> str:
    office = speech.desk.context.offices.offices[0]
    shown = facts.office(office, speech.desk.context.now_local())
    phrases = speech.desk.phrases
    if shown.closes_at:
        return phrases.say("office.open", office=office.name, time=clock_time(shown.closes_at, speech.desk.lang))
    if shown.opens_at:
        opens = day_of(speech.desk, shown.opens_at.date())
        time = clock_time(shown.opens_at, speech.desk.lang)
        return phrases.say("office.closed", office=office.name, day=opens, time=time)
    return phrases.say("office", count=len(speech.desk.context.offices.offices))


def _say_offices(speech: Speech, text: str, *, lead_back: bool = True) -> None:
    now = speech.desk.context.now_local()
    offices = [facts.office(office, now) for office in speech.desk.context.offices.offices[:10]]
    payload = OfficeInfoPayload(offices=offices, observed_local=now)
    actions = map_actions(offices)
    evidence = [speech.desk.context.company_call_id]
    # Whoever sees no card still has to learn where and how to call.
    where = " ".join(speech.desk.phrases.say("office.where", office=o.name, address=o.address) for o in offices)
    phone = next((o.phone for o in offices if o.phone), None)
    text = " ".join(filter(None, [text, where, phone and speech.desk.phrases.say("office.call", phone=phone)]))
    content = _with_open_question(speech, text) if lead_back else text
    speech.desk.say("office_info", content, payload, actions=actions, evidence=evidence)


async def _person(speech: Speech, _saying: Json) -> None:
    _say_offices(speech, speech.desk.phrases.say("person"), lead_back=False)


def _shop_phone(speech: Speech) -> str:
    context = speech.desk.context
    return context.company.phone or next((office.phone for office in context.offices.offices if office.phone), "")


# ---- vehicles and bookings ------------------------------------------------------------------------------------


async def _vehicle_detail(speech: Speech, saying: Json) -> None:
    context = speech.desk.context
    wish = speech.channels.get("wish") or {}
    today = context.now_local().date()
    start = date.fromisoformat(wish["start"]) if wish.get("start") and wish.get("end") else today
    end = date.fromisoformat(wish["end"]) if wish.get("start") and wish.get("end") else today + timedelta(days=1)
    arguments = wire.VehiclePeriodArgs(vehicle_uuid=saying["vehicle_uuid"], start=start, end=end)
    result = await context.gateway.call("availability", arguments, wire.Availability)
    if result.value is None:
        speech.notice(
            "not_found", speech.desk.phrases.say("action.expired", next=speech.next), facts=_open_facts(speech)
        )
        return
    found = result.value
    payload = VehicleDetailPayload(
        vehicle=facts.vehicle(found.vehicle, available=found.available), details=found.vehicle.details
    )
    arguments_of = {"vehicle_uuid": found.vehicle.uuid, "name": found.vehicle.name}
    actions = [ActionDraft("select_vehicle", arguments_of, target=found.vehicle.uuid, style="primary")]
    text = speech.desk.phrases.say("vehicle.detail", vehicle=found.vehicle.name)
    speech.desk.say("vehicle_detail", text, payload, actions=actions, evidence=[result.call_id])


async def _pending(speech: Speech, _saying: Json) -> None:
    phone = _shop_phone(speech)
    text = speech.desk.phrases.say("booking.pending", phone=phone or "…")
    speech.notice("unavailable", text, severity="problem", facts=[phone])


async def _booking_shown(speech: Speech, _saying: Json) -> None:
    booking = speech.channels.get("booking") or {}
    if not booking.get("order_number"):
        phone = _shop_phone(speech)
        text = speech.desk.phrases.say("booking.none", phone=phone or "…")
        speech.desk.say("text", text, facts=[phone])
        return
    total = booking["total"]
    text = speech.desk.phrases.say(
        "booking.shown",
        order=booking["order_number"],
        vehicle=booking["vehicle_name"],
        start=day_of(speech.desk, date.fromisoformat(booking["start"])),
        end=day_of(speech.desk, date.fromisoformat(booking["end"])),
        total=money(total["minor"], total["currency"], total["exponent"], speech.desk.lang),
    )
    speech.desk.say("text", text, facts=[booking], evidence=[booking["call_id"]])


async def _booking_change(speech: Speech, _saying: Json) -> None:
    booking = speech.channels.get("booking") or {}
    text = speech.desk.phrases.say("booking.change", order=booking["order_number"], phone=_shop_phone(speech))
    speech.notice("not_supported", text, severity="warning", facts=[booking, _shop_phone(speech)])


_SAYINGS: Final[Mapping[str, Callable[[Speech, Json], Awaitable[None]]]] = {
    "ask_dates": _ask_dates,
    "ask_end": _ask_end,
    "ask_start": _ask_start,
    "ask_change": _change,
    "clarify_dates": _clarify_dates,
    "clarify_vehicle": _clarify_vehicle,
    "greet": _greet,
    "thanks": _thanks,
    "goodbye": _plain("goodbye"),
    "help": _plain("help", lead_on=True),
    "reset": _plain("reset"),
    "contact_kept": _contact_kept,
    "phone_unread": _phone_unread,
    "today": _today,
    "quantity": _quantity,
    "budget_other_currency": _limit("budget.other_currency"),
    "budget_unsure": _limit("budget.unsure"),
    "other_currency": _other_currency,
    "company": _company,
    "person": _person,
    "declined": _declined,
    "unclear": _unclear,
    "no_more": _plain("search.no_more", lead_on=True),
    "pending": _pending,
    "fresh_start": _noticed("fresh_start", "fresh_start"),
    "out_of_scope": _noticed("other", "out_of_scope"),
    "nothing_to_confirm": _noticed("nothing_to_confirm", "nothing_to_confirm"),
    "price_fixed": _noticed("price_fixed", "price_fixed"),
    "action_expired": _noticed("action_expired", "action.expired", "warning"),
    "vehicle_detail": _vehicle_detail,
    "booking_shown": _booking_shown,
    "booking_change": _booking_change,
}
"""Kind of saying -> how it is said."""
