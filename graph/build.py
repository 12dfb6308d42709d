"""Nodes and edges to a compiled graph. The checkpointer is an argument."""

from __future__ import annotations

from typing import Final

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from graph.cards.gate import Node, gated
from graph.context import RunContext
from graph.nodes.alternatives import alternatives
from graph.nodes.booking import booking
from graph.nodes.coordinator import coordinator
from graph.nodes.pricing import pricing
from graph.nodes.search import search
from graph.state import DialogState, NodeName

DialogGraph = CompiledStateGraph[DialogState, RunContext, DialogState, DialogState]

Nodes = tuple[tuple[NodeName, Node, tuple[str, ...]], ...]
"""(name, node, where it may lead)."""

NODES: Final[Nodes] = (
    ("coordinator", coordinator, ("search", "alternatives", "pricing", "booking", "__end__")),
    ("search", search, ("alternatives", "pricing", "booking", "__end__")),
    ("alternatives", alternatives, ("pricing", "booking", "__end__")),
    ("pricing", pricing, ("alternatives", "booking", "__end__")),
    ("booking", booking, ("search", "alternatives", "pricing", "__end__")),
)


def build_graph(checkpointer: BaseCheckpointSaver[int] | None, nodes: Nodes = NODES) -> DialogGraph:
    """Compile the dialog graph.

    Every node stands behind the gate: what it says without a fact is cut before it is stored or shown. The coordinator
    comes first in every run; from there `Command(goto=...)` leads on, as `destinations` says.
    """
    graph = StateGraph(DialogState, context_schema=RunContext)
    for name, node, destinations in nodes:
        graph.add_node(name, gated(node), destinations=destinations)
    graph.add_edge(START, "coordinator")
    return graph.compile(checkpointer=checkpointer, name="ridepass")
