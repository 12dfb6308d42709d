"""Rules of the code base that no type checker knows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("api", "frontend_contract", "graph", "renderers", "store")


def sources() -> list[Path]:
    """Every Python file of the product."""
    return [
        path
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if "node_modules" not in path.parts
    ]


def calls(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Dotted names of all calls, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node.lineno


def commits(tree: ast.AST) -> Iterator[int]:
    """Lines that commit a database session."""
    return (line for name, line in calls(tree) if name.endswith(".commit") and "session" in name.split(".")[-2])


def clock_reads(tree: ast.AST) -> Iterator[int]:
    """Lines that read the system clock as a fact of the business."""
    forbidden = ("datetime.now", "datetime.utcnow", "date.today", "datetime.today", "time.time")
    return (line for name, line in calls(tree) if name.endswith(forbidden))


def environment_reads(tree: ast.AST) -> Iterator[int]:
    """Lines that read the environment."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node) in {"os.environ", "os.getenv"}:
            yield node.lineno


def float_money(tree: ast.AST) -> Iterator[int]:
    """Lines where something named like money is a float."""
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
            name = ast.unparse(node.target) if isinstance(node, ast.AnnAssign) else node.arg
            if _is_money(name) and "float" in ast.unparse(node.annotation):
                yield node.lineno
        is_cast = isinstance(node, ast.Call) and ast.unparse(node.func) in {"float", "round"}
        if is_cast and any(word in ast.unparse(node) for word in ("minor", "price", "amount")):
            yield node.lineno


def _is_money(name: str) -> bool:
    return any(word in name for word in ("price", "total", "amount", "minor", "deposit", "fee"))


RULES: dict[str, tuple[Callable[[ast.AST], Iterator[int]], set[str], str]] = {
    "the only commit is in the unit of work": (commits, {"store/sql/unit.py"}, "session.commit()"),
    # The passport counts time limits in real time, whatever the business clock says.
    "the clock is injected": (clock_reads, {"api/clock.py", "store/passport/backend.py"}, "datetime.now()"),
    "settings are read in the command line and wiring only": (
        environment_reads,
        {"api/cli.py", "api/serving.py", "api/settings.py"},
        "os.environ['X']",
    ),
    "money is never a float": (float_money, set(), "total_price: float = 1.0"),
}


@pytest.mark.parametrize("rule", RULES)
def test_the_code_keeps_the_rule(rule: str) -> None:
    """Each rule holds everywhere but in the files that exist for it."""
    find, allowed, _ = RULES[rule]
    broken = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sources()
        if str(path.relative_to(ROOT)) not in allowed
        for line in find(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert broken == []


@pytest.mark.parametrize("rule", RULES)
def test_the_rule_can_fail(rule: str) -> None:
    """A planted violation is seen, so that silence means something."""
    find, _, planted = RULES[rule]
    assert list(find(ast.parse(planted))) == [1]


def test_source_files_stay_small() -> None:
    """A file of more than 400 lines does more than one thing."""
    long = {str(p.relative_to(ROOT)): n for p in sources() if (n := len(p.read_text("utf-8").splitlines())) > 400}
    assert long == {}
