"""Every case of the public fault log that the business side may have is a test, or says why it cannot be one."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOG = ROOT.parent / "shared" / "cases" / "public_faults.jsonl"
NOT_APPLYING = ROOT / "tests" / "fixtures" / "faults_that_do_not_apply.toml"
AREAS = {
    "booking-overlap", "calendar", "currency", "customers", "dst", "holds", "idempotency", "names", "pricing", "search",
    "stay-rules", "tenant", "timezone",
}  # fmt: skip
MIN_REASON_CHARS = 80
_ID = re.compile(r"\bBL-\d{3}\b")


def ids_in_docstrings(source: str) -> set[str]:
    """Ids in the docstrings of tests; a comment or the name of a constant does not count."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            found |= set(_ID.findall(ast.get_docstring(node) or ""))
    return found


def in_tests() -> set[str]:
    """Ids of all tests of the repository."""
    files = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    return set().union(*(ids_in_docstrings(source) for source in files))


def excused() -> dict[str, str]:
    """Id -> why it does not apply."""
    table = tomllib.loads(NOT_APPLYING.read_text(encoding="utf-8"))
    return {case: str(entry["reason"]).strip() for case, entry in table.items()}


def untold(cases: Iterable[str]) -> list[str]:
    """Cases that neither a test nor a reason names."""
    return sorted(set(cases) - in_tests() - set(excused()))


@pytest.fixture
def log() -> dict[str, str]:
    """Id -> area of every visible case."""
    if not LOG.is_file():
        pytest.skip("the fault log is not present beside the checkout")
    rows = (json.loads(line) for line in LOG.read_text(encoding="utf-8").splitlines() if line.strip())
    return {row["id"]: row["area"] for row in rows}


def test_every_case_of_the_business_side_is_a_test_or_has_a_reason(log: dict[str, str]) -> None:
    cases = [case for case, area in log.items() if area in AREAS]
    assert set(log.values()) >= AREAS
    assert untold(cases) == []


def test_no_test_names_a_case_that_the_log_does_not_have(log: dict[str, str]) -> None:
    """A typing error in an id would prove nothing."""
    assert (in_tests() | set(excused())) - set(log) == set()


def test_a_reason_is_more_than_a_word() -> None:
    assert all(len(reason) > MIN_REASON_CHARS for reason in excused().values())


def test_a_case_without_a_test_would_be_seen() -> None:
    """Negative control: an invented id, also where it stands in a comment or outside of a test."""
    invented = "BL-" + "999"
    assert untold([invented]) == [invented]
    assert ids_in_docstrings(f'def test_a() -> None:\n    """{invented}."""') == {invented}
    for source in (f"# {invented}", f'"""{invented}"""', f'def helper() -> None:\n    """{invented}."""'):
        assert ids_in_docstrings(source) == set()
