"""Who calls: the bot behind the token and the chat user it acts for. Checked before the arguments are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from time import monotonic
from typing import Annotated, Final

from fastapi import Depends, Header, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from api.mcp.failures import Unauthorized
from graph.tools.wire import Wire
from store.crm.bots import AGENT_TOKEN_PREFIX, act_for, authenticate_bot
from store.errors import InvalidData
from store.sql.scope import Scope
from store.sql.unit import Database

_MAX_ACTOR_LENGTH: Final = 100
_MAX_KNOWN_TOKENS: Final = 1000
TOKEN_TRUST_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated call at one instant."""

    database: Database
    scope: Scope
    now: datetime

    async def answer(self, work: Callable[[Database, Scope, datetime], Wire], status: int = 200) -> Response:
        """Run the use case in a worker thread and return its result as JSON."""

        def run() -> str:
            return work(self.database, self.scope, self.now).model_dump_json()

        return Response(await run_in_threadpool(run), status, media_type="application/json")


class KnownTokens:
    """The embedded agent's own tokens that were good a moment ago: every turn calls with them several times.

    Tokens of other bots are looked up on every call, so that a revoked one stops at once; the agent's own, which are
    derived from the installation's secret and given to nobody, may live `TOKEN_TRUST_SECONDS` longer.
    """

    def __init__(self) -> None:
        self._found: dict[bytes, tuple[Scope, float]] = {}

    def get(self, token: str) -> Scope | None:
        """Return the scope, unless it has to be looked up again."""
        scope, until = self._found.get(_digest(token), (None, 0.0))
        return scope if monotonic() < until else None

    def put(self, token: str, scope: Scope) -> None:
        """Trust a token for a moment."""
        if len(self._found) >= _MAX_KNOWN_TOKENS:
            self._found.clear()
        self._found[_digest(token)] = (scope, monotonic() + TOKEN_TRUST_SECONDS)


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()


@dataclass(frozen=True, slots=True)
class Resources:
    """What the app was made with; kept in `app.state.resources`."""

    database: Database
    clock: Callable[[], datetime]
    tokens: KnownTokens = field(default_factory=KnownTokens)


def resources_of(request: Request) -> Resources:
    """Return what the app was made with."""
    resources: Resources = request.app.state.resources
    return resources


async def authenticate(
    request: Request,
    x_bot_token: Annotated[str | None, Header()] = None,
    x_user_id: Annotated[str, Header()] = "",
) -> Caller:
    """Check the token, then what a model cannot check.

    Raises:
        Unauthorized: no token, or one that opens nothing.
        InvalidData: the actor is too long, or some value holds a NUL, which no database keeps.
    """
    resources = resources_of(request)
    database, now = resources.database, resources.clock()
    scope = await _scope_of(resources, x_bot_token, now) if x_bot_token else None
    if scope is None:
        raise Unauthorized
    if len(x_user_id) > _MAX_ACTOR_LENGTH:
        raise InvalidData("the user id is too long", facts={"fields": ["X-User-Id"]})
    values = {**request.query_params, **request.path_params, "X-User-Id": x_user_id}
    refuse_nul({name: str(value) for name, value in values.items()})
    return Caller(database, act_for(scope, x_user_id), now)


async def _scope_of(resources: Resources, token: str, now: datetime) -> Scope | None:
    known = resources.tokens.get(token)
    if known is not None:
        return known
    scope = await run_in_threadpool(authenticate_bot, resources.database, token, now)
    if scope is not None and token.startswith(AGENT_TOKEN_PREFIX):
        resources.tokens.put(token, scope)
    return scope


CallerDep = Annotated[Caller, Depends(authenticate)]


def refuse_nul(values: dict[str, str]) -> None:
    """Refuse text with a NUL in it: PostgreSQL cannot store it.

    Raises:
        InvalidData: some value holds one.
    """
    fields = [name for name, value in values.items() if "\0" in value]
    if fields:
        raise InvalidData("a value holds a NUL", facts={"fields": fields})


def refuse_query(request: Request) -> None:
    """Refuse a query where none belongs, so that nobody believes it was obeyed.

    Raises:
        InvalidData: there is a query.
    """
    if request.query_params:
        raise InvalidData("this endpoint takes no query", facts={"fields": sorted(set(request.query_params))})
