"""Kinds of vehicles that are free: the same model at the same office for the same price.

The caller says in which order kinds are looked at (their prices need the rules); the database looks at a few vehicles
of each, by index. So the work depends on the kinds that are shown and not on how many vehicles there are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Integer,
    Select,
    String,
    Subquery,
    and_,
    bindparam,
    cast,
    column,
    func,
    literal,
    literal_column,
    or_,
    select,
    text,
)
from sqlalchemy.orm import Session

from store.rules.matching import needle
from store.rules.periods import Block
from store.sql.core import COMPANY_ID, place_in, table
from store.sql.fleet import is_free
from store.sql.holds import hold_parameters
from store.sql.scope import Scope
from store.sql.tables.fleet import Vehicle
from store.sql.tables.prices import PriceList

_vehicle, _list = table(Vehicle), table(PriceList)
_read_through = _vehicle.alias("read_through")

Where = Literal["model", "details", "either"]
Words = tuple[Where, ...]

MOST_COUNTED: Final = 100
"""Up to here matching vehicles are counted one by one: enough to tell "taken" from "there is none"."""

_MOST_SPOTS: Final = 1000
"""So many vehicles that own words name are read; beyond, all models may be meant."""

MOST_OF_A_KIND: Final = 50
"""Up to here free vehicles of one kind are counted."""

MOST_LOOKED_AT: Final = 400
"""Among so many matching vehicles, those that are taken are looked for."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A kind that may have free vehicles: a model at an office, or one vehicle with a price of its own."""

    model_id: int
    office_id: int
    vehicle_id: int | None = None


@dataclass(frozen=True, slots=True)
class FreeKind:
    """A kind with at least one free vehicle; `place` is that of its candidate."""

    place: int
    vehicle_id: int
    """The first of them."""
    free: int
    """At most MOST_OF_A_KIND."""


class Spot(NamedTuple):
    """A vehicle, and where it stands."""

    vehicle_id: int
    model_id: int
    office_id: int


@dataclass(frozen=True, slots=True)
class Named:
    """The vehicles that own words name."""

    spots: tuple[Spot, ...]
    is_all: bool
    """Otherwise there are very many, and these are some of them."""


@dataclass(frozen=True, slots=True)
class OwnWord:
    """A word that has to be among a vehicle's own (details, plate), or in the name of its model."""

    token: str
    model_ids: frozenset[int]
    is_in_details: bool

    @property
    def where(self) -> Where:
        """Where it can be found at all: an index can be used only when it is in one place."""
        if not self.is_in_details:
            return "model"
        return "either" if self.model_ids else "details"


@dataclass(frozen=True, slots=True)
class Asked:
    """What all queries of one search compare with."""

    block: Block
    now: datetime
    own_words: tuple[OwnWord, ...] = ()
    """Set when only single vehicles can satisfy what is wanted, not whole models."""

    def parameters(self, scope: Scope) -> dict[str, Any]:
        """Return the values for the statements."""
        found: dict[str, Any] = {
            "company_id": scope.company_id,
            "block_start": self.block.start,
            "block_end": self.block.end,
            **hold_parameters(scope, self.now),
        }
        for n, word in enumerate(self.own_words):
            found |= {f"models_{n}": json.dumps(sorted(word.model_ids)), f"needle_{n}": needle(word.token)}
        return found

    @property
    def words(self) -> tuple[Where, ...]:
        """Where each word is looked for; part of a statement's shape."""
        return tuple(word.where for word in self.own_words)


def details_hold(session: Session, scope: Scope, token: str) -> bool:
    """Whether some vehicle's own words (details, plate) hold the token."""
    parameters = {"company_id": scope.company_id, "needle_0": needle(token)}
    return session.execute(_own_words_query(_dialect(session), ("details",)), parameters | _ONE).first() is not None


def plan_once(session: Session) -> None:
    """Let PostgreSQL keep the plans of the statements to come in this transaction.

    They are the same for any period and any words; planning them each time takes longer than running them.
    """
    if _dialect(session) == "postgresql":
        session.connection().exec_driver_sql("SET LOCAL plan_cache_mode = force_generic_plan")


def find_free_kinds(
    session: Session, scope: Scope, asked: Asked, candidates: Sequence[Candidate], *, any_own_price: bool
) -> list[FreeKind]:
    """Return those candidates of which a vehicle is free, in their order.

    `any_own_price`: whether there are vehicles with a list of their own, which are no part of their model's kind.
    """
    pairs = [[n, c.model_id, c.office_id, c.vehicle_id or 0] for n, c in enumerate(candidates)]
    parameters = asked.parameters(scope) | {"pairs": json.dumps(pairs)}
    rows = _lists(session.execute(_kinds_query(_dialect(session), asked.words, any_own_price), parameters).scalar())
    return [FreeKind(*row) for row in sorted(rows)]


def find_named(session: Session, scope: Scope, asked: Asked) -> Named:
    """Return the vehicles whose own words satisfy what is wanted, so that no other statement looks for the words."""
    parameters = asked.parameters(scope) | {"most": _MOST_SPOTS + 1}
    rows = _lists(session.execute(_spots_query(_dialect(session), asked.words), parameters).scalar())
    return Named(tuple(Spot(*row) for row in rows), is_all=len(rows) <= _MOST_SPOTS)


def count_matching(
    session: Session, scope: Scope, asked: Asked, model_ids: Iterable[int] | None, office_ids: Iterable[int]
) -> int:
    """Count vehicles of the models at the offices, free or not; stops at MOST_COUNTED. None: any model."""
    query = _count_query(_dialect(session), asked.words, model_ids is not None)
    return int(session.execute(query, _places(scope, asked, model_ids, office_ids)).scalar_one())


def count_and_find_taken(
    session: Session,
    scope: Scope,
    asked: Asked,
    model_ids: Iterable[int] | None,
    office_ids: Iterable[int],
    *,
    limit: int,
) -> tuple[int, list[int]]:
    """Count as `count_matching` does, and return ids of matching vehicles that are not free. None: any model."""
    query = _count_and_taken_query(_dialect(session), asked.words, model_ids is not None)
    parameters = _places(scope, asked, model_ids, office_ids) | {"most": limit}
    total, taken = session.execute(query, parameters).one()
    return total, _lists(taken)


def find_taken_among(session: Session, scope: Scope, asked: Asked, ids: Sequence[int], *, limit: int) -> list[int]:
    """Return those of the vehicles that are not free, so many at most."""
    parameters = asked.parameters(scope) | {"vehicles": json.dumps(ids), "most": limit}
    return list(session.execute(_taken_among_query(_dialect(session)), parameters).scalars())


def list_own_priced(session: Session, scope: Scope) -> list[Candidate]:
    """Return the vehicles that have a price list of their own."""
    rows = session.execute(_OWN_PRICED_QUERY, {"company_id": scope.company_id})
    return [Candidate(model_id, office_id, vehicle_id) for vehicle_id, model_id, office_id in rows]


def _places(scope: Scope, asked: Asked, model_ids: Iterable[int] | None, office_ids: Iterable[int]) -> dict[str, Any]:
    places = {"offices": json.dumps(sorted(office_ids))}
    if model_ids is not None:
        places["models"] = json.dumps(sorted(model_ids))
    return asked.parameters(scope) | places


def _lists(joined: str | None) -> list[Any]:
    """Read what an engine has joined: one row of text is read many times quicker than many rows."""
    return json.loads(f"[{joined or ''}]")  # type: ignore[no-any-return]


def _dialect(session: Session) -> str:
    return session.get_bind().dialect.name


_PAIRS: Final = {
    "sqlite": "SELECT json_extract(value, '$[0]') AS place, json_extract(value, '$[1]') AS model_id,"
    " json_extract(value, '$[2]') AS office_id, json_extract(value, '$[3]') AS vehicle_id FROM json_each(:pairs)",
    "postgresql": "SELECT (p ->> 0)::int AS place, (p ->> 1)::int AS model_id, (p ->> 2)::int AS office_id,"
    " (p ->> 3)::int AS vehicle_id FROM json_array_elements(CAST(:pairs AS json)) AS p",
}
_NUMBERS: Final = {
    "sqlite": "SELECT value AS n FROM json_each(:{0})",
    "postgresql": "SELECT CAST(n AS int) AS n FROM json_array_elements_text(CAST(:{0} AS json)) AS n",
}


def _pairs(dialect: str) -> Subquery:
    names = ("place", "model_id", "office_id", "vehicle_id")
    return text(_PAIRS[dialect]).columns(*(column(name, Integer) for name in names)).subquery("pair")


def _numbers(dialect: str, parameter: str) -> Subquery:
    return text(_NUMBERS[dialect].format(parameter)).columns(column("n", Integer)).subquery()


def _among(value: ColumnElement[int], dialect: str, parameter: str) -> ColumnElement[bool]:
    """Whether the value is in the JSON list of that parameter: one statement, however long the list."""
    return value.in_(select(_numbers(dialect, parameter).c.n))


def _joined(*values: ColumnElement[Any]) -> Select[Any]:
    """Select all rows as one text, from which `_lists` reads them; a row with nothing in it is left out."""
    row: ColumnElement[str] = cast(values[0], String)
    for value in values[1:]:
        row = row.concat(",").concat(cast(value, String))
    row = literal("[").concat(row).concat("]") if len(values) > 1 else row
    return select(func.aggregate_strings(row, ","))


_READY: Final = (_vehicle.c.company_id == COMPANY_ID, _vehicle.c.state == literal_column("'ready'"))
_ONE: Final = {"most": 1}


def _matching(dialect: str, words: Words, own: FromClause = _vehicle) -> list[ColumnElement[bool]]:
    """Return what a vehicle in service has to be; its own words are read from `own`."""
    conditions = list(_READY)
    for n, where in enumerate(words):
        in_details = _holds(own.c.search_text, bindparam(f"needle_{n}", type_=String()), dialect)
        by_model = _among(_vehicle.c.model_id, dialect, f"models_{n}")
        conditions.append({"model": by_model, "details": in_details}.get(where, or_(by_model, in_details)))
    return conditions


def _holds(own_words: ColumnElement[str], part: ColumnElement[str], dialect: str) -> ColumnElement[bool]:
    # What is looked for is letters, digits and spaces, so that nothing in it means anything to LIKE.
    if dialect == "postgresql":
        return own_words.like(literal("%").concat(part).concat("%"))
    return place_in(own_words, part) > 0


@lru_cache(maxsize=64)
def _kinds_query(dialect: str, words: Words, any_own_price: bool) -> Select[Any]:
    pair = _pairs(dialect)
    own_list = select(_list.c.id).where(_list.c.company_id == COMPANY_ID, _list.c.vehicle_id == _vehicle.c.id).exists()
    only_common = [and_(pair.c.vehicle_id == 0, ~own_list)] if any_own_price else []
    some = (
        select(_vehicle.c.id)
        .where(
            *_matching(dialect, words),
            _vehicle.c.model_id == pair.c.model_id,
            _vehicle.c.office_id == pair.c.office_id,
            *(or_(_vehicle.c.id == pair.c.vehicle_id, is_common) for is_common in only_common),
            is_free(_vehicle.c.id),
        )
        .order_by(_vehicle.c.id)
        .limit(literal_column(str(MOST_OF_A_KIND)))
        .correlate(pair)
        .subquery("some")
    )
    # One text of both, since not every engine can give two columns of a dependent query.
    both = cast(func.min(some.c.id), String).concat(",").concat(cast(func.count(), String))
    return _joined(pair.c.place, select(both).select_from(some).correlate(pair).scalar_subquery()).select_from(pair)


@lru_cache(maxsize=64)
def _own_words_query(dialect: str, words: Words) -> Select[Any]:
    query = select(_vehicle.c.id, _vehicle.c.model_id, _vehicle.c.office_id).limit(bindparam("most", type_=Integer()))
    if dialect == "postgresql":
        return query.where(*_matching(dialect, words))
    # No index of SQLite knows parts of words: it reads all words through, in the index that is shorter than the table.
    # The plus keeps it from beginning with the vehicles of the company instead.
    joined = _read_through.join(_vehicle, _vehicle.c.id == literal_column("+read_through.id", Integer()))
    return query.select_from(joined).where(*_matching(dialect, words, _read_through))


@lru_cache(maxsize=64)
def _spots_query(dialect: str, words: Words) -> Select[Any]:
    spot = _own_words_query(dialect, words).subquery("spot")
    return _joined(spot.c.id, spot.c.model_id, spot.c.office_id)


def _in_places(dialect: str, words: Words, by_model: bool) -> list[ColumnElement[bool]]:
    conditions = [*_matching(dialect, words), _among(_vehicle.c.office_id, dialect, "offices")]
    return [*conditions, _among(_vehicle.c.model_id, dialect, "models")] if by_model else conditions


@lru_cache(maxsize=64)
def _count_query(dialect: str, words: Words, by_model: bool) -> Select[Any]:
    some = select(_vehicle.c.id).where(*_in_places(dialect, words, by_model))
    return select(func.count()).select_from(some.limit(literal_column(str(MOST_COUNTED))).subquery())


@lru_cache(maxsize=64)
def _count_and_taken_query(dialect: str, words: Words, by_model: bool) -> Select[Any]:
    some = select(_vehicle.c.id).where(*_in_places(dialect, words, by_model))
    looked_at = some.limit(literal_column(str(MOST_LOOKED_AT))).subquery()
    taken = _not_free(looked_at.c.id).subquery()
    count = _count_query(dialect, words, by_model).scalar_subquery()
    return select(count, _joined(taken.c[0]).scalar_subquery())


@lru_cache(maxsize=2)
def _taken_among_query(dialect: str) -> Select[Any]:
    return _not_free(_numbers(dialect, "vehicles").c.n)


def _not_free(vehicle_id: ColumnElement[int]) -> Select[Any]:
    return select(vehicle_id).where(~is_free(vehicle_id)).limit(bindparam("most", type_=Integer()))


_OWN_PRICED_QUERY: Final = select(_vehicle.c.id, _vehicle.c.model_id, _vehicle.c.office_id).where(
    _vehicle.c.company_id == COMPANY_ID,
    _vehicle.c.state == literal_column("'ready'"),
    _vehicle.c.id.in_(
        select(_list.c.vehicle_id).where(_list.c.company_id == COMPANY_ID, _list.c.vehicle_id.is_not(None))
    ),
)
