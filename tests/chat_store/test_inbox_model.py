"""Any sequence of accepting, claiming, losing, renewing, giving back and recording agrees with a small model."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from store.crm import chat
from store.errors import Refused

LEASE_SECONDS = 60
GRACE_SECONDS = 30


@dataclass
class Message:
    inbox: chat.InboxRef
    key: str
    body: str
    received_at: object
    claim: chat.Claim | None = None
    free_from: object = None
    attempts: int = 0
    done: bool = False

    def is_free(self, now) -> bool:
        return not self.done and (self.free_from is None or self.free_from <= now)


class Inbox(RuleBasedStateMachine):
    """Two conversations of one company; every claim ever given is kept, as late runners keep theirs."""

    def __init__(self, talk) -> None:
        super().__init__()
        self.talk = talk
        self.lanes = [(talk.open(), []) for _ in range(2)]
        self.claims: list[tuple[chat.Claim, Message]] = []
        self.answered: dict[str, list[int]] = {lane.conversation_id: [] for lane, _ in self.lanes}

    def lane_of(self, message):
        return next(messages for _, messages in self.lanes if message in messages)

    def may_claim(self, message) -> bool:
        oldest = next((each for each in self.lane_of(message) if not each.done), None)
        return message is oldest and message.is_free(self.talk.now)

    def took(self, message, claim) -> None:
        message.attempts += 1
        message.claim, message.free_from = claim, claim.lease_until
        assert claim.attempts == message.attempts
        assert claim.lease_until == self.talk.now + timedelta(seconds=LEASE_SECONDS)
        assert all(claim.fence > old.fence for old, other in self.claims if other in self.lane_of(message))
        self.claims.append((claim, message))

    @rule(lane=st.integers(0, 1), key=st.sampled_from("abcd"), body=st.sampled_from("xxy"))
    def accept(self, lane, key, body):
        conversation, messages = self.lanes[lane]
        earlier = next((each for each in messages if each.key == key), None)
        if earlier is not None and earlier.body != body:
            with pytest.raises(Refused):
                self.talk.accept(conversation, dedupe_key=key, body=body)
            return
        takes_over = earlier is not None and self.may_claim(earlier)
        ahead = sum(not each.done for each in messages)
        accepted = self.talk.accept(conversation, dedupe_key=key, body=body)
        match accepted:
            case chat.AlreadyDone(inbox=inbox):
                assert earlier.done
                assert inbox == earlier.inbox
            case chat.InProgress(inbox=inbox):
                assert inbox == earlier.inbox
                assert not takes_over
            case chat.Queued(inbox=inbox):
                assert earlier is None
                assert accepted.ahead == ahead > 0
                messages.append(Message(inbox, key, body, self.talk.now))
            case chat.Claimed(claim=claim, repeated=repeated):
                assert repeated == takes_over
                if not repeated:
                    assert ahead == 0
                    messages.append(Message(claim.inbox, key, body, self.talk.now))
                self.took(earlier if repeated else messages[-1], claim)

    @precondition(lambda self: any(messages for _, messages in self.lanes))
    @rule(data=st.data())
    def claim(self, data):
        message = data.draw(st.sampled_from([each for _, messages in self.lanes for each in messages]))
        expected = self.may_claim(message)
        claim = self.talk.claim(message.inbox, "runner-1")
        assert (claim is not None) == expected
        if claim is not None:
            self.took(message, claim)

    @rule(lane=st.integers(0, 1))
    def a_runner_is_believed_dead_and_another_takes_over(self, lane):
        oldest = next((each for each in self.lanes[lane][1] if not each.done), None)
        if oldest is not None:
            self.talk.later(LEASE_SECONDS)
            self.took(oldest, self.talk.claim(oldest.inbox, "runner-1"))

    @precondition(lambda self: self.claims)
    @rule(data=st.data(), what=st.sampled_from(["renew", "abandon", "abandon for a while", "record", "record"]))
    def use_a_claim(self, data, what):
        claim, message = data.draw(st.sampled_from(self.claims[-6:]))
        ours = message.claim is claim and not message.done
        now = self.talk.now
        if what == "renew":
            assert chat.renew(self.talk.db, claim, now=now, lease_seconds=LEASE_SECONDS) == ours
            message.free_from = now + timedelta(seconds=LEASE_SECONDS) if ours else message.free_from
        elif what == "record":
            self.record(claim, message, ours)
        else:
            wait = 20 if what == "abandon for a while" else 0
            assert chat.abandon(self.talk.db, claim, now=now, retry_after_seconds=wait) == ours
            if ours:
                message.claim, message.free_from = None, now + timedelta(seconds=wait) if wait else None

    def record(self, claim, message, ours) -> None:
        if not ours:
            with pytest.raises(chat.StaleClaim):
                self.talk.record(claim)
            return
        self.talk.record(claim)
        message.done = True
        self.answered[message.inbox.conversation_id].append(message.inbox.inbox_id)

    @rule(seconds=st.sampled_from([1, 15, 31, 61]))
    def time_passes(self, seconds):
        self.talk.later(seconds)

    @invariant()
    def answers_are_in_order_and_numbered_without_gaps(self):
        for conversation, messages in self.lanes:
            turns = chat.read_turns(self.talk.db, conversation, limit=200)[::-1]
            answered = self.answered[conversation.conversation_id]
            assert answered == [each.inbox.inbox_id for each in messages][: len(answered)]
            assert [turn.inbox_id for turn in turns] == [inbox_id for inbox_id in answered for _ in range(2)]
            assert [turn.seq for turn in turns] == list(range(1, len(turns) + 1))

    @invariant()
    def recovery_finds_what_nobody_runs(self):
        now = self.talk.now
        expected = []
        for _, messages in self.lanes:
            for message in (each for each in messages if not each.done):
                if not message.is_free(now):
                    break
                if message.free_from is not None or message.received_at <= now - timedelta(seconds=GRACE_SECONDS):
                    expected.append(message.inbox)
        mine = set(self.answered)
        found = chat.pending(self.talk.db, now=now, grace_seconds=GRACE_SECONDS, limit=10_000)
        assert [each for each in found if each.conversation_id in mine] == sorted(expected, key=lambda i: i.inbox_id)


# The same statements on both engines: one is enough for sequences.
@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_any_sequence_agrees_with_the_model(talk):
    quick = settings(
        max_examples=15,
        stateful_step_count=20,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )

    run_state_machine_as_test(lambda: Inbox(talk), settings=quick)
