"""Errors of the dialog passport; no message ever holds what a customer wrote."""

from __future__ import annotations

from typing import ClassVar


class PassportError(Exception):
    """Root of the passport's errors.

    `code` is a stable word for programs, `status` the HTTP status it maps to, `retryable` whether the
    same turn may be run again, and `facts` plain values that are safe to log.
    """

    code: ClassVar[str] = "passport_error"
    status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, **facts: str | int | float | bool | None) -> None:
        super().__init__(message)
        self.facts = facts


class StaleRun(PassportError):
    """Another run moved the conversation on, or this run lost its lease: reload and run the turn again."""

    code = "stale_run"
    status = 409
    retryable = True


class ConversationBusy(PassportError):
    """The lock of the conversation did not come free within `wait_seconds`."""

    code = "conversation_busy"
    status = 409
    retryable = True


class PassportUnavailable(PassportError):
    """The server is gone, frozen, full, read-only or still loading."""

    code = "passport_unavailable"
    status = 503
    retryable = True


class PassportUnreadable(PassportError):
    """A stored blob is damaged, forged or of another format; `facts["reason"]` says which."""

    code = "passport_unreadable"


class NotPlainData(PassportError):
    """A value outside the JSON primitives was put into the state; `facts["path"]` names the place."""

    code = "not_plain_data"


class PassportTooLarge(PassportError):
    """A checkpoint or a pending write is over the size limit (`facts`: size_bytes, limit_bytes)."""

    code = "passport_too_large"
    status = 413
