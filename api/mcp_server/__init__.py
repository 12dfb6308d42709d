"""The Model Context Protocol at `/mcp`: the same tools, arguments and answers as the REST endpoints, for any agent."""

from api.mcp_server.door import McpDoor

__all__ = ["McpDoor"]
