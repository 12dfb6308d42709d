"""Messages in: kept first, taken once, run by one runner at a time, in order of arrival."""

from __future__ import annotations

from dataclasses import replace

import pytest

from store.crm import chat
from store.errors import InvalidData, NotFound, Refused


def test_the_first_message_is_claimed_at_once(talk):
    conversation = talk.open()

    accepted = talk.accept(conversation, run_id="run-1")

    assert isinstance(accepted, chat.Claimed)
    assert not accepted.repeated
    assert (accepted.claim.owner, accepted.claim.attempts, accepted.claim.run_id) == ("runner-1", 1, "run-1")
    assert accepted.claim.lease_until == talk.later(talk.lease_seconds)


def test_messages_behind_an_unfinished_one_wait_and_know_how_many_are_ahead(talk):
    conversation = talk.open()
    talk.accept_and_claim(conversation)

    second, third = talk.accept(conversation), talk.accept(conversation)

    assert isinstance(second, chat.Queued)
    assert isinstance(third, chat.Queued)
    assert (second.ahead, third.ahead) == (1, 2)
    assert second.inbox.inbox_id < third.inbox.inbox_id


def test_conversations_do_not_wait_for_each_other(talk):
    talk.accept_and_claim(talk.open())

    assert isinstance(talk.accept(talk.open()), chat.Claimed)


def test_a_message_can_be_claimed_only_when_all_before_it_are_done(talk):
    conversation = talk.open()
    first = talk.accept_and_claim(conversation)
    second, third = talk.accept(conversation), talk.accept(conversation)
    assert talk.claim(second.inbox) is None

    talk.record(first)

    assert talk.claim(third.inbox) is None
    assert talk.claim(second.inbox) is not None
    assert talk.claim(third.inbox) is None


def test_the_message_is_kept_as_given(talk):
    conversation = talk.open()
    body = {"message": "café \U0001f6f5 \u202egnp \x00 \ud800", "input": {"b": [1, None, True], "a": 1.5}}
    claim = talk.accept_and_claim(conversation, body=body, kind="action", dedupe_key="k\u00e9y")

    kept = chat.get_message(talk.db, claim.inbox)

    assert (kept.body, kept.kind, kept.channel, kept.dedupe_key) == (body, "action", "web", "k\u00e9y")
    assert (kept.state, kept.attempts, kept.received_at, kept.done_at) == ("running", 1, talk.now, None)


def test_a_repeat_of_a_running_message_is_in_progress_under_the_first_run_id(talk):
    conversation = talk.open()
    claim = talk.accept_and_claim(conversation, dedupe_key="k", run_id="run-1")

    repeat = talk.accept(conversation, dedupe_key="k", run_id="run-2", owner="runner-2")

    assert repeat == chat.InProgress(claim.inbox, "run-1")
    assert talk.count("inbox_message") == 1


def test_a_repeat_of_a_waiting_message_is_in_progress(talk):
    conversation = talk.open()
    talk.accept_and_claim(conversation)
    waiting = talk.accept(conversation, dedupe_key="k")

    assert talk.accept(conversation, dedupe_key="k") == chat.InProgress(waiting.inbox, waiting.run_id)


def test_a_repeat_of_a_done_message_names_its_turns(talk):
    conversation = talk.open()
    talk.answered(conversation)
    claim = talk.accept_and_claim(conversation, dedupe_key="k")
    recorded = talk.record(claim)

    repeat = talk.accept(conversation, dedupe_key="k")

    assert repeat == chat.AlreadyDone(claim.inbox, claim.run_id, 3, 4)
    assert tuple(chat.turns_of_run(talk.db, conversation, repeat.run_id)) == recorded.turns
    assert talk.count("turn") == 4


def test_a_repeat_of_a_message_whose_runner_died_is_claimed_by_the_repeat(talk):
    conversation = talk.open()
    dead = talk.accept_and_claim(conversation, dedupe_key="k")
    talk.later(talk.lease_seconds)

    repeat = talk.accept(conversation, dedupe_key="k", owner="runner-2")

    assert isinstance(repeat, chat.Claimed)
    assert repeat.repeated
    assert (repeat.claim.inbox, repeat.claim.run_id, repeat.claim.attempts) == (dead.inbox, dead.run_id, 2)
    assert repeat.claim.fence > dead.fence


@pytest.mark.parametrize(
    "change", [{"body": {"message": "other"}}, {"kind": "action"}, {"body": {"message": "hello", "more": None}}]
)
@pytest.mark.parametrize("finished", [False, True])
def test_another_message_under_the_same_key_is_refused(talk, change, finished):
    conversation = talk.open()
    claim = talk.accept_and_claim(conversation, dedupe_key="k")
    if finished:
        talk.record(claim)

    with pytest.raises(Refused) as caught:
        talk.accept(conversation, dedupe_key="k", **change)

    assert caught.value.code == "idempotency_key_reused"
    assert talk.count("inbox_message") == 1
    assert chat.get_message(talk.db, claim.inbox).body == {"message": "hello"}


def test_the_order_of_fields_makes_no_other_message(talk):
    conversation = talk.open()
    talk.accept_and_claim(conversation, dedupe_key="k", body={"a": 1, "b": 2})

    assert isinstance(talk.accept(conversation, dedupe_key="k", body={"b": 2, "a": 1}), chat.InProgress)


def test_the_same_key_in_another_conversation_is_another_message(talk):
    talk.accept_and_claim(talk.open(), dedupe_key="k")

    assert isinstance(talk.accept(talk.open(), dedupe_key="k"), chat.Claimed)


def test_messages_without_a_key_are_never_repeats(talk):
    conversation = talk.open()
    talk.accept_and_claim(conversation, dedupe_key=None)

    assert isinstance(talk.accept(conversation, dedupe_key=None), chat.Queued)


@pytest.mark.parametrize(
    "change",
    [
        {"body": {"message": "x" * 1_000_000}},
        {"body": {"message": float("nan")}},
        {"body": {"message": object()}},
        {"dedupe_key": ""},
        {"dedupe_key": "k" * 201},
        {"dedupe_key": "k\x00"},
        {"dedupe_key": "k\ud800"},
    ],
)
def test_what_cannot_be_stored_is_refused_and_leaves_nothing(talk, change):
    with pytest.raises(InvalidData):
        talk.accept(talk.open(), **change)

    assert talk.count("inbox_message") == 0


def test_fifty_thousand_letters_of_four_bytes_are_kept(talk):
    claim = talk.accept_and_claim(talk.open(), body={"message": "\U0001f6f5" * 50_000})

    assert len(chat.get_message(talk.db, claim.inbox).body["message"]) == 50_000


def test_a_lease_can_be_renewed_until_somebody_else_has_the_message(talk):
    claim = talk.accept_and_claim(talk.open())
    talk.later(50)
    assert chat.renew(talk.db, claim, now=talk.now, lease_seconds=60)
    talk.later(50)
    assert talk.claim(claim.inbox) is None
    talk.later(20)
    assert talk.claim(claim.inbox) is not None

    assert not chat.renew(talk.db, claim, now=talk.now, lease_seconds=60)


def test_an_abandoned_message_is_free_at_once_or_after_a_while(talk):
    claim = talk.accept_and_claim(talk.open())

    assert chat.abandon(talk.db, claim, now=talk.now)
    again = talk.claim(claim.inbox)
    assert again is not None
    assert again.attempts == 2
    assert chat.abandon(talk.db, again, now=talk.now, retry_after_seconds=5)

    assert talk.claim(claim.inbox) is None
    talk.later(5)
    assert talk.claim(claim.inbox) is not None
    assert not chat.abandon(talk.db, claim, now=talk.now)


def test_a_new_message_does_not_overtake_an_abandoned_one(talk):
    conversation = talk.open()
    claim = talk.accept_and_claim(conversation)
    chat.abandon(talk.db, claim, now=talk.now)

    later = talk.accept(conversation)

    assert isinstance(later, chat.Queued)
    assert chat.next_message(talk.db, conversation) == claim.inbox
    assert talk.claim(later.inbox) is None


def test_fences_rise_with_every_claim_of_a_conversation(talk):
    conversation = talk.open()
    fences = []
    for _ in range(3):
        claim = talk.accept_and_claim(conversation)
        talk.later(talk.lease_seconds)
        again = talk.claim(claim.inbox)
        fences += [claim.fence, again.fence]
        talk.record(again)

    assert fences == sorted(set(fences))


def test_foreign_and_missing_conversations_and_messages_get_the_same_answer(talk):
    claim = talk.accept_and_claim(talk.open())
    elsewhere = talk.open()
    foreign_company = replace(claim.inbox, company_id=talk.other_company_id)
    foreign_chat = replace(claim.inbox, conversation_id=elsewhere.conversation_id)
    missing = replace(claim.inbox, inbox_id=999_999)
    answers = set()
    for inbox in (foreign_company, foreign_chat, missing):
        with pytest.raises(NotFound) as caught:
            chat.get_message(talk.db, inbox)
        answers.add((str(caught.value), caught.value.code, str(caught.value.facts)))
        with pytest.raises(NotFound):
            talk.claim(inbox)
    with pytest.raises(NotFound, match="no such conversation"):
        talk.accept(replace(elsewhere, company_id=talk.other_company_id))
    with pytest.raises(NotFound, match="no such conversation"):
        talk.accept(replace(elsewhere, conversation_id="missing"))

    assert len(answers) == 1
