"""Any heap of a language's own words is read without a fault, and never books by accident."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.models.offline import OfflineInterpreter
from graph.understanding.clear_yes import is_clear_yes
from graph.understanding.lexicon import Lexicon, load_lexicon
from graph.understanding.meaning import InterpretContext
from graph.understanding.text import fold

LANGUAGES = ("ko", "th", "id", "zh")
BESIDE = ["3", "10", "17", "06-12", "pcx", "200", "0812 3456 7890", ",", "?", "!", "\n", "ok", "🙂"]


@cache
def lexicon_of(code: str) -> Lexicon:
    return load_lexicon(code)


@cache
def words_of(code: str) -> list[str]:
    plain = (text for text in lexicon_of(code).strings() if not set(text) & set("\\[](){}|^$"))
    return sorted(set(islice(plain, 4000)))


@pytest.mark.parametrize("code", LANGUAGES)
@given(data=st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_heap_of_words_is_read(
    code: str, data: st.DataObject, offline: OfflineInterpreter, context: Callable[..., InterpretContext]
) -> None:
    words = data.draw(st.lists(st.sampled_from([*words_of(code), *BESIDE]), max_size=12))
    glue = data.draw(st.sampled_from(["", " "]))
    understood = offline.read(
        glue.join(words), context(data.draw(st.sampled_from(["fresh", "shown", "confirm"])), lang=code)
    )
    assert understood.intents


@pytest.mark.parametrize("code", LANGUAGES)
@given(data=st.data())
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_yes_with_any_other_word_books_nothing(code: str, data: st.DataObject) -> None:
    lexicon = lexicon_of(code)
    allowed = {*lexicon.words("answers.books"), *lexicon.words("answers.beside_books")}
    pieces = {piece for phrase in allowed for piece in phrase.split()}
    # "부탁 드려요" is one of them with a space in it, "ครับผม" one without.
    joined = {phrase.replace(" ", "") for phrase in (*allowed, *pieces)}
    apart = [word for word in words_of(code) if word.replace(" ", "") not in joined]
    others = [word for word in apart if fold(word).text.strip() and not set(word.split()) & pieces]
    other = data.draw(st.sampled_from([word for word in others if any(map(str.isalpha, word))]))
    yes = data.draw(st.sampled_from(lexicon.words("answers.books")))
    order = data.draw(st.permutations([yes, other]))
    assert not is_clear_yes(" ".join(order), code)
