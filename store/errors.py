"""What can go wrong in the store, by who must act.

StoreError
|- NotFound               the caller asked for something that is not theirs or not there (one and the same answer)
|- Refused                an ordinary business answer: dates taken, quote expired, rule, key reused (see `code`)
|- InvalidData            the caller sent something that cannot be stored (names the field)
`- StoreUnavailable       the operator must act: the database is down, locked or full; retry later
"""

from __future__ import annotations

from typing import Any


class StoreError(Exception):
    """Root of the store's errors.

    `code` is stable and machine-readable, `facts` hold plain JSON values without personal data.
    """

    code = "internal"
    retryable = False

    def __init__(self, message: str, *, code: str | None = None, facts: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.facts = facts or {}


class NotFound(StoreError):
    """Missing, or another company's or another conversation's: the answer is the same."""

    code = "not_found"


class Refused(StoreError):
    """The business says no. Expected; the agent explains it."""

    code = "refused"


class InvalidData(StoreError):
    """The data given cannot be stored."""

    code = "invalid_arguments"


class StoreUnavailable(StoreError):
    """The database cannot answer now."""

    code = "unavailable"
    retryable = True
