"""Small helpers for queries on plain tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from sqlalchemy import ColumnElement, Table, literal_column
from sqlmodel import SQLModel

from store.rules.periods import BLOCKING_STATUSES


def table(model: type[SQLModel]) -> Table:
    """Return the table of a model: reading plain columns is several times quicker than loading objects."""
    return cast("Table", model.__table__)  # type: ignore[attr-defined]


def blocks(status: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether a rental of that status keeps its vehicle. Literals, so that indexes with a condition can be used."""
    literals: Sequence[ColumnElement[Any]] = [literal_column(f"'{s}'") for s in BLOCKING_STATUSES]
    return status.in_(literals)
