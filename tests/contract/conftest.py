"""The golden turns, one test case a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "frontend_contract" / "examples"


def load_examples() -> dict[str, dict[str, Any]]:
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(EXAMPLES.glob("*.json"))}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give `example` every golden turn, `strict_example` those that this version writes."""
    for fixture, wanted in (("example", None), ("strict_example", "strict")):
        if fixture in metafunc.fixturenames:
            found = [e for e in load_examples().values() if wanted in (None, e["expect"])]
            metafunc.parametrize(fixture, found, ids=[e["name"] for e in found])


@pytest.fixture(scope="session")
def examples() -> dict[str, dict[str, Any]]:
    return load_examples()
