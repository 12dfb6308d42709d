"""The published JSON Schema: exported from the models, committed, and the only source of the TypeScript types."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from frontend_contract.actions import ActionRequest, MessageRequest, Problem, SessionOpened, SessionRequest
from frontend_contract.base import CONTRACT_VERSION, ContractModel
from frontend_contract.events import StreamEvent
from frontend_contract.turns import ChatResponse, Turn, TurnPage

SCHEMA_PATH: Final = Path(__file__).parent / "schema" / "contract.v1.json"


@cache
def whole_contract() -> type[ContractModel]:
    """Return the model of everything that crosses the wire, in one place, so that one schema holds it all.

    Made here and not at import: building it costs a start a tenth of a second, and only the schema needs it.
    """

    class Contract(ContractModel):
        """Everything that crosses the wire, in one place, so that one schema holds it all."""

        turn: Turn
        event: StreamEvent
        chat_response: ChatResponse
        turn_page: TurnPage
        session_request: SessionRequest
        session_opened: SessionOpened
        message_request: MessageRequest
        action_request: ActionRequest
        problem: Problem

    Contract.model_rebuild(_types_namespace=globals())
    return Contract


def export_schema() -> dict[str, Any]:
    """Return the schema as readers should see it: absent fields optional, unknown fields allowed."""
    schema = TypeAdapter(whole_contract()).json_schema(mode="serialization")
    schema = _for_readers(schema)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"ridepass:contract/{CONTRACT_VERSION}",
        **schema,
    }


def render_schema() -> str:
    """Return the committed form of the schema."""
    return json.dumps(export_schema(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def read_committed() -> str:
    """Return the committed schema, empty when there is none."""
    return SCHEMA_PATH.read_text(encoding="utf-8") if SCHEMA_PATH.exists() else ""


def write_schema() -> None:
    """Write the committed schema anew."""
    SCHEMA_PATH.write_text(render_schema(), encoding="utf-8")


def _for_readers(node: Any) -> Any:
    if isinstance(node, list):
        return [_for_readers(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: _for_readers(value) for key, value in node.items()}
    if isinstance(node.get("properties"), dict) and node.get("type") == "object":
        _relax_object(node)
    return node


def _relax_object(node: dict[str, Any]) -> None:
    """Make absent fields optional and drop what only producers are held to.

    Property titles would become dozens of junk aliases in TypeScript.
    """
    node.pop("additionalProperties", None)
    required = list(node.get("required", []))
    for name, field in node["properties"].items():
        field.pop("title", None)
        variants = field.get("anyOf")
        if variants and {"type": "null"} in variants and field.get("default", 0) is None:
            rest = [variant for variant in variants if variant != {"type": "null"}]
            field.pop("anyOf")
            field.pop("default")
            field.update(rest[0] if len(rest) == 1 else {"anyOf": rest})
            if name in required:
                required.remove(name)
    if required:
        node["required"] = required
    else:
        node.pop("required", None)
