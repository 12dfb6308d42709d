"""Reading back: pages of turns, and what a button does."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from store.crm import chat
from store.errors import InvalidData, NotFound


def test_pages_are_newest_first_and_join_without_loss(talk):
    conversation = talk.open()
    for _ in range(5):
        talk.answered(conversation)

    pages, before = [], None
    while page := chat.read_turns(talk.db, conversation, before_seq=before, limit=3):
        pages.append([turn.seq for turn in page])
        before = page[-1].seq

    assert pages == [[10, 9, 8], [7, 6, 5], [4, 3, 2], [1]]


@pytest.mark.parametrize("limit", [0, -1, 201])
def test_a_page_has_a_size(talk, limit):
    with pytest.raises(InvalidData):
        chat.read_turns(talk.db, talk.open(), limit=limit)


def test_another_company_or_conversation_reads_nothing(talk):
    conversation = talk.open()
    recorded = talk.answered(conversation, tool_calls=(talk.tool_call(),))

    for foreign in (talk.open(), replace(conversation, company_id=talk.other_company_id)):
        assert chat.read_turns(talk.db, foreign) == []
        assert chat.turns_of_run(talk.db, foreign, recorded.run_id) == []
        assert chat.tool_calls_of_run(talk.db, foreign, recorded.run_id) == []


def test_the_history_is_the_same_for_a_process_that_starts_now(talk):
    conversation = talk.open()
    talk.answered(conversation)
    fresh = talk.reopened()

    assert chat.read_turns(fresh, conversation) == chat.read_turns(talk.db, conversation)
    fresh.dispose()


def test_action_ids_are_22_random_letters():
    ids = {chat.new_action_id() for _ in range(100)}

    assert len(ids) == 100
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{22}", found) for found in ids)


@pytest.fixture
def card(talk):
    """A conversation with one card, and its action."""
    conversation = talk.open()
    turn = talk.turn()
    action = talk.action(turn)
    talk.answered(conversation, turn, actions=(action,))
    return conversation, turn, action


def test_an_action_is_resolved_to_what_the_server_holds(talk, card):
    conversation, turn, action = card

    found = chat.resolve_action(talk.db, conversation, action.id, now=talk.now)

    assert found == chat.ActionState(action.id, turn.id, "confirm_booking", {"quote": "q-1"}, True, "usable", None)


def test_an_action_expires_at_its_instant(talk, card):
    conversation, _, action = card

    def status_at(seconds: float) -> str:
        now = talk.now + timedelta(seconds=seconds)
        return chat.resolve_action(talk.db, conversation, action.id, now=now).status

    assert status_at(15 * 60 - 0.001) == "usable"
    assert status_at(15 * 60) == "expired"


def test_an_action_without_an_end_stays(talk):
    conversation = talk.open()
    turn = talk.turn()
    talk.answered(conversation, turn, actions=(action := talk.action(turn, expires_at=None),))

    assert chat.resolve_action(talk.db, conversation, action.id, now=talk.later(10**8)).status == "usable"


def test_a_used_action_says_by_which_message_even_after_it_expired(talk, card):
    conversation, turn, action = card
    used = talk.answered(conversation, used_action_id=action.id, superseded_turn_ids=(turn.id,))

    found = chat.resolve_action(talk.db, conversation, action.id, now=talk.later(10_000))

    assert (found.status, found.used_by_inbox_id) == ("used", used.inbox.inbox_id)


def test_an_action_that_may_be_repeated_stays_usable_until_superseded(talk):
    conversation = talk.open()
    turn = talk.turn()
    talk.answered(conversation, turn, actions=(action := talk.action(turn, once=False),))
    for _ in range(2):
        talk.answered(conversation, used_action_id=action.id)
        assert chat.resolve_action(talk.db, conversation, action.id, now=talk.now).status == "usable"

    talk.answered(conversation, superseded_turn_ids=(turn.id,))

    assert chat.resolve_action(talk.db, conversation, action.id, now=talk.now).status == "superseded"


def test_the_actions_of_a_superseded_card_are_superseded(talk, card):
    conversation, turn, action = card

    talk.answered(conversation, superseded_turn_ids=(turn.id,))

    assert chat.resolve_action(talk.db, conversation, action.id, now=talk.now).status == "superseded"


def test_an_answer_is_not_lost_over_an_action_that_expires_during_the_run(talk, card):
    conversation, _, action = card
    claim = talk.accept_and_claim(conversation)
    talk.later(3600)

    talk.record(claim, used_action_id=action.id)

    assert chat.resolve_action(talk.db, conversation, action.id, now=talk.now).status == "used"


@pytest.mark.parametrize("action_id", ["", "missing", "x" * 10_000, "\x00", "\ud800", "\u0430"])
def test_a_missing_action_is_not_found(talk, card, action_id):
    with pytest.raises(NotFound, match="no such action"):
        chat.resolve_action(talk.db, card[0], action_id, now=talk.now)


def test_foreign_and_missing_actions_get_the_same_answer(talk, card):
    conversation, _, action = card
    stranger = talk.open()
    askers = [(stranger, action.id), (replace(conversation, company_id=talk.other_company_id), action.id)]
    answers = set()
    for asker, action_id in [*askers, (conversation, "missing")]:
        with pytest.raises(NotFound) as caught:
            chat.resolve_action(talk.db, asker, action_id, now=talk.now)
        answers.add((str(caught.value), caught.value.code, str(caught.value.facts)))
    with pytest.raises(NotFound) as caught:
        talk.answered(stranger, used_action_id=action.id)
    answers.add((str(caught.value), caught.value.code, str(caught.value.facts)))

    assert len(answers) == 1
    assert chat.resolve_action(talk.db, conversation, action.id, now=talk.now).status == "usable"
