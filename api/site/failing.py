"""Which tools and models fail now, since when, and who must act: for `/health/ready` and `ridepass doctor`."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from graph.models.gateway import ModelGateway
from graph.tools.breaker import Breakers

Failing = dict[str, str | int]

_OUR_API: Final = "operator: the business API runs in this process; see the database above and the log"
_REMOTE_API: Final = "whoever runs the business API at RIDEPASS_CRM_URL"
_REMOTE_LIMITS: Final = "operator: the business API at RIDEPASS_CRM_URL limits this bot; ask whoever runs it for more"
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


def failing(breakers: Breakers, models: ModelGateway, *, is_remote: bool, now: datetime) -> list[Failing]:
    """Everything that fails; empty when all is well. `is_remote`: the business API is another installation's.

    Anybody may read it: no address, no key, nothing of a conversation.
    """
    return [*_tools(breakers, now, is_remote=is_remote), *_models(models, now)]


def describe_failing(one: Failing) -> str:
    """One line for people."""
    line = f"{one['what']} {one['name']}: {one['reason']}, {one['breaker']}, since {one['since']}"
    return f"{line} ({one['failures']} failures); {one['who_must_act']}"


def _tools(breakers: Breakers, now: datetime, *, is_remote: bool) -> list[Failing]:
    found: list[Failing] = []
    for tool, trouble in sorted(breakers.troubles().items()):
        head = {"what": "tool", "name": tool, "breaker": trouble.state, "since": _since(now, trouble.failing_seconds)}
        who = _who_of_tool(trouble.reason, is_remote=is_remote)
        found.append({**head, "reason": trouble.reason, "failures": trouble.failures, "who_must_act": who})
    return found


def _who_of_tool(reason: str, *, is_remote: bool) -> str:
    if not is_remote:
        return _OUR_API
    return _REMOTE_LIMITS if reason == "rate_limited" else _REMOTE_API


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
