"""What fails now, since when and who must act: in readiness, and from the doctor."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from anyio import to_thread
from fastapi import FastAPI

from api.doctor import examine
from api.main import build_app
from api.settings import Settings
from api.site.failing import Failing, failing
from api.wiring import Services, build_services
from graph.models.budget import Budgets, Limits, MemoryLedger, Payer
from graph.models.cache import ResponseCache
from graph.models.gateway import FAILURES_TO_OPEN, ModelGateway, Timing, make_provider
from graph.models.providers import ModelChoice, Prompt, Reply
from graph.tools.breaker import MAX_PAUSE_SECONDS, Breaker, Breakers
from store.passport import choose_server

NOW = datetime(2027, 5, 31, 12, 0, tzinfo=UTC)
SECRET = "key-that-nobody-sees"


class Time:
    """Seconds that a test moves."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


class Refusal(Exception):
    """What a client raises for an HTTP status."""

    def __init__(self, status_code: int) -> None:
        super().__init__(SECRET)
        self.status_code = status_code


class Model:
    """A model that answers with what it has been given."""

    def __init__(self) -> None:
        self.fault: Exception | None = None

    async def ask(self, prompt: Prompt) -> Reply:
        if self.fault is not None:
            raise self.fault
        return Reply("good")

    async def aclose(self) -> None:
        return None


def models_with(model: Model, time: Time) -> ModelGateway:
    provider = make_provider(ModelChoice("small", api_key=SECRET), model, time)
    budgets = Budgets(MemoryLedger(time), Limits(), lambda: date(2027, 5, 31))
    timing = Timing(time, lambda _seconds: asyncio.sleep(0), lambda: 0.5)
    return ModelGateway([provider], budgets=budgets, cache=ResponseCache(time), timing=timing, max_calls=1)


async def ask(models: ModelGateway, words: str) -> None:
    prompt = Prompt(system="s", message=words, schema={}, version="1")
    await models.complete(prompt, str, Payer("coral-rentals", "c1"), deadline_seconds=5)


def look(breakers: Breakers, models: ModelGateway, *, is_remote: bool = False) -> list[Failing]:
    return failing(breakers, models, is_remote=is_remote, now=NOW)


# ---- tools -----------------------------------------------------------------------------------------------------


def test_a_tool_that_fails_is_told_from_its_first_failure_on_and_no_longer_once_it_answers() -> None:
    time = Time()
    breakers, models = Breakers(time, failures_to_open=2), models_with(Model(), time)
    assert look(breakers, models) == []
    breakers.of("pricing").failed("timeout")
    time.seconds += 90
    breakers.of("pricing").failed("unavailable")
    (one,) = look(breakers, models)
    assert (one["what"], one["name"], one["breaker"], one["reason"]) == ("tool", "pricing", "open", "unavailable")
    assert (one["since"], one["failures"]) == ("2027-05-31T11:58:30+00:00", 2)
    breakers.of("pricing").succeeded()
    assert look(breakers, models) == []


@pytest.mark.parametrize(
    ("is_remote", "reason", "who"),
    [
        (False, "timeout", "operator: the business API runs in this process"),
        (True, "timeout", "whoever runs the business API"),
        (True, "rate_limited", "operator: the business API at RIDEPASS_CRM_URL limits this bot"),
    ],
)
def test_who_must_act_depends_on_whose_business_api_it_is(is_remote: bool, reason: str, who: str) -> None:
    breakers = Breakers()
    breakers.of("pricing").failed(reason)
    (one,) = look(breakers, models_with(Model(), Time()), is_remote=is_remote)
    assert str(one["who_must_act"]).startswith(who)


def test_a_pause_that_is_asked_for_is_kept_and_bounded() -> None:
    time = Time()
    breaker = Breaker(time, first_open_seconds=10)
    breaker.pause(20)
    assert not breaker.enter()
    time.seconds += 21
    assert breaker.enter()
    breaker.pause(1_000_000)
    time.seconds += MAX_PAUSE_SECONDS + 1
    assert breaker.state == "half_open"


# ---- models ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "reason", "breaker", "who"),
    [
        (401, "unauthorized", "open", "operator: the server refuses the key"),
        (400, "bad_request", "closed", "operator: the server does not take such requests"),
        (503, "server_error", "open", "whoever runs the model"),
    ],
)
async def test_a_model_that_fails_is_told_with_its_reason_also_where_its_breaker_stays_closed(
    status: int, reason: str, breaker: str, who: str
) -> None:
    time, model = Time(), Model()
    models = models_with(model, time)
    model.fault = Refusal(status)
    for number in range(FAILURES_TO_OPEN):
        await ask(models, f"turn {number}")
    time.seconds += 5
    (one,) = look(Breakers(), models)
    assert (one["name"], one["reason"], one["breaker"]) == ("small", reason, breaker)
    assert one["since"] == "2027-05-31T11:59:55+00:00"
    assert str(one["who_must_act"]).startswith(who)
    assert SECRET not in json.dumps(one)
    model.fault = None
    time.seconds += 60
    await ask(models, "again")
    assert look(Breakers(), models) == []


# ---- where it is told --------------------------------------------------------------------------------------------


@pytest.fixture
async def services(tmp_path: Path) -> AsyncIterator[Services]:
    given: Any = {"now": "2027-05-31T15:30", "strict_grounding": True, "_env_file": None}
    settings = Settings(data_dir=tmp_path / "data", **given)
    server = choose_server(None, settings.data_dir)
    built = await to_thread.run_sync(lambda: build_services(settings, server))
    yield built
    await built.stop()
    server.close()


async def test_readiness_tells_what_fails_and_stays_ready(services: Services) -> None:
    transport = httpx.ASGITransport(build_app(services))
    async with httpx.AsyncClient(transport=transport, base_url="http://ridepass.test") as http:
        assert (await http.get("/health/ready")).json()["failing"] == []
        services.companies.breakers.of("pricing").failed("timeout")
        answer = await http.get("/health/ready")
    assert answer.status_code == 200
    (one,) = answer.json()["failing"]
    assert (one["name"], one["reason"], one["breaker"]) == ("pricing", "timeout", "closed")


async def test_the_doctor_asks_the_running_server(services: Services, tmp_path: Path) -> None:
    given: Any = {"_env_file": None}
    settings = Settings(data_dir=tmp_path / "other", **given)
    services.companies.breakers.of("pricing").failed("timeout")
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{sock.getsockname()[1]}"
        config = uvicorn.Config(build_app(services), log_config=None, lifespan="off", ws="none")
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[sock]))
        lines, is_fine = await examine(settings, running_at=address)
        server.should_exit = True
        await asyncio.wait_for(serving, 20)
    assert is_fine
    assert lines[-1].startswith("WARN server: tool pricing: timeout, closed, since ")
    assert "operator: the business API runs in this process" in lines[-1]


async def test_without_a_running_server_the_doctor_says_that_it_does_not_know(tmp_path: Path) -> None:
    given: Any = {"_env_file": None}
    lines, is_fine = await examine(Settings(data_dir=tmp_path / "data", **given), running_at="http://127.0.0.1:9")
    assert is_fine
    assert "none answers" in lines[-1]


async def test_another_programs_answer_is_no_health(tmp_path: Path) -> None:
    given: Any = {"_env_file": None}
    other = FastAPI()
    other.add_api_route("/health/ready", lambda: ["something else"])
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(other, log_config=None, lifespan="off", ws="none"))
        serving = asyncio.create_task(server.serve(sockets=[sock]))
        port = sock.getsockname()[1]
        lines, is_fine = await examine(
            Settings(data_dir=tmp_path / "data", **given), running_at=f"http://127.0.0.1:{port}"
        )
        server.should_exit = True
        await asyncio.wait_for(serving, 20)
    assert is_fine
    assert "none answers" in lines[-1]
