"""Queries on turns. Bytes go in and come out unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from store.sql.chat_conversations import here
from store.sql.chat_values import InConversation, StoredTurn
from store.sql.tables.chat import TURN

_c = TURN.c
_COLUMNS: Final = (
    _c.conversation_id,
    _c.seq,
    _c.id,
    _c.run_id,
    _c.inbox_id,
    _c.role,
    _c.agent,
    _c.type,
    _c.contract,
    _c.lang,
    _c.status,
    _c.status_changed_at,
    _c.content,
    _c.raw,
    _c.sha256,
    _c.created_at,
)

_WRITTEN: Final = tuple(column.name for column in _COLUMNS if column.name != "status_changed_at")
_HERE: Final = (_c.company_id == bindparam("the_company"), _c.conversation_id == bindparam("the_conversation"))
_INSERT: Final = insert(TURN)
_SUPERSEDE: Final = (
    update(TURN)
    .where(*_HERE, _c.id.in_(bindparam("the_turns", expanding=True)), _c.status != "superseded")
    .values(status="superseded", status_changed_at=bindparam("now"))
    .returning(_c.id)
)
_NEWEST: Final = select(*_COLUMNS).where(*_HERE).order_by(_c.seq.desc()).limit(bindparam("limit"))
_NEWEST_BEFORE: Final = _NEWEST.where(_c.seq < bindparam("before_seq"))
_OF_RUN: Final = select(*_COLUMNS).where(*_HERE, _c.run_id == bindparam("the_run")).order_by(_c.seq)


def insert_turns(connection: Connection, company_id: int, turns: Sequence[StoredTurn]) -> None:
    """Store new turns."""
    rows = [{**{name: getattr(turn, name) for name in _WRITTEN}, "company_id": company_id} for turn in turns]
    if rows:
        connection.execute(_INSERT, rows)


def supersede_turns(
    connection: Connection, where: InConversation, turn_ids: Sequence[str], now: datetime
) -> tuple[str, ...]:
    """Mark turns of this conversation as superseded and return those that changed."""
    given = {**here(where), "the_turns": list(turn_ids), "now": now}
    changed = set(connection.execute(_SUPERSEDE, given).scalars())
    return tuple(turn_id for turn_id in turn_ids if turn_id in changed)


def page_before(connection: Connection, where: InConversation, before_seq: int | None, limit: int) -> list[StoredTurn]:
    """Return up to `limit` turns, newest first."""
    given = {**here(where), "limit": limit}
    if before_seq is None:
        return _turns(connection.execute(_NEWEST, given).all())
    return _turns(connection.execute(_NEWEST_BEFORE, {**given, "before_seq": before_seq}).all())


def of_run(connection: Connection, where: InConversation, run_id: str) -> list[StoredTurn]:
    """Return the turns of a run, oldest first."""
    return _turns(connection.execute(_OF_RUN, {**here(where), "the_run": run_id}).all())


def _turns(rows: Sequence[Row[*tuple[Any, ...]]]) -> list[StoredTurn]:
    return [_turn(row) for row in rows]


def _turn(row: Row[*tuple[Any, ...]]) -> StoredTurn:
    values = row._asdict()
    changed_at = values.pop("status_changed_at")
    return StoredTurn(**values, status_changed=changed_at is not None)
