"""Inside a major version the published schema may only grow."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from frontend_contract.compat import breaking_changes
from frontend_contract.schema import export_schema

Schema = dict[str, Any]


@pytest.fixture
def schema() -> Schema:
    return export_schema()


def changed(schema: Schema, path: str, value: Any) -> Schema:
    new = copy.deepcopy(schema)
    node: Any = new
    *steps, last = path.split("/")
    for step in steps:
        node = node[int(step)] if isinstance(node, list) else node[step]
    if value is None:
        del node[last]
    elif isinstance(node, list):
        node[int(last)] = value
    else:
        node[last] = value
    return new


MONEY, NOTICE, TURN = "$defs/Money", "$defs/NoticePayload", "properties/turn"


def test_a_schema_does_not_break_with_itself(schema: Schema) -> None:
    assert breaking_changes(schema, copy.deepcopy(schema)) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("$defs/LoyaltyPayload", {"type": "object", "properties": {"points": {"type": "integer"}}}),
        (f"{MONEY}/properties/rounded", {"type": "boolean"}),
        (f"{MONEY}/description", "Other words."),
        (f"{MONEY}/properties/minor/description", "Other words."),
        (f"{MONEY}/properties/exponent/maximum", 9),
    ],
)
def test_an_addition_is_allowed(schema: Schema, path: str, value: Any) -> None:
    assert breaking_changes(schema, changed(schema, path, value)) == []


def test_a_new_enum_value_a_new_union_member_and_a_new_field_with_a_default_are_allowed(schema: Schema) -> None:
    new = copy.deepcopy(schema)
    new["$defs"]["NoticePayload"]["properties"]["code"]["enum"].append("storm_warning")
    new["$defs"]["LessonTurn"] = {"type": "object"}
    new["properties"]["turn"]["oneOf"].append({"$ref": "#/$defs/LessonTurn"})
    new["properties"]["turn"]["discriminator"]["mapping"]["lesson"] = "#/$defs/LessonTurn"
    new["$defs"]["Money"]["properties"]["note"] = {"type": "string", "default": ""}
    new["$defs"]["Money"]["required"].append("note")
    assert breaking_changes(schema, new) == []


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        (MONEY, None, "Money: type removed"),
        (f"{MONEY}/properties/currency", None, "Money.currency: field removed"),
        (f"{MONEY}/properties/minor/type", "number", "Money.minor: type changed"),
        (f"{MONEY}/properties/minor/type", "string", "Money.minor: type changed"),
        (f"{MONEY}/properties/currency/pattern", "^[A-Z]{4}$", "Money.currency: pattern changed"),
        (f"{MONEY}/properties/exponent/maximum", 2, "Money.exponent: maximum tightened"),
        (f"{MONEY}/required", ["minor"], "Money.currency: no longer always present"),
        ("$defs/Period/properties/start/format", "date-time", "Period.start: format changed"),
        ("$defs/TextTurn/properties/type/const", "words", "TextTurn.type: value 'text' removed"),
        ("$defs/DayStrip/properties/taken/items/type", "string", "DayStrip.taken[]: type changed"),
        ("$defs/PriceQuotePayload/properties/total/$ref", "#/$defs/Period", "PriceQuotePayload.total: $ref changed"),
    ],
)
def test_a_change_that_breaks_is_named(schema: Schema, path: str, value: Any, line: str) -> None:
    assert line in breaking_changes(schema, changed(schema, path, value))


def test_a_removed_enum_value_breaks(schema: Schema) -> None:
    new = copy.deepcopy(schema)
    new["$defs"]["NoticePayload"]["properties"]["code"]["enum"].remove("not_found")
    assert breaking_changes(schema, new) == ["NoticePayload.code: value 'not_found' removed"]


def test_a_removed_card_type_breaks_wherever_a_turn_is_sent(schema: Schema) -> None:
    new = copy.deepcopy(schema)
    new["properties"]["turn"]["oneOf"] = [m for m in new["properties"]["turn"]["oneOf"] if "Handoff" not in m["$ref"]]
    assert breaking_changes(schema, new) == ["contract.turn: variant HandoffTurn removed"]


@pytest.mark.parametrize("optional_first", [True, False])
def test_a_field_made_required_breaks_also_when_it_is_new(schema: Schema, optional_first: bool) -> None:
    old, new = copy.deepcopy(schema), copy.deepcopy(schema)
    field = {"type": "string"}
    if optional_first:
        old["$defs"]["Money"]["properties"]["note"] = field
    new["$defs"]["Money"]["properties"]["note"] = field
    new["$defs"]["Money"]["required"].append("note")
    assert breaking_changes(old, new) == ["Money.note: made required"]


def test_what_was_free_must_not_become_a_list_of_words(schema: Schema) -> None:
    new = changed(schema, "$defs/PriceLine/properties/name/enum", ["helmet"])
    assert breaking_changes(schema, new) == ["PriceLine.name: limited to certain values"]
    assert breaking_changes(new, schema) == ["PriceLine.name: no longer limited to certain values"]
