"""The producer's gate: what breaks the contract is not stored, and the customer gets an answer all the same."""

from __future__ import annotations

import copy
from datetime import UTC, datetime
from typing import Any

import pytest

from frontend_contract.compat import ContractViolation, check_turn, render_error_turn
from frontend_contract.gate import RENDER_ERROR_CONTENT
from frontend_contract.turns import TextTurn

Example = dict[str, Any]


def broken(examples: dict[str, Example], name: str, **changes: Any) -> dict[str, Any]:
    """A golden turn with changes, each named by its path with `__` between the steps."""
    turn = copy.deepcopy(examples[name]["turn"])
    for path, value in changes.items():
        node: Any = turn
        *steps, last = [int(s) if s.isdecimal() else s for s in path.split("__")]
        for step in steps:
            node = node[step]
        node[last] = value
    return turn


@pytest.mark.parametrize(
    ("name", "changes", "problem"),
    [
        ("text", {"content": "   "}, "text: value_error"),
        ("text", {"content": "x" * 1501}, "text: value_error"),
        ("text", {"mood": "sunny"}, "mood: extra_forbidden"),
        ("text", {"type": "zz_future"}, "union_tag_invalid"),
        ("text", {"meta": {"internal": 1}}, "meta"),
        ("text", {"seq": 0}, "seq"),
        ("price_quote", {"payload__total__minor": 1120000.0}, "minor: int_type"),
        ("price_quote", {"payload__total__minor": 1120001}, "do not add up"),
        ("price_quote", {"payload__lines__0__amount__currency": "EUR"}, "another currency"),
        ("price_quote", {"payload__lines__0__amount__exponent": 2}, "another currency"),
        ("vehicle_carousel", {"payload__total_found": 1}, "fewer than shown"),
        ("vehicle_carousel", {"actions__0__target": "v-of-another-shop"}, "names nothing"),
        ("vehicle_carousel", {"payload__requested__start": 20}, "start"),
        ("vehicle_carousel", {"payload__vehicles": {}}, "list_type"),
        ("office_info", {"payload__offices__0__latitude": float("nan")}, "latitude"),
    ],
)
def test_a_turn_that_breaks_the_contract_does_not_pass(
    examples: dict[str, Example], name: str, changes: dict[str, Any], problem: str
) -> None:
    check_turn(examples[name]["turn"])
    with pytest.raises(ContractViolation) as caught:
        check_turn(broken(examples, name, **changes))
    assert any(problem in found for found in caught.value.facts["problems"]), caught.value.facts
    assert (caught.value.code, caught.value.status, caught.value.retryable) == ("render_error", 500, False)


def test_a_model_that_was_changed_behind_its_back_does_not_pass(examples: dict[str, Example]) -> None:
    good = check_turn(examples["text"]["turn"])
    with pytest.raises(ContractViolation):
        check_turn(good.model_copy(update={"content": 7}))
    with pytest.raises(ContractViolation):
        check_turn(TextTurn.model_construct(content="no envelope"))


def test_what_is_not_json_does_not_pass(examples: dict[str, Example]) -> None:
    with pytest.raises(ContractViolation, match="not JSON"):
        check_turn({**examples["text"]["turn"], "meta": {"x-socket": object()}})


def test_a_violation_names_places_and_no_values(examples: dict[str, Example]) -> None:
    with pytest.raises(ContractViolation) as caught:
        check_turn(broken(examples, "booking_review", payload__contact__name=["Alex Moreau"]))
    assert "payload.contact.name" in str(caught.value)
    assert "Moreau" not in str(caught.value) + str(caught.value.facts)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("content", "shown"),
    [(RENDER_ERROR_CONTENT, RENDER_ERROR_CONTENT), ("Maaf.", "Maaf."), (" ", RENDER_ERROR_CONTENT)],
)
def test_the_turn_in_its_place_passes(content: str, shown: str) -> None:
    turn = render_error_turn(
        id="01MV1XZ8C0ABCDEFGHJKMNPQRS",
        seq=3,
        conversation_id="c-1",
        run_id="r-1",
        agent="search",
        lang="en",
        created_at=datetime(2027, 5, 31, 7, 31, tzinfo=UTC),
        content=content,
    )
    assert check_turn(turn) == turn
    assert (turn.payload.code, turn.content) == ("render_error", shown)
