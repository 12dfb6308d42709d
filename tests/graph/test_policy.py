"""Dialogue policy, decided without a graph: what a message leads to in a given state."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from graph.models.offline import OfflineInterpreter
from graph.policy.dependencies import DEPENDENTS, void
from graph.policy.message import plan_message
from graph.policy.plan import Plan
from graph.understanding.meaning import InterpretContext, OptionHint, Reference, Vocabulary

NOW = datetime(2027, 5, 31, 15, 30, tzinfo=ZoneInfo("Asia/Makassar"))
READER = OfflineInterpreter()
WORDS = Vocabulary(
    brands=("Honda", "Yamaha"), models=("PCX 160", "NMAX 155", "CRF 150"), categories=("scooter", "boat")
)


def item(n: int, name: str, total: int, **more: Any) -> dict[str, Any]:
    brand, _, model = name.partition(" ")
    return {
        "ref": f"v{n}", "vehicle_uuid": f"v{n}", "name": name, "brand": brand, "model": model, "colour": "",
        "total_minor": total, "facts": {"category": "scooter"}, **more,
    }  # fmt: skip


SHOWN = {
    "kind": "vehicles",
    "items": [item(1, "Honda PCX 160", 3), item(2, "Yamaha NMAX 155", 2), item(3, "Honda CRF 150", 1)],
}
DATES = {"start": "2027-06-20", "end": "2027-06-27"}
QUOTE = {
    "quote_uuid": "q1",
    "vehicle": {"name": "Honda PCX 160"},
    "total": {"minor": 1, "currency": "IDR", "exponent": 0},
}


def decide(words: str, **state: Any) -> Plan:
    kind = state.get("open_question", {}).get("kind", "none")
    options = [
        OptionHint(position=n, brand=i["brand"], model=i["model"])
        for n, i in enumerate(state.get("shown", {}).get("items", []), 1)
    ]
    context = InterpretContext(
        now=NOW, open_question=kind, phase=state.get("phase", "searching"), options=tuple(options), vocabulary=WORDS
    )
    state["inbound"] = {"text": words}
    return plan_message(state, READER.read(words, context), NOW, 0)  # type: ignore[arg-type]


def steps(plan: Plan) -> list[str]:
    return [step["node"] for step in plan.steps]


def says(plan: Plan) -> list[str]:
    return [saying["say"] for saying in plan.says]


def test_a_wish_without_dates_asks_for_them_and_keeps_the_wish() -> None:
    """Slots are kept; nothing is searched without dates."""
    plan = decide("I need a scooter")
    assert (steps(plan), says(plan)) == ([], ["ask_dates"])
    assert plan.updates["wish"]["category"] == "scooter"


@pytest.mark.parametrize("words", ["the second one", "the NMAX please", "2", "the yamaha"])
def test_a_reference_points_at_the_newest_list(words: str) -> None:
    """BL-146."""
    plan = decide(words, shown=SHOWN, wish=DATES, open_question={"kind": "vehicle"})
    assert steps(plan) == ["pricing"]
    assert plan.updates["rental_context"]["vehicle_uuid"] == "v2"


def test_the_cheaper_honda_is_the_cheaper_of_the_hondas() -> None:
    """Among those that fit the words."""
    plan = decide("the cheaper Honda", shown=SHOWN, wish=DATES, open_question={"kind": "vehicle"})
    assert plan.updates["rental_context"]["vehicle_uuid"] == "v3"


@pytest.mark.parametrize("words", ["the Honda", "the fifth one"])
def test_what_could_be_two_things_or_none_is_asked(words: str) -> None:
    """Under 0.6 no tool runs; a position that the list does not have is asked (BL-146)."""
    plan = decide(words, shown=SHOWN, wish=DATES, open_question={"kind": "vehicle"})
    assert (steps(plan), says(plan)) == ([], ["clarify_vehicle"])


@pytest.mark.parametrize(
    ("kind", "words", "expected"),
    [
        ("confirm_booking", "yes", {"node": "booking", "confirmed": True}),
        ("confirm_booking", "confirm", {"node": "booking", "confirmed": True}),
        ("accept_quote", "yes", {"node": "booking"}),
        ("accept_quote", "book it", {"node": "booking"}),
        ("phone", "yes", {"node": "booking"}),
    ],
)
def test_a_yes_binds_to_the_open_question(kind: str, words: str, expected: dict[str, Any]) -> None:
    """It books only where the review is open; elsewhere it leads one step on."""
    plan = decide(words, quote=QUOTE, wish=DATES, phase="confirming", open_question={"kind": kind})
    assert plan.steps == [expected]


@pytest.mark.parametrize(
    "words",
    [
        "set the price to 1 and book",
        "yes but make it 500",
        "yes, but from the 21st to the 28th of June",
        "no",
        "yes, the NMAX",
    ],
)
def test_a_yes_with_anything_else_does_not_book(words: str) -> None:
    """Only an unmistakable yes, and nothing that changes what is open."""
    plan = decide(
        words, quote=QUOTE, wish=DATES, shown=SHOWN, phase="confirming", open_question={"kind": "confirm_booking"}
    )
    assert not any(step.get("confirmed") for step in plan.steps)


def test_new_dates_void_the_price_and_keep_the_person() -> None:
    """Slot dependencies: dates void availability, price and quote, not name or phone."""
    client = {"first_name": "Alex", "phone": "+66812345678"}
    chosen = {"vehicle_uuid": "v1", "vehicle_name": "Honda PCX 160"}
    state = {"quote": QUOTE, "wish": DATES, "client": client, "phase": "quoting", "rental_context": chosen}
    plan = decide("actually 21-28 june", open_question={"kind": "accept_quote"}, **state)
    assert plan.updates["quote"] == {}
    assert plan.get("client") == client
    assert plan.get("rental_context")["vehicle_uuid"] == "v1"
    assert steps(plan) == ["pricing"]


def test_a_name_before_anything_to_book_is_kept_and_answered() -> None:
    """No dead end, nothing forgotten."""
    plan = decide("my name is Siobhán O'Neil", shown=SHOWN, wish=DATES, open_question={"kind": "vehicle"})
    assert says(plan) == ["contact_kept"]
    assert plan.updates["client"]["name"] == "Siobhán O'Neil"


def test_a_filter_ends_with_the_kind_it_was_said_of() -> None:
    """Automatic scooters, then boats: boats have no gearbox; the budget stays."""
    wish = {**DATES, "category": "scooter", "gearbox": "automatic", "budget_minor": 100}
    plan = decide("show me boats", wish=wish, shown=SHOWN)
    assert plan.updates["wish"].get("gearbox") is None
    assert plan.updates["wish"]["budget_minor"] == 100


def test_none_of_these_asks_what_shall_be_different() -> None:
    """BL-169: no loop."""
    plan = decide("none of them", shown=SHOWN, wish=DATES, open_question={"kind": "vehicle"})
    assert (steps(plan), says(plan)) == ([], ["ask_change"])


def test_two_failures_offer_choices() -> None:
    """Explain, offer choices, then a person."""
    first = decide("asdkjh")
    assert first.says == [{"say": "unclear", "twice": False}]
    second = decide("qwe", failures=first.updates["failures"])
    assert second.says == [{"say": "unclear", "twice": True}]


def test_impossible_dates_are_asked_and_never_searched() -> None:
    """BL-082, BL-084."""
    for words in ("from 5 to 3 June", "10 June 2025 for a week", "31 june"):
        plan = decide(words)
        assert (steps(plan), says(plan)) == ([], ["clarify_dates"])


def test_the_first_under_a_list_is_an_entry_and_not_the_first_of_the_month() -> None:
    """Seen by a newcomer: "the first" became 1 June, and was booked."""
    for kind in ("vehicle", "accept_quote", "period", "dates"):
        plan = decide("the first", shown=SHOWN, wish=DATES, quote=QUOTE, open_question={"kind": kind})
        assert steps(plan) == ["pricing"], kind
        assert plan.dates == (DATES["start"], DATES["end"])
    assert decide("the first", open_question={"kind": "dates"}).get("wish")["start"] == "2027-06-01"


def test_a_position_answers_which_dates() -> None:
    """The readings that were offered are what "the second" points at."""
    candidates = [{"start": "2027-06-05", "end": "2027-06-08"}, {"start": "2027-06-12", "end": "2027-06-15"}]
    plan = decide("the second", wish={"category": "scooter"}, open_question={"kind": "dates", "candidates": candidates})
    assert (steps(plan), plan.dates) == (["search"], ("2027-06-12", "2027-06-15"))


def test_an_unsure_name_that_fits_one_shown_thing_is_that_thing() -> None:
    """Seen by a newcomer: "nmax" asked "which one?" and left the NMAX out of the choices."""
    reading = READER.read("nmax", InterpretContext(now=NOW, open_question="vehicle", vocabulary=WORDS))
    unsure = reading.model_copy(update={"reference": Reference(kind="named", model="NMAX 155", confidence=0.5)})
    plan = plan_message({"shown": SHOWN, "wish": DATES}, unsure, NOW, 0)
    assert plan.updates["rental_context"]["vehicle_uuid"] == "v2"


def test_the_cheapest_one_chooses() -> None:
    """Not the same list again."""
    plan = decide("ok the cheapest one", shown=SHOWN, wish=DATES, open_question={"kind": "vehicle"})
    assert plan.updates["rental_context"]["vehicle_uuid"] == "v3"


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("cancel CR-1049", "cancel"),
        ("cancel my booking", "cancel"),
        ("please change the date to 6-9 june", "move"),
        ("can i move it to 7-9 june?", "move"),
        ("6-9 june", "move"),
    ],
)
def test_after_a_booking_a_change_is_looked_at_and_not_done(words: str, kind: str) -> None:
    """The change is told first: the step carries what is wished, and no confirm."""
    booking = {"order_number": "CR-1049", "quote_uuid": "q1", "start": "2027-06-20", "end": "2027-06-27"}
    plan = decide(words, booking=booking, phase="booked")
    assert [(step["task"], step["want"]["kind"]) for step in plan.steps] == [("change", kind)]


def test_a_whole_new_wish_drops_limits_of_an_earlier_one() -> None:
    """A budget said four messages ago does not stick unseen."""
    plan = decide(
        "scooter 5-8 december pls", wish={**DATES, "category": "scooter", "budget_minor": 100, "gearbox": "manual"}
    )
    assert "budget_minor" not in plan.updates["wish"]
    assert "gearbox" not in plan.updates["wish"]


def test_half_a_phone_number_is_not_thanked_for() -> None:
    """It was not noted, so it is not said to be."""
    assert says(decide("my number is +62812")) == ["phone_unread"]


def test_what_a_slot_voids_is_data_and_nothing_more() -> None:
    """Dates void price and review; contact only the review; nothing voids contact."""
    reviewed = {**QUOTE, "reviewed": {"first_name": "Alex"}}
    state = {
        "quote": reviewed,
        "search": {"page": 1},
        "rental_context": {"vehicle_uuid": "v1"},
        "client": {"phone": "1"},
    }
    for slot, gone in {
        "dates": {"quote", "search"},
        "words": {"quote", "search", "rental_context"},
        "vehicle": {"quote"},
        "contact": set(),
    }.items():
        plan = Plan(state)  # type: ignore[arg-type]
        void(plan, slot)  # type: ignore[arg-type]
        assert {name for name in ("quote", "search", "rental_context", "client") if not plan.get(name)} == gone, slot
        assert "reviewed" not in plan.get("quote"), slot


def test_every_slot_ends_somewhere() -> None:
    """The graph of slots has no circle."""
    assert {slot for slot in DEPENDENTS if slot in _below(slot)} == set()


def _below(slot: Any) -> set[Any]:
    found: set[Any] = set()
    for dependent in DEPENDENTS[slot]:
        found |= {dependent} | _below(dependent)
    return found


def test_three_failures_lead_to_a_person_and_a_success_forgets_them() -> None:
    """Unclear, choices, a person: no loop."""
    said = [says(decide("asdkjh", failures=failures)) for failures in range(4)]
    assert said == [["unclear"], ["unclear"], ["person"], ["person"]]
    assert decide("I need a scooter", failures=2).updates["failures"] == 0


def test_under_the_threshold_no_tool_runs_and_nothing_guessed_is_kept() -> None:
    """Choices instead; the dates that were guessed are not in the passport."""
    reading = READER.read("scooter 20-27 june", InterpretContext(now=NOW, vocabulary=WORDS))
    unsure = reading.model_copy(update={"confidence": 0.4})
    plan = plan_message({}, unsure, NOW, 0)
    assert (steps(plan), plan.says, plan.updates) == ([], [{"say": "unclear", "twice": True}], {})


def test_anything_cheaper_means_than_what_is_offered() -> None:
    """Under the offer's total, else under the cheapest shown; what is open stays open."""
    quote = {**QUOTE, "total": {"minor": 2, "currency": "IDR", "exponent": 0}}
    for state, ceiling in (({"quote": quote}, 2), ({}, 1)):
        plan = decide("anything cheaper?", shown=SHOWN, wish=DATES, **state)
        assert [step.get("cheaper_than") for step in plan.steps] == [ceiling]
        assert "quote" not in plan.updates


def test_a_refinement_keeps_the_rest_of_the_wish() -> None:
    """ "And automatic?": the same kind, the same dates."""
    wish = {**DATES, "category": "scooter"}
    plan = decide("and automatic?", shown=SHOWN, wish=wish, open_question={"kind": "vehicle"})
    assert (steps(plan), plan.get("wish")["category"], plan.get("wish")["gearbox"]) == (
        ["search"],
        "scooter",
        "automatic",
    )
    assert plan.dates == (DATES["start"], DATES["end"])


def test_the_first_where_a_day_of_a_booking_is_asked_is_a_day() -> None:
    """Whatever list stands above."""
    change = {"kind": "extend", "rental_uuid": "r1", "start": "2027-06-20", "end": "2027-06-27", "mark": ""}
    plan = decide("the first", shown=SHOWN, rental_change=change, open_question={"kind": "rental_dates"})
    assert [step.get("task") for step in plan.steps] == ["change"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("are you a bot?", "bot"),
        ("how are you?", "smalltalk"),
        ("bye", "goodbye"),
        ("I want to complain", "person"),
        ("I want to speak to a human", "person"),
    ],
)
def test_talk_is_answered_and_changes_nothing(words: str, said: str) -> None:
    """A digression: the open question is what it was."""
    plan = decide(words, quote=QUOTE, wish=DATES, open_question={"kind": "accept_quote"})
    assert (steps(plan), says(plan), "open_question" in plan.updates) == ([], [said], False)
