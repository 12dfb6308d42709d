"""MCP-shaped tool descriptors, made from the wire models that the endpoints themselves use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from graph.tools.wire import Wire


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool of the business API.

    `read_only`, `idempotent` and `destructive` are hints for retries and display, in the sense of the
    Model Context Protocol; what a turn may call is decided by the allow-list and the scope alone.
    """

    name: str
    description: str
    method: Literal["GET", "POST"]
    path: str
    """Relative to the API's root; `{vehicle_uuid}` is filled from the arguments."""
    arguments: type[Wire]
    result: type[Wire]
    read_only: bool
    idempotent: bool
    destructive: bool = False

    def descriptor(self) -> dict[str, Any]:
        """Return the published form: name, description, schemas, annotations."""
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": self.arguments.model_json_schema(),
            "outputSchema": self.result.model_json_schema(mode="serialization"),
            "annotations": {
                "readOnlyHint": self.read_only,
                "idempotentHint": self.idempotent,
                "destructiveHint": self.destructive,
                "openWorldHint": False,
            },
        }
