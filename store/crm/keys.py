"""A request with a key does its work once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from sqlalchemy.orm import Session

from store.errors import Refused
from store.sql.requests import EarlierRequest, claim_key
from store.sql.scope import Scope

_IN_PROGRESS_WAIT_MS: Final = 2_000


def fingerprint_of(arguments: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the arguments in their one form; they are plain JSON values."""
    canonical = json.dumps(arguments, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def claim_once(session: Session, scope: Scope, now: datetime, key: str, fingerprint: str) -> EarlierRequest | None:
    """Claim the key in this transaction, or return the same request of before, whose answer is repeated.

    Raises:
        Refused: `idempotency_key_reused`, or `in_progress` when its twin still runs.
    """
    earlier = claim_key(session, scope, key, fingerprint, now, _IN_PROGRESS_WAIT_MS)
    if earlier is not None and earlier.fingerprint != fingerprint:
        raise Refused("this key was used for another request", code="idempotency_key_reused")
    return earlier
