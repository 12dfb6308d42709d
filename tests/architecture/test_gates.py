"""What no node can pass by."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from langgraph.types import Command

from graph.build import NODES, build_graph
from graph.errors import Ungrounded
from graph.tools.gateway import ToolGateway
from graph.tools.wire import CompanyInfo, CompanyWords, Offices

ROOT = Path(__file__).parents[2]
NOW = datetime(2027, 5, 31, 7, 30, tzinfo=UTC)


def context(*, strict: bool) -> Any:
    words = CompanyWords(brands=("Honda",), models=("PCX 160",), categories=("scooter",), aliases={})
    company: Any = CompanyInfo.model_construct(
        slug="s", name="Shop", timezone="UTC", currency="IDR", currency_exponent=0, house_rules={}, words=words
    )
    gateway = ToolGateway(transport=None, actor="web:c", clock=lambda: NOW, new_call_id=lambda: "call_1")  # type: ignore[arg-type]
    return SimpleNamespace(
        gateway=gateway,
        company=company,
        offices=Offices(offices=(), observed_at=NOW),
        strict_grounding=strict,
        clock=lambda: NOW,
        now_local=lambda: NOW,
    )


def draft(content: str) -> dict[str, Any]:
    return {
        "id": "t1", "agent": "search", "type": "text", "content": content, "payload": None, "actions": [],
        "lang": "en", "supersedes": None, "superseded": [], "evidence": [],
    }  # fmt: skip


def lying_graph(name: str, content: str) -> Any:
    """The real graph, one node of which writes a turn past every desk."""

    async def lie(state: Any, runtime: Any) -> Command[str]:
        history = [{"role": "agent", "text": content}]
        return Command(goto="__end__", update={"drafts": [draft(content)], "history": history})

    async def lead(state: Any, runtime: Any) -> Command[str]:
        return Command(goto=name)

    nodes = tuple((n, lie if n == name else lead if n == "coordinator" else node, goes) for n, node, goes in NODES)
    return build_graph(None, nodes)


@pytest.mark.parametrize("name", [name for name, _, _ in NODES])
async def test_no_node_can_say_what_no_fact_backs(name: str) -> None:
    """Whoever wrote it, however: it is cut before it is stored, in the turn and in the history, and audited."""
    graph, run = lying_graph(name, "Good day. It is booked for you, IDR 1."), context(strict=False)
    state = await graph.ainvoke({"inbound": {"inbox_id": "1"}}, context=run)
    assert state["drafts"][0]["content"] == "Good day."
    assert state["history"][0]["text"] == "Good day."
    (record,) = run.gateway.records
    assert (record.tool, record.error_code) == ("grounding", "ungrounded")
    assert {"kind": "money", "text": "IDR 1"} in record.arguments["cut"]


async def test_in_development_it_is_an_error() -> None:
    with pytest.raises(Ungrounded, match="booked"):
        await lying_graph("search", "It is booked for you.").ainvoke({}, context=context(strict=True))


async def test_an_invented_name_or_number_is_audited_as_a_digest_only() -> None:
    run = context(strict=False)
    await lying_graph("search", "Good day, dear Siobhan 0812345678.").ainvoke({}, context=run)
    assert "Siobhan" not in repr(run.gateway.records)
    assert "0812345678" not in repr(run.gateway.records)


def graphs_made(tree: ast.AST) -> Iterator[int]:
    """Lines that add a node to a graph."""
    return (n.lineno for n in ast.walk(tree) if isinstance(n, ast.Attribute) and n.attr == "add_node")


def keys_given(tree: ast.AST) -> Iterator[int]:
    """Lines that give a tool an idempotency key which is not derived on the spot from what was confirmed."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "idempotency_key":
            is_derived = isinstance(node.value, ast.Call) and ast.unparse(node.value.func).endswith("derive_key")
            is_absent = isinstance(node.value, ast.Constant) and node.value.value is None
            if not is_derived and not is_absent:
                yield node.value.lineno


RULES: dict[str, tuple[Any, set[str], str]] = {
    "nodes are added in one place, behind the gate": (graphs_made, {"graph/build.py"}, "graph.add_node('x', f)"),
    "keys are derived": (keys_given, set(), "Args(idempotency_key=words)"),
}


@pytest.mark.parametrize("rule", RULES)
def test_the_agent_keeps_the_rule(rule: str) -> None:
    find, allowed, planted = RULES[rule]
    broken = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / "graph").rglob("*.py"))
        if str(path.relative_to(ROOT)) not in allowed
        for line in find(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert broken == []
    assert list(find(ast.parse(planted))) == [1]
