"""Rules for the whole suite."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

_SERVICES = {"postgres", "redis_server", "browser", "node"}


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
