"""A migrated database per test, two companies in it, and a helper that speaks the store's language."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import text

from store.crm import chat
from store.migrations import upgrade
from store.sql.engine import make_engine
from store.sql.tables.company import Company
from store.sql.unit import Database

NOW = datetime(2027, 5, 31, 7, 30, tzinfo=UTC)
LEASE_SECONDS = 60.0
WAIT_SECONDS = 60


@dataclass
class Talk:
    """One database, the clock of a test, and short spellings of what tests do all the time."""

    db: Database
    company_id: int
    other_company_id: int
    now: datetime = NOW
    lease_seconds: float = LEASE_SECONDS
    _numbers: Any = field(default_factory=lambda: count(1))

    def later(self, seconds: float) -> datetime:
        self.now += timedelta(seconds=seconds)
        return self.now

    def open(self, company_id: int | None = None) -> chat.ConversationRef:
        return self.open_with_token(company_id).conversation

    def open_with_token(self, company_id: int | None = None) -> chat.OpenedConversation:
        return chat.open_conversation(self.db, company_id or self.company_id, channel="web", now=self.now)

    def accept(self, conversation: chat.ConversationRef, **changes: Any) -> chat.Accepted:
        given: dict[str, Any] = {
            "kind": "message",
            "body": {"message": "hello"},
            "dedupe_key": f"key-{next(self._numbers)}",
            "now": self.now,
            "owner": "runner-1",
            "lease_seconds": self.lease_seconds,
        }
        return chat.accept_message(self.db, conversation, **{**given, **changes})

    def accept_and_claim(self, conversation: chat.ConversationRef, **changes: Any) -> chat.Claim:
        accepted = self.accept(conversation, **changes)
        assert isinstance(accepted, chat.Claimed), accepted
        return accepted.claim

    def claim(self, inbox: chat.InboxRef, owner: str = "runner-2") -> chat.Claim | None:
        return chat.claim(self.db, inbox, owner=owner, now=self.now, lease_seconds=self.lease_seconds)

    def turn(self, content: str = "Here is one.", **changes: Any) -> chat.TurnRecord:
        turn_id = f"01T{next(self._numbers):023d}"
        given: dict[str, Any] = {
            "id": turn_id,
            "role": "agent",
            "agent": "search",
            "type": "text",
            "contract": "1.0",
            "lang": "en",
            "status": "final",
            "content": content,
            "created_at": self.now,
            "encode": lambda seq: raw_turn(turn_id, seq, content),
        }
        return chat.TurnRecord(**{**given, **changes})

    def action(self, turn: chat.TurnRecord, **changes: Any) -> chat.ActionRecord:
        given: dict[str, Any] = {
            "id": chat.new_action_id(),
            "turn_id": turn.id,
            "kind": "confirm_booking",
            "arguments": {"quote": "q-1"},
            "once": True,
            "expires_at": self.now + timedelta(minutes=15),
        }
        return chat.ActionRecord(**{**given, **changes})

    def tool_call(self, call_id: str = "call-1") -> chat.ToolCallRecord:
        return chat.ToolCallRecord(
            call_id=call_id,
            tool="search_available",
            argument_digest="a" * 64,
            arguments={"category": "scooter"},
            result_digest="b" * 64,
            ok=True,
            error_code=None,
            started_at=self.now,
            duration_ms=12,
            attempts=1,
        )

    def record(self, claim: chat.Claim, *turns: chat.TurnRecord, **more: Any) -> chat.RecordedRun:
        run = chat.RunRecord(turns=turns or (self.turn("asked", role="user", agent=None), self.turn()), **more)
        return chat.record_run(self.db, claim, run, now=self.now)

    def answered(self, conversation: chat.ConversationRef, *turns: chat.TurnRecord, **more: Any) -> chat.RecordedRun:
        """Accept a message and record its answer."""
        return self.record(self.accept_and_claim(conversation), *turns, **more)

    def count(self, table: str) -> int:
        with self.db.read() as session:
            return int(session.connection().execute(text(f"SELECT count(*) FROM {table}")).scalar_one())  # noqa: S608

    def reopened(self) -> Database:
        """The same database as a process would see it that starts now."""
        return Database(make_engine(self.db.engine.url))


def raw_turn(turn_id: str, seq: int, content: str) -> bytes:
    return json.dumps({"id": turn_id, "seq": seq, "content": content}, ensure_ascii=False).encode()


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("chat_store") / "template.db"
    engine = make_engine(f"sqlite:///{path}")
    upgrade(engine)
    engine.dispose()
    return path


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A schema of our own in the given server, migrated once."""
    url = os.environ.get("RIDEPASS_TEST_POSTGRES_URL")
    if not url:
        pytest.skip("RIDEPASS_TEST_POSTGRES_URL is not set")
    schema = f"chat_store_{os.getpid()}"
    admin = make_engine(url)
    with admin.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    own = admin.url.update_query_dict({"options": f"-csearch_path={schema},public"})
    engine = make_engine(own)
    upgrade(engine)
    engine.dispose()
    yield own.render_as_string(hide_password=False)
    with admin.begin() as connection:
        connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
    admin.dispose()


@pytest.fixture
def sqlite_path(migrated_file: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(migrated_file, tmp_path / "ridepass.db"))


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def db(request: pytest.FixtureRequest) -> Iterator[Database]:
    if request.param == "sqlite":
        database = Database(make_engine(f"sqlite:///{request.getfixturevalue('sqlite_path')}"))
    else:
        database = Database(make_engine(request.getfixturevalue("postgres_url")))
        with database.engine.begin() as connection:
            connection.execute(text("TRUNCATE company CASCADE"))
    yield database
    database.dispose()


@pytest.fixture
def talk(db: Database) -> Talk:
    with db.write() as session:
        companies = [_company("coral-rentals"), _company("harbour-wheels")]
        session.add_all(companies)
        session.flush()
        ids = [company.id for company in companies]
    return Talk(db, company_id=ids[0], other_company_id=ids[1])


def _company(slug: str) -> Company:
    return Company(
        slug=slug,
        name=slug,
        currency="IDR",
        currency_exponent=2,
        timezone="Asia/Makassar",
        locale="en",
        date_order="DMY",
        phone_region="ID",
        order_prefix="CR",
        created_at=NOW,
    )


@pytest.fixture
def at_once() -> Callable[[list[Callable[[], Any]]], list[Any]]:
    """Run calls in threads that start together; return results or exceptions in order."""

    def run(calls: list[Callable[[], Any]]) -> list[Any]:
        barrier = Barrier(len(calls), timeout=WAIT_SECONDS)

        def start(call: Callable[[], Any]) -> Any:
            barrier.wait()
            try:
                return call()
            except Exception as error:  # noqa: BLE001 - the test looks at it
                return error

        with ThreadPoolExecutor(len(calls)) as pool:
            return [future.result(WAIT_SECONDS) for future in [pool.submit(start, call) for call in calls]]

    return run
