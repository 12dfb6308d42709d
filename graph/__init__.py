"""The agent: understanding, dialogue policy, tool and model gateways, and the LangGraph graph."""
