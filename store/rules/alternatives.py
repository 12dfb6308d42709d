"""Ways out when a vehicle is taken: other periods of the same vehicle, anchored to the wish or to a booking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Literal

from store.rules.hours import OpeningHours
from store.rules.periods import Block, Period, Taken, conflicts_with, turnaround_days
from store.rules.prices import Price
from store.rules.stay import Terms, decide

Strategy = Literal["shorter", "shift_earlier", "shift_later", "gap"]
ReasonCode = Literal[
    "back_before_booking", "after_booking", "between_bookings", "office_open", "same_model", "similar_vehicle"
]

LOOK_BACK_DAYS: Final = 60
LOOK_AHEAD_DAYS: Final = 180
"""How far from the wish bookings are read and windows are sought."""

_LOST_DAY_WEIGHT: Final = 3
"""A day less of the rental is as bad as three days of moving it."""

_NEAR_DAYS: Final = 31
"""Farther ways out are offered only when there is no nearer one."""

_APART_DAYS: Final = 3
"""Two that start nearer to each other are nearly the same choice."""

STRIP_DAYS: Final = 17


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a way out is where it is; `day` is what it is anchored to."""

    code: ReasonCode
    day: date | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """A period of the same vehicle that may be rented."""

    strategy: Strategy
    period: Period
    price: Price
    shift_days: int
    reason: Reason


_Candidate = tuple[Strategy, Period, Reason]


def propose(wish: Period, terms: Terms, now: datetime, taken: Sequence[Taken], limit: int) -> tuple[Proposal, ...]:
    """Return up to `limit` bookable periods, best first; each passed the one decision and has a price.

    `taken` is what keeps the vehicle from LOOK_BACK_DAYS before the wish to LOOK_AHEAD_DAYS after it.
    """
    found: dict[Period, Proposal] = {}
    for strategy, period, reason in _candidates(wish, terms, taken):
        if period in found or period == wish:
            continue
        decision = decide(period, terms, now, taken)
        if decision.allowed and decision.price is not None:
            shift_days = (period.start - wish.start).days
            found[period] = Proposal(strategy, period, decision.price, shift_days, reason)
    near = [p for p in found.values() if abs(p.shift_days) <= _NEAR_DAYS] or list(found.values())
    return _spread(sorted(near, key=lambda p: _cost(p, wish)), limit)


def strip(first_day: date, taken: Iterable[Taken]) -> tuple[bool, ...]:
    """Return for each of STRIP_DAYS days whether the vehicle is taken on it."""
    blocks = [t.block for t in taken]
    days = (first_day + timedelta(days=n) for n in range(STRIP_DAYS))
    return tuple(any(block.start <= day < block.end for block in blocks) for day in days)


def _candidates(wish: Period, terms: Terms, taken: Sequence[Taken]) -> Iterator[_Candidate]:
    turnaround = timedelta(days=turnaround_days(terms.rules.turnaround_hours))
    conflicts = conflicts_with(wish.block(terms.rules.turnaround_hours), taken)
    if conflicts:
        yield from _around_bookings(wish, terms.hours, turnaround, conflicts)
    else:
        yield from _around_closed_days(wish, terms.hours)
    for window in _windows(wish, taken):
        yield from _in_window(window, wish, terms.hours, turnaround, is_taken=bool(conflicts))


def _around_bookings(
    wish: Period, hours: OpeningHours, turnaround: timedelta, conflicts: Sequence[Taken]
) -> Iterator[_Candidate]:
    """Give the three strategies: back before the first conflict, the same length before it, and after the last one."""
    first = conflicts[0].block.start
    before = Reason("back_before_booking", first)
    back_on = hours.last_open(first - turnaround, first - turnaround - timedelta(days=7))
    if back_on is not None:
        if wish.start < back_on < wish.end:
            yield "shorter", Period(wish.start, back_on), before
        yield "shift_earlier", wish.shifted_to(back_on - (wish.end - wish.start)), before
    free_from = max(c.block.end for c in conflicts)
    start = hours.next_open(free_from)
    if start is not None:
        yield "shift_later", wish.shifted_to(start), Reason("after_booking", free_from)


def _around_closed_days(wish: Period, hours: OpeningHours) -> Iterator[_Candidate]:
    """Give the nearest open days when only the office's hours stand in the way."""
    start = hours.next_open(wish.start)
    if start is not None and start != wish.start:
        opens = Reason("office_open", start)
        yield "shift_later", wish.shifted_to(start), opens
        if start < wish.end:
            yield "gap", Period(start, wish.end), opens
    earlier = hours.last_open(wish.end, max(wish.start + timedelta(days=1), wish.end - timedelta(days=6)))
    if earlier is not None and earlier != wish.end:
        yield "shorter", Period(wish.start, earlier), Reason("office_open", earlier)


def _windows(wish: Period, taken: Sequence[Taken]) -> Iterator[Block]:
    """Yield the free days between bookings, and after the last one."""
    blocks = sorted((t.block for t in taken), key=lambda b: b.start)
    following = [*blocks[1:], None] if blocks else []
    for first, second in zip(blocks, following, strict=True):
        free = Block(first.end, second.start if second else wish.end + timedelta(days=LOOK_AHEAD_DAYS))
        if free.start < free.end:
            yield free


def _in_window(
    window: Block, wish: Period, hours: OpeningHours, turnaround: timedelta, *, is_taken: bool
) -> Iterator[_Candidate]:
    # The start is anchored to the end of a booking, or the return to the start of the next: nothing floats but over
    # days on which the office is closed.
    start = hours.next_open(window.start)
    last_return = hours.last_open(window.end - turnaround, window.start)
    if start is None or last_return is None or start >= last_return:
        return
    length = wish.end - wish.start
    between = Reason("between_bookings", window.start)
    if last_return - start >= length:
        later = window.start > wish.start and is_taken
        yield (
            ("shift_later", wish.shifted_to(start), Reason("after_booking", window.start))
            if later
            else ("gap", wish.shifted_to(start), between)
        )
        if last_return < wish.end:
            yield "gap", wish.shifted_to(last_return - length), Reason("back_before_booking", window.end)
    else:
        yield "gap", Period(start, last_return), between


def _cost(proposal: Proposal, wish: Period) -> tuple[int, int]:
    lost_days = wish.days - proposal.period.days
    return abs(proposal.shift_days) + _LOST_DAY_WEIGHT * lost_days, proposal.shift_days


def _spread(ranked: Sequence[Proposal], limit: int) -> tuple[Proposal, ...]:
    """Take the best of each strategy first, then those that start apart from these, so that there is a choice."""
    first_of_kind: dict[str, Proposal] = {}
    for proposal in ranked:
        first_of_kind.setdefault(proposal.strategy, proposal)
    chosen = list(first_of_kind.values())
    for proposal in ranked:
        if all(abs((proposal.period.start - c.period.start).days) >= _APART_DAYS for c in chosen):
            chosen.append(proposal)
    chosen += [p for p in ranked if p not in chosen]
    return tuple(sorted(chosen[:limit], key=ranked.index))
