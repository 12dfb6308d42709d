"""The five nodes of the graph. A node reads state, calls a skill or a tool, and returns an update."""
