"""Questions about the shop, answered from its own facts only."""

from __future__ import annotations

from frontend_contract.payloads import OfficeInfoPayload
from graph.cards import facts
from graph.cards.desk import map_actions
from graph.replies.shop import shop_phone
from graph.replies.spans import day_of
from graph.replies.speech import Speech, person_action
from graph.state import Json
from graph.writing.formats import clock_time


async def company(speech: Speech, saying: Json) -> None:
    """Answer from the shop's own facts, or say that it has not told any."""
    topic, leads_on = saying["topic"], saying.get("leads_on", True)
    if topic in {"hours", "address", "phone"}:
        _say_offices(speech, _opening(speech), lead_back=leads_on)
        return
    rule = speech.desk.context.company.house_rules.get(topic, "")
    call_id = speech.desk.context.company_call_id
    if rule:
        text = speech.desk.phrases.say("company.documents", text=rule)
        content = speech.returning(text) if leads_on else text
        speech.desk.say("text", content, evidence=[call_id], facts=[rule, *speech.open_facts])
        return
    phone = shop_phone(speech.desk.context)
    call = speech.desk.phrases.say("company.call" if phone else "company.write", phone=phone)
    text = speech.desk.phrases.say("company.missing", call=call)
    known = [phone, *speech.open_facts]
    content = speech.returning(text) if leads_on else text
    speech.desk.say("text", content, actions=[person_action()], evidence=[call_id], facts=known)


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
    content = speech.returning(text) if lead_back else text
    speech.desk.say("office_info", content, payload, actions=actions, evidence=evidence, facts=speech.open_facts)


async def person(speech: Speech, saying: Json) -> None:
    """The way to the team; honest that nobody can be fetched into the chat."""
    key = "person.complaint" if saying.get("complaint") else "person.gave_up" if saying.get("gave_up") else "person"
    _say_offices(speech, speech.desk.phrases.say(key), lead_back=False)
