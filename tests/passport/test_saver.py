"""What is kept, for how long, under which names, and how much it costs."""

from __future__ import annotations

import copy
import json
import random
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from store.passport import PassportError, PassportSaver
from store.passport.keys import ConversationKeys

Fixture = Callable[..., Any]
ODD_THREAD_IDS = [
    "a:b", "a*", "x}{y", "}", "{", "{}", "Привет мир", " ", "a b", "a%3Ab", "line\nbreak", "nul\0", "\ud800", "=" * 3,
    "long" * 500,
]  # fmt: skip


WORDS = """hello I want to rent a scooter bike boat car for from the next week July please how much is it per day can
you deliver hotel airport Sanur Kuta we are two people need helmet insurance deposit return morning yes no thanks second
cheaper bigger automatic free booked sorry dates taken instead offer price total pickup office open until confirm quote
rental extend cancel licence passport cash card discount longer Honda PCX NMAX Vario"""


async def put(saver: PassportSaver, config: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = values
    return await saver.aput(config, checkpoint, {"source": "loop", "step": 1, "parents": {}}, {})


# --- time limit ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("durability", ["exit", "sync", "async"])
async def test_every_key_has_a_time_limit(
    client: Any, make_saver: Fixture, build_graph: Fixture, turn: Fixture, keys_of: Fixture, durability: str
) -> None:
    saver = make_saver(client, ttl_seconds=100, indexed=True)
    graph = build_graph(saver, ask=True)
    await turn(saver, graph, "t", "one", durability=durability, write_through=durability != "exit")
    async with saver.open("open"):
        limits = {key: await client.client.pttl(key) for key in await keys_of(client)}
    assert len(limits) == 5  # checkpoints, writes, namespaces, registry, the lock of the other
    assert all(0 < limit <= 100_000 for limit in limits.values())


async def test_the_time_limit_slides_with_every_turn_from_its_opening_on(
    client: Any, make_saver: Fixture, build_graph: Fixture, turn: Fixture, keys_of: Fixture
) -> None:
    saver = make_saver(client, ttl_seconds=100)
    await turn(saver, build_graph(saver), "t", "one")
    for key in await keys_of(client):
        await client.client.pexpire(key, 5000)
    async with saver.open("t"):
        limits = [await client.client.pttl(key) for key in await keys_of(client)]
    assert sorted(limit > 90_000 for limit in limits) == [False, True, True]  # False: the lock


async def test_a_conversation_past_its_time_starts_fresh(
    saver: PassportSaver, client: Any, build_graph: Fixture, turn: Fixture, log_of: Fixture, keys_of: Fixture
) -> None:
    graph = build_graph(saver)
    await turn(saver, graph, "t", "one")
    await client.client.delete(*await keys_of(client))
    await turn(saver, graph, "t", "two")
    assert await log_of(graph, "t") == ["two"]


# --- names --------------------------------------------------------------------------------------------------


async def test_odd_thread_ids_never_meet(
    saver: PassportSaver, build_graph: Fixture, turn: Fixture, log_of: Fixture
) -> None:
    graph = build_graph(saver)
    for number, thread_id in enumerate(ODD_THREAD_IDS):
        await turn(saver, graph, thread_id, f"for {number}")
    for number, thread_id in enumerate(ODD_THREAD_IDS):
        assert await log_of(graph, thread_id) == [f"for {number}"]

    await saver.adelete_thread("a*")

    left = [thread_id for thread_id in ODD_THREAD_IDS if await log_of(graph, thread_id)]
    assert left == [thread_id for thread_id in ODD_THREAD_IDS if thread_id != "a*"]


@given(st.text(min_size=1), st.text(min_size=1), st.text(), st.text())
def test_keys_of_two_conversations_never_collide_and_share_a_slot_within_one(
    one: str, other: str, namespace: str, other_namespace: str
) -> None:
    def names(thread_id: str, inner: str) -> set[str]:
        keys = ConversationKeys("pp", thread_id)
        return {*keys.lock, keys.namespaces, *keys.pair(inner), *keys.pair("")}

    mine, theirs = names(one, namespace), names(other, other_namespace)
    assert (one == other) or not mine & theirs
    tags = {name[name.index("{") + 1 : name.index("}")] for name in mine}
    assert len(tags) == 1
    assert tags != {""}


@pytest.mark.parametrize("thread_id", ["", None, 7, {"$ne": ""}, b"t", ["t"]])
async def test_a_thread_id_that_is_no_text_is_refused(saver: PassportSaver, thread_id: Any) -> None:
    with pytest.raises(PassportError):
        await saver.aget_tuple({"configurable": {"thread_id": thread_id}})


# --- what is kept -------------------------------------------------------------------------------------------


async def test_old_checkpoints_and_their_writes_do_not_pile_up(
    client: Any, make_saver: Fixture, build_graph: Fixture, turn: Fixture, config: Fixture, keys_of: Fixture
) -> None:
    saver = make_saver(client, keep=2)
    graph = build_graph(saver)
    sizes = set()
    for number in range(30):
        await turn(saver, graph, "t", f"m{number}", durability="sync")
        sizes.add(len(await keys_of(client)))
    assert len([item async for item in saver.alist(config("t"))]) == 2
    assert max(sizes) <= 3


async def test_the_previous_checkpoint_can_still_be_read(
    client: Any, make_saver: Fixture, build_graph: Fixture, turn: Fixture, config: Fixture
) -> None:
    """It is stored as a difference to the newest one."""
    saver = make_saver(client, keep=3)
    graph = build_graph(saver)
    for text in ("one " * 300, "two", "three", "four"):
        await turn(saver, graph, "t", text)
    items = [item async for item in saver.alist(config("t"))]
    assert [len(item.checkpoint["channel_values"]["log"]) for item in items] == [4, 3, 2]
    oldest = await saver.aget_tuple(items[2].config)
    assert oldest == items[2]
    assert oldest.checkpoint["channel_values"]["log"] == ["one " * 300, "two"]


async def test_an_idle_conversation_of_ten_kilobytes_costs_less_than_five(
    valkey: Any, make_saver: Fixture, keys_of: Fixture
) -> None:
    saver, state, thread_id = make_saver(valkey, keep=2), realistic_state(), str(uuid.uuid4())
    config: dict[str, Any] = {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
    for number in range(4):
        state["history"] = [*state["history"][1:], {"role": "user", "text": f"and number {number}?"}]
        async with saver.open(thread_id):
            config = await put(saver, config, state)
    assert len(json.dumps(state)) > 10_000
    assert len([item async for item in saver.alist({"configurable": {"thread_id": thread_id}})]) == 2

    used = [await valkey.client.memory_usage(key) for key in await keys_of(valkey)]

    assert sum(used) <= 5 * 1024, used


def realistic_state() -> dict[str, Any]:
    """Fifty messages and ten vehicles; the words are drawn at random, which compresses worse than talk does."""
    draw = random.Random(7)
    words = WORDS.split()

    def sentence() -> str:
        return " ".join(draw.choice(words) for _ in range(draw.randint(6, 24)))

    history = [
        {"role": draw.choice(["user", "bot"]), "text": sentence(), "at": f"2027-06-{n % 28 + 1:02d}T10:{n:02d}:00Z"}
        for n in range(50)
    ]
    vehicles = [
        {
            "vehicle_uuid": str(uuid.UUID(int=draw.getrandbits(128), version=4)), "name": sentence()[:20],
            "category": "scooter", "engine_cc": draw.choice([110, 125, 160]), "transmission": "automatic",
            "photo_url": f"https://cdn.example.com/vehicles/{draw.getrandbits(64):x}.jpg", "currency": "IDR",
            "price_per_day_minor": draw.randint(100, 400) * 1000, "total_minor": draw.randint(1000, 4000) * 1000,
            "tiers": [{"min_days": 1, "percent": 100}, {"min_days": 3, "percent": 90}],
        }
        for _ in range(10)
    ]  # fmt: skip
    return {"history": history, "last_search": vehicles, "client": {"first_name": "Wayan"}, "phase": "quoting"}


# --- threads ------------------------------------------------------------------------------------------------


async def test_deleting_leaves_no_key_of_any_namespace(saver: PassportSaver, client: Any, keys_of: Fixture) -> None:
    for namespace in ("", "child:1", "child:2|x"):
        place = {"configurable": {"thread_id": "t", "checkpoint_ns": namespace}}
        stored = await put(saver, place, {"a": 1})
        await saver.aput_writes(stored, [("a", 2)], "task")
    assert len(await keys_of(client)) == 7

    await saver.adelete_thread("t")

    assert await keys_of(client) == []


async def test_a_sealed_conversation_can_be_copied_to_another_thread(
    client: Any, make_saver: Fixture, build_graph: Fixture, turn: Fixture, log_of: Fixture
) -> None:
    saver = make_saver(client)
    graph = build_graph(saver)
    for text in ("one", "two"):
        await turn(saver, graph, "a", text)
    await saver.acopy_thread("a", "b")
    await turn(saver, graph, "b", "three")
    assert (await log_of(graph, "a"), await log_of(graph, "b")) == (["one", "two"], ["one", "two", "three"])


async def test_listing_all_threads_needs_the_registry(client: Any, make_saver: Fixture) -> None:
    with pytest.raises(PassportError, match="registry"):
        [item async for item in make_saver(client).alist(None)]
    indexed = make_saver(client, indexed=True)
    for thread_id in ("a", "b"):
        await put(indexed, {"configurable": {"thread_id": thread_id}}, {"a": 1})
    listed = [item.config["configurable"]["thread_id"] async for item in indexed.alist(None)]
    assert sorted(listed) == ["a", "b"]
    await indexed.adelete_thread("a")
    assert len([item async for item in indexed.alist(None)]) == 1


async def test_a_copy_of_the_saver_shares_its_sessions(
    saver: PassportSaver, build_graph: Fixture, turn: Fixture, log_of: Fixture
) -> None:
    """LangGraph copies a saver when it derives an allow-list for msgpack."""
    twin = copy.copy(saver)
    graph = build_graph(twin)
    await turn(saver, graph, "t", "one")
    assert await log_of(graph, "t") == ["one"]
    assert saver.with_allowlist([("some", "Type")]) is saver


async def test_the_msgpack_serializer_gets_its_allow_list(client: Any, make_saver: Fixture) -> None:
    saver = make_saver(client, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
    derived = saver.with_allowlist([("some", "Type")])
    assert derived is not saver
    assert derived.backend is saver.backend


async def test_a_server_that_forgot_the_scripts_gets_their_text(
    saver: PassportSaver, client: Any, build_graph: Fixture, turn: Fixture, log_of: Fixture
) -> None:
    graph = build_graph(saver)
    await client.client.script_flush()
    await turn(saver, graph, "t", "one")
    assert await log_of(graph, "t") == ["one"]


@pytest.mark.parametrize("options", [{"ttl_seconds": 0}, {"keep": 0}])
def test_no_time_limit_and_nothing_to_keep_are_mistakes(make_saver: Fixture, options: dict[str, int]) -> None:
    import fakeredis

    with pytest.raises(PassportError):
        make_saver(fakeredis.FakeAsyncRedis(), **options)


def test_a_client_that_decodes_text_is_a_mistake(make_saver: Fixture) -> None:
    import fakeredis

    with pytest.raises(PassportError, match="decode_responses"):
        make_saver(fakeredis.FakeAsyncRedis(decode_responses=True))
