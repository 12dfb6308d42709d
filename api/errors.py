"""One JSON form for every HTTP answer that is not a success: `{code, message, retryable, facts}`."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from frontend_contract.actions import Problem
from graph.errors import RunFailed
from store.errors import InvalidData, NotFound, Refused, StoreError, StoreUnavailable
from store.passport import PassportError

_log = logging.getLogger(__name__)

_STATUS_OF_CODE = {"idempotency_key_reused": 422}


def problem(
    status: int, code: str, message: str, *, retryable: bool = False, facts: dict[str, Any] | None = None
) -> JSONResponse:
    """Return an error answer."""
    body = Problem(code=code, message=message, retryable=retryable, facts=facts or {})
    headers = {"Retry-After": "2"} if retryable else None
    return JSONResponse(body.model_dump(mode="json"), status_code=status, headers=headers)


class Unauthorized(Exception):
    """No token, or one that opens nothing."""


def install_error_handlers(app: FastAPI) -> None:
    """Give every failure of an app the one form."""

    async def unauthorized(_request: Request, _error: Exception) -> JSONResponse:
        return problem(401, "unauthorized", "A conversation token is needed: open a session first.")

    async def invalid(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - by registration
        fields = [{"field": ".".join(str(p) for p in e["loc"]), "problem": e["type"]} for e in error.errors()[:20]]
        return problem(422, "invalid_arguments", "The request does not fit.", facts={"fields": fields})

    async def refused(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, StoreError)  # noqa: S101 - by registration
        status = 404 if isinstance(error, NotFound) else _STATUS_OF_CODE.get(error.code, 409)
        if isinstance(error, InvalidData):
            status = 422
        return problem(status, error.code, error.message, retryable=error.retryable, facts=error.facts)

    async def unavailable(_request: Request, error: Exception) -> JSONResponse:
        _log.error("not available: %s", type(error).__name__)
        # Before the message is stored nothing is kept; after it, it is: one of them cannot be promised for both.
        return problem(
            503, "unavailable", "I cannot answer just now. Please send it again in a moment.", retryable=True
        )

    async def http(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)  # noqa: S101 - by registration
        if error.status_code == 400:  # the framework's word for a body that it cannot parse
            return problem(422, "invalid_arguments", "The request does not fit.")
        codes = {404: "not_found", 405: "method_not_allowed", 413: "too_large"}
        return problem(error.status_code, codes.get(error.status_code, "refused"), str(error.detail))

    async def bug(_request: Request, error: Exception) -> JSONResponse:
        _log.error("unexpected error", exc_info=error)
        return problem(
            500,
            "internal",
            "Something went wrong on our side. Please send it again: with the same key nothing happens twice.",
        )

    app.add_exception_handler(Unauthorized, unauthorized)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(StoreUnavailable, unavailable)
    app.add_exception_handler(NotFound, refused)
    app.add_exception_handler(Refused, refused)
    app.add_exception_handler(InvalidData, refused)
    app.add_exception_handler(PassportError, unavailable)
    app.add_exception_handler(RunFailed, unavailable)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(Exception, bug)
