"""Arithmetic on integer minor units. No floats, no currencies mixed."""

from __future__ import annotations


def percent_of(amount_minor: int, percent: int) -> int:
    """Return `percent` of a non-negative amount, half a minor unit rounded up."""
    return (amount_minor * percent + 50) // 100


def average_per_day(total_minor: int, days: int) -> int:
    """Return the average price of a day, rounded down, so that it never promises more than is paid."""
    return total_minor // days
