"""kill -9 on SQLite: what was acknowledged is there, what was not committed is gone.

The page cache outlives the process, so this shows process crashes, not power loss.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import store
from store.crm import chat

ROOT = Path(store.__file__).parents[1]
CHILD = """
import sys
from datetime import datetime, timezone
from store.crm import chat
from store.sql.engine import make_engine
from store.sql.unit import Database

url, token, stop_inside = sys.argv[1], sys.argv[2], sys.argv[3] == "inside"
now = datetime(2027, 5, 31, 7, 30, tzinfo=timezone.utc)
db = Database(make_engine(url))
conversation = chat.authenticate(db, token)

def say(*words):
    print(*words, flush=True)

def encode(seq):
    if stop_inside and seq > 6:
        say("inside", seq)
        sys.stdin.read()
    return b"turn %d" % seq

def turn(name):
    return chat.TurnRecord(name, "agent", "search", "text", "1.0", "en", "final", "x", now, encode)

for number in range(10_000):
    claim = chat.accept_message(db, conversation, kind="message", body=number, dedupe_key=f"k{number}", now=now,
                                owner="child", lease_seconds=60).claim
    say("accepted", claim.inbox.inbox_id)
    chat.record_run(db, claim, chat.RunRecord((turn(f"{number}a"), turn(f"{number}b"))), now=now)
    say("recorded", claim.inbox.inbox_id)
"""


# The child process works on a SQLite file.
ON_SQLITE = pytest.mark.parametrize("db", ["sqlite"], indirect=True)


def killed_after(talk, opened, mode: str, last_words: str) -> dict[str, list[int]]:
    """Start a child, kill -9 it as soon as it has said `last_words`, return what it had said."""
    command = [sys.executable, "-c", CHILD, str(talk.db.engine.url), opened.token, mode]
    said: dict[str, list[int]] = {"accepted": [], "recorded": [], "inside": []}
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        for line in child.stdout:
            what, number = line.split()
            said[what].append(int(number))
            if line.strip() == last_words:
                break
        child.kill()
        for line in child.stdout:
            what, number = line.split()
            said[what].append(int(number))
    assert child.returncode == -9
    return said


def recover(talk) -> int:
    """What a process does that starts after the crash."""
    talk.later(talk.lease_seconds)
    found = chat.pending(talk.db, now=talk.now, grace_seconds=0)
    for inbox in found:
        talk.record(talk.claim(inbox))
    return len(found)


@ON_SQLITE
def test_a_kill_inside_the_recording_leaves_nothing_of_it(talk):
    talk = talk
    opened = talk.open_with_token()

    said = killed_after(talk, opened, "inside", "inside 7")

    turns = chat.read_turns(talk.db, opened.conversation)[::-1]
    lost = replace(chat.next_message(talk.db, opened.conversation))
    assert (len(said["recorded"]), said["inside"]) == (3, [7])
    assert [(turn.seq, turn.raw) for turn in turns] == [(seq, b"turn %d" % seq) for seq in range(1, 7)]
    assert lost.inbox_id == said["accepted"][-1] not in said["recorded"]
    assert chat.get_message(talk.db, lost).body == 3
    assert recover(talk) == 1
    assert [turn.seq for turn in chat.turns_of_run(talk.db, lost, chat.get_message(talk.db, lost).run_id)] == [7, 8]


@ON_SQLITE
@pytest.mark.parametrize("last_words", ["accepted 1", "recorded 2", "accepted 9"])
def test_a_kill_at_any_time_loses_nothing_and_doubles_nothing(talk, last_words):
    talk = talk
    opened = talk.open_with_token()

    said = killed_after(talk, opened, "run", last_words)
    recovered = recover(talk)

    turns = chat.read_turns(talk.db, opened.conversation, limit=200)[::-1]
    messages = talk.count("inbox_message")
    assert recovered <= 1
    assert len(said["accepted"]) <= messages <= len(said["accepted"]) + 1
    assert [turn.seq for turn in turns] == list(range(1, 2 * messages + 1))
    assert [turn.inbox_id for turn in turns] == sorted(2 * list({turn.inbox_id for turn in turns}))
    assert set(said["accepted"]) <= {turn.inbox_id for turn in turns}
