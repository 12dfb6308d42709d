"""R19: two companies, thousands of random calls with own and foreign ids; no byte of the other one comes back."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, get_args
from urllib.parse import quote as escaped

import httpx
import pytest

from api.mcp import create_mcp_app
from graph.tools.catalog import CATALOG
from graph.tools.descriptors import ToolSpec

REQUESTS = int(os.environ.get("RIDEPASS_TENANT_REQUESTS", "2000"))
MISSING = "00000000-0000-4000-8000-000000000000"
ACTORS = ("web:alex", "telegram:7", "web:maria", "")
DAYS = [f"2027-06-{day:02}" for day in range(1, 31)]
PHONES = ("+6281234567890", "+66812345678", "+4740612345")
IDS = {"vehicle_uuid": "vehicles", "quote_uuid": "quotes", "rental_uuid": "rentals"}


@dataclass
class Call:
    """One request, and which foreign things it names itself."""

    tool: ToolSpec
    arguments: dict[str, Any]
    actor: str
    foreign_ids: list[str] = field(default_factory=list)


@dataclass
class Crowd:
    """Makes random calls for one company, out of what it has and what the other one has."""

    own: Any
    foreign: Any
    dice: random.Random

    def call(self) -> Call:
        # Prices twice as often: holds, rentals and their changes all begin with a quote.
        call = Call(self.dice.choice([*CATALOG.values(), CATALOG["pricing"]]), {}, self.dice.choice(ACTORS))
        for name, field_info in call.tool.arguments.model_fields.items():
            if field_info.is_required() or self.dice.random() < 0.4:
                call.arguments[name] = self._value(call, name, field_info.annotation)
        self._orderly_dates(call.arguments)
        if self.dice.random() < 0.02:
            call.arguments[self.dice.choice(("company_id", "company", "bot_id"))] = self.dice.choice((1, 2))
        return call

    def _value(self, call: Call, name: str, annotation: Any) -> Any:
        dice = self.dice
        if name in IDS:
            return self._id(call, IDS[name])
        if name in {"start", "end"}:
            return dice.choice(DAYS)
        if name in {"text", "brand", "model", "office"}:
            word = dice.choice((self.own.word, self.foreign.word)).lower()
            return dice.choice((word, f"{word} m1", f"{word}-office", f"{word[:-2]}", "scooter"))
        if name == "extras":
            own, foreign = f"{self.own.word}-helmet".lower(), f"{self.foreign.word}-helmet".lower()
            return [own, foreign] if dice.random() < 0.15 else [f"{own}:{dice.randint(1, 3)}"]
        if name == "idempotency_key":
            return f"key-of-both-{dice.randrange(400):06}"  # the same keys in both companies
        if name == "client":
            return {"first_name": f"{self.own.word}er", "phone": dice.choice(PHONES)}
        if name in {"first_name", "last_name"}:
            return f"{self.own.word} {name}"
        if name == "phone":
            return dice.choice(PHONES)
        if name == "email":
            return f"{dice.choice((self.own.word, 'both'))}@mail.example".lower()
        return self._plain(annotation)

    def _plain(self, annotation: Any) -> Any:
        options = [a for a in get_args(annotation) if a is not type(None)] or [annotation]
        kind = options[0]
        literal = get_args(kind) or (options if not isinstance(kind, type) else ())
        if literal:
            return self.dice.choice(literal)
        return {bool: self.dice.random() < 0.5, int: self.dice.randrange(1, 4)}.get(kind, "en")

    def _id(self, call: Call, kind: str) -> str:
        own, foreign = getattr(self.own, kind), getattr(self.foreign, kind)
        draw = self.dice.random()
        if draw < 0.35 and foreign:
            call.foreign_ids.append(self.dice.choice(foreign[-40:]))
            return call.foreign_ids[-1]
        return self.dice.choice(own[-40:]) if own and draw < 0.95 else MISSING

    def _orderly_dates(self, arguments: dict[str, Any]) -> None:
        if {"start", "end"} <= arguments.keys() and self.dice.random() < 0.9:
            arguments["start"], arguments["end"] = sorted((arguments["start"], arguments["end"]))


async def send(client: httpx.AsyncClient, token: str, call: Call) -> httpx.Response:
    left, path = dict(call.arguments), call.tool.path
    for name in call.tool.arguments.model_fields:
        if f"{{{name}}}" in path:
            path = path.replace(f"{{{name}}}", escaped(str(left.pop(name)), safe=""))
    headers = {"X-Bot-Token": token, "X-User-Id": call.actor}
    if call.tool.method == "GET":
        texts = {key: str(value).lower() if isinstance(value, bool) else value for key, value in left.items()}
        return await client.get(path, params=texts, headers=headers)
    return await client.post(path, json=left, headers=headers)


def learn(shop: Any, answer: Any) -> None:
    """Remember what an answer told: ids to use again, and secrets of that shop."""
    if isinstance(answer, list):
        for part in answer:
            learn(shop, part)
    if not isinstance(answer, dict):
        return
    for name, value in answer.items():
        if name in IDS and isinstance(value, str) and value not in getattr(shop, IDS[name]):
            getattr(shop, IDS[name]).append(value)
        if name in {*IDS, "client_uuid", "order_number"} and isinstance(value, str):
            shop.secrets.add(value)
        learn(shop, value)


def leaks(answer: httpx.Response, call: Call, foreign: Any) -> Iterator[str]:
    """Secrets of the other shop that the answer holds and the caller did not say."""
    said = str(call.arguments).lower()
    told = (answer.text + str(dict(answer.headers))).lower()
    return (s for s in foreign.secrets if s.lower() in told and s.lower() not in said)


async def wander(town: Any, app: Any, requests: int, seed: int) -> tuple[list[Any], Counter[int]]:
    """Send random calls; return what leaked or told a foreign id from a missing one, and the statuses."""
    found: list[Any] = []
    statuses: Counter[int] = Counter()
    dice = random.Random(seed)
    first, second = town.shops
    crowds = (Crowd(first, second, dice), Crowd(second, first, dice))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://crm.test/") as client:
        for _ in range(requests):
            crowd = dice.choice(crowds)
            call = crowd.call()
            answer = await send(client, crowd.own.token, call)
            statuses[answer.status_code] += 1
            found += [(call, secret) for secret in leaks(answer, call, crowd.foreign)]
            if answer.status_code == 200:
                learn(crowd.own, answer.json())
            if call.foreign_ids and answer.status_code != 422:
                found += await compared(client, crowd.own.token, call, answer)
    return found, statuses


async def compared(client: httpx.AsyncClient, token: str, call: Call, answer: httpx.Response) -> list[Any]:
    """A foreign id has to be answered as one that does not exist, to the byte."""
    arguments = {k: MISSING if v in call.foreign_ids else v for k, v in call.arguments.items()}
    missing = await send(client, token, Call(call.tool, arguments, call.actor))
    same = (answer.status_code, answer.content) == (missing.status_code, missing.content)
    return [] if same and answer.status_code == 404 else [(call, answer.status_code, missing.status_code)]


@pytest.mark.usefixtures("plates")
async def test_no_byte_of_another_company_comes_back(town: Any) -> None:
    app = create_mcp_app(town.database, lambda: town.now)
    found, statuses = await wander(town, app, REQUESTS, seed=19)
    assert found == []
    assert not [status for status in statuses if status >= 500]
    # It has been a real walk: much was found, booked and refused on both sides.
    assert statuses[200] > REQUESTS // 4
    assert statuses[404] > REQUESTS // 20
    for shop in town.shops:
        assert len(shop.quotes) > 10
        assert len(shop.rentals) > 2


class Confused:
    """The API as it would be if now and then it took one company for the other."""

    def __init__(self, app: Any, tokens: tuple[bytes, bytes], dice: random.Random) -> None:
        self._app, self._tokens, self._dice = app, tokens, dice

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if self._dice.random() < 0.02:
            first, second = self._tokens
            swapped = {first: second, second: first}
            scope = {**scope, "headers": [(name, swapped.get(value, value)) for name, value in scope["headers"]]}
        await self._app(scope, receive, send)


@pytest.mark.usefixtures("plates")
async def test_a_leak_would_be_seen(town: Any) -> None:
    """Negative control: one call in fifty is answered for the wrong company."""
    tokens = (town.shops[0].token.encode(), town.shops[1].token.encode())
    app = Confused(create_mcp_app(town.database, lambda: town.now), tokens, random.Random(1))
    found, _ = await wander(town, app, 300, seed=19)
    assert len(found) >= 2
