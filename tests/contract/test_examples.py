"""The golden turns are true: they fit the models, the published schema and what they say of themselves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from frontend_contract.compat import TURN_CLASSES, UnknownTurn, check_turn, read_turn
from frontend_contract.schema import read_committed, render_schema
from frontend_contract.turns import TURN

Example = dict[str, Any]


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    schema = json.loads(read_committed())
    return Draft202012Validator({"$defs": schema["$defs"], **schema["properties"]["turn"]})


def test_every_card_type_has_an_example_and_every_example_is_of_a_known_type(examples: dict[str, Example]) -> None:
    shown = {e["turn"]["type"] for e in examples.values() if e["expect"] == "strict"}
    assert shown == set(TURN_CLASSES)
    assert {name for name in examples if "." not in name} == set(TURN_CLASSES)


def test_an_example_is_named_after_its_file_and_says_why(examples: dict[str, Example]) -> None:
    for name, example in examples.items():
        assert example["name"] == name
        assert len(example["why"]) > 10
        assert example["expect"] in {"strict", "tolerant", "unknown_type", "newer_major", "defect"}
        if "." in name and not name.startswith("reader."):
            assert name.split(".")[0] == example["turn"]["type"]


def test_no_two_examples_share_an_action(examples: dict[str, Example]) -> None:
    ids = [a["id"] for e in examples.values() if e["expect"] == "strict" for a in e["turn"]["actions"]]
    assert len(ids) == len(set(ids))


def test_what_this_version_writes_passes_the_gate_and_comes_back_byte_for_byte(strict_example: Example) -> None:
    wire = json.dumps(strict_example["turn"], ensure_ascii=False, separators=(",", ":"))
    checked = check_turn(strict_example["turn"])
    assert checked.model_dump_json() == wire
    assert TURN.dump_json(TURN.validate_json(wire, strict=True)).decode() == wire
    assert read_turn(wire) == checked
    assert read_turn(wire.encode()) == checked
    assert read_turn(strict_example["turn"]) == checked


def test_what_this_version_writes_fits_the_published_schema(
    strict_example: Example, validator: Draft202012Validator
) -> None:
    assert [error.message for error in validator.iter_errors(strict_example["turn"])] == []


def test_the_published_schema_refuses_what_is_marked_as_wrong(
    examples: dict[str, Example], validator: Draft202012Validator
) -> None:
    wrong = [e for e in examples.values() if e["expect"] in ("defect", "unknown_type")]
    assert len(wrong) >= 4
    assert [e["name"] for e in wrong if validator.is_valid(e["turn"])] == []


def test_the_published_schema_lets_a_newer_minor_add_fields(
    examples: dict[str, Example], validator: Draft202012Validator
) -> None:
    assert validator.is_valid(examples["reader.unknown_fields"]["turn"])


def test_a_reader_makes_of_it_what_the_example_says(example: Example, examples: dict[str, Example]) -> None:
    turn = read_turn(example["turn"])
    if example["expect"] in ("strict", "tolerant"):
        assert not isinstance(turn, UnknownTurn), turn.error
    else:
        assert isinstance(turn, UnknownTurn)
        assert turn.reason == example["expect"]
    if "same_as" in example:
        assert turn == read_turn(examples[example["same_as"]]["turn"])
    if "reads_as" in example:
        assert turn == read_turn(example["reads_as"])


def test_the_committed_schema_is_what_the_models_say() -> None:
    assert read_committed() == render_schema()
