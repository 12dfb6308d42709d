"""Queries on turns. Bytes go in and come out unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, insert, select, update

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


def insert_turns(connection: Connection, company_id: int, turns: Sequence[StoredTurn]) -> None:
    """Store new turns."""
    rows = [{**{name: getattr(turn, name) for name in _WRITTEN}, "company_id": company_id} for turn in turns]
    if rows:
        connection.execute(insert(TURN), rows)


def supersede_turns(connection: Connection, where: InConversation, turn_ids: Sequence[str], now: datetime) -> list[str]:
    """Mark turns of this conversation as superseded and return those that changed."""
    statement = (
        update(TURN)
        .where(
            _c.id.in_(turn_ids),
            _c.company_id == where.company_id,
            _c.conversation_id == where.conversation_id,
            _c.status != "superseded",
        )
        .values(status="superseded", status_changed_at=now)
        .returning(_c.id)
    )
    changed = set(connection.execute(statement).scalars())
    return [turn_id for turn_id in turn_ids if turn_id in changed]


def page_before(connection: Connection, where: InConversation, before_seq: int | None, limit: int) -> list[StoredTurn]:
    """Return up to `limit` turns, newest first."""
    query = select(*_COLUMNS).where(_c.company_id == where.company_id, _c.conversation_id == where.conversation_id)
    if before_seq is not None:
        query = query.where(_c.seq < before_seq)
    return _turns(connection.execute(query.order_by(_c.seq.desc()).limit(limit)).all())


def of_run(connection: Connection, where: InConversation, run_id: str) -> list[StoredTurn]:
    """Return the turns of a run, oldest first."""
    query = select(*_COLUMNS).where(
        _c.company_id == where.company_id,
        _c.conversation_id == where.conversation_id,
        _c.run_id == run_id,
    )
    return _turns(connection.execute(query.order_by(_c.seq)).all())


def _turns(rows: Sequence[Row[*tuple[Any, ...]]]) -> list[StoredTurn]:
    return [_turn(row) for row in rows]


def _turn(row: Row[*tuple[Any, ...]]) -> StoredTurn:
    values = row._asdict()
    changed_at = values.pop("status_changed_at")
    return StoredTurn(**values, status_changed=changed_at is not None)
