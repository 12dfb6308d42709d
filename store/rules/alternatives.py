"""Ways out when a vehicle is taken: other periods of the same vehicle, anchored to the wish or to a booking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Literal

from store.rules.periods import Block, Period, Taken, conflicts_with, turnaround_days
from store.rules.prices import Price
from store.rules.stay import Terms, decide

Strategy = Literal["shorter", "shift_earlier", "shift_later", "gap"]

LOOK_BACK_DAYS: Final = 60
LOOK_AHEAD_DAYS: Final = 180
"""How far from the wish bookings are read and windows are sought."""

_LOST_DAY_WEIGHT: Final = 3
"""A day less of the rental is as bad as three days of moving it."""

_NEAR_DAYS: Final = 31
"""Farther ways out are offered only when there is no nearer one."""

STRIP_DAYS: Final = 17


@dataclass(frozen=True, slots=True)
class Proposal:
    """A period of the same vehicle that may be rented."""

    strategy: Strategy
    period: Period
    price: Price
    shift_days: int


def propose(wish: Period, terms: Terms, now: datetime, taken: Sequence[Taken], limit: int) -> tuple[Proposal, ...]:
    """Return up to `limit` bookable periods, best first; each passed the one decision and has a price.

    `taken` are the vehicle's blocking rentals from LOOK_BACK_DAYS before the wish to LOOK_AHEAD_DAYS after it.
    """
    found: dict[Period, Proposal] = {}
    for strategy, period in _candidates(wish, terms, taken):
        if period in found or period == wish:
            continue
        decision = decide(period, terms, now, taken)
        if decision.allowed and decision.price is not None:
            shift_days = (period.start - wish.start).days
            found[period] = Proposal(strategy, period, decision.price, shift_days)
    near = [p for p in found.values() if abs(p.shift_days) <= _NEAR_DAYS] or list(found.values())
    return _spread(sorted(near, key=lambda p: _cost(p, wish)), limit)


def strip(first_day: date, taken: Iterable[Taken]) -> tuple[bool, ...]:
    """Return for each of STRIP_DAYS days whether the vehicle is taken on it."""
    blocks = [t.block for t in taken]
    days = (first_day + timedelta(days=n) for n in range(STRIP_DAYS))
    return tuple(any(block.start <= day < block.end for block in blocks) for day in days)


def _candidates(wish: Period, terms: Terms, taken: Sequence[Taken]) -> Iterator[tuple[Strategy, Period]]:
    turnaround = timedelta(days=turnaround_days(terms.rules.turnaround_hours))
    conflicts = conflicts_with(wish.block(terms.rules.turnaround_hours), taken)
    if conflicts:
        back_on = conflicts[0].block.start - turnaround
        if wish.start < back_on < wish.end:
            yield "shorter", Period(wish.start, back_on)
        yield "shift_earlier", wish.shifted_to(back_on - (wish.end - wish.start))
        yield "shift_later", wish.shifted_to(max(c.block.end for c in conflicts))
    else:
        yield from _around_closed_days(wish, terms)
    for window in _windows(wish, taken):
        yield from _in_window(window, wish, turnaround, is_taken=bool(conflicts))


def _around_closed_days(wish: Period, terms: Terms) -> Iterator[tuple[Strategy, Period]]:
    """Give the nearest open days when only the office's hours stand in the way."""
    start = terms.hours.next_open(wish.start)
    if start is not None and start != wish.start:
        yield "shift_later", wish.shifted_to(start)
        if start < wish.end:
            yield "gap", Period(start, wish.end)
    earlier = next((wish.end - timedelta(days=n) for n in range(1, 7) if _may_return(wish, terms, n)), None)
    if earlier is not None and not terms.hours.is_open(wish.end):
        yield "shorter", Period(wish.start, earlier)


def _may_return(wish: Period, terms: Terms, days_earlier: int) -> bool:
    day = wish.end - timedelta(days=days_earlier)
    return day > wish.start and terms.hours.is_open(day)


def _windows(wish: Period, taken: Sequence[Taken]) -> Iterator[Block]:
    """Yield the free days between bookings, and after the last one."""
    blocks = sorted((t.block for t in taken), key=lambda b: b.start)
    following = [*blocks[1:], None] if blocks else []
    for first, second in zip(blocks, following, strict=True):
        free = Block(first.end, second.start if second else wish.end + timedelta(days=LOOK_AHEAD_DAYS))
        if free.start < free.end:
            yield free


def _in_window(
    window: Block, wish: Period, turnaround: timedelta, *, is_taken: bool
) -> Iterator[tuple[Strategy, Period]]:
    # The start is anchored to the end of a booking, or the return to the start of the next: nothing floats.
    last_return = window.end - turnaround
    length = wish.end - wish.start
    if last_return - window.start >= length:
        later = window.start > wish.start and is_taken
        yield ("shift_later" if later else "gap"), Period(window.start, window.start + length)
        if last_return < wish.end:
            yield "gap", Period(last_return - length, last_return)
    elif last_return > window.start:
        yield "gap", Period(window.start, last_return)


def _cost(proposal: Proposal, wish: Period) -> tuple[int, int]:
    lost_days = wish.days - proposal.period.days
    return abs(proposal.shift_days) + _LOST_DAY_WEIGHT * lost_days, proposal.shift_days


def _spread(ranked: Sequence[Proposal], limit: int) -> tuple[Proposal, ...]:
    """Take the best of each strategy first, so that a shorter one, an earlier and a later one are all seen."""
    first_of_kind: dict[str, Proposal] = {}
    for proposal in ranked:
        first_of_kind.setdefault(proposal.strategy, proposal)
    leaders = list(first_of_kind.values())[:limit]
    others = [p for p in ranked if p not in leaders]
    return tuple(sorted([*leaders, *others][:limit], key=ranked.index))
