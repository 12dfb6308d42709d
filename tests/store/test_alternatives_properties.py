"""Whatever is booked and whenever the office is closed: no way out that could not be booked, and none that floats."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from store.rules.alternatives import Proposal, propose
from store.rules.hours import Interval, OpeningHours
from store.rules.periods import Period, Taken, turnaround_days
from store.rules.prices import PriceList
from store.rules.stay import StayRules, Terms, decide

NOW = datetime(2027, 5, 31, 7, 30, tzinfo=UTC)

open_weekdays = st.sets(st.integers(0, 6), min_size=1)
holidays = st.frozensets(st.dates(date(2027, 6, 1), date(2027, 8, 1)).map(date.isoformat), max_size=8)
hours = st.builds(
    lambda weekdays, closed: OpeningHours(tuple(Interval(n, time(8), time(18)) for n in sorted(weekdays)), closed),
    open_weekdays,
    holidays,
)
rules = st.builds(
    StayRules,
    min_days=st.integers(0, 4),
    max_days=st.sampled_from([0, 10, 30]),
    max_ahead_days=st.sampled_from([0, 60, 400]),
    turnaround_hours=st.sampled_from([0, 4, 24, 30]),
    lead_minutes=st.sampled_from([0, 60, 3000]),
)
stays = st.builds(
    lambda start, days: Period(start, start + timedelta(days=days)),
    st.dates(date(2027, 6, 1), date(2027, 7, 15)),
    st.integers(0, 14),
)


def make_terms(stay_rules: StayRules, office: OpeningHours) -> Terms:
    return Terms(stay_rules, "sanur", "Asia/Makassar", office, PriceList(1, 1, 100))


def calendar(booked: list[Period], turnaround_hours: int) -> list[Taken]:
    """Those of the stays that do not overlap an earlier one."""
    taken: list[Taken] = []
    for stay in booked:
        block = stay.block(turnaround_hours)
        if not any(block.overlaps(t.block) for t in taken):
            taken.append(Taken(stay, block, "confirmed", "admin"))
    return taken


def anchors(wish: Period, taken: list[Taken], terms: Terms) -> tuple[set[date], set[date]]:
    """Days that a start, and that a return, may stand on: the wish's, a booking's, or the next open one."""
    gap = timedelta(days=turnaround_days(terms.rules.turnaround_hours))
    starts = {wish.start, *(t.block.end for t in taken)}
    ends = {wish.end, *(t.block.start - gap for t in taken)}
    starts |= {day for day in map(terms.hours.next_open, starts) if day}
    ends |= {day for day in (terms.hours.last_open(e, e - timedelta(days=70)) for e in ends) if day}
    return starts, ends


@given(stays, st.lists(stays, max_size=8), rules, hours, st.integers(1, 10))
def test_each_way_out_passes_the_decision_and_is_anchored(
    wish: Period, booked: list[Period], stay_rules: StayRules, office: OpeningHours, limit: int
) -> None:
    terms, taken = make_terms(stay_rules, office), calendar(booked, stay_rules.turnaround_hours)
    found = propose(wish, terms, NOW, taken, limit)
    assert len(found) <= limit
    assert len({p.period for p in found}) == len(found)
    starts, ends = anchors(wish, taken, terms)
    for proposal in found:
        decision = decide(proposal.period, terms, NOW, taken)
        assert decision.allowed
        assert decision.price == proposal.price
        assert proposal.period != wish
        assert proposal.shift_days == (proposal.period.start - wish.start).days
        assert proposal.period.start in starts or proposal.period.end in ends


@given(st.integers(1, 10), st.integers(0, 40))
def test_a_wish_in_the_middle_of_a_booking_is_offered_before_and_after_it(days: int, offset: int) -> None:
    """Not all on one side: spread over the range."""
    start = date(2027, 7, 1) + timedelta(days=offset)
    wish = Period(start, start + timedelta(days=days))
    terms = make_terms(StayRules(), ALWAYS_OPEN)
    taken = calendar([Period(start - timedelta(days=2), start + timedelta(days=days + 2))], 0)
    by_side = {p.shift_days > 0 for p in propose(wish, terms, NOW, taken, 4)}
    assert by_side == {True, False}


ALWAYS_OPEN = OpeningHours(tuple(Interval(n, time(8), time(18)) for n in range(7)))


def test_several_gaps_are_offered_apart_from_each_other() -> None:
    """The nearest ones are not all on one day: each of the first three starts three days or more from the others."""
    booked = [Period(date(2027, 6, d), date(2027, 6, d + 3)) for d in (1, 5, 10, 15, 20, 25)]
    wish = Period(date(2027, 6, 11), date(2027, 6, 12))
    found = propose(wish, make_terms(StayRules(), ALWAYS_OPEN), NOW, calendar(booked, 0), 5)
    starts = sorted(p.period.start for p in found)
    assert len(starts) == 5
    assert sum((later - sooner).days >= 3 for sooner, later in pairwise(starts)) >= 3


def test_an_unchecked_candidate_would_be_seen() -> None:
    """Negative control: the same look at a way out that nobody decided on finds the booking in it."""
    terms = make_terms(StayRules(), ALWAYS_OPEN)
    taken = calendar([Period(date(2027, 6, 10), date(2027, 6, 17))], 0)
    wish = Period(date(2027, 6, 12), date(2027, 6, 14))
    (good, *_) = propose(wish, terms, NOW, taken, 1)
    floating = Proposal("gap", Period(date(2027, 6, 16), date(2027, 6, 18)), good.price, 4, good.reason)
    assert not decide(floating.period, terms, NOW, taken).allowed
    starts, ends = anchors(wish, taken, terms)
    assert floating.period.start not in starts
    assert floating.period.end not in ends
