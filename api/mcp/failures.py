"""Every failure of the business API in the one form, `ToolError`, with its declared status."""

from __future__ import annotations

import logging
from typing import Any, Final, cast, get_args

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph.tools.wire import ErrorCode, ToolError
from store.errors import InvalidData, NotFound, StoreError, StoreUnavailable

_log = logging.getLogger(__name__)

_MAX_FIELDS: Final = 20

STATUS_OF: Final[dict[str, int]] = {
    "unauthorized": 401,
    "not_found": 404,
    "dates_taken": 409,
    "quote_expired": 409,
    "price_changed": 409,
    "extra_gone": 409,
    "period_refused": 409,
    "not_changeable": 409,
    "stale_version": 409,
    "in_progress": 409,
    "idempotency_key_reused": 422,
    "unknown_extra": 422,
    "invalid_arguments": 422,
    "unavailable": 503,
    "internal": 500,
}

DECLARED: Final[dict[int | str, dict[str, Any]]] = {
    401: {"model": ToolError, "description": "No token, or one that opens nothing."},
    404: {"model": ToolError, "description": "Missing, or another company's: the same answer."},
    409: {"model": ToolError, "description": "The business says no, or the same request is still running."},
    422: {"model": ToolError, "description": "The arguments do not fit, or the key was used for another request."},
    503: {"model": ToolError, "description": "The database cannot answer now; try again."},
}
"""For the OpenAPI document."""


class Unauthorized(Exception):
    """No token, or one that opens nothing."""


def failure(
    code: ErrorCode, message: str, facts: dict[str, Any] | None = None, *, status: int | None = None
) -> Response:
    """Return an error answer."""
    retryable = code in {"unavailable", "in_progress"}
    error = ToolError(code=code, message=message, retryable=retryable, facts=facts or {})
    headers = {"Retry-After": "2"} if retryable else None
    return Response(error.model_dump_json(), status or STATUS_OF[code], headers=headers, media_type="application/json")


def install_failures(app: FastAPI) -> None:
    """Register a handler for each kind of failure that is expected."""
    app.add_exception_handler(Unauthorized, _unauthorized)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    for kind in (NotFound, InvalidData, StoreUnavailable, StoreError):
        app.add_exception_handler(kind, _store)


class LastResort:
    """Turns an unexpected exception into the 500 form. In-process callers would get the exception itself otherwise."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the app; answer for it when it fails before it has answered."""
        has_started = False

        async def watched(message: Message) -> None:
            nonlocal has_started
            has_started = has_started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception:
            if scope["type"] != "http" or has_started:
                raise
            _log.exception("unexpected failure of the business API")
            await failure("internal", "something went wrong on our side")(scope, receive, send)


async def _unauthorized(_request: Request, _error: Exception) -> Response:
    return failure("unauthorized", "a valid X-Bot-Token is needed")


async def _invalid(_request: Request, error: Exception) -> Response:
    errors = error.errors() if isinstance(error, RequestValidationError) else []
    fields = [".".join(str(part) for part in e["loc"][1:]) or str(e["loc"][0]) for e in errors[:_MAX_FIELDS]]
    reasons = {field: e["type"] for field, e in zip(fields, errors, strict=False)}
    return failure("invalid_arguments", "the arguments do not fit", {"fields": fields, "reasons": reasons})


async def _http(_request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status in {404, 405}:
        return failure("not_found", "there is no such endpoint", status=status)
    # Starlette answers 400 to a body that it cannot read.
    return failure("invalid_arguments", "the request cannot be read", {"fields": ["body"]})


async def _store(_request: Request, error: Exception) -> Response:
    if not isinstance(error, StoreError) or error.code not in get_args(ErrorCode):
        raise error
    return failure(cast("ErrorCode", error.code), error.message, error.facts)
