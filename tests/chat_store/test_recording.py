"""Answers: numbered without gaps, stored as sent, recorded once, all or nothing."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
from sqlalchemy import text

from store.crm import chat
from store.errors import InvalidData, NotFound, Refused

WRITTEN_TABLES = ("turn", "action", "tool_call")


def written(talk):
    return {table: talk.count(table) for table in WRITTEN_TABLES}


def test_turns_are_numbered_from_one_without_gaps(talk):
    conversation, other = talk.open(), talk.open()
    for _ in range(3):
        talk.answered(conversation)
    talk.answered(other)

    assert [turn.seq for turn in chat.read_turns(talk.db, conversation)] == [6, 5, 4, 3, 2, 1]
    assert [turn.seq for turn in chat.read_turns(talk.db, other)] == [2, 1]


@pytest.mark.parametrize(
    "content",
    [
        "plain",
        "caf\u00e9 \U0001f6f5\U0001f1ee\U0001f1e9",
        "\u202egnp.exe\u2066x\u2069",
        "\u0627\u0644 \u200f\ufeff",
        '\\"\n\t\x7f',
    ],
)
def test_the_stored_bytes_are_those_given(talk, content):
    conversation = talk.open()
    given = []

    def encode(seq: int) -> bytes:
        given.append(
            b" {\r\n" + json.dumps({"seq": seq, "content": content}, ensure_ascii=False).encode() + b"}\xff\x00"
        )
        return given[-1]

    recorded = talk.answered(conversation, talk.turn(content, encode=encode))

    [read] = chat.read_turns(talk.db, conversation)
    assert read.raw == given[0]
    assert read.sha256 == hashlib.sha256(given[0]).hexdigest()
    assert read.intact
    assert read.content == content
    assert (read,) == recorded.turns
    assert chat.turns_of_run(talk.db, conversation, recorded.run_id) == [read]


def test_a_changed_byte_is_noticed(talk):
    conversation = talk.open()
    talk.answered(conversation, talk.turn())
    with talk.db.write() as session:
        session.connection().execute(text("UPDATE turn SET raw = :raw"), {"raw": b"{}"})

    [read] = chat.read_turns(talk.db, conversation)

    assert not read.intact


def test_the_number_in_the_bytes_is_the_number_of_the_turn(talk):
    conversation = talk.open()
    talk.answered(conversation)
    talk.answered(conversation)

    assert all(json.loads(turn.raw)["seq"] == turn.seq for turn in chat.read_turns(talk.db, conversation))


def test_a_turn_of_a_megabyte_is_refused_and_nothing_is_written(talk):
    claim = talk.accept_and_claim(talk.open())
    big = talk.turn(encode=lambda seq: b"x" * 1_000_000)

    with pytest.raises(InvalidData) as caught:
        talk.record(claim, talk.turn(), big)

    assert caught.value.facts["max_bytes"] == chat.MAX_TURN_BYTES
    assert set(written(talk).values()) == {0}
    assert [turn.seq for turn in talk.record(claim).turns] == [1, 2]


@pytest.mark.parametrize("content", ["nul \x00", "half \ud83d"])
def test_text_that_one_engine_could_not_store_is_refused_on_both(talk, content):
    claim = talk.accept_and_claim(talk.open())

    with pytest.raises(InvalidData):
        talk.record(claim, talk.turn(content, encode=lambda seq: b"{}"))

    assert chat.get_message(talk.db, claim.inbox).state == "running"


def test_recording_finishes_the_message(talk):
    claim = talk.accept_and_claim(talk.open())
    talk.later(3)

    talk.record(claim)

    message = chat.get_message(talk.db, claim.inbox)
    assert (message.state, message.first_seq, message.last_seq, message.done_at) == ("done", 1, 2, talk.now)
    assert talk.claim(claim.inbox) is None


def test_a_run_without_turns_still_finishes_the_message(talk):
    claim = talk.accept_and_claim(talk.open())

    recorded = chat.record_run(talk.db, claim, chat.RunRecord(turns=()), now=talk.now)

    message = chat.get_message(talk.db, claim.inbox)
    assert recorded.turns == ()
    assert (message.state, message.first_seq, message.last_seq) == ("done", None, None)


def test_a_run_is_recorded_once(talk):
    claim = talk.accept_and_claim(talk.open())
    talk.record(claim)
    before = written(talk)

    with pytest.raises(chat.StaleClaim) as caught:
        talk.record(claim)

    assert caught.value.facts == {"state": "done"}
    assert written(talk) == before


def test_a_runner_whose_message_was_taken_over_is_refused_and_writes_nothing(talk):
    conversation = talk.open()
    zombie = talk.accept_and_claim(conversation)
    talk.later(talk.lease_seconds)
    second = talk.claim(zombie.inbox)
    turn = talk.turn()
    everything = {"actions": (talk.action(turn),), "tool_calls": (talk.tool_call(),)}

    with pytest.raises(chat.StaleClaim) as caught:
        talk.record(zombie, turn, **everything)

    assert caught.value.facts == {"state": "running"}
    assert set(written(talk).values()) == {0}
    assert [turn.seq for turn in talk.record(second).turns] == [1, 2]
    with pytest.raises(chat.StaleClaim):
        talk.record(zombie, turn, **everything)
    assert talk.count("turn") == 2


def test_a_runner_with_the_same_name_is_refused_too(talk):
    """A process that restarts under its predecessor's name is not its predecessor."""
    zombie = talk.accept_and_claim(talk.open(), owner="worker-0")
    assert chat.release_owner(talk.db, "worker-0") == 1
    talk.claim(zombie.inbox, owner="worker-0")

    with pytest.raises(chat.StaleClaim):
        talk.record(zombie)


def test_without_the_fence_the_late_runner_would_double_the_answer(talk):
    """Negative control: the same story with a fence that fits."""
    conversation = talk.open()
    zombie = talk.accept_and_claim(conversation)
    talk.later(talk.lease_seconds)
    talk.record(talk.claim(zombie.inbox))
    with talk.db.write() as session:
        session.connection().execute(
            text("UPDATE inbox_message SET state = 'running', done_at = NULL, fence = :fence, owner = :owner"),
            {"fence": zombie.fence, "owner": zombie.owner},
        )

    talk.record(zombie)

    assert talk.count("turn") == 4


def test_a_lease_that_is_over_but_not_taken_still_counts(talk):
    claim = talk.accept_and_claim(talk.open())
    talk.later(talk.lease_seconds * 10)

    assert len(talk.record(claim).turns) == 2


def test_an_error_while_encoding_writes_nothing_and_leaves_no_gap(talk):
    conversation = talk.open()
    claim = talk.accept_and_claim(conversation)

    def fail(seq: int) -> bytes:
        raise RuntimeError("encoder")

    with pytest.raises(RuntimeError, match="encoder"):
        talk.record(claim, talk.turn(), talk.turn(encode=fail))

    assert set(written(talk).values()) == {0}
    assert [turn.seq for turn in talk.record(claim).turns] == [1, 2]


def test_the_language_of_the_answer_becomes_the_conversations(talk):
    conversation = talk.open()
    talk.answered(conversation, lang="th")
    talk.answered(conversation)

    assert chat.get_conversation(talk.db, talk.company_id, conversation.conversation_id).lang == "th"


def test_tool_calls_are_audited_in_order_and_only_with_what_was_given(talk):
    conversation = talk.open()
    calls = (talk.tool_call("b"), replace(talk.tool_call("a"), ok=False, error_code="timeout", result_digest=None))

    recorded = talk.answered(conversation, tool_calls=calls)

    assert chat.tool_calls_of_run(talk.db, conversation, recorded.run_id) == list(calls)


def test_tool_calls_of_a_run_that_was_given_up_are_audited_too(talk):
    claim = talk.accept_and_claim(talk.open())

    chat.record_tool_calls(talk.db, claim.inbox, claim.run_id, [talk.tool_call("first try")])
    recorded = talk.record(claim, tool_calls=(talk.tool_call("second try"),))

    found = chat.tool_calls_of_run(talk.db, claim.inbox, recorded.run_id)
    assert [call.call_id for call in found] == ["first try", "second try"]


def test_superseding_changes_the_status_and_not_the_bytes(talk):
    conversation = talk.open()
    old, untouched = talk.turn("old"), talk.turn("untouched")
    before = talk.answered(conversation, old, untouched)

    recorded = talk.answered(conversation, superseded_turn_ids=(old.id, "missing"))

    read = {turn.id: turn for turn in chat.read_turns(talk.db, conversation)}
    assert recorded.superseded_turn_ids == (old.id,)
    assert (read[old.id].status, read[old.id].status_changed) == ("superseded", True)
    assert read[old.id].raw == before.turns[0].raw
    assert read[untouched.id] == before.turns[1]
    assert talk.answered(conversation, superseded_turn_ids=(old.id,)).superseded_turn_ids == ()


def test_turns_of_another_conversation_cannot_be_superseded(talk):
    victim = talk.open()
    turn = talk.turn()
    talk.answered(victim, turn, actions=(action := talk.action(turn),))

    recorded = talk.answered(talk.open(), superseded_turn_ids=(turn.id,))

    assert recorded.superseded_turn_ids == ()
    assert chat.read_turns(talk.db, victim)[0].status == "final"
    assert chat.resolve_action(talk.db, victim, action.id, now=talk.now).status == "usable"


def test_an_action_must_belong_to_a_turn_of_its_run(talk):
    conversation = talk.open()
    old = talk.turn()
    talk.answered(conversation, old)
    claim = talk.accept_and_claim(conversation)

    with pytest.raises(InvalidData):
        talk.record(claim, actions=(talk.action(old),))


@pytest.mark.parametrize("arguments", [{"x": float("inf")}, {"x": object()}, {"x": "y" * 40_000}])
def test_arguments_that_cannot_be_stored_are_refused(talk, arguments):
    claim = talk.accept_and_claim(talk.open())
    turn = talk.turn()

    with pytest.raises(InvalidData):
        talk.record(claim, turn, actions=(talk.action(turn, arguments=arguments),))
    with pytest.raises(InvalidData):
        chat.record_tool_calls(talk.db, claim.inbox, claim.run_id, [replace(talk.tool_call(), arguments=arguments)])
    assert set(written(talk).values()) == {0}


def test_a_claim_on_a_foreign_conversation_is_not_found(talk):
    claim = talk.accept_and_claim(talk.open())

    with pytest.raises(NotFound, match="no such conversation"):
        talk.record(replace(claim, inbox=replace(claim.inbox, company_id=talk.other_company_id)))


def test_a_used_action_refuses_the_whole_run_of_a_second_message(talk):
    conversation = talk.open()
    turn = talk.turn()
    talk.answered(conversation, turn, actions=(action := talk.action(turn),))
    talk.answered(conversation, used_action_id=action.id)
    claim = talk.accept_and_claim(conversation)
    before = written(talk)

    with pytest.raises(Refused) as caught:
        talk.record(claim, used_action_id=action.id)

    assert caught.value.code == "action_used"
    assert written(talk) == before
    assert chat.get_message(talk.db, claim.inbox).state == "running"
    assert [stored.seq for stored in talk.record(claim).turns] == [4, 5]
