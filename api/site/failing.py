"""Which tools and models fail now, since when, and who must act: for `/health/ready` and `ridepass doctor`."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from graph.models.gateway import ModelGateway
from graph.tools.breaker import Breakers

Failing = dict[str, str | int]

_OUR_API: Final = "operator: the business API runs in this process; see the database above and the log"
_MODEL_ACTS: Final[dict[str, str]] = {
    "unauthorized": "operator: the server refuses the key; set RIDEPASS_MODEL_API_KEY",
    "rate_limited": "operator: the plan allows no more calls; raise it, or set RIDEPASS_MODEL_CALLS_PER_MINUTE",
    "bad_request": "operator: the server does not take such requests; check RIDEPASS_MODEL and its address",
    "connection": "operator: nobody answers at its address; check it, and the network",
    "timeout": "whoever runs the model: it is slower than RIDEPASS_MODEL_TIMEOUT_SECONDS",
    "server_error": "whoever runs the model: it says that it cannot answer",
}
_UNUSABLE: Final = "operator: its answers cannot be used; another model may do better"
_MEANWHILE: Final = "the next model, else the offline interpreter, answers meanwhile"


def failing(breakers: Breakers, models: ModelGateway, *, business_api: str, now: datetime) -> list[Failing]:
    """Everything that fails; empty when all is well. `business_api`: its address, empty in process."""
    return [*_tools(breakers, business_api, now), *_models(models, now)]


def describe_failing(one: Failing) -> str:
    """One line for people."""
    line = f"{one['what']} {one['name']}: {one['reason']}, {one['breaker']}, since {one['since']}"
    return f"{line} ({one['failures']} failures); {one['who_must_act']}"


def _tools(breakers: Breakers, business_api: str, now: datetime) -> list[Failing]:
    found: list[Failing] = []
    for tool, trouble in sorted(breakers.troubles().items()):
        head = {"what": "tool", "name": tool, "breaker": trouble.state, "since": _since(now, trouble.failing_seconds)}
        who = _who_of_tool(trouble.reason, business_api)
        found.append({**head, "reason": trouble.reason, "failures": trouble.failures, "who_must_act": who})
    return found


def _who_of_tool(reason: str, business_api: str) -> str:
    if not business_api:
        return _OUR_API
    if reason == "rate_limited":
        return f"operator: {business_api} limits this bot; ask whoever runs it for more"
    return f"whoever runs the business API at {business_api}"


def _models(models: ModelGateway, now: datetime) -> list[Failing]:
    found: list[Failing] = []
    for status in models.status():
        if status.failing_seconds is None:
            continue
        reason = status.last_error or "error"
        head = {"what": "model", "name": status.model, "breaker": status.breaker, "reason": reason}
        who = f"{_MODEL_ACTS.get(reason, _UNUSABLE)}; {_MEANWHILE}"
        since = _since(now, status.failing_seconds)
        found.append({**head, "since": since, "failures": status.failures, "who_must_act": who})
    return found


def _since(now: datetime, seconds: float) -> str:
    return (now - timedelta(seconds=seconds)).isoformat(timespec="seconds")
