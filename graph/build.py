"""Nodes and edges to a compiled graph. The checkpointer is an argument."""

from __future__ import annotations

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from graph.context import RunContext
from graph.nodes.alternatives import alternatives
from graph.nodes.booking import booking
from graph.nodes.coordinator import coordinator
from graph.nodes.pricing import pricing
from graph.nodes.search import search
from graph.state import DialogState

DialogGraph = CompiledStateGraph[DialogState, RunContext, DialogState, DialogState]


def build_graph(checkpointer: BaseCheckpointSaver[int] | None) -> DialogGraph:
    """Compile the dialog graph.

    The coordinator comes first in every run; from there `Command(goto=...)` leads on, as `destinations` says.
    """
    graph = StateGraph(DialogState, context_schema=RunContext)
    graph.add_node("coordinator", coordinator, destinations=("search", "alternatives", "pricing", "booking", "__end__"))
    graph.add_node("search", search, destinations=("alternatives", "pricing", "__end__"))
    graph.add_node("alternatives", alternatives, destinations=("pricing", "__end__"))
    graph.add_node("pricing", pricing, destinations=("alternatives", "__end__"))
    graph.add_node("booking", booking, destinations=("alternatives", "pricing", "__end__"))
    graph.add_edge(START, "coordinator")
    return graph.compile(checkpointer=checkpointer, name="ridepass")
