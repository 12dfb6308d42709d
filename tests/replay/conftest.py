"""One event loop and one installation for all conversations of the session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from store.passport import choose_server
from tests.replay.run import Result, run_one
from tests.replay.scenario import Scenario
from tests.replay.world import Worlds


@pytest.fixture(scope="session")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Result]]:
    """Play and grade one scenario; takes what `run_one` takes but the worlds."""
    root = tmp_path_factory.mktemp("replay")
    server = choose_server(None, root / "valkey")
    worlds = Worlds(root / "worlds", server)
    with asyncio.Runner() as runner:

        def played(scenario: Scenario, **how: Any) -> Result:
            return runner.run(run_one(scenario, worlds, **how))

        yield played
        runner.run(worlds.stop())
    server.close()
