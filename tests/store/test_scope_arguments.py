"""Whose data a query may see is an argument of every query function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SQL = Path(__file__).parents[2] / "store" / "sql"
MODULES = ("clients", "catalogue", "companies", "fleet", "kinds", "loading", "prices", "rentals", "requests", "words")
BEFORE_A_SCOPE = {
    "company_id_of",  # finds the company behind a public name
    "find_bots",  # finds the company behind a token
    "has_company",
    "plan_once",  # reads nothing
    "store_company",  # makes the company
}


def unscoped_functions(tree: ast.Module) -> Iterator[str]:
    """Public functions that take a session but no scope."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            arguments = {a.arg: ast.unparse(a.annotation) if a.annotation else "" for a in node.args.args}
            if arguments.get("session") == "Session" and arguments.get("scope") != "Scope":
                yield node.name


def test_every_query_function_takes_a_scope() -> None:
    found = {
        name
        for module in MODULES
        for name in unscoped_functions(ast.parse((SQL / f"{module}.py").read_text(encoding="utf-8")))
    }
    assert found == BEFORE_A_SCOPE


@pytest.mark.parametrize(
    "planted", ["def get(session: Session, uuid: str) -> int: ...", "def get(session: Session, scope: int) -> int: ..."]
)
def test_a_query_function_without_a_scope_would_be_seen(planted: str) -> None:
    """Negative control."""
    assert list(unscoped_functions(ast.parse(planted))) == ["get"]
