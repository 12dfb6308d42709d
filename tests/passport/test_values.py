"""JSON in is the same JSON out; anything else is refused by name; a blob that is not ours runs nothing."""

from __future__ import annotations

import asyncio
import enum
import json
import logging
import random
import string
import zlib
from collections import OrderedDict, namedtuple
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import END, START, StateGraph
from langgraph.types import Overwrite, Send

from store.passport import (
    BlobCodec,
    NotPlainData,
    PassportError,
    PassportSaver,
    PassportTooLarge,
    PassportUnreadable,
    StrictJsonSerializer,
)
from store.passport.documents import checkpoint_document, read_checkpoint_document
from store.passport.keys import ConversationKeys

Fixture = Callable[..., Any]
SERDE = StrictJsonSerializer()
PLACE = ("thread", "", "checkpoint")
KEY = b"k" * 32
CONSTRUCTOR = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain_core", "messages", "AIMessage"],
    "kwargs": {"content": "price is 1"},
}

plain_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**200), 2**200)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


def same(one: Any, other: Any) -> bool:
    """Equal with equal types all the way down; `1`, `1.0` and `True` are three values here."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return repr(one) == repr(other)


# --- values -------------------------------------------------------------------------------------------------


@given(plain_values)
def test_json_comes_back_with_the_same_values_and_types(value: Any) -> None:
    codec = BlobCodec(seal_keys=[KEY])
    assert same(codec.unpack(SERDE, codec.pack(SERDE, value, PLACE), PLACE), value)


@given(plain_values, plain_values)
def test_json_comes_back_the_same_when_stored_as_a_difference(old: Any, new: Any) -> None:
    codec = BlobCodec()
    old_body, new_body = codec.serialize(SERDE, old), codec.serialize(SERDE, new)
    blob = codec.enclose_difference(old_body, new_body, PLACE)
    assert codec.open(blob, PLACE, base=new_body) == old_body


Pair = namedtuple("Pair", "a b")


class Colour(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


@pytest.mark.parametrize(
    "value",
    [
        (1, 2), {1}, b"bytes", Pair(1, 2), Colour.RED, Level.LOW, Decimal(1), datetime(2027, 1, 1, tzinfo=UTC),
        float("nan"), float("inf"), OrderedDict(a=1), {1: "a"}, {Colour.RED: 1}, object(), RuntimeError("x"), 2**5000,
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_json_would_change_or_refuse_is_refused_with_its_path(value: Any) -> None:
    with pytest.raises(NotPlainData) as refused:
        SERDE.dumps_typed({"state": {"items": ["fine", value]}})
    assert str(refused.value.facts["path"]).startswith("$.state.items[1]")


def test_what_contains_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(NotPlainData):
        SERDE.dumps_typed(endless)


@pytest.mark.parametrize("bad", [(1, 2), {1, 2}, Decimal(1)], ids=["tuple", "set", "Decimal"])
async def test_a_turn_that_leaves_other_than_plain_data_fails_by_name_and_releases(
    saver: PassportSaver, turn: Fixture, config: Fixture, client: Any, prefix: str, bad: Any
) -> None:
    class State(TypedDict, total=False):
        found: Any

    async def node(state: State) -> dict[str, Any]:
        return {"found": {"prices": bad}}

    graph = StateGraph(State).add_node("node", node).add_edge(START, "node").add_edge("node", END)
    with pytest.raises(NotPlainData) as refused:
        await turn(saver, graph.compile(checkpointer=saver), "t", {"found": None})
    assert "found.prices" in str(refused.value.facts["path"])
    assert await client.client.exists(ConversationKeys(prefix, "t").lock[0]) == 0


async def test_constructor_shaped_data_of_a_customer_stays_data(
    saver: PassportSaver, build_graph: Fixture, turn: Fixture, config: Fixture
) -> None:
    shapes = [
        CONSTRUCTOR,
        {**CONSTRUCTOR, "lc": 2, "id": ["pathlib", "Path"], "args": ["/etc/passwd"]},
        ["send", "node", CONSTRUCTOR],
        ["tuple", [1, 2]],
        {"f": 1, "v": ["interrupt", "id", 1, None]},
        {"__overwrite__": [1]},
    ]
    graph = build_graph(saver)
    for shape in shapes:
        await turn(saver, graph, "t", {"text": shape})
    log = (await graph.aget_state(config("t"))).values["log"]
    assert same(log, shapes)


# --- LangGraph's own values ---------------------------------------------------------------------------------


class Fan(TypedDict, total=False):
    todo: list[int]
    done: Annotated[list[int], lambda old, new: old + new]


@pytest.mark.parametrize("durability", ["exit", "sync", "async"])
async def test_sends_joins_deferred_nodes_and_overwrites_survive_a_failure_in_between(
    saver: PassportSaver, turn: Fixture, config: Fixture, durability: str
) -> None:
    broken = [True]

    async def work(state: dict[str, Any]) -> dict[str, Any]:
        if state["item"] == 2 and broken:
            await asyncio.sleep(0)
            raise RuntimeError
        return {"done": [state["item"]]}

    async def nothing(state: Fan) -> dict[str, Any]:
        return {}

    async def reset(state: Fan) -> dict[str, Any]:
        return {"done": Overwrite([0])}

    graph = StateGraph(Fan)
    for name, node in {"reset": reset, "other": nothing, "work": work, "left": nothing, "right": nothing}.items():
        graph.add_node(name, node)
    graph.add_node("end", nothing, defer=True)
    graph.add_node("joined", nothing)
    graph.add_edge(START, "reset")
    graph.add_edge(START, "other")
    graph.add_conditional_edges("reset", lambda state: [Send("work", {"item": n}) for n in state["todo"]], ["work"])
    graph.add_edge("reset", "left")
    graph.add_edge("other", "right")
    graph.add_edge(["left", "right", "work"], "joined")
    graph.add_edge("joined", "end")
    app = graph.compile(checkpointer=saver)

    with pytest.raises(RuntimeError):
        await turn(saver, app, "t", {"todo": [1, 2, 3]}, durability=durability)
    broken.clear()
    result = await turn(saver, app, "t", None, durability=durability)

    assert result["done"] == [0, 1, 2, 3]
    assert (await app.aget_state(config("t"))).next == ()


async def test_the_types_of_langgraphs_own_channels_come_back() -> None:
    checkpoint = empty_checkpoint()
    values = {
        "join:a+b:c": {"a", "b"},
        "branch:to:x": ((1, "two"), True),
        "__pregel_tasks": [Send("node", {"item": [1, {"deep": CONSTRUCTOR}]})],
        "plain": {"a": 1},
    }
    checkpoint["channel_values"] = dict(values)
    document = json.loads(json.dumps(checkpoint_document(checkpoint, {"step": 1}, None)))
    assert read_checkpoint_document(document)[0]["channel_values"] == values


# --- size ---------------------------------------------------------------------------------------------------


async def test_a_state_over_the_limit_is_refused_and_the_old_one_stays(
    client: Any, make_saver: Fixture, build_graph: Fixture, turn: Fixture, log_of: Fixture
) -> None:
    saver = make_saver(client, codec=BlobCodec(limit_bytes=5000))
    graph = build_graph(saver)
    await turn(saver, graph, "t", "small")
    with pytest.raises(PassportTooLarge) as refused:
        await turn(saver, graph, "t", "x" * 5000)
    assert refused.value.facts["limit_bytes"] == 5000
    assert await log_of(graph, "t") == ["small"]


def test_a_blob_that_would_inflate_beyond_the_limit_is_not_inflated() -> None:
    bomb = bytes((1, 1)) + zlib.compress(b"json\0" + b'"' + b"0" * 50_000_000 + b'"')
    with pytest.raises(PassportUnreadable) as refused:
        BlobCodec(limit_bytes=10_000).unpack(SERDE, bomb, PLACE)
    assert refused.value.facts["reason"] == "deflate"


# --- seal ---------------------------------------------------------------------------------------------------


def test_a_sealed_blob_is_refused_when_any_bit_or_its_place_is_changed() -> None:
    codec = BlobCodec(seal_keys=[KEY])
    blob = codec.pack(SERDE, {"price_minor": 100}, PLACE)
    for position in range(len(blob)):
        forged = bytearray(blob)
        forged[position] ^= 1
        with pytest.raises(PassportUnreadable):
            codec.unpack(SERDE, bytes(forged), PLACE)
    with pytest.raises(PassportUnreadable):
        codec.unpack(SERDE, blob, ("another thread", "", "checkpoint"))
    with pytest.raises(PassportUnreadable):
        codec.unpack(SERDE, BlobCodec().pack(SERDE, {"price_minor": 1}, PLACE), PLACE)


def test_without_a_key_the_same_forgery_is_read() -> None:
    """Negative control of the seal."""
    forged = BlobCodec().pack(SERDE, {"price_minor": 1}, PLACE)
    assert BlobCodec().unpack(SERDE, forged, ("another thread",)) == {"price_minor": 1}


def test_the_key_can_be_changed_without_losing_conversations() -> None:
    old, new = BlobCodec(seal_keys=[b"old"]), BlobCodec(seal_keys=[b"new", b"old"])
    assert new.unpack(SERDE, old.pack(SERDE, 1, PLACE), PLACE) == 1
    with pytest.raises(PassportUnreadable):
        old.unpack(SERDE, new.pack(SERDE, 1, PLACE), PLACE)


# --- damage -------------------------------------------------------------------------------------------------


def hostile_blobs(count: int, honest: bytes) -> list[bytes]:
    """Damaged, foreign and malicious blobs; every one differs from the honest blob."""
    draw = random.Random(23)
    pickled = b"\x80\x04\x95\x1d\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x8c\x06system\x93\x8c\x04true\x85R."
    revived = json.dumps({**CONSTRUCTOR, "lc": 2, "id": ["subprocess", "check_output"], "args": [["true"]]})
    msgpack = JsonPlusSerializer().dumps_typed({"when": datetime(2027, 1, 1, tzinfo=UTC)})[1]
    bodies = [
        b"pickle\0" + pickled, b"json\0" + revived.encode(), b"msgpack\0" + msgpack, b"json\0" + b"[" * 100_000,
        b"json\0NaN", b"json\0null", b"json\0{}", b'json\0{"c":{},"m":{},"p":null,"f":{}}', b"json", b"\0", b"\xff\0{}",
        b'json\0{"c":{"id":"x","channel_values":{}},"m":1,"p":0,"f":{"a":["send"]}}', b'json\0"\\ud800',
    ]  # fmt: skip
    blobs = [bytes((1, 0)) + body for body in bodies] + [bytes((1, 1)) + zlib.compress(body) for body in bodies]
    blobs += [b"", b"\x01", bytes((9, 0)) + honest, bytes((1, 4)) + honest[2:], honest[:-1], honest + b"x"]
    while len(blobs) < count:
        damaged = bytearray(honest)
        for _ in range(draw.randint(1, 4)):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        cut = draw.randrange(len(damaged))
        blobs += [blob for blob in (bytes(damaged), bytes(damaged[:cut])) if blob != honest]
    return blobs


@pytest.mark.parametrize("seal_keys", [[], [KEY]], ids=["plain", "sealed"])
async def test_five_hundred_hostile_blobs_run_nothing_and_the_chat_starts_fresh(
    valkey: Any, make_saver: Fixture, prefix: str, caplog: pytest.LogCaptureFixture, seal_keys: list[bytes]
) -> None:
    client = valkey.client
    saver = make_saver(client, codec=BlobCodec(seal_keys=seal_keys))
    place = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    checkpoint = empty_checkpoint()
    secret = "".join(random.Random(1).choices(string.ascii_letters, k=900))
    checkpoint["channel_values"] = {"secret": secret, "more": "word " * 200}
    await saver.aput(place, checkpoint, {"step": 1}, {})
    key = ConversationKeys(prefix, "t").pair("")[0]
    element = (await client.lrange(key, 0, 0))[0]
    name, _, honest = element.partition(b"\n")
    read_as_something = 0
    for blob in hostile_blobs(500, honest):
        await client.pipeline().delete(key).lpush(key, name + b"\n" + blob).execute()
        found = await saver.aget_tuple(place)
        if found is not None:
            read_as_something += 1
            assert type(found.checkpoint["channel_values"]) is dict
            assert found.checkpoint["id"] == checkpoint["id"]
    assert await client.exists(key) == 0 or not seal_keys
    # Without a seal a changed letter inside an uncompressed blob is a different, still well-formed state.
    assert read_as_something == 0 or not seal_keys
    assert saver.unreadable_count >= 500 - read_as_something
    assert secret not in caplog.text
    assert "passport unreadable" in caplog.text


@pytest.mark.parametrize("what", ["checkpoint", "pending write"])
async def test_an_unreadable_passport_is_dropped_logged_and_the_turn_runs_from_fresh(
    client: Any,
    make_saver: Fixture,
    prefix: str,
    build_graph: Fixture,
    turn: Fixture,
    log_of: Fixture,
    caplog: pytest.LogCaptureFixture,
    what: str,
) -> None:
    saver = make_saver(client)
    asking, plain = build_graph(saver, ask=True), build_graph(saver)
    await turn(saver, asking, "t", "book it")
    checkpoints, writes = ConversationKeys(prefix, "t").pair("")
    if what == "checkpoint":
        element = (await client.client.lrange(checkpoints, 0, 0))[0]
        await client.client.lset(checkpoints, 0, element[:-9])
    else:
        name = (await client.client.hkeys(writes))[0]
        await client.client.hset(writes, name, b"\x01\x00json\x00{")

    with caplog.at_level(logging.ERROR):
        await turn(saver, plain, "t", "hello")

    assert await log_of(plain, "t") == ["hello"]
    assert saver.unreadable_count == 1
    assert "book it" not in caplog.text


async def test_an_unreadable_head_is_not_dropped_when_it_has_been_replaced_meanwhile(
    saver: PassportSaver, client: Any, prefix: str, build_graph: Fixture, turn: Fixture, log_of: Fixture
) -> None:
    graph = build_graph(saver)
    await turn(saver, graph, "t", "good")
    await saver.backend.discard("t", "", b"another element")
    assert await log_of(graph, "t") == ["good"]


@pytest.mark.parametrize("kind", [bytes, str])
async def test_a_foreign_serializer_that_raises_is_an_unreadable_blob(kind: type) -> None:
    class Fragile:
        def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
            return "fragile", b"x"

        def loads_typed(self, data: tuple[str, bytes]) -> Any:
            raise KeyError(kind(b"x") if kind is bytes else "x")

    codec = BlobCodec()
    with pytest.raises(PassportUnreadable):
        codec.unpack(Fragile(), codec.pack(Fragile(), 1, PLACE), PLACE)


def test_every_error_says_what_to_do_with_it() -> None:
    for kind in (PassportError, *PassportError.__subclasses__()):
        assert kind.code
        assert 400 <= kind.status < 600
        assert isinstance(kind.retryable, bool)
