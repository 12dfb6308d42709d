"""After a crash: what was accepted is found again, run again and answered once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from store.crm import chat

GRACE_SECONDS = 30.0


def pending(talk, **changes):
    given = {"now": talk.now, "grace_seconds": GRACE_SECONDS}
    return list(chat.pending(talk.db, **{**given, **changes}))


def test_a_message_whose_runner_died_is_found_when_its_lease_is_over_and_recorded_once(talk):
    conversation = talk.open()
    lost = talk.accept_and_claim(conversation, body={"message": "book it"})
    talk.db.dispose()
    restarted = replace(talk, db=talk.reopened())
    assert pending(restarted) == []

    restarted.later(restarted.lease_seconds)
    [found] = pending(restarted)
    claim = restarted.claim(found)
    assert chat.get_message(restarted.db, found).body == {"message": "book it"}
    restarted.record(claim)

    assert (found, claim.attempts, claim.run_id) == (lost.inbox, 2, lost.run_id)
    assert pending(restarted) == []
    assert restarted.count("turn") == 2
    with pytest.raises(chat.StaleClaim):
        talk.record(lost)
    assert restarted.count("turn") == 2
    restarted.db.dispose()


def test_a_waiting_message_that_nobody_claims_is_found_after_the_grace_time(talk):
    conversation = talk.open()
    first = talk.accept_and_claim(conversation)
    waiting = talk.accept(conversation)
    talk.record(first)
    assert pending(talk) == []

    talk.later(GRACE_SECONDS)

    assert pending(talk) == [waiting.inbox]


def test_messages_behind_a_live_runner_wait_in_peace(talk):
    conversation = talk.open()
    first = talk.accept_and_claim(conversation)
    talk.accept(conversation)
    talk.later(GRACE_SECONDS + 1)
    assert pending(talk) == []

    chat.renew(talk.db, first, now=talk.now, lease_seconds=1000)
    talk.later(500)

    assert pending(talk) == []


def test_a_whole_lane_comes_back_in_order(talk):
    lanes = [talk.open(), talk.open(talk.other_company_id)]
    accepted = {lane.conversation_id: [] for lane in lanes}
    for _ in range(3):
        for lane in lanes:
            result = talk.accept(lane)
            accepted[lane.conversation_id].append(
                result.claim.inbox if isinstance(result, chat.Claimed) else result.inbox
            )
    talk.later(talk.lease_seconds)

    found = pending(talk)

    assert len(found) == 6
    for lane in lanes:
        assert [inbox for inbox in found if inbox.conversation_id == lane.conversation_id] == accepted[
            lane.conversation_id
        ]
    for inbox in found:
        talk.record(talk.claim(inbox))
    assert pending(talk) == []


def test_a_long_lane_behind_a_live_runner_does_not_hide_others(talk):
    busy, stuck = talk.open(), talk.open()
    first = talk.accept_and_claim(busy)
    for _ in range(5):
        talk.accept(busy)
    dead = talk.accept_and_claim(stuck)
    talk.later(talk.lease_seconds)
    chat.renew(talk.db, first, now=talk.now, lease_seconds=1000)

    assert pending(talk, limit=1) == [dead.inbox]


def test_an_abandoned_message_is_found_when_its_time_has_come(talk):
    claim = talk.accept_and_claim(talk.open())
    chat.abandon(talk.db, claim, now=talk.now, retry_after_seconds=5)
    assert pending(talk) == []

    talk.later(5)

    assert pending(talk) == [claim.inbox]


def test_a_restart_under_the_same_name_frees_what_the_dead_process_held(talk):
    mine, other = (
        talk.accept_and_claim(talk.open(), owner="worker-0"),
        talk.accept_and_claim(talk.open(), owner="worker-1"),
    )
    talk.answered(talk.open())

    assert chat.release_owner(talk.db, "worker-0") == 1

    assert pending(talk, grace_seconds=0) == [mine.inbox]
    assert chat.renew(talk.db, other, now=talk.now, lease_seconds=60)
    assert talk.claim(mine.inbox) is not None


def test_finding_claims_nothing(talk):
    claim = talk.accept_and_claim(talk.open())
    talk.later(talk.lease_seconds)

    assert pending(talk) == pending(talk) == [claim.inbox]
    assert chat.get_message(talk.db, claim.inbox).attempts == 1
