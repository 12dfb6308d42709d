"""The unknown rule: newness is tolerated, wrongness is not, nothing is lost, nothing is raised."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any, Literal, get_args, get_origin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from frontend_contract.compat import (
    EVENT_CLASSES,
    FALLBACK_CONTENT,
    TURN_CLASSES,
    UnknownEvent,
    UnknownTurn,
    Upcaster,
    fit,
    read_event,
    read_turn,
)
from frontend_contract.events import CardEvent, RunStarted, StatusEvent
from frontend_contract.turns import TextTurn, TurnBase, VehicleCarouselTurn

Example = dict[str, Any]
Path = tuple[str | int, ...]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


def objects_in(node: Any, path: Path = ()) -> Iterator[Path]:
    """Every JSON object of a turn, `meta` apart, which is open by design."""
    if isinstance(node, dict):
        yield path
        for key, value in node.items():
            if key != "meta":
                yield from objects_in(value, (*path, key))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from objects_in(value, (*path, index))


def enums_in(model: BaseModel, path: Path = ()) -> Iterator[Path]:
    """Every value that is one of several words."""
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        if get_origin(field.annotation) is Literal and len(get_args(field.annotation)) > 1:
            yield (*path, name)
        for index, each in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(each, BaseModel):
                yield from enums_in(each, (*path, name, index) if isinstance(value, list) else (*path, name))


def replaced(turn: Any, path: Path, value: Any) -> Any:
    turn = copy.deepcopy(turn)
    node = turn
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return turn


def without(turn: Example, key: str) -> Example:
    return {name: value for name, value in turn.items() if name != key}


def test_unknown_fields_are_passed_over_at_every_depth(strict_example: Example) -> None:
    original = read_turn(strict_example["turn"])
    for path in objects_in(strict_example["turn"]):
        newer = replaced(strict_example["turn"], (*path, "zz_new"), {"any": ["thing"]})
        assert read_turn(newer) == original, path


def test_a_new_word_in_any_enum_still_gives_a_card(strict_example: Example) -> None:
    original = read_turn(strict_example["turn"])
    assert not isinstance(original, UnknownTurn)
    for path in enums_in(original):
        turn = read_turn(replaced(strict_example["turn"], path, "zz_new"))
        assert not isinstance(turn, UnknownTurn), (path, turn.error)
        assert turn.content == original.content


def test_a_number_where_a_word_belongs_is_wrong_not_new(strict_example: Example) -> None:
    original = read_turn(strict_example["turn"])
    assert not isinstance(original, UnknownTurn)
    for path in enums_in(original):
        turn = read_turn(replaced(strict_example["turn"], path, 7))
        assert isinstance(turn, UnknownTurn), path
        assert turn.reason == "defect"
        assert turn.content == original.content


def test_a_new_word_folds_into_other_or_the_default(examples: dict[str, Example]) -> None:
    turn = read_turn(examples["reader.unknown_enum_values"]["turn"])
    assert isinstance(turn, VehicleCarouselTurn)
    assert turn.payload.sort == "other"
    assert turn.payload.vehicles[0].category == "other"
    assert turn.payload.vehicles[1].gearbox == "other"
    assert turn.actions[0].style == "plain"
    assert turn.agent == "coordinator"
    assert turn.contract == "1.9"


def test_an_unknown_action_is_offered_by_its_label_or_not_at_all(examples: dict[str, Example]) -> None:
    turn = read_turn(examples["reader.unknown_type"]["turn"])
    assert [(a.kind, a.label) for a in turn.actions] == [
        ("change_dates", None),
        ("call_operator", None),
        ("other", "Share with a friend"),
    ]


def test_an_unknown_type_keeps_all_that_can_be_said_of_it(examples: dict[str, Example]) -> None:
    source = examples["reader.unknown_type"]["turn"]
    wire = json.dumps(source).encode()
    turn = read_turn(wire)
    assert isinstance(turn, UnknownTurn)
    assert turn.raw is wire
    assert (turn.id, turn.seq, turn.type) == (source["id"], source["seq"], "zz_riding_lesson")
    assert (turn.role, turn.agent, turn.lang, turn.status) == ("agent", "lessons", "en", "final")
    assert turn.content == source["content"]


def test_a_wrong_payload_is_a_defect_that_names_the_place_and_no_value(examples: dict[str, Example]) -> None:
    turn = read_turn(replaced(examples["booking_review"]["turn"], ("payload", "contact", "name"), ["Alex Moreau"]))
    assert isinstance(turn, UnknownTurn)
    assert turn.reason == "defect"
    assert "payload.contact.name" in str(turn.error)
    assert "Moreau" not in str(turn.error)


@pytest.mark.parametrize("value", ["1120000", 1120000.5, 1120000.0, True, None, 2**53, -(2**53)])
def test_an_amount_that_is_no_whole_safe_number_is_wrong(examples: dict[str, Example], value: object) -> None:
    turn = read_turn(replaced(examples["price_quote"]["turn"], ("payload", "total", "minor"), value))
    assert isinstance(turn, UnknownTurn)
    assert turn.reason == "defect"


@pytest.mark.parametrize(
    "raw", ["", "{", "[]", "null", "7", '"text"', "nul", "{'a':1}", b"\xff\xfe{", "[" * 100_000, "9" * 5000]
)
def test_what_is_no_json_object_is_unreadable_but_shown(raw: str | bytes) -> None:
    turn = read_turn(raw)
    assert isinstance(turn, UnknownTurn)
    assert turn.reason == "unreadable"
    assert turn.raw is raw
    assert turn.content == FALLBACK_CONTENT
    assert isinstance(read_event(raw), UnknownEvent)


@pytest.mark.parametrize("content", [None, "", "  \n", 7, ["words"], "absent"])
def test_content_is_never_blank(examples: dict[str, Example], content: object) -> None:
    source = without(examples["text"]["turn"], "content")
    turn = read_turn(source if content == "absent" else {**source, "content": content})
    assert turn.content == FALLBACK_CONTENT


def test_half_a_surrogate_pair_becomes_a_sign_that_can_be_written(examples: dict[str, Example]) -> None:
    turn = read_turn({**examples["reader.unknown_type"]["turn"], "content": "broken \ud83d here"})
    assert turn.content.encode()
    assert turn.content == "broken \ufffd here"


@pytest.mark.parametrize(
    ("version", "reason"), [("2.0", "newer_major"), ("17.3", "newer_major"), ("1.7", None), ("0.9", None)]
)
def test_only_a_newer_major_is_not_drawn(examples: dict[str, Example], version: str, reason: str | None) -> None:
    turn = read_turn({**examples["vehicle_carousel"]["turn"], "contract": version})
    assert getattr(turn, "reason", None) == reason


@pytest.mark.parametrize("version", [None, 1, "one", "", "1", "²"])
def test_a_version_that_is_none_is_a_defect(examples: dict[str, Example], version: object) -> None:
    turn = read_turn({**examples["vehicle_carousel"]["turn"], "contract": version})
    assert isinstance(turn, UnknownTurn)
    assert turn.reason == "defect"


@settings(max_examples=150, deadline=None)
@given(value=JSON)
def test_no_json_value_makes_a_reader_raise(value: Any) -> None:
    for raw in (json.dumps(value), json.dumps(value).encode("utf-8", "surrogatepass")):
        assert read_turn(raw).content.strip()
        read_event(raw)
    if isinstance(value, dict):
        assert read_turn(value).content.strip()


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_no_damage_to_a_turn_makes_a_reader_raise(examples: dict[str, Example], data: st.DataObject) -> None:
    source = data.draw(st.sampled_from([e["turn"] for e in examples.values()]))
    path = data.draw(st.sampled_from([p for p in objects_in(source) if p])) if source.get("actions") else ("payload",)
    damaged = replaced(source, path, data.draw(JSON))
    turn = read_turn(damaged)
    assert turn.content == (source.get("content") or FALLBACK_CONTENT)


# --- old versions ---


def moved_up(data: dict[str, Any]) -> dict[str, Any]:
    return {**without(data, "words"), "content": data["words"]}


CHAIN = (
    Upcaster("0.8", "0.9", lambda data: {**data, "words": data["words"].upper()}),
    Upcaster("0.9", "1.0", moved_up),
)


def old(examples: dict[str, Example], version: str) -> dict[str, Any]:
    source = examples["vehicle_carousel"]["turn"]
    return {**without(source, "content"), "words": "two scooters", "contract": version}


@pytest.mark.parametrize(("version", "content"), [("0.8", "TWO SCOOTERS"), ("0.9", "two scooters")])
def test_an_old_turn_is_brought_up_step_by_step(examples: dict[str, Example], version: str, content: str) -> None:
    source = old(examples, version)
    before = copy.deepcopy(source)
    turn = read_turn(source, upcasters=CHAIN)
    assert isinstance(turn, VehicleCarouselTurn)
    assert (turn.contract, turn.content) == ("1.0", content)
    assert source == before


def test_without_its_upcaster_an_old_turn_is_only_shown(examples: dict[str, Example]) -> None:
    assert isinstance(read_turn(old(examples, "0.8")), UnknownTurn)


@pytest.mark.parametrize("fault", [KeyError("words"), TypeError(), ValueError(), AttributeError()])
def test_an_upcaster_that_fails_costs_its_turn_the_card_and_nothing_else(
    examples: dict[str, Example], fault: Exception
) -> None:
    def failing(data: dict[str, Any]) -> dict[str, Any]:
        raise fault

    turn = read_turn({**examples["text"]["turn"], "contract": "0.9"}, upcasters=(Upcaster("0.9", "1.0", failing),))
    assert isinstance(turn, UnknownTurn)
    assert turn.reason == "defect"
    assert turn.content == examples["text"]["turn"]["content"]


def test_upcasters_that_run_in_a_circle_come_to_an_end(examples: dict[str, Example]) -> None:
    circle = (Upcaster("0.8", "0.9", dict), Upcaster("0.9", "0.8", dict))
    assert isinstance(read_turn({**examples["text"]["turn"], "contract": "0.8"}, upcasters=circle), TextTurn)


# --- events ---


def card(turn: Any) -> dict[str, Any]:
    return {"event": "card", "seq": 5, "run_id": "r-1", "turn": turn}


def test_an_event_reads_as_itself(examples: dict[str, Example]) -> None:
    event = read_event(json.dumps(card(examples["vehicle_carousel"]["turn"])))
    assert isinstance(event, CardEvent)
    assert isinstance(event.turn, VehicleCarouselTurn)


def test_news_inside_an_event_is_tolerated(examples: dict[str, Example]) -> None:
    event = read_event({**card(examples["reader.unknown_fields"]["turn"]), "zz_new": 1})
    assert isinstance(event, CardEvent)
    assert event.turn == read_turn(examples["vehicle_carousel"]["turn"])
    status = read_event({"event": "status", "seq": 2, "run_id": "r", "code": "zz_dreaming", "agent": "zz_new"})
    assert isinstance(status, StatusEvent)
    assert (status.code, status.agent) == ("other", "coordinator")


def test_an_unknown_event_is_passed_over_and_its_number_counts() -> None:
    event = read_event('{"event":"zz_confetti","seq":9,"run_id":"r-1","colour":"pink"}')
    assert isinstance(event, UnknownEvent)
    assert (event.reason, event.event, event.seq, event.run_id) == ("unknown_type", "zz_confetti", 9, "r-1")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("reader.unknown_type", "unknown_type"),
        ("reader.wrong_payload", "defect"),
        ("reader.newer_major", "newer_major"),
    ],
)
def test_a_card_event_whose_turn_is_no_card_brings_its_words(
    examples: dict[str, Example], name: str, reason: str
) -> None:
    event = read_event(card(examples[name]["turn"]))
    assert isinstance(event, UnknownEvent)
    assert (event.reason, event.event, event.seq) == (reason, "card", 5)
    assert event.turn is not None
    assert event.turn.content == examples[name]["turn"]["content"]


def test_a_wrong_event_is_a_defect_whose_number_counts() -> None:
    event = read_event({"event": "text_delta", "seq": 4, "run_id": "r-1", "turn_id": "t", "offset": -1, "delta": "x"})
    assert isinstance(event, UnknownEvent)
    assert (event.reason, event.seq) == ("defect", 4)


def test_the_known_names_come_from_the_unions() -> None:
    assert set(TURN_CLASSES) == {cls.model_fields["type"].default for cls in TURN_CLASSES.values()}
    assert set(EVENT_CLASSES) == {cls.model_fields["event"].default for cls in EVENT_CLASSES.values()}
    assert EVENT_CLASSES["run_started"] is RunStarted


# --- clients that draw less ---


def test_a_type_that_a_client_does_not_draw_comes_as_text_with_the_same_words_and_actions(
    strict_example: Example,
) -> None:
    turn = read_turn(strict_example["turn"])
    assert not isinstance(turn, UnknownTurn)
    fitted = fit(turn, frozenset({"confirmation"}))
    if turn.type in ("confirmation", "text"):
        assert fitted is turn
        return
    assert isinstance(fitted, TextTurn)
    assert {n: getattr(fitted, n) for n in TurnBase.model_fields} == {
        n: getattr(turn, n) for n in TurnBase.model_fields
    }


@pytest.mark.parametrize("choose", [lambda turn: None, lambda turn: frozenset({turn.type})])
def test_a_client_that_draws_it_gets_it_unchanged(
    strict_example: Example, choose: Callable[[Any], frozenset[str] | None]
) -> None:
    turn = read_turn(strict_example["turn"])
    assert not isinstance(turn, UnknownTurn)
    assert fit(turn, choose(turn)) is turn
