"""The wire rules hold for every model of the contract, found by reflection; and the sweep itself can fail."""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType
from typing import Any, get_args

import pytest
from pydantic import BaseModel, ConfigDict

import frontend_contract.schema
from frontend_contract.base import ContractModel

# Not money, and never added up: a share between 0 and 1, and degrees.
FLOATS = {"confidence", "latitude", "longitude"}


def subclasses(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for cls in model.__subclasses__():
        yield cls
        yield from subclasses(cls)


def contract_models() -> list[type[BaseModel]]:
    assert frontend_contract.schema.whole_contract() in ContractModel.__subclasses__()
    return sorted(
        {cls for cls in subclasses(ContractModel) if cls.__module__.startswith("frontend_contract.")},
        key=lambda cls: cls.__name__,
    )


def mentions(annotation: Any, wanted: type) -> bool:
    return annotation is wanted or any(mentions(arg, wanted) for arg in get_args(annotation))


def faults(model: type[BaseModel]) -> set[str]:
    """Every wire rule that a model breaks."""
    found = set()
    if not model.model_config.get("frozen"):
        found.add("not frozen")
    if model.model_config.get("extra") != "forbid":
        found.add("takes unknown fields")
    if not (model.__doc__ or "").strip() or model.__doc__ == BaseModel.__doc__:
        found.add("says not what it is")
    if any(mentions(f.annotation, float) and name not in FLOATS for name, f in model.model_fields.items()):
        found.add("a float")
    nulls = {name for name, f in model.model_fields.items() if f.annotation is NoneType}
    empty = model.model_construct(**dict.fromkeys(n for n, f in model.model_fields.items() if f.default is None))
    if {name for name, value in empty.model_dump(warnings=False).items() if value is None} - nulls:
        found.add("null on the wire")
    if any(name != name.lower() or f.alias for name, f in model.model_fields.items()):
        found.add("not snake_case")
    return found


def test_the_sweep_sees_the_whole_contract() -> None:
    names = {cls.__name__ for cls in contract_models()}
    assert len(names) > 60
    assert {"Money", "VehicleFacts", "NoticeTurn", "CardEvent", "ActionRequest", "Contract", "Problem"} <= names


@pytest.mark.parametrize("model", contract_models(), ids=lambda cls: cls.__name__)
def test_a_model_keeps_every_wire_rule(model: type[BaseModel]) -> None:
    assert faults(model) == set()


def test_a_model_that_breaks_a_rule_is_found() -> None:
    class Loose(ContractModel):
        model_config = ConfigDict(frozen=False, extra="ignore")
        priceTotal: float  # noqa: N815

    class Nullable(BaseModel):
        """Leaves the base model's serializer out."""

        model_config = ConfigDict(frozen=True, extra="forbid")
        note: str | None = None

    assert faults(Loose) == {"not frozen", "takes unknown fields", "says not what it is", "a float", "not snake_case"}
    assert faults(Nullable) == {"null on the wire"}


def test_no_golden_turn_has_a_null_but_the_payload_of_text(strict_example: dict[str, Any]) -> None:
    def nulls(node: Any, path: str = "") -> list[str]:
        if isinstance(node, dict):
            return [found for key, value in node.items() for found in nulls(value, f"{path}.{key}")]
        if isinstance(node, list):
            return [found for value in node for found in nulls(value, f"{path}[]")]
        return [path] if node is None else []

    turn = strict_example["turn"]
    assert nulls(turn) == ([".payload"] if turn["type"] == "text" else [])
