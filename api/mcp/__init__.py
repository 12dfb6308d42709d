"""The business API: REST with tool-call semantics, under `/api/mcp`. The agent is one of its clients."""

from api.mcp.app import create_mcp_app

__all__ = ["create_mcp_app"]
