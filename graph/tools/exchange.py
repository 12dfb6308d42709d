"""Arguments to a request, an answer to facts or to one typed error. Nothing is ever half-read."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote

from pydantic import ValidationError

from graph.errors import InvalidArguments
from graph.tools.descriptors import ToolSpec
from graph.tools.strict_json import loads_strict
from graph.tools.transport import ToolAnswer, ToolRequest
from graph.tools.wire import ErrorCode, ToolError, Wire

_CODE_OF_STATUS: Final[dict[int, ErrorCode]] = {
    401: "unauthorized",
    403: "unauthorized",
    408: "timeout",
    429: "rate_limited",
    502: "unavailable",
    503: "unavailable",
    504: "timeout",
}
"""For answers that are not ours, such as a proxy's page. A foreign 404 is a wrong address, never "nothing found"."""

_RETRYABLE: Final = frozenset({"timeout", "unavailable", "rate_limited"})


def parse_arguments(spec: ToolSpec, raw: str | bytes) -> Wire:
    """Read a tool's arguments from JSON text that somebody else wrote.

    Raises:
        InvalidArguments: no object, a key twice, an unknown field (scope among them), a wrong type.
    """
    try:
        found = loads_strict(raw)
        if not isinstance(found, dict):
            raise InvalidArguments("arguments are an object")
        return spec.arguments.model_validate(found)
    except ValidationError as error:
        fields = sorted({".".join(str(part) for part in e["loc"]) for e in error.errors(include_input=False)})
        raise InvalidArguments(f"fields that do not fit: {fields}") from None
    except ValueError as error:
        raise InvalidArguments(str(error)) from None


def build_request(spec: ToolSpec, arguments: Wire, actor: str) -> ToolRequest:
    """Turn validated arguments into a request; path fields leave the query."""
    data = arguments.model_dump(mode="json", exclude_none=True)
    given = dict(data)
    in_path = {name: quote(str(data.pop(name)), safe="") for name in list(data) if f"{{{name}}}" in spec.path}
    path = spec.path.format(**in_path)
    if spec.method == "GET":
        query = {key: _query_value(value) for key, value in data.items() if value != []}
        return ToolRequest("GET", path, query, None, actor, spec.name, given)
    return ToolRequest("POST", path, {}, data, actor, spec.name, given)


def _query_value(value: Any) -> str | list[str]:
    if isinstance(value, list):
        return [str(part) for part in value]
    return "true" if value is True else "false" if value is False else str(value)


def read_answer(spec: ToolSpec, answer: ToolAnswer) -> Wire:
    """Validate the answer; a shape that was not promised is an error, never half-read facts."""
    if answer.is_cut:
        return ToolError(code="internal", message="the answer is too long")
    is_good = answer.status in {200, 201}
    model: type[Wire] = spec.result if is_good else ToolError
    if not is_good and answer.status < 400:
        return ToolError(code="internal", message=f"unexpected status {answer.status}")
    try:
        loads_strict(answer.body)
        return model.model_validate_json(answer.body)
    except ValueError:  # pydantic's own is one
        return _foreign(answer.status)


def _foreign(status: int) -> ToolError:
    code = _CODE_OF_STATUS.get(status, "internal")
    return ToolError(code=code, message=f"unreadable answer, status {status}", retryable=code in _RETRYABLE)
