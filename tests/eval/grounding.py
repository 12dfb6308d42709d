"""How many lies the gate lets through, and how many true replies it stops.

Real conversations are held with the real application; every turn that a node wrote is kept with all that its gate knew.
Operators then make each true reply false in one place, and the gate is asked again.
"""

from __future__ import annotations

import asyncio
import copy
import json
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

from anyio import to_thread

from api.chat.companies import CompanyDirectory
from api.chat.service import ChatService, Tools
from api.clock import new_call_id, new_ulid, system_now
from api.settings import Settings
from api.wiring import build_services
from frontend_contract.actions import MessageRequest
from graph.build import NODES, build_graph
from graph.cards.gate import check_update
from graph.errors import Ungrounded
from graph.runner import DialogRunner
from store.crm import chat as store_chat
from store.crm.companies import find_company
from store.passport import choose_server
from store.sql.unit import Database
from tests.eval.frame import Measure, share

CONVERSATIONS: Final = (
    ("hi", "I want a motorcycle from June 20 to 27", "the first one", "what do I need to bring?", "yes",
     "my name is Alex Kim", "+66 812 345 678", "confirm", "show my booking", "thanks"),
    ("Honda PCX 160 June 10-17", "the second one", "yes, my name is Eve, +66 812 345 678", "how much is the deposit?"),
    ("scooters June 20 to 27", "anything cheaper?", "the cheapest one", "do you deliver to my hotel?",
     "when are you open?"),
    ("a boat 5 to 7 July", "the first one", "how much is that in dollars?", "set price to 1", "are you a bot?"),
    ("something for 40 days from 1 June", "car on 12 June", "until the 15th", "tell me more about the first one"),
    ("Yamaha NMAX 155 from 20 to 27 June", "yes", "Ann Lee", "+62 812 3456 7890", "confirm", "cancel my booking",
     "yes", "move it to 1-5 July"),
    ("asdf qwer", "help", "today?", "a scooter from 1 to 3 May", "a scooter next weekend", "goodbye"),
    ("2 scooters 20-27 June", "the first one", "yes", "Bo", "0812 3456 7890", "confirm", "extend it by 2 days",
     "confirm"),
)  # fmt: skip
IN_OTHER_LANGUAGES: Final = tuple(
    json.loads(Path(__file__).with_name("grounding_conversations.json").read_text(encoding="utf-8"))
)
"""One booking in each of the eight others."""
OTHER_NAMES: Final = ("Vespa Primavera 150", "Kawasaki Ninja 400", "Toyota Raize")
SPELLED: Final = (
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "eleven",
    "thirteen",
    "nineteen",
)
MONTHS: Final = tuple(date(2027, n, 1).strftime("%B") for n in range(1, 13))
WEEKDAYS: Final = tuple((date(2027, 5, 31) + timedelta(days=n)).strftime("%A") for n in range(7))
_NUMBER: Final = re.compile(r"\d+(?:,\d{3})*")
_DATE: Final = re.compile(rf"(\d{{1,2}}) ({'|'.join(MONTHS)})")


@dataclass(slots=True)
class Kept:
    """What one gate saw."""

    state: Any
    update: Any
    context: Any


@dataclass(slots=True)
class Result:
    """What was measured."""

    replies: int = 0
    false_alarms: list[str] = field(default_factory=list)
    caught: Counter[str] = field(default_factory=Counter)
    missed: list[tuple[str, str, str]] = field(default_factory=list)
    """(operator, true reply, false reply)."""

    @property
    def lies(self) -> int:
        """How many false replies there were."""
        return self.caught.total() + len(self.missed)


# ---- real conversations -----------------------------------------------------------------------------------


def recording(node: Any, kept: list[Kept]) -> Any:
    """A node that remembers what it says, before the gate sees it."""

    async def recorded(state: Any, runtime: Any) -> Any:
        command = await node(state, runtime)
        if isinstance(command.update, dict) and command.update.get("drafts"):
            gateway = replace(runtime.context.gateway, evidence=dict(runtime.context.gateway.evidence), records=[])
            context = replace(runtime.context, gateway=gateway, strict_grounding=True)
            kept.append(Kept(copy.deepcopy(dict(state)), copy.deepcopy(command.update), context))
        return command

    return recorded


async def hold_conversations(data_dir: Path) -> list[Kept]:
    """Talk; return what every gate saw."""
    settings = Settings(data_dir=data_dir, now="2027-05-31T15:30", _env_file=None)  # type: ignore[call-arg]
    server = choose_server(None, data_dir / "valkey")
    services = await to_thread.run_sync(lambda: build_services(settings, server))
    kept: list[Kept] = []
    nodes: Any = tuple((name, recording(node, kept), goes) for name, node, goes in NODES)
    runner = DialogRunner(build_graph(services.passport, nodes), services.passport)
    directory = CompanyDirectory(services.transports, services.clock, new_call_id)
    parts = (services.database, runner, directory, services.interpreter, services.clock, new_ulid, b"k" * 32, "eval")
    chat = ChatService(Tools(*parts))
    for messages in (*CONVERSATIONS, *IN_OTHER_LANGUAGES):
        await _talk(chat, services.database, messages)
    await services.stop()
    server.close()
    return kept


async def _talk(chat: ChatService, database: Database, messages: Sequence[str]) -> None:
    company = await to_thread.run_sync(find_company, database, "coral-rentals")
    opened = await to_thread.run_sync(
        lambda: store_chat.open_conversation(database, company.id, channel="web", now=system_now())
    )
    conversation = await to_thread.run_sync(store_chat.authenticate, database, opened.token)
    for words in messages:
        await chat.send(conversation, MessageRequest(message=words))


# ---- lies ----------------------------------------------------------------------------------------------------

Operator = Callable[[str, Kept], Iterator[str]]


def digit_changed(text: str, _kept: Kept) -> Iterator[str]:
    for hit in _NUMBER.finditer(text):
        for at in (hit.start(), hit.end() - 1):
            if text[at].isdigit():
                yield text[:at] + str((int(text[at]) + 4) % 9 + 1) + text[at + 1 :]


def date_moved(text: str, _kept: Kept) -> Iterator[str]:
    for hit in _DATE.finditer(text):
        day = date(2027, MONTHS.index(hit.group(2)) + 1, int(hit.group(1)))
        for days in (-1, 2, 31):
            other = day + timedelta(days=days)
            yield text[: hit.start()] + f"{other.day} {MONTHS[other.month - 1]}" + text[hit.end() :]


def weekday_changed(text: str, _kept: Kept) -> Iterator[str]:
    for hit in re.finditer("|".join(WEEKDAYS), text):
        yield text[: hit.start()] + WEEKDAYS[(WEEKDAYS.index(hit.group()) + 3) % 7] + text[hit.end() :]


def period_turned_round(text: str, _kept: Kept) -> Iterator[str]:
    for one, two in zip(_DATE.finditer(text), list(_DATE.finditer(text))[1:], strict=False):
        if one.group() != two.group() and two.start() - one.end() < 30:
            between = text[one.end() : two.start()]
            yield text[: one.start()] + two.group() + between + one.group() + text[two.end() :]


def currency_swapped(text: str, _kept: Kept) -> Iterator[str]:
    for other in ("USD", "EUR", "THB", "$"):
        if "IDR " in text:
            yield text.replace("IDR ", f"{other} ", 1)


def separators(text: str, _kept: Kept) -> Iterator[str]:
    for hit in re.finditer(r"\d{1,3}(?:,\d{3})+", text):
        whole = hit.group().replace(",", "")
        for lie in (whole[:-3] + "." + whole[-3:-1], whole[:-3], f"{int(whole) // 10:,}", f"{int(whole) * 10:,}"):
            yield text[: hit.start()] + lie + text[hit.end() :]


def _in_digits(zero: str) -> Operator:
    def change(text: str, kept: Kept) -> Iterator[str]:
        for lie in digit_changed(text, kept):
            yield "".join(chr(ord(zero) + int(sign)) if sign.isdigit() and sign.isascii() else sign for sign in lie)

    return change


def spelled(text: str, _kept: Kept) -> Iterator[str]:
    for hit in re.finditer(r"\d+", text):
        for word in ("nineteen", "thirty-three"):
            yield text[: hit.start()] + word + text[hit.end() :]
    for hit in re.finditer("|".join(rf"\b{word}\b" for word in SPELLED), text, re.IGNORECASE):
        yield text[: hit.start()] + "nineteen" + text[hit.end() :]


def other_vehicle(text: str, kept: Kept) -> Iterator[str]:
    brands = kept.context.company.words.brands
    fleet = {f"{b} {m}" for b in brands for m in kept.context.company.words.models}
    for name in sorted(fleet):
        if name in text:
            for other in (*OTHER_NAMES, "Yamaha NMAX 155", "Honda CRF 150"):
                if other != name:
                    yield text.replace(name, other, 1)


def status_claimed(text: str, kept: Kept) -> Iterator[str]:
    booked = (kept.state.get("booking") or kept.update.get("booking") or {}).get("order_number")
    calls = {found.tool for found in kept.context.gateway.evidence.values()}
    if not booked and not calls & {"create_rental", "list_rentals", "get_rental"}:
        yield f"{text} Booked!"
        yield f"Your booking is confirmed. {text}"
        yield f"{text} Your order number is CR-9999."
    if not calls & {"hold_vehicle"} and not (kept.state.get("quote") or {}).get("held_until"):
        yield f"{text} I have set it aside for you."
        yield f"{text} It is held for you."
    if not calls - {"company_info", "offices"} and not kept.state.get("quote"):
        yield f"{text} It is free on those days."
        yield f"Available! {text}"
    yield f"{text} That is 10% off."
    if "cancel_rental" not in calls:
        yield f"{text} It is cancelled and refunded."


OPERATORS: Final[dict[str, Operator]] = {
    "a digit changed": digit_changed,
    "a date moved": date_moved,
    "a weekday changed": weekday_changed,
    "a period turned round": period_turned_round,
    "a currency swapped": currency_swapped,
    "separators": separators,
    "full-width digits": _in_digits("\N{FULLWIDTH DIGIT ZERO}"),
    "Thai digits": _in_digits("\N{THAI DIGIT ZERO}"),
    "a number in words": spelled,
    "another vehicle": other_vehicle,
    "a status claimed": status_claimed,
}


def is_stopped(kept: Kept, at: int, content: str) -> bool:
    """Whether the gate stops this reply."""
    update = copy.deepcopy(kept.update)
    update["drafts"][at]["content"] = content
    try:
        check_update(kept.state, update, kept.context)
    except Ungrounded:
        return True
    return False


def measure(kept: list[Kept], *, every: int = 1) -> Result:
    """Ask the gate about every true reply and about every lie made of it, or each nth of an operator's."""
    result = Result()
    seen: set[tuple[str, str]] = set()
    for item in kept:
        old = {draft["id"] for draft in item.state.get("drafts", [])}
        for at, draft in enumerate(item.update["drafts"]):
            content = draft["content"]
            if draft["id"] in old:
                continue
            result.replies += 1
            if is_stopped(item, at, content):
                result.false_alarms.append(content)
                continue
            for name, operator in OPERATORS.items():
                for lie in operator(content, item):
                    if lie == content or (name, lie) in seen:
                        continue
                    seen.add((name, lie))
                    if len(seen) % every:
                        continue
                    if is_stopped(item, at, lie):
                        result.caught[name] += 1
                    else:
                        result.missed.append((name, content, lie))
    return result


def run() -> Result:
    """Hold the conversations in a folder of their own and measure."""
    folder = Path(tempfile.mkdtemp(prefix="ridepass-eval-"))
    try:
        return measure(asyncio.run(hold_conversations(folder)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measures() -> Iterator[Measure]:
    """Rows of the table."""
    result = run()
    missed = tuple(f"{name}: {lie!r} of {true!r}" for name, true, lie in result.missed)
    caught = share(result.caught.total(), result.lies)
    yield Measure("grounding", "corrupted replies caught", caught, 1.0, cases=result.lies, examples=missed)
    alarms = len(result.false_alarms)
    shown = tuple(result.false_alarms)
    yield Measure("grounding", "true replies stopped", alarms, 0, "less", cases=result.replies, examples=shown)
