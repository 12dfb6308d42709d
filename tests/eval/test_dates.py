"""The targets of `tests.eval.dates`, where the data is beside the checkout; of the biggest file every fifth row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from tests.eval import dates
from tests.eval.frame import Absent, Measure

EVERY = 5


@pytest.mark.parametrize(
    "take",
    [
        pytest.param(dates.ranges60, id="our own sixty ranges"),
        pytest.param(dates.clinc, id="rental wishes of strangers"),
        pytest.param(partial(dates.sgd, EVERY), id="pick-up and return days"),
        pytest.param(dates.calendar_talk, id="general calendar talk"),
        pytest.param(dates.no_date, id="texts without a date"),
    ],
)
def test_rental_periods_are_read_as_well_as_promised(take: Callable[[], Iterator[Measure]]) -> None:
    try:
        found = list(take())
    except Absent as absent:
        pytest.skip(str(absent))
    assert [f"{one.name}, {one.measure}: {one.shown()}" for one in found if not one.met] == []
    assert any(one.cases for one in found)
