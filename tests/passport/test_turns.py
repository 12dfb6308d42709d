"""What a turn costs and leaves behind: two round trips, nothing half stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from langgraph.types import Command

from store.passport import PassportSaver, scripts
from store.passport.keys import ConversationKeys

Fixture = Callable[..., Any]
PENDING = {"configurable": {"thread_id": "t", "checkpoint_id": "c"}}


def key(prefix: str, thread_id: str, name: str) -> str:
    keys = ConversationKeys(prefix, thread_id)
    return dict(zip(("lock", "queue", "deadlines", "wake"), keys.lock, strict=True))[name]


# --- cost ---------------------------------------------------------------------------------------------------


async def test_a_turn_of_four_nodes_costs_exactly_two_round_trips_lock_included(
    saver: PassportSaver, client: Any, build_graph: Fixture, turn: Fixture, log_of: Fixture
) -> None:
    graph = build_graph(saver)
    await turn(saver, graph, "t", "one")
    client.sent.clear()

    await turn(saver, graph, "t", "two")

    assert client.sent == [("EVALSHA", scripts.OPEN.sha), ("EVALSHA", scripts.COMMIT.sha)]
    assert await log_of(graph, "t") == ["one", "two"]


async def test_without_the_session_the_same_turn_costs_two_round_trips_but_has_no_lock(
    saver: PassportSaver, client: Any, build_graph: Fixture, config: Fixture
) -> None:
    graph = build_graph(saver)
    await graph.ainvoke({"text": "one"}, config("t"), durability="exit")
    client.sent.clear()

    await graph.ainvoke({"text": "two"}, config("t"), durability="exit")

    assert [name for _, name in client.sent] == [scripts.READ.sha, scripts.COMMIT.sha]


async def test_a_failed_turn_costs_two_round_trips_and_keeps_what_was_done(
    saver: PassportSaver, client: Any, build_graph: Fixture, turn: Fixture, config: Fixture
) -> None:
    async def fail(state: Any) -> None:
        raise RuntimeError("token 12345 in the text of an error")

    graph = build_graph(saver, fail)
    with pytest.raises(RuntimeError):
        await turn(saver, graph, "t", "one")

    assert len(client.sent) == 2
    state = await graph.aget_state(config("t"))
    assert state.next == ("third",)
    assert state.tasks[0].error == "RuntimeError"


async def test_a_turn_that_stores_nothing_still_releases_with_one_script(
    saver: PassportSaver, client: Any, prefix: str
) -> None:
    with pytest.raises(ZeroDivisionError):
        async with saver.open("t"):
            raise ZeroDivisionError
    assert await client.client.exists(key(prefix, "t", "lock")) == 0
    assert [name for _, name in client.sent] == [scripts.OPEN.sha, scripts.COMMIT.sha]


async def test_an_early_commit_makes_leaving_free(
    saver: PassportSaver, client: Any, build_graph: Fixture, config: Fixture, log_of: Fixture
) -> None:
    graph = build_graph(saver)
    async with saver.open("t") as session:
        await graph.ainvoke({"text": "one"}, config("t"), durability="exit")
        await session.commit()
        client.sent.clear()
        assert await log_of(graph, "t") == ["one"]
    assert len(client.sent) == 1


# --- interrupts and durability ------------------------------------------------------------------------------


@pytest.mark.parametrize("durability", ["exit", "sync", "async"])
@pytest.mark.parametrize("write_through", [False, True], ids=["at the end", "at once"])
@pytest.mark.parametrize("keep", [1, 2])
async def test_an_interrupt_is_kept_and_resumed(
    client: Any,
    make_saver: Fixture,
    build_graph: Fixture,
    turn: Fixture,
    log_of: Fixture,
    durability: str,
    write_through: bool,
    keep: int,
) -> None:
    saver = make_saver(client, keep=keep)
    graph = build_graph(saver, ask=True)
    how = {"durability": durability, "write_through": write_through}

    asked = await turn(saver, graph, "t", "book it", **how)
    client.sent.clear()
    await turn(saver, graph, "t", Command(resume="yes"), **how)

    assert asked["__interrupt__"][0].value == {"sure": "book it"}
    assert await log_of(graph, "t") == ["yes"]
    if not write_through:
        assert len(client.sent) - 1 == 2  # the reading of the log is the third


async def test_the_state_can_be_read_inside_the_turn_before_it_is_stored(
    saver: PassportSaver, build_graph: Fixture, config: Fixture, log_of: Fixture, client: Any
) -> None:
    graph = build_graph(saver)
    async with saver.open("t"):
        await graph.ainvoke({"text": "one"}, config("t"), durability="exit")
        await graph.ainvoke({"text": "two"}, config("t"), durability="sync")
        client.sent.clear()
        assert await log_of(graph, "t") == ["one", "two"]
        assert len([item async for item in saver.alist(config("t"))]) > 2
    assert await log_of(graph, "t") == ["one", "two"]


async def test_a_cancelled_turn_stores_what_was_done_and_releases(
    saver: PassportSaver, client: Any, prefix: str, build_graph: Fixture, turn: Fixture, config: Fixture
) -> None:
    reached, never = asyncio.Event(), asyncio.Event()

    async def hang(state: Any) -> None:
        reached.set()
        await never.wait()

    graph = build_graph(saver, hang)
    task = asyncio.create_task(turn(saver, graph, "t", "one"))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert (await graph.aget_state(config("t"))).next == ("third",)
    assert await client.client.exists(key(prefix, "t", "lock")) == 0


async def test_a_repeated_commit_whose_answer_was_lost_is_no_conflict(
    saver: PassportSaver, client: Any, build_graph: Fixture, config: Fixture, log_of: Fixture
) -> None:
    """A client that loses the connection after the server has done the work sends the script again."""
    sending = client.execute_command

    async def send_twice(*words: Any, **options: Any) -> Any:
        await sending(*words, **options)
        return await sending(*words, **options)

    graph = build_graph(saver)
    async with saver.open("warm up"):
        pass
    client.execute_command = send_twice
    async with saver.open("t"):
        await graph.ainvoke({"text": "one"}, config("t"), durability="exit")
    client.execute_command = sending
    assert await log_of(graph, "t") == ["one"]
