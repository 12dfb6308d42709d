"""The order of a stream: each rule is kept by a right stream and named when it is broken."""

from __future__ import annotations

from typing import Any

import pytest

from frontend_contract.compat import UnknownEvent, read_event
from frontend_contract.events import StreamEvent
from frontend_contract.stream_check import StreamCheck, check_stream

Event = StreamEvent | UnknownEvent


@pytest.fixture
def turn(examples: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return examples["text"]["turn"]


def script(turn: dict[str, Any], *names: str, **changes: dict[str, Any]) -> list[Event]:
    """Events by name, numbered from 1; `changes` replaces fields of an event by its name."""
    bodies: dict[str, dict[str, Any]] = {
        "run_started": {"contract": "1.0", "conversation_id": "c-1"},
        "status": {"code": "searching", "agent": "search"},
        "text_start": {"turn_id": turn["id"], "agent": "coordinator"},
        "text_delta": {"turn_id": turn["id"], "offset": 0, "delta": "Hi 🛵"},
        "more": {"event": "text_delta", "turn_id": turn["id"], "offset": 5, "delta": ", I book"},
        "text_end": {"turn_id": turn["id"], "content": turn["content"], "turn": turn},
        "card": {"turn": turn},
        "turn_update": {"turn_id": turn["id"], "status": "superseded"},
        "error": {"code": "internal", "message": "Sorry."},
        "done": {"last_seq": turn["seq"]},
        "resync_required": {"last_seq": turn["seq"]},
        "zz_new": {"colour": "pink"},
    }
    events = []
    for seq, name in enumerate(names, start=1):
        raw = {"event": name, "seq": seq, "run_id": "r-1"} | bodies[name] | changes.get(name, {})
        events.append(read_event(raw))
    return events


def rules(events: list[Event], after: int = 0) -> list[str]:
    return [violation.rule for violation in check_stream(events, after=after)]


@pytest.mark.parametrize(
    "names",
    [
        ["run_started", "status", "text_start", "text_delta", "more", "text_end", "card", "turn_update", "done"],
        ["run_started", "text_start", "text_delta", "text_delta", "more", "text_end", "done"],
        ["run_started", "zz_new", "card", "done"],
        ["run_started", "text_start", "text_delta", "error"],
        ["run_started", "resync_required"],
        ["error"],
        ["resync_required"],
    ],
)
def test_a_right_stream_breaks_no_rule(turn: dict[str, Any], names: list[str]) -> None:
    assert rules(script(turn, *names)) == []


@pytest.mark.parametrize(
    ("names", "changes", "broken"),
    [
        (["card", "done"], {}, ["first_event"]),
        (["run_started", "run_started", "done"], {}, ["first_event"]),
        (["run_started", "card", "done"], {"done": {"seq": 4}}, ["seq_gap"]),
        (["run_started", "card", "done"], {"done": {"seq": 2}}, ["seq_gap"]),
        (["run_started", "card", "done"], {"card": {"run_id": "r-2"}}, ["other_run"]),
        (["run_started", "done", "card"], {}, ["after_terminal"]),
        (["run_started", "done", "done"], {}, ["after_terminal"]),
        (["run_started", "error", "done"], {}, ["after_terminal"]),
        (["run_started", "text_delta", "text_end", "done"], {}, ["text_not_open"]),
        (["run_started", "text_end", "done"], {}, ["text_not_open"]),
        (["run_started", "text_start", "text_start", "text_end", "done"], {}, ["text_already_open"]),
        (["run_started", "text_start", "more", "text_end", "done"], {}, ["delta_gap"]),
        (["run_started", "text_start", "text_delta", "done"], {}, ["open_text_at_done"]),
        (["run_started", "text_start", "text_end", "done"], {"text_end": {"content": "else"}}, ["turn_mismatch"]),
        (["run_started", "card", "done"], {"done": {"last_seq": 1}}, ["last_seq"]),
        (["run_started", "card"], {}, ["no_terminal"]),
        ([], {}, ["no_terminal"]),
    ],
)
def test_a_broken_rule_is_named(turn: dict[str, Any], names: list[str], changes: Any, broken: list[str]) -> None:
    assert rules(script(turn, *names, **changes)) == broken


def test_an_unknown_event_moves_the_cursor(turn: dict[str, Any]) -> None:
    events = script(turn, "run_started", "zz_new", "card", "done")
    assert isinstance(events[1], UnknownEvent)
    assert rules(events) == []
    assert rules([events[0], *events[2:]]) == ["seq_gap"]


def test_a_resumed_stream_goes_on_where_it_was(turn: dict[str, Any]) -> None:
    events = script(turn, "run_started", "text_start", "text_delta", "more", "text_end", "card", "done")
    for after in range(1, len(events)):
        assert rules(events[after:], after=after) == []
    assert rules(events[4:], after=3) == ["seq_gap"]


def test_a_violation_says_where(turn: dict[str, Any]) -> None:
    check = StreamCheck()
    started, done = script(turn, "run_started", "done")
    assert check.observe(started) == []
    assert not check.finished
    assert check.observe(done) == []
    assert check.finished
    (violation,) = check.observe(done.model_copy(update={"seq": 3}))  # type: ignore[union-attr]
    assert (violation.rule, violation.seq) == ("after_terminal", 3)
    assert check.end() == []
