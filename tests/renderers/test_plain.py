"""Every turn as plain text: words first, every fact true, nothing lost, nothing raised."""

from __future__ import annotations

import copy
import json
import os
import re
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontend_contract.compat import UnknownTurn, read_turn
from frontend_contract.facts import Money
from renderers.labels import Labels
from renderers.plain import number_actions, render
from renderers.plain.layout import cells, pairs, sums, wrap
from renderers.safe_text import safe_paragraphs

Example = dict[str, Any]
SNAPSHOTS = Path(__file__).parent / "snapshots"
UPDATE = bool(os.environ.get("RIDEPASS_UPDATE_SNAPSHOTS"))
OPAQUE = {"id", "ref", "rental_ref", "quote_ref", "page_token", "target"}
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def squeezed(text: str) -> str:
    return "".join(text.split())


# --- which numbers may be shown ---


def numbers(text: str) -> set[str]:
    return {found.replace(",", "") for found in NUMBER.findall(text)}


def digits(text: str) -> set[str]:
    return set(re.findall(r"\d+", text)) | numbers(text)


def instants(text: str, zones: set[str]) -> set[str]:
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        return set()
    shown = [instant, *(instant.astimezone(ZoneInfo(zone)) for zone in zones)] if instant.tzinfo else [instant]
    return {part for local in shown for part in (str(local.day), str(local.year), *local.strftime("%H %M").split())}


def zones_in(node: Any) -> set[str]:
    if isinstance(node, dict):
        own = {node["tz"]} if isinstance(node.get("tz"), str) else set()
        return own.union(*(zones_in(value) for value in node.values()))
    return set().union(*(zones_in(value) for value in node)) if isinstance(node, list) else set()


def allowed(node: Any, labels: Labels, zones: set[str]) -> set[str]:
    """Every number that the facts and words of a turn hold, in the forms in which it may be shown."""
    if isinstance(node, bool) or node is None:
        return set()
    if isinstance(node, int):
        return {str(abs(node))}
    if isinstance(node, str):
        return digits(node) | instants(node, zones)
    if isinstance(node, list):
        places = {str(place) for place in range(len(node) + 1)}
        return places.union(*(allowed(item, labels, zones) for item in node))
    if isinstance(node, dict):
        found = set().union(*(allowed(value, labels, zones) for key, value in node.items() if key not in OPAQUE))
        if set(node) == {"minor", "currency", "exponent"}:
            return numbers(labels.amount(Money.model_validate(node)))
        return found | derived(node)
    return set()


def derived(node: dict[str, Any]) -> set[str]:
    """Numbers that are counted or converted, each by its rule."""
    found: set[str] = set()
    if "total_found" in node:
        found.add(str(node["total_found"] - len(node["vehicles"])))
    if "expected_wait_seconds" in node:
        found.add(str(-(-node["expected_wait_seconds"] // 60)))
    if "taken" in node:
        start = date.fromisoformat(node["start"])
        found |= {str((start + timedelta(days=day)).day) for day in range(len(node["taken"]))}
    return found


def invented(turn: Example, text: str, labels: Labels) -> set[str]:
    listed = len(number_actions(read_turn(turn))) + len(turn["payload"].get("vehicles", []) if turn["payload"] else [])
    places = {str(place) for place in range(1, listed + 1)}
    shown = ["content"] if isinstance(read_turn(turn), UnknownTurn) else ["content", "payload", "created_at"]
    facts = {key: turn.get(key) for key in shown} | {"urls": [action.get("url") for action in turn["actions"]]}
    return numbers(text) - allowed(facts, labels, zones_in(turn["payload"])) - places


# --- golden turns ---


def test_the_drawing_is_the_one_that_was_looked_at(example: Example) -> None:
    text = render(read_turn(example["turn"])) + "\n"
    path = SNAPSHOTS / f"{example['name']}.txt"
    if UPDATE:
        path.write_text(text, encoding="utf-8")
    assert path.exists(), "no snapshot; make it with RIDEPASS_UPDATE_SNAPSHOTS=1, then read it"
    assert text == path.read_text(encoding="utf-8")


def test_no_snapshot_is_left_over(examples: dict[str, Example]) -> None:
    assert {path.stem for path in SNAPSHOTS.glob("*.txt")} == set(examples)


@pytest.mark.parametrize("width", [20, 34, 80, 200])
def test_the_words_come_first_and_whole_and_no_line_is_too_wide(example: Example, width: int) -> None:
    turn = read_turn(example["turn"])
    text = render(turn, "en", width)
    words = squeezed(safe_paragraphs(turn.content))
    assert words in squeezed(text)
    assert squeezed(text).index(words) <= len("Warning:")
    assert [line for line in text.split("\n") if cells(line) > width] == []
    assert [line for line in text.split("\n") if line != line.rstrip()] == []


def test_no_number_is_invented(example: Example, labels: Labels) -> None:
    turn = {"payload": None, "actions": [], **example["turn"]}
    assert invented(turn, render(read_turn(turn)), labels) == set()


def test_an_invented_number_would_be_found(examples: dict[str, Example], labels: Labels) -> None:
    turn = examples["price_quote"]["turn"]
    text = render(read_turn(turn))
    for right, wrong in (("1,120,000", "1,120,001"), ("7 days", "9 days"), ("15:52", "16:52"), ("2027", "2028")):
        assert invented(turn, text.replace(right, wrong), labels), wrong


def test_no_raw_word_of_the_contract_is_shown(example: Example) -> None:
    text = render(read_turn(example["turn"])).replace("https://", "")
    assert (
        re.findall(r"\b[a-z]+(?:\.[a-z]+|_[a-z]+)+\b", text.replace("gnp.exe", "").replace("www.openstreetmap.org", ""))
        == []
    )


def test_no_escape_sequence_is_written(example: Example) -> None:
    turn = copy.deepcopy(example["turn"]) | {"content": "red \x1b[31m alert \x9b2J"}
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", render(read_turn(turn)))


# --- what can be done ---


def test_the_number_of_a_listed_vehicle_picks_it(examples: dict[str, Example]) -> None:
    turn = read_turn(examples["vehicle_carousel"]["turn"])
    numbered = number_actions(turn)
    assert {n: a.target for n, a in numbered.items()} == {1: "v-pcx160", 2: "v-nmax155", 3: "requirements"}


def test_the_numbers_follow_the_drawing_not_the_order_of_the_actions(examples: dict[str, Example]) -> None:
    source = copy.deepcopy(examples["vehicle_carousel"]["turn"])
    source["actions"].reverse()
    assert number_actions(read_turn(source))[2].target == "v-nmax155"


@pytest.mark.parametrize("status", ["superseded", "expired", "failed", "streaming"])
def test_a_card_that_is_over_offers_nothing_and_says_so(example: Example, status: str) -> None:
    turn = read_turn(example["turn"] | {"status": status})
    text = render(turn)
    assert number_actions(turn) == {}
    assert not re.search(r"^\[\d", text, re.MULTILINE)
    assert "held until" not in text.replace(turn.content, "")
    assert text.endswith((")", "…"))


def test_every_number_that_is_offered_has_an_action(example: Example) -> None:
    turn = read_turn(example["turn"])
    hints = re.findall(r"\[(\d+)(?:-(\d+))?\]", render(turn).replace(turn.content, ""))
    offered = [n for first, last in hints for n in range(int(first), int(last or first) + 1)]
    assert offered == sorted(number_actions(turn))


# --- single cards ---


def test_the_amounts_of_a_quote_stand_under_each_other(examples: dict[str, Example]) -> None:
    lines = render(read_turn(examples["price_quote.two_seasons"]["turn"])).split("\n")
    table = [line for line in lines if re.search(r"(\d|included)$", line) and "  " in line]
    assert len(table) == 6
    assert len({len(line) for line in table}) == 1


def test_taken_days_are_marked_up_to_the_day_of_return(examples: dict[str, Example]) -> None:
    lines = render(read_turn(examples["alternative_periods"]["turn"])).split("\n")
    (days,) = [line for line in lines if line.startswith("Jun ")]
    (taken,) = [line for line in lines if line.startswith("Taken ") and "x" in line]
    marked = [days[i - 1 : i + 1].strip() for i, sign in enumerate(taken) if sign == "x" and i > 8]
    assert marked == ["13", "14", "15", "16", "17", "18", "19"]


def test_a_name_that_turns_the_text_around_leaves_the_rest_as_it_is(examples: dict[str, Example]) -> None:
    source = copy.deepcopy(examples["booking_review"]["turn"])
    source["payload"]["contact"]["name"] = "Ali\u202egnp.exe"
    text = render(read_turn(source))
    assert "  Name     Alignp.exe" in text
    assert "\u202e" not in text
    source["payload"]["contact"]["name"] = "נועה לוי"
    assert "  Name     \u2068נועה לוי\u2069\n" in render(read_turn(source))  # noqa: RUF001


def test_zero_decimal_money_is_not_divided(examples: dict[str, Example]) -> None:
    source = copy.deepcopy(examples["vehicle_carousel.one"]["turn"])
    vehicle = source["payload"]["vehicles"][0]
    for currency, total, shown in (("JPY", 36_000, "JPY 36,000"), ("VND", 300_000, "VND 300,000")):
        vehicle["total"] = {"minor": total, "currency": currency, "exponent": 0}
        assert f"{shown} for 7 days" in render(read_turn(source))


def test_a_turn_of_every_language_takes_the_readers_words_for_its_facts(examples: dict[str, Example]) -> None:
    source = examples["vehicle_carousel"]["turn"] | {"content": "ว่าง 2 คัน", "lang": "th"}
    text = render(read_turn(source), "en")
    assert text.startswith("ว่าง 2 คัน\n\nSun 20 – Sun 27 Jun 2027, 7 days")


# --- anything at all ---

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
WORDS = st.text(max_size=60) | st.sampled_from(
    ["\u202eabc", "本田" * 30, "a" * 300, "x\ny", "\x1b[31m", "{n}", "🛵" * 50]
)
DAYS = st.dates().map(date.isoformat) | st.sampled_from(["0001-01-01", "9999-12-31"])
INSTANTS = st.sampled_from(["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "2027-03-28T01:30:00Z"])
INTS = st.integers(-(2**53), 2**53) | st.integers() | st.sampled_from([0, 1, 10**60])


def leaves(node: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    if isinstance(node, dict):
        return [leaf for key, value in node.items() for leaf in leaves(value, (*path, key))]
    if isinstance(node, list):
        return [leaf for index, value in enumerate(node) for leaf in leaves(value, (*path, index))]
    return [path]


# One of each kind is drawn ahead, so that what is drawn never depends on what was drawn before.
OTHERS = st.fixed_dictionaries(
    {"bool": st.booleans(), "int": INTS, "day": DAYS, "instant": INSTANTS, "words": WORDS, "json": JSON}
)
CHANGES = st.lists(st.tuples(st.integers(0, 10_000), OTHERS), max_size=4)


def kind_of(value: Any) -> str:
    """Which of the others is of the same kind, so that many changed turns are still cards."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
        return "day"
    if isinstance(value, str) and re.match(r"\d{4}-\d{2}-\d{2}T", value):
        return "instant"
    return "words" if isinstance(value, str) else "json"


@settings(max_examples=300, deadline=None)
@given(which=st.integers(0, 10_000), changes=CHANGES, width=st.integers(-5, 120))
def test_nothing_that_can_be_read_makes_the_renderer_raise(
    examples: dict[str, Example], which: int, changes: list[tuple[int, dict[str, Any]]], width: int
) -> None:
    sources = [example["turn"] for example in examples.values()]
    source = copy.deepcopy(sources[which % len(sources)])
    paths = leaves(source)
    for at, others in changes:
        path = paths[at % len(paths)]
        node: Any = source
        for step in path[:-1]:
            node = node[step]
        node[path[-1]] = others[kind_of(node[path[-1]])]
    turn = read_turn(source)
    text = render(turn, "en", width)
    assert squeezed(safe_paragraphs(turn.content)) in squeezed(text)
    assert all(cells(line) <= max(width, 20) for line in text.split("\n"))
    assert text.encode()


@settings(max_examples=100, deadline=None)
@given(value=JSON)
def test_whatever_arrives_is_shown(value: Any) -> None:
    turn = read_turn(json.dumps(value))
    assert isinstance(turn, UnknownTurn)
    assert render(turn).strip()


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_no_number_is_invented_whatever_the_facts(
    examples: dict[str, Example], labels: Labels, data: st.DataObject
) -> None:
    source = copy.deepcopy(
        data.draw(st.sampled_from([e["turn"] for e in examples.values() if e["expect"] == "strict"]))
    )
    amounts = [path for path in leaves(source) if path[-1] in ("minor", "days", "engine_cc", "quantity", "percent")]
    for path in amounts:
        node: Any = source
        for step in path[:-1]:
            node = node[step]
        node[path[-1]] = data.draw(st.integers(1, 10**9))
    assert not isinstance(read_turn(source), UnknownTurn)
    assert invented(source, render(read_turn(source)), labels) == set()


# --- layout ---


def test_wide_letters_take_two_columns_and_marks_none() -> None:
    columns = {"abc": 3, "本田": 4, "ＰＣＸ": 6, "ก็": 1, "e\u0301": 1, "\u2068נועה\u2069": 4, "🛵": 2}  # noqa: RUF001
    assert {text: cells(text) for text in columns} == columns
    assert pairs([("名", "x"), ("abc", "y")], 40) == ["  名   x", "  abc  y"]
    assert sums([("本田", "7")], ("Total", "12"), 40) == ["本田    7", "-" * 9, "Total  12"]


@pytest.mark.parametrize("width", [1, 2, 5, 9])
def test_a_word_that_fits_nowhere_is_cut_not_lost(width: int) -> None:
    lines = wrap("aaaaaaaaaa bb cccccccccccc", width)
    assert squeezed("".join(lines)) == "a" * 10 + "bb" + "c" * 12
    assert max(map(cells, lines)) <= width
