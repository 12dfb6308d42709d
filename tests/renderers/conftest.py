"""The golden turns and the English voice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from renderers.labels import Labels, labels_for

EXAMPLES = Path(__file__).parents[2] / "frontend_contract" / "examples"


def load_examples() -> dict[str, dict[str, Any]]:
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(EXAMPLES.glob("*.json"))}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "example" in metafunc.fixturenames:
        found = list(load_examples().values())
        metafunc.parametrize("example", found, ids=[e["name"] for e in found])


@pytest.fixture(scope="session")
def examples() -> dict[str, dict[str, Any]]:
    return load_examples()


@pytest.fixture(scope="session")
def labels() -> Labels:
    return labels_for("en")
