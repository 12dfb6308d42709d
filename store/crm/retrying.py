"""A write that lost a race for a unique value is done again: the winner's row is then found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from sqlalchemy.exc import IntegrityError

from store.errors import StoreUnavailable
from store.sql.rentals import is_overlap

T = TypeVar("T")

_ATTEMPTS: Final = 3


def retry_lost_races(transaction: Callable[[], T]) -> T:
    """Run the transaction; again when another one stored the same unique value first.

    Raises:
        IntegrityError: the guard against double booking refused it.
        StoreUnavailable: it lost several times in a row.
    """
    for _ in range(_ATTEMPTS):
        try:
            return transaction()
        except IntegrityError as error:
            if is_overlap(error):
                raise
            last = error
    raise StoreUnavailable("several writers are at the same record") from last
