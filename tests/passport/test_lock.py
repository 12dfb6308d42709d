"""One writer per conversation: order of arrival, leases, refusals, and what deletion means for a running turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from store.passport import ConversationBusy, PassportError, PassportSaver, StaleRun, scripts
from store.passport.keys import ConversationKeys

Fixture = Callable[..., Any]
PENDING = {"configurable": {"thread_id": "t", "checkpoint_id": "c"}}


def key(prefix: str, thread_id: str, name: str) -> str:
    keys = ConversationKeys(prefix, thread_id)
    return dict(zip(("lock", "queue", "deadlines", "wake"), keys.lock, strict=True))[name]


# --- one writer ---------------------------------------------------------------------------------------------


async def test_three_turns_at_once_keep_all_messages_in_order_of_arrival(
    client: Any,
    make_saver: Fixture,
    prefix: str,
    build_graph: Fixture,
    turn: Fixture,
    log_of: Fixture,
    eventually: Fixture,
) -> None:
    holder, saver = make_saver(client), make_saver(client)
    graph = build_graph(saver)
    tasks: list[asyncio.Task[Any]] = []
    async with holder.open("t"):
        for number in range(3):
            tasks.append(asyncio.create_task(turn(saver, graph, "t", f"m{number}")))
            await eventually(lambda: has_members(client, key(prefix, "t", "queue"), len(tasks)))
    await asyncio.gather(*tasks)

    assert await log_of(graph, "t") == ["m0", "m1", "m2"]


async def has_members(client: Any, queue: str, count: int) -> bool:
    return await client.client.zcard(queue) == count


async def three_at_once(saver: PassportSaver, graph: Any, config: Fixture) -> list[Any]:
    runs = [graph.ainvoke({"text": f"m{n}"}, config("t"), durability="exit") for n in range(3)]
    return await asyncio.gather(*runs, return_exceptions=True)


async def test_without_lock_and_compare_and_set_messages_are_lost(
    client: Any, make_saver: Fixture, build_graph: Fixture, config: Fixture, log_of: Fixture
) -> None:
    """Negative control: what the guards are for."""
    barrier = asyncio.Barrier(3)
    saver = make_saver(client, compare_and_set=False)
    graph = build_graph(saver, lambda state: barrier.wait())

    results = await three_at_once(saver, graph, config)

    assert not any(isinstance(result, Exception) for result in results)
    assert len(await log_of(graph, "t")) == 1


class TogetherClient:
    """Two readers get the head at the same time."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.both = asyncio.Barrier(2)

    async def execute_command(self, *words: Any) -> Any:
        answer = await self.client.execute_command(*words)
        if words[1] == scripts.READ.sha:
            await self.both.wait()
        return answer

    def get_encoder(self) -> Any:
        return self.client.get_encoder()


@pytest.mark.parametrize("durability", ["exit", "sync", "async"])
async def test_without_lock_compare_and_set_lets_one_win_and_tells_the_other(
    client: Any, make_saver: Fixture, build_graph: Fixture, config: Fixture, log_of: Fixture, durability: str
) -> None:
    graph = build_graph(make_saver(TogetherClient(client)))

    runs = [graph.ainvoke({"text": text}, config("t"), durability=durability) for text in "ab"]
    results = await asyncio.gather(*runs, return_exceptions=True)

    assert sorted(type(result).__name__ for result in results) == ["StaleRun", "dict"]
    assert len(await log_of(build_graph(make_saver(client)), "t")) == 1


async def test_a_hundred_conversations_of_three_messages_at_once_lose_none(
    valkey: Any, make_saver: Fixture, build_graph: Fixture, turn: Fixture, log_of: Fixture
) -> None:
    saver = make_saver(valkey)
    graph = build_graph(saver)
    for batch in range(10):
        chats = [f"c{10 * batch + number}" for number in range(10)]
        await asyncio.gather(*[turn(saver, graph, chat, f"m{n}") for chat in chats for n in range(3)])

    logs = [await log_of(graph, f"c{chat}") for chat in range(100)]
    assert all(sorted(log) == ["m0", "m1", "m2"] for log in logs)


async def test_a_run_that_lost_its_lease_is_refused_and_the_other_run_stands(
    client: Any, make_saver: Fixture, build_graph: Fixture, prefix: str, log_of: Fixture
) -> None:
    """Two savers with backends of their own, as in two workers."""
    slow, fast = make_saver(client), make_saver(client)
    graphs = {worker: build_graph(worker) for worker in (slow, fast)}
    call = {"configurable": {"thread_id": "t"}}

    async def overtaken() -> None:
        async with slow.open("t"):
            await graphs[slow].ainvoke({"text": "slow"}, call, durability="exit")
            await client.client.delete(key(prefix, "t", "lock"))  # the lease runs out
            async with fast.open("t"):
                await graphs[fast].ainvoke({"text": "fast"}, call, durability="exit")

    with pytest.raises(StaleRun) as refused:
        await overtaken()
    assert refused.value.facts == {"reason": "lock"}
    assert refused.value.retryable
    assert await log_of(graphs[fast], "t") == ["fast"]


async def test_a_second_opening_waits_no_longer_than_told(client: Any, make_saver: Fixture, prefix: str) -> None:
    holder, other = make_saver(client), make_saver(client)
    async with holder.open("t"):
        with pytest.raises(ConversationBusy):
            async with other.open("t", wait_seconds=0.05):
                pytest.fail("two runs hold one conversation")
        assert await client.client.zcard(key(prefix, "t", "queue")) == 0


async def test_waiting_does_not_poll(client: Any, make_saver: Fixture) -> None:
    holder, other = make_saver(client), make_saver(client)
    async with holder.open("t"):
        client.sent.clear()
        with pytest.raises(ConversationBusy):
            async with other.open("t", wait_seconds=0.6):
                pass
    assert len(client.sent) <= 9  # at most three askings, their waits, the leaving and two unknown scripts


async def test_a_dead_waiter_blocks_nobody(
    saver: PassportSaver, client: Any, prefix: str, build_graph: Fixture, turn: Fixture, log_of: Fixture
) -> None:
    await client.client.zadd(key(prefix, "t", "queue"), {"dead": 1})
    await client.client.zadd(key(prefix, "t", "deadlines"), {"dead": 1})  # long ago
    graph = build_graph(saver)
    await turn(saver, graph, "t", "one", wait_seconds=0)
    assert await log_of(graph, "t") == ["one"]


async def test_a_waiter_that_still_shows_itself_goes_first(saver: PassportSaver, client: Any, prefix: str) -> None:
    """Negative control of the test above."""
    await client.client.zadd(key(prefix, "t", "queue"), {"alive": 1})
    await client.client.zadd(key(prefix, "t", "deadlines"), {"alive": 9_999_999_999_999})
    with pytest.raises(ConversationBusy):
        async with saver.open("t", wait_seconds=0):
            pass


async def test_a_cancelled_waiter_leaves_the_queue(
    client: Any, make_saver: Fixture, prefix: str, eventually: Fixture
) -> None:
    holder, other = make_saver(client), make_saver(client)
    queue = key(prefix, "t", "queue")

    async def wait() -> None:
        async with other.open("t"):
            pytest.fail("two runs hold one conversation")

    async with holder.open("t"):
        waiter = asyncio.create_task(wait())
        await eventually(lambda: has_members(client, queue, 1))
        waiter.cancel()
        await asyncio.gather(waiter, return_exceptions=True)
        assert await client.client.zcard(queue) == 0


async def test_the_lock_of_a_dead_holder_ends_with_its_lease(
    client: Any, make_saver: Fixture, prefix: str, build_graph: Fixture, turn: Fixture, log_of: Fixture
) -> None:
    await client.client.set(key(prefix, "t", "lock"), "dead holder", px=150)
    saver = make_saver(client)
    graph = build_graph(saver)
    await turn(saver, graph, "t", "one", wait_seconds=20)
    assert await log_of(graph, "t") == ["one"]


# --- lease --------------------------------------------------------------------------------------------------


async def test_a_long_run_renews_its_lease(
    saver: PassportSaver, client: Any, build_graph: Fixture, turn: Fixture, log_of: Fixture
) -> None:
    renewed = asyncio.Event()
    renewals: list[str] = []

    def watch(note: tuple[str, str]) -> None:
        if note[1] == scripts.RENEW.sha:
            renewals.append(note[1])
            if len(renewals) == 4:  # longer than the lease
                renewed.set()

    client.on_command = watch
    graph = build_graph(saver, lambda state: renewed.wait())
    await turn(saver, graph, "t", "one", lease_seconds=1)
    assert await log_of(graph, "t") == ["one"]


async def test_a_run_learns_that_its_lease_is_gone(
    saver: PassportSaver, client: Any, prefix: str, eventually: Fixture
) -> None:
    async with saver.open("t", lease_seconds=0.3) as session:

        async def is_lost() -> bool:
            return session.lost

        await client.client.delete(key(prefix, "t", "lock"))
        await eventually(is_lost)
        with pytest.raises(StaleRun):
            await saver.aput_writes(PENDING, [("a", 1)], "task")


async def test_opening_the_same_conversation_twice_in_one_task_is_a_mistake_not_a_deadlock(
    saver: PassportSaver,
) -> None:
    async with saver.open("t"):
        with pytest.raises(PassportError, match="already open"):
            async with saver.open("t"):
                pass


async def test_two_conversations_may_be_open_at_once(
    saver: PassportSaver, build_graph: Fixture, config: Fixture, log_of: Fixture
) -> None:
    graph = build_graph(saver)
    async with saver.open("a"), saver.open("b"):
        await graph.ainvoke({"text": "for a"}, config("a"), durability="exit")
        await graph.ainvoke({"text": "for b"}, config("b"), durability="exit")
    assert (await log_of(graph, "a"), await log_of(graph, "b")) == (["for a"], ["for b"])


async def test_a_straggler_of_a_closed_session_is_refused(saver: PassportSaver) -> None:
    go_on = asyncio.Event()

    async def straggle() -> None:
        await go_on.wait()
        await saver.aput_writes(PENDING, [("a", 1)], "task")

    async with saver.open("t"):
        task = asyncio.create_task(straggle())
    go_on.set()
    with pytest.raises(StaleRun):
        await task


# --- deletion -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turns_before", [0, 1])
async def test_a_late_write_after_deletion_is_refused_and_leaves_no_key(
    saver: PassportSaver,
    client: Any,
    build_graph: Fixture,
    turn: Fixture,
    keys_of: Fixture,
    turns_before: int,
) -> None:
    graph = build_graph(saver)
    for _ in range(turns_before):
        await turn(saver, graph, "t", "before")
    deleting = build_graph(saver, lambda state: saver.adelete_thread("t"))
    with pytest.raises(StaleRun):
        await turn(saver, deleting, "t", "late")
    assert await keys_of(client) == []


async def test_without_a_session_a_late_first_write_brings_a_deleted_conversation_back(
    saver: PassportSaver, client: Any, build_graph: Fixture, config: Fixture, keys_of: Fixture
) -> None:
    """Negative control: the head alone cannot tell a deleted conversation from a new one."""
    graph = build_graph(saver, lambda state: saver.adelete_thread("t"))
    await graph.ainvoke({"text": "late"}, config("t"), durability="exit")
    assert await keys_of(client) != []


async def test_deletion_lets_a_waiting_turn_go_on(
    client: Any,
    make_saver: Fixture,
    prefix: str,
    build_graph: Fixture,
    turn: Fixture,
    log_of: Fixture,
    eventually: Fixture,
) -> None:
    holder, other = make_saver(client), make_saver(client)
    graph = build_graph(other)

    async def overtaken() -> None:
        async with holder.open("t"):
            waiting = asyncio.create_task(turn(other, graph, "t", "next"))
            await eventually(lambda: has_members(client, key(prefix, "t", "queue"), 1))
            await holder.adelete_thread("t")
            await waiting
            await holder.aput_writes(PENDING, [("a", 1)], "task")

    with pytest.raises(StaleRun):
        await overtaken()
    assert await log_of(graph, "t") == ["next"]
