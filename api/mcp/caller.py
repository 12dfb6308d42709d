"""Who calls: the bot behind the token and the chat user it acts for. Checked before the arguments are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Header, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from api.mcp.failures import Unauthorized
from graph.tools.wire import Wire
from store.crm.bots import act_for, authenticate_bot
from store.errors import InvalidData
from store.sql.scope import Scope
from store.sql.unit import Database

_MAX_ACTOR_LENGTH = 100


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


@dataclass(frozen=True, slots=True)
class Resources:
    """What the app was made with; kept in `app.state.resources`."""

    database: Database
    clock: Callable[[], datetime]


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
    scope = await run_in_threadpool(authenticate_bot, database, x_bot_token, now) if x_bot_token else None
    if scope is None:
        raise Unauthorized
    if len(x_user_id) > _MAX_ACTOR_LENGTH:
        raise InvalidData("the user id is too long", facts={"fields": ["X-User-Id"]})
    values = {**request.query_params, **request.path_params, "X-User-Id": x_user_id}
    refuse_nul({name: str(value) for name, value in values.items()})
    return Caller(database, act_for(scope, x_user_id), now)


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
