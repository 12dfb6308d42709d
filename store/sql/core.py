"""Small helpers for queries on plain tables.

Statements are built once and executed with parameters: building one costs several times as much as running it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Integer,
    Table,
    and_,
    bindparam,
    literal_column,
    or_,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import GenericFunction
from sqlmodel import SQLModel

from store.rules.periods import BLOCKING_STATUSES
from store.sql.tables.company import Company

COMPANY_ID: Final[BindParameter[int]] = bindparam("company_id", type_=Integer())
"""Every query on a company's data compares with this; it is filled from the scope."""


def table(model: type[SQLModel]) -> Table:
    """Return the table of a model: reading plain columns is several times quicker than loading objects."""
    return cast("Table", model.__table__)  # type: ignore[attr-defined]


_company = table(Company)


def blocks(status: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether a rental of that status keeps its vehicle; for a pending one the company's setting decides.

    Literals, so that indexes with a condition can be used. The setting is read once for the statement.
    """
    literals: Sequence[ColumnElement[Any]] = [literal_column(f"'{s}'") for s in BLOCKING_STATUSES]
    pending_blocks = select(_company.c.pending_blocks).where(_company.c.id == COMPANY_ID).scalar_subquery()
    return and_(status.in_(literals), or_(status != literal_column("'pending'"), pending_blocks))


class place_in(GenericFunction[int]):  # noqa: N801 - named like the SQL function that it is
    """`place_in(text, part)`: where the part begins in the text, from 1; 0 when it does not occur."""

    type = Integer()
    inherit_cache = True


@compiles(place_in)
def _strpos(element: Any, compiler: Any, **options: Any) -> str:
    return f"strpos({compiler.process(element.clauses, **options)})"


@compiles(place_in, "sqlite")
def _instr(element: Any, compiler: Any, **options: Any) -> str:
    return f"instr({compiler.process(element.clauses, **options)})"
