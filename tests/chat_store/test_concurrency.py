"""Many at once: one claimer, one answer, arrival order, numbers without gaps."""

from __future__ import annotations

from functools import partial
from threading import Condition

import pytest

from store.crm import chat
from store.errors import Refused

POSTS = 30
WAIT_SECONDS = 60


class Lane:
    """A runner as the product has it: accept, wait for our turn, run, tell those who wait."""

    def __init__(self, talk) -> None:
        self.talk = talk
        self.changed = Condition()
        self.next: dict[str, chat.InboxRef | None] = {}

    def post(self, conversation, run, **message):
        """Return the inbox id and what `run(claim)` gave to be recorded."""
        accepted = self.talk.accept(conversation, **message)
        claim = accepted.claim if isinstance(accepted, chat.Claimed) else self.wait(accepted.inbox)
        record = run(claim)
        self.talk.record(claim, **record)
        with self.changed:
            self.next[conversation.conversation_id] = chat.next_message(self.talk.db, conversation)
            self.changed.notify_all()
        return claim.inbox.inbox_id, record

    def wait(self, inbox):
        with self.changed:
            assert self.changed.wait_for(lambda: self.next.get(inbox.conversation_id) == inbox, WAIT_SECONDS)
        return self.talk.claim(inbox)


def test_of_thirty_posts_at_once_one_runs_and_each_knows_its_place(talk, at_once):
    conversation = talk.open()

    accepted = at_once([partial(talk.accept, conversation)] * POSTS)

    [claimed] = [each for each in accepted if isinstance(each, chat.Claimed)]
    queued = sorted((each for each in accepted if isinstance(each, chat.Queued)), key=lambda each: each.inbox.inbox_id)
    assert [each.ahead for each in queued] == list(range(1, POSTS))
    assert claimed.claim.inbox.inbox_id < queued[0].inbox.inbox_id
    assert chat.next_message(talk.db, conversation) == claimed.claim.inbox


def test_thirty_posts_at_once_are_answered_in_order_of_arrival_without_gaps(talk, at_once):
    conversation = talk.open()
    lane = Lane(talk)

    results = at_once([partial(lane.post, conversation, lambda claim: {})] * POSTS)

    assert len({inbox_id for inbox_id, _ in results}) == POSTS
    turns = chat.read_turns(talk.db, conversation, limit=200)[::-1]
    assert [turn.seq for turn in turns] == list(range(1, 2 * POSTS + 1))
    assert [turn.inbox_id for turn in turns] == sorted(turn.inbox_id for turn in turns)
    assert all(chat.get_message(talk.db, _inbox(conversation, inbox_id)).state == "done" for inbox_id, _ in results)


def test_conversations_at_once_have_numbers_of_their_own(talk, at_once):
    conversations = [talk.open() for _ in range(6)]
    lane = Lane(talk)

    results = at_once([partial(lane.post, each, lambda claim: {}) for each in conversations * 3])

    assert all(isinstance(result, tuple) for result in results), results
    for conversation in conversations:
        assert [turn.seq for turn in chat.read_turns(talk.db, conversation)] == [6, 5, 4, 3, 2, 1]


def test_one_of_many_claimers_gets_a_free_message(talk, at_once):
    claim = talk.accept_and_claim(talk.open())
    talk.later(talk.lease_seconds)

    results = at_once([partial(talk.claim, claim.inbox, f"runner-{number}") for number in range(16)])

    assert len([result for result in results if result is not None]) == 1
    assert chat.get_message(talk.db, claim.inbox).attempts == 2


def test_one_of_many_recordings_of_a_message_counts(talk, at_once):
    claim = talk.accept_and_claim(talk.open())

    results = at_once([partial(talk.record, claim)] * 12)

    assert len([result for result in results if isinstance(result, chat.RecordedRun)]) == 1
    assert len([result for result in results if isinstance(result, chat.StaleClaim)]) == 11
    assert talk.count("turn") == 2


def test_of_many_repeats_at_once_one_is_the_message(talk, at_once):
    conversation = talk.open()

    results = at_once([partial(talk.accept, conversation, dedupe_key="k")] * 20)

    assert len([result for result in results if isinstance(result, chat.Claimed)]) == 1
    assert len([result for result in results if isinstance(result, chat.InProgress)]) == 19
    assert talk.count("inbox_message") == 1


def test_of_many_messages_under_one_key_at_once_one_is_kept(talk, at_once):
    conversation = talk.open()
    posts = [partial(talk.accept, conversation, dedupe_key="k", body={"message": str(n)}) for n in range(12)]

    results = at_once(posts)

    assert len([result for result in results if isinstance(result, chat.Claimed)]) == 1
    refused = [result for result in results if isinstance(result, Refused)]
    assert {error.code for error in refused} == {"idempotency_key_reused"}
    assert len(refused) == 11


@pytest.mark.parametrize("presses", [2, 8])
def test_of_presses_at_once_on_a_single_use_action_one_acts(talk, at_once, presses):
    conversation = talk.open()
    card = talk.turn()
    talk.answered(conversation, card, actions=(action := talk.action(card),))
    lane = Lane(talk)

    def run(claim):
        state = chat.resolve_action(talk.db, conversation, action.id, now=talk.now)
        return {"used_action_id": action.id} if state.status == "usable" else {}

    press = partial(lane.post, conversation, run, kind="action", body={"action_id": action.id})
    results = at_once([press] * presses)

    [winner] = [inbox_id for inbox_id, record in results if record]
    state = chat.resolve_action(talk.db, conversation, action.id, now=talk.now)
    assert (state.status, state.used_by_inbox_id) == ("used", winner)
    assert winner == min(inbox_id for inbox_id, _ in results)


def _inbox(conversation, inbox_id):
    return chat.InboxRef(conversation.company_id, conversation.conversation_id, inbox_id)
