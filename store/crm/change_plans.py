"""What a change of a rental would do: decided and priced, nothing written."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from sqlalchemy.orm import Session

from store.crm.extras import require_still_offered, still_offered
from store.crm.terms import due_back, handover_times, require_allowed, terms_of
from store.rules.cancellation import CancelTerms, cancel_terms
from store.rules.facts import CompanyFacts, VehicleFacts
from store.rules.periods import Period
from store.rules.prices import Line
from store.rules.stay import decide
from store.sql.price_values import extras_as_json, lines_as_json, lines_from_json
from store.sql.rentals import RentalRecord, list_in_the_way
from store.sql.scope import Scope


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """Dates and money before and after."""

    old_period: Period
    new_period: Period
    old_total_minor: int
    new_total_minor: int
    deposit_minor: int | None
    cancel: CancelTerms | None = None
    lines: tuple[Line, ...] = ()
    """Of the new price; none for a cancellation."""
    values: dict[str, Any] = field(default_factory=dict)
    """Columns of the rental to write."""

    def facts(self) -> dict[str, Any]:
        """Return it as plain JSON values for the history; no client data."""
        free_until = self.cancel.free_until if self.cancel else None
        return {
            "old": [self.old_period.start.isoformat(), self.old_period.end.isoformat()],
            "new": [self.new_period.start.isoformat(), self.new_period.end.isoformat()],
            "old_total_minor": self.old_total_minor,
            "new_total_minor": self.new_total_minor,
            "deposit_minor": self.deposit_minor,
            "cancels": self.cancel is not None,
            "fee_minor": self.cancel.fee_minor if self.cancel else None,
            "free_until": free_until.isoformat() if free_until else None,
            "lines": lines_as_json(self.lines),
        }

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> ChangePlan:
        """Return the plan of an entry of the history."""
        free_until = facts["free_until"]
        until = datetime.fromisoformat(free_until) if free_until else None
        return cls(
            old_period=_period(facts["old"]),
            new_period=_period(facts["new"]),
            old_total_minor=facts["old_total_minor"],
            new_total_minor=facts["new_total_minor"],
            deposit_minor=facts["deposit_minor"],
            cancel=CancelTerms(facts["fee_minor"], until) if facts["cancels"] else None,
            lines=lines_from_json(facts["lines"]),
        )


def plan_cancel(company: CompanyFacts, rental: RentalRecord, now: datetime) -> ChangePlan:
    """Say what cancelling costs now, by the company's policy."""
    terms = _cancel_terms(company, rental, now)
    return ChangePlan(
        old_period=rental.period,
        new_period=rental.period,
        old_total_minor=rental.total_minor,
        new_total_minor=rental.total_minor,
        deposit_minor=rental.deposit_minor,
        cancel=terms,
        values={"status": "cancelled", "cancel_fee_minor": terms.fee_minor},
    )


def policy_pickup(company: CompanyFacts, rental: RentalRecord, now: datetime) -> datetime | None:
    """Return the pick-up from which the policy counts after a customer's move: the old one, if it costs a fee by now.

    Else a fee would be got rid of by moving far away first.
    """
    return _counts_from(rental) if _cancel_terms(company, rental, now).fee_minor else None


def _cancel_terms(company: CompanyFacts, rental: RentalRecord, now: datetime) -> CancelTerms:
    return cancel_terms(company.cancellation, rental.total_minor, rental.period.days, _counts_from(rental), now)


def _counts_from(rental: RentalRecord) -> datetime:
    return min(rental.pickup_at, rental.policy_pickup_at or rental.pickup_at)


def plan_period(
    session: Session,
    scope: Scope,
    now: datetime,
    company: CompanyFacts,
    vehicle: VehicleFacts,
    rental: RentalRecord,
    period: Period,
) -> ChangePlan:
    """Decide and price the other period of a rental, with its extras. Its own block is not in its way.

    Raises:
        Refused: dates_taken, period_refused, extra_gone.
    """
    block = period.block(company.rules.turnaround_hours)
    in_the_way = list_in_the_way(session, scope, vehicle.id, block, now, rental.id)
    terms = terms_of(session, scope, company, vehicle)
    chosen = still_offered(terms.prices, rental.extras)
    decision = decide(period, terms, now, in_the_way, rental.period, chosen)
    require_allowed(decision)
    require_still_offered(terms.prices, rental.extras)
    price = decision.price
    if price is None:
        raise RuntimeError("an allowed period has a price")
    pickup_at, return_at = _handover(company, rental, period, now)
    return ChangePlan(
        old_period=rental.period,
        new_period=period,
        old_total_minor=rental.total_minor,
        new_total_minor=price.total_minor,
        deposit_minor=price.deposit_minor,
        lines=price.lines,
        values={
            "start_date": period.start,
            "end_date": period.end,
            "block_start": block.start,
            "block_end": block.end,
            "pickup_at": pickup_at,
            "return_at": return_at,
            "total_minor": price.total_minor,
            "deposit_minor": price.deposit_minor,
            "price_lines": lines_as_json(price.lines),
            "extras": extras_as_json(price.extras),
        },
    )


def _handover(company: CompanyFacts, rental: RentalRecord, period: Period, now: datetime) -> tuple[datetime, datetime]:
    if period.start != rental.period.start:
        return handover_times(company, rental.office_id, period, now)
    return rental.pickup_at, due_back(company, rental.office_id, period, rental.pickup_at)


def _period(days: list[str]) -> Period:
    return Period(date.fromisoformat(days[0]), date.fromisoformat(days[1]))
