"""Arithmetic on integer minor units. No floats, no currencies mixed.

All rounding of the product is here. Half a minor unit is rounded up (away from zero for what is paid):

* a percentage season or tier of a price: each day's price once, before it is multiplied by the days;
* a percentage off by length: once for all days that get the same percentage, never day by day;
* the share of a package for the days after it: once for all these days.

The average price of a day is rounded down, so that it never promises more than is paid. What rounding leaves over is
spread over the days by `spread`, so that rows of single days add up to the total to the last minor unit.
"""

from __future__ import annotations


def percent_of(amount_minor: int, percent: int) -> int:
    """Return `percent` of a non-negative amount, half a minor unit rounded up."""
    return (amount_minor * percent + 50) // 100


def share_of(amount_minor: int, part: int, whole: int) -> int:
    """Return `part` of `whole` of a non-negative amount, half a minor unit rounded up."""
    return (2 * amount_minor * part + whole) // (2 * whole)


def average_per_day(total_minor: int, days: int) -> int:
    """Return the average price of a day, rounded down, so that it never promises more than is paid."""
    return total_minor // days


def spread(amount_minor: int, weights: list[int]) -> list[int]:
    """Split an amount by weights; the parts add up to it exactly. All weights zero: into equal parts."""
    used = weights if sum(weights) else [1] * len(weights)
    whole, seen, parts = sum(used), 0, []
    for weight in used:
        before = amount_minor * seen // whole
        seen += weight
        parts.append(amount_minor * seen // whole - before)
    return parts
