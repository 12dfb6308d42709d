"""What belongs to a question and what to a wish; two wishes in one message; which booking is meant."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from graph.models.offline import OfflineInterpreter
from graph.policy.message import plan_message
from graph.policy.plan import Plan
from graph.policy.which_rental import fits_any, narrowed
from graph.understanding.clauses import clauses_of
from graph.understanding.meaning import DateReading, InterpretContext, Understanding, Vocabulary

NOW = datetime(2027, 5, 31, 15, 30, tzinfo=ZoneInfo("Asia/Makassar"))
READER = OfflineInterpreter()
WORDS = Vocabulary(
    brands=("Honda", "Yamaha"),
    models=("CRF 150", "NMAX 155", "Jukung 4"),
    categories=("scooter", "motorcycle", "boat"),
    offices=("Sanur", "Kuta"),
)
SHOWN = [
    {"ref": "v1", "vehicle_uuid": "v1", "name": "Honda CRF 150", "brand": "Honda", "model": "CRF 150", "colour": ""},
    {"ref": "v2", "vehicle_uuid": "v2", "name": "Yamaha NMAX 155", "brand": "Yamaha", "model": "NMAX 155"},
]
REVIEW: dict[str, Any] = {
    "phase": "confirming",
    "wish": {"start": "2027-06-20", "end": "2027-06-27", "model": "CRF 150"},
    "shown": {"kind": "vehicles", "items": SHOWN},
    "rental_context": {"vehicle_uuid": "v1", "vehicle_name": "Honda CRF 150"},
    "quote": {"quote_uuid": "q1", "vehicle": {"name": "Honda CRF 150"}, "reviewed": {"phone": "+66812345678"}},
    "open_question": {"kind": "confirm_booking"},
    "client": {"first_name": "Mia", "phone": "+66812345678"},
}
"""Under an open review of the Honda."""
BOOKED: dict[str, Any] = {
    "phase": "booked",
    "booking": {"rental_uuid": "r1", "order_number": "CR-1", "vehicle_name": "Honda CRF 150", "quote_uuid": "q0"},
}


def rental(uuid: str, name: str, category: str, start: str, end: str, **more: Any) -> dict[str, Any]:
    brand, _, model = name.partition(" ")
    return {
        "rental_uuid": uuid, "order_number": f"CR-{uuid}", "name": name, "brand": brand, "model": model,
        "category": category, "colour": "", "start": start, "end": end, "total_minor": 1, **more,
    }  # fmt: skip


RENTALS = [
    rental("r1", "Honda CRF 150", "motorcycle", "2027-06-20", "2027-06-27", colour="red"),
    rental("r2", "Jukung 4", "boat", "2027-07-05", "2027-07-06", colour="blue"),
]


def decide(words: str, **state: Any) -> Plan:
    wish = state.get("wish", {})
    known = [date.fromisoformat(wish[key]) if wish.get(key) else None for key in ("start", "end")]
    context = InterpretContext(
        now=NOW,
        open_question=state.get("open_question", {}).get("kind", "none"),
        phase=state.get("phase", "searching"),
        known_start=known[0],
        known_end=known[1],
        vocabulary=WORDS,
    )
    return follow(READER.read(words, context), words, **state)


def follow(heard: Understanding, words: str, **state: Any) -> Plan:
    return plan_message({**state, "inbound": {"text": words}}, heard, NOW, 0)  # type: ignore[typeddict-item]


def answers(plan: Plan) -> list[str]:
    """What is said, and what is done."""
    return [saying.get("topic") or saying["say"] for saying in plan.says] + [step["node"] for step in plan.steps]


def keeps_the_review(plan: Plan) -> bool:
    changed = {key for key in ("quote", "rental_context", "wish") if plan.get(key) != REVIEW[key]}
    return not changed and not plan.steps and plan.question == "confirm_booking"


# ---- questions under a review -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "yes but do you deliver to Sanur?",
        "yes, and can you bring it to my hotel in Kuta?",
        "ja, aber liefert ihr nach Sanur?",
        "да, но вы доставляете в Sanur?",
        "oui mais vous livrez à Sanur ?",
        "sí, pero ¿hacen entrega en el hotel en Sanur?",
        "iya, tapi bisa diantar ke Sanur?",
        "네, 그런데 Sanur까지 배달되나요?",
        "好的 但是能送到Sanur吗?",
    ],
)
def test_the_place_in_a_question_about_delivery_is_no_wish(words: str) -> None:
    plan = decide(words, **REVIEW)
    assert keeps_the_review(plan)
    assert answers(plan) == ["delivery"]


@pytest.mark.parametrize(
    ("words", "topics"),
    [
        ("are you open on 26 june?", ["hours"]),
        ("are you open from 24 to 26 december?", ["hours"]),
        ("yes but do I need a licence for the Honda?", ["documents"]),
        ("do you deliver the NMAX to Sanur?", ["delivery"]),
        ("ok, can I return it in Kuta?", ["unclear"]),
        ("yes but what does the deposit cost?", ["deposit"]),
        ("what is the weather tomorrow?", ["out_of_scope"]),
        ("do you deliver and is insurance included?", ["delivery", "insurance"]),
        ("is a helmet included and do you deliver to Sanur?", ["delivery", "vehicle_detail"]),
    ],
)
def test_a_question_under_the_review_changes_nothing_of_it(words: str, topics: list[str]) -> None:
    plan = decide(words, **REVIEW)
    assert keeps_the_review(plan)
    assert answers(plan) == topics


def test_a_yes_beside_a_question_is_answered_and_books_nothing_whoever_read_it() -> None:
    """A live interpreter may call it a confirm; the program took that away, as the message is no plain yes."""
    words = "yes but do you deliver to Sanur?"
    heard = Understanding(intents=("ask_company",), confidence=0.9, topic="delivery", office="Sanur")
    state = {**REVIEW, "inbound": {"text": words}}
    plan = plan_message(state, heard, NOW, 0, half_yes="vague")  # type: ignore[arg-type]
    assert keeps_the_review(plan)
    assert answers(plan) == ["delivery"]


def test_the_open_question_comes_back_once_after_two_answers() -> None:
    plan = decide("do you deliver and is insurance included?", **REVIEW)
    assert [saying["leads_on"] for saying in plan.says] == [False, True]


@pytest.mark.parametrize(
    "words", ["make it 22-25 june, and do you deliver to Sanur?", "22-25 june please. are you open?"]
)
def test_new_dates_beside_a_question_are_new_dates(words: str) -> None:
    """The negative of the above: days in another clause than the question's are the customer's."""
    plan = decide(words, **REVIEW)
    assert (plan.get("wish")["start"], plan.get("wish")["end"]) == ("2027-06-22", "2027-06-25")
    assert plan.steps[0]["node"] == "pricing"
    assert plan.says[0]["say"] == "company"


@pytest.mark.parametrize(
    "words", ["the NMAX instead. do you deliver it?", "show me the NMAX, and is insurance included?"]
)
def test_another_vehicle_beside_a_question_is_another_wish(words: str) -> None:
    plan = decide(words, **REVIEW)
    assert plan.steps[0]["node"] in {"pricing", "search"}
    assert plan.says[0]["say"] == "company"


def test_another_office_that_is_not_asked_about_is_a_correction() -> None:
    """A word of an unknown question keeps the offer; the same words as a wish change it."""
    assert decide("rather in Kuta", **REVIEW).get("wish").get("office") == "Kuta"


def test_an_office_that_is_wished_for_is_no_aside() -> None:
    plan = decide("show me scooters in Kuta from 20 to 27 june, and is insurance included?")
    assert plan.get("wish")["office"] == "Kuta"
    assert answers(plan) == ["insurance", "search"]


# ---- two wishes ----------------------------------------------------------------------------------------------


def test_a_cancellation_and_a_new_wish_are_both_followed_and_the_question_comes_last() -> None:
    plan = decide("cancel my booking and show me boats 5-6 july", **BOOKED)
    assert [(step["node"], step.get("task")) for step in plan.steps] == [("search", None), ("booking", "change")]
    assert plan.steps[1]["want"] == {"kind": "cancel"}
    assert plan.get("wish")["category"] == "boat"


def test_days_in_the_clause_of_a_cancellation_say_which_booking() -> None:
    plan = decide("cancel the boat booking from 5 to 6 july", **BOOKED)
    assert [step["node"] for step in plan.steps] == ["booking"]
    assert plan.steps[0]["want"]["said"] == {
        "category": "boat", "start": "2027-07-05", "day": "2027-07-05",
    }  # fmt: skip


def test_a_longer_rental_and_a_question_are_both_answered() -> None:
    booking = {**BOOKED["booking"], "start": "2027-06-20", "end": "2027-06-27"}
    heard = Understanding(
        intents=("ask_company", "give_dates"), confidence=0.9, topic="hours",
        dates=DateReading(
            status="range", start=date(2027, 6, 20), end=date(2027, 6, 29), phrase="two days longer"
        ),
    )  # fmt: skip
    plan = follow(heard, "two days longer and what are your opening hours?", phase="booked", booking=booking)
    assert answers(plan) == ["hours", "booking"]
    assert plan.steps[0]["want"]["end"] == "2027-06-29"


@pytest.mark.parametrize(
    ("words", "lang", "topics"),
    [
        ("ein Roller vom 21. bis 24. Juni, und liefert ihr ins Hotel?", "de", [None, "delivery"]),
        ("is it 5,000 or 1.5 million? do you deliver", "en", [None, "delivery"]),
        ("ส่งรถที่โรงแรมได้ไหม และร้านเปิดกี่โมง", "th", ["delivery", "hours"]),
        ("可以送到酒店吗?几点开门", "zh", ["delivery", "hours"]),
        ("do you deliver", "xx", ["delivery"]),
    ],
)
def test_a_message_is_cut_where_its_language_joins_clauses(words: str, lang: str, topics: list[str | None]) -> None:
    assert [clause.topic for clause in clauses_of(words, lang)] == topics


# ---- which booking -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        ("the boat", "r2"), ("the motorcycle please", "r1"), ("the red one", "r1"), ("the one in June", "r1"),
        ("the July one", "r2"), ("the Jukung", "r2"), ("the Honda", "r1"), ("20 june", "r1"), ("CR-r2", "r2"),
        ("das Boot", "r2"), ("die im Juni", "r1"), ("лодку", "r2"), ("ту что в июне", "r1"), ("Хонду", "r1"),
        ("le bateau", "r2"), ("celle de juin", "r1"), ("el barco", "r2"), ("la de junio", "r1"),
        ("perahu", "r2"), ("yang bulan juni", "r1"), ("เรือ", "r2"), ("อันเดือนมิถุนายน", "r1"),
        ("보트요", "r2"), ("6월 거요", "r1"), ("船", "r2"), ("6月那个", "r1"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["cancel", "move", "extend"])
def test_kind_colour_month_or_name_answers_which_booking(words: str, chosen: str, kind: str) -> None:
    question = {"kind": "rental", "rentals": RENTALS, "want": {"kind": kind}}
    plan = decide(words, phase="booked", open_question=question)
    assert [step["want"] for step in plan.steps] == [{"kind": kind, "rental_uuid": chosen}]


@pytest.mark.parametrize("words", ["a scooter", "a boat 5-6 august", "how much is a boat?"])
def test_what_is_true_of_no_booking_is_no_answer_to_which(words: str) -> None:
    question = {"kind": "rental", "rentals": RENTALS, "want": {"kind": "cancel"}}
    plan = decide(words, phase="booked", open_question=question)
    assert not [step for step in plan.steps if step.get("task") == "change"]


def test_what_fits_several_is_asked_again_among_those() -> None:
    boats = [*RENTALS, rental("r3", "Nusa 7", "boat", "2027-08-01", "2027-08-02")]
    question = {"kind": "rental", "rentals": boats, "want": {"kind": "cancel"}}
    plan = decide("the boat", phase="booked", open_question=question)
    assert plan.steps[0]["want"] == {"kind": "cancel", "said": {"category": "boat"}}
    assert [one["rental_uuid"] for one in narrowed(boats, {"category": "boat"})] == ["r2", "r3"]


def test_a_word_that_fits_no_booking_does_not_narrow() -> None:
    assert narrowed(RENTALS, {"category": "car"}) == RENTALS
    assert not fits_any(RENTALS, {"category": "car", "months": [12]})
    over_new_year = [rental("r4", "Jukung 4", "boat", "2027-12-30", "2028-01-02")]
    assert fits_any(over_new_year, {"months": [1]})


# ---- the memory is lost ----------------------------------------------------------------------------------------


def test_a_length_alone_with_several_bookings_asks_which_and_begins_no_wish() -> None:
    plan = decide("two days longer", phase="booked")
    assert [step["want"] for step in plan.steps] == [{"kind": "move"}]
    assert not plan.get("wish")
