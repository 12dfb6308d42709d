"""Every statement finds its rows by an index and names the company."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event, text

from store.crm import chat

ACROSS_COMPANIES = {
    "authenticate": "the token says which company",
    "pending": "the recovery loop works for all",
    "release_owner": "so does a restart",
}


@contextmanager
def statements(engine) -> Iterator[list[tuple[str, object]]]:
    seen: list[tuple[str, object]] = []

    def note(connection, cursor, statement, parameters, context, executemany):
        if re.match("SELECT|INSERT|UPDATE|DELETE", statement):
            seen.append((statement, parameters[0] if executemany else parameters))

    event.listen(engine, "before_cursor_execute", note)
    yield seen
    event.remove(engine, "before_cursor_execute", note)


def use_everything(talk) -> dict[str, list[tuple[str, object]]]:
    """Call every function of the door once and return the statements of each."""
    db, now = talk.db, talk.now
    opened = talk.open_with_token()
    conversation = opened.conversation
    card = talk.turn()
    action = talk.action(card)
    talk.answered(conversation, card, actions=(action,))
    claims = {name: talk.accept_and_claim(talk.open()) for name in ("renew", "abandon", "claim")}
    talk.later(talk.lease_seconds)
    held = talk.accept_and_claim(conversation, dedupe_key="k")
    run = chat.RunRecord((talk.turn(),), (), (card.id,), action.id, (talk.tool_call(),), "en")
    calls = {
        "open_conversation": lambda: talk.open(),
        "authenticate": lambda: chat.authenticate(db, opened.token),
        "get_conversation": lambda: chat.get_conversation(db, talk.company_id, opened.conversation_id),
        "accept_message": lambda: [talk.accept(conversation), talk.accept(conversation, dedupe_key="k")],
        "claim": lambda: talk.claim(claims["claim"].inbox),
        "renew": lambda: chat.renew(db, claims["renew"], now=now, lease_seconds=1),
        "abandon": lambda: chat.abandon(db, claims["abandon"], now=now),
        "release_owner": lambda: chat.release_owner(db, "nobody"),
        "pending": lambda: chat.pending(db, now=now, grace_seconds=1),
        "get_message": lambda: chat.get_message(db, held.inbox),
        "next_message": lambda: chat.next_message(db, conversation),
        "record_run": lambda: chat.record_run(db, held, run, now=now),
        "record_tool_calls": lambda: chat.record_tool_calls(db, conversation, "run", [talk.tool_call()]),
        "read_turns": lambda: [chat.read_turns(db, conversation), chat.read_turns(db, conversation, before_seq=9)],
        "turns_of_run": lambda: chat.turns_of_run(db, conversation, held.run_id),
        "tool_calls_of_run": lambda: chat.tool_calls_of_run(db, conversation, held.run_id),
        "resolve_action": lambda: chat.resolve_action(db, conversation, action.id, now=now),
        "close_conversation": lambda: chat.close_conversation(db, conversation, now=now),
    }
    used = {}
    for name, call in calls.items():
        with statements(db.engine) as used[name]:
            call()
    return used


def walks(talk, used) -> set[tuple[str, str]]:
    """Steps of the query plans that go through a whole table or index."""
    found = set()
    with talk.db.read() as session:
        for name, seen in used.items():
            for statement, parameters in seen:
                if not statement.startswith("INSERT"):
                    plan = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
                    found |= {(name, row.detail) for row in plan if row.detail.startswith("SCAN")}
    return found


# Query plans are read on SQLite.
ON_SQLITE = pytest.mark.parametrize("db", ["sqlite"], indirect=True)


def test_everything_public_is_used_here(talk):
    public = {name for name in chat.__all__ if name.islower()} - {"new_action_id"}

    assert set(use_everything(talk)) == public


@ON_SQLITE
def test_only_work_across_companies_walks_and_that_along_the_short_index_of_unfinished_messages(talk):
    step = "SCAN inbox_message USING INDEX ix_inbox_message_unfinished"

    assert walks(talk, use_everything(talk)) == {("pending", step), ("release_owner", step)}


@ON_SQLITE
def test_the_check_notices_a_missing_index(talk):
    used = use_everything(talk)
    with talk.db.write() as session:
        session.connection().execute(text("DROP INDEX ix_inbox_message_unfinished"))

    assert ("pending", "SCAN inbox_message") in walks(talk, used)


def test_every_statement_names_the_company(talk):
    careless = set()
    for name, seen in use_everything(talk).items():
        for statement, _ in seen:
            head, _, condition = statement.partition("WHERE")
            if "company_id" not in (head if statement.startswith("INSERT") else condition):
                careless.add(name)

    assert careless == set(ACROSS_COMPANIES)


@pytest.mark.parametrize("name", ["accept_message", "record_run", "claim"])
def test_intake_and_recording_are_one_transaction_each(talk, name):
    commits = []
    calls = {
        "accept_message": lambda: talk.accept(conversation),
        "record_run": lambda: talk.record(held),
        "claim": lambda: talk.claim(free.inbox),
    }
    conversation = talk.open()
    held = talk.accept_and_claim(talk.open())
    free = talk.accept_and_claim(talk.open())
    chat.abandon(talk.db, free, now=talk.now)
    event.listen(talk.db.engine, "commit", commits.append)

    calls[name]()

    assert len(commits) == 1
