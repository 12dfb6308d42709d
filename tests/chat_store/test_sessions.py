"""Opening a conversation and being let in again."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import text

from store.crm import chat
from store.errors import InvalidData, NotFound


def test_a_token_opens_its_own_conversation_only(talk):
    mine, other = talk.open_with_token(), talk.open_with_token()

    assert chat.authenticate(talk.db, mine.token) == mine.conversation
    assert chat.authenticate(talk.db, other.token).conversation_id == other.conversation_id != mine.conversation_id


def test_the_public_id_is_random_and_url_safe(talk):
    ids = {talk.open().conversation_id for _ in range(20)}

    assert len(ids) == 20
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{22,64}", found) for found in ids)


def test_the_token_has_256_bits_and_is_stored_nowhere(talk):
    opened = talk.open_with_token()

    with talk.db.read() as session:
        row = session.connection().execute(text("SELECT * FROM conversation")).one()
    assert len(opened.token) >= 43
    assert opened.token not in str(row)
    assert opened.token not in repr(opened)


def test_what_the_client_said_about_itself_is_kept(talk):
    opened = chat.open_conversation(
        talk.db, talk.company_id, channel="telegram", now=talk.now, locale="id-ID", accepts=["text", "confirmation"]
    )

    found = chat.get_conversation(talk.db, talk.company_id, opened.conversation_id)

    assert (found.channel, found.locale, found.accepts) == ("telegram", "id-ID", ("text", "confirmation"))
    assert (found.created_at, found.lang) == (talk.now, None)


def test_absent_accepts_is_not_the_same_as_an_empty_list(talk):
    absent = chat.authenticate(talk.db, talk.open_with_token().token)
    opened = chat.open_conversation(talk.db, talk.company_id, channel="web", now=talk.now, accepts=[])

    assert absent.accepts is None
    assert chat.authenticate(talk.db, opened.token).accepts == ()


@pytest.mark.parametrize("token", ["", "x", "x" * 10_000, "\x00", "\ud800", "' OR 1=1 --"])
def test_a_wrong_token_is_not_found(talk, token):
    talk.open()

    with pytest.raises(NotFound, match="no such conversation"):
        chat.authenticate(talk.db, token)


def test_the_public_id_or_the_digest_does_not_open_the_conversation(talk):
    opened = talk.open_with_token()
    with talk.db.read() as session:
        digest = session.connection().execute(text("SELECT token_sha256 FROM conversation")).scalar_one()

    for guess in (opened.conversation_id, digest):
        with pytest.raises(NotFound):
            chat.authenticate(talk.db, guess)


def test_a_closed_conversation_lets_nobody_in_and_keeps_its_turns(talk):
    opened = talk.open_with_token()
    talk.answered(opened.conversation)

    assert chat.close_conversation(talk.db, opened.conversation, now=talk.now)
    assert not chat.close_conversation(talk.db, opened.conversation, now=talk.now)

    with pytest.raises(NotFound):
        chat.authenticate(talk.db, opened.token)
    with pytest.raises(NotFound):
        talk.accept(opened.conversation)
    assert len(chat.read_turns(talk.db, opened.conversation)) == 2


@pytest.mark.parametrize("locale", ["", "x" * 65, "en\x00"])
def test_a_locale_that_cannot_be_stored_is_refused(talk, locale):
    with pytest.raises(InvalidData):
        chat.open_conversation(talk.db, talk.company_id, channel="web", now=talk.now, locale=locale)


def test_foreign_and_missing_conversations_get_the_same_answer(talk):
    mine = talk.open()
    answers = []
    for company_id, conversation_id in [(talk.other_company_id, mine.conversation_id), (talk.company_id, "missing")]:
        with pytest.raises(NotFound) as caught:
            chat.get_conversation(talk.db, company_id, conversation_id)
        answers.append((str(caught.value), caught.value.code, caught.value.facts))

    assert answers[0] == answers[1]
