"""LangGraph's own conformance suite, all capabilities, on every kind of server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from store.passport import BlobCodec, PassportSaver

# What the suite itself does not grant a saver that refuses a second writer: it puts several checkpoints without a
# parent into one thread.
FORKING_TESTS = {
    "test_list_metadata_filter_multiple_keys",
    "test_list_metadata_custom_keys",
    "test_delete_for_runs_preserves_other_runs",
}


async def run_suite(make: Callable[[], PassportSaver]) -> tuple[int, set[str], set[str]]:
    @checkpointer_test(name="passport")
    async def passport() -> AsyncIterator[PassportSaver]:
        yield make()

    report = await validate(passport)
    results = report.results.values()
    failures = {str(failure).partition(":")[0] for result in results for failure in result.failures or []}
    undetected = {name for name, result in report.results.items() if not result.detected}
    return sum(result.tests_passed for result in results), failures, undetected


FORKING = {"keep": None, "compare_and_set": False, "indexed": True}


async def test_strict_json_saver_passes_all_81_tests(client: Any, make_saver: Callable[..., PassportSaver]) -> None:
    assert await run_suite(lambda: make_saver(client, **FORKING)) == (81, set(), set())


@pytest.mark.parametrize(
    "how",
    [
        {"codec": BlobCodec(seal_keys=[b"k" * 32])},
        {"serde": JsonPlusSerializer(allowed_msgpack_modules=None)},
    ],
    ids=["sealed", "strict msgpack"],
)
async def test_sealed_blobs_and_strict_msgpack_pass_all_81_tests_too(
    valkey: Any, make_saver: Callable[..., PassportSaver], how: dict[str, Any]
) -> None:
    assert await run_suite(lambda: make_saver(valkey, **how, **FORKING)) == (81, set(), set())


async def test_compare_and_set_refuses_only_the_suites_own_forks(
    valkey: Any, make_saver: Callable[..., PassportSaver]
) -> None:
    assert await run_suite(lambda: make_saver(valkey, keep=None, indexed=True)) == (78, FORKING_TESTS, set())
