"""Time and identifiers: the only places that read the system clock and randomness for the product's facts."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

_CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def system_now() -> datetime:
    """Return the real instant, for leases and audit."""
    return datetime.now(UTC)


class Clock:
    """The business clock: real time, or one that stands still for demos and tests."""

    def __init__(self, fixed: datetime | None = None) -> None:
        self._fixed = fixed.astimezone(UTC) if fixed else None

    @property
    def stands_still(self) -> bool:
        """Whether a fixed time was set."""
        return self._fixed is not None

    def __call__(self) -> datetime:
        """Return the instant that the business goes by, in UTC."""
        return self._fixed or system_now()


def parse_clock(text: str, zone: str) -> Clock:
    """Read `RIDEPASS_NOW`.

    Raises:
        ValueError: not an ISO date and time, or an unknown zone.
    """
    if not text:
        return Clock()
    moment = datetime.fromisoformat(text)
    return Clock(moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone)))


def new_ulid() -> str:
    """Return a ULID: 48 bits of milliseconds, 80 random bits, in Crockford's base 32."""
    number = (int(system_now().timestamp() * 1000) << 80) | secrets.randbits(80)
    return "".join(_CROCKFORD[(number >> shift) & 31] for shift in range(125, -1, -5))


def new_call_id() -> str:
    """Return the id of one tool call."""
    return "call_" + secrets.token_urlsafe(12)
