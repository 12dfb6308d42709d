"""One message of the customer, decided. Rules run in order; the first that answers wins.

The order is the policy: what must never act comes first (dictated prices, impossible dates), then what
binds to the open question, then new wishes, then talk.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

from graph.policy import answers, guards, other_money, own_rentals, talk, wishes
from graph.policy.plan import Plan
from graph.policy.references import SURE
from graph.policy.topics import answer_the_rest
from graph.policy.turn import HalfYes, Turn
from graph.state import DialogState
from graph.understanding.meaning import Understanding

MAX_FAILURES: Final = 2
"""After so many messages in a row that were not understood there are choices; after one more, a person."""

Rule = Callable[[Turn], bool]
"""Changes the plan, and says whether the message is answered."""


def plan_message(
    state: DialogState, understanding: Understanding, now: datetime, currency_exponent: int, *, half_yes: HalfYes = ""
) -> Plan:
    """Decide what one understood message leads to. `now` is office-local.

    `half_yes`: why a yes in it does not act; its `confirm` is already gone from the intents.
    """
    plan = Plan(state)
    turn = Turn(plan, understanding, now, currency_exponent, half_yes=half_yes)
    for rule in _RULES:
        if rule(turn):
            break
    answer_the_rest(turn)
    if not plan.has_answer:
        _not_understood(plan)
    elif plan.steps and _is_unsure(understanding):
        # Under this confidence no tool runs: nothing that was guessed is kept either.
        plan = Plan(state)
        plan.say("unclear", twice=True)
    elif "failures" not in plan.updates:
        plan.set("failures", 0)
    return plan


def _is_unsure(understanding: Understanding) -> bool:
    return 0 < understanding.confidence < SURE


def _not_understood(plan: Plan) -> None:
    failures = int(plan.get("failures", 0)) + 1
    plan.set("failures", failures)
    if failures > MAX_FAILURES:
        plan.say("person", gave_up=True)
    else:
        plan.say("unclear", twice=failures >= MAX_FAILURES)


_RULES: Final[tuple[Rule, ...]] = (
    guards.dictated_price,
    guards.start_again,
    guards.person,
    answers.take_contact,
    own_rentals.pick_rental,
    guards.impossible_dates,
    own_rentals.unknown_outcome,
    own_rentals.open_change,
    own_rentals.own_rentals,
    answers.picks_dates,
    wishes.cheaper,
    wishes.fill_slots,
    other_money.unusable_limit,
    other_money.other_currency,
    answers.bad_phone,
    answers.contact_for_quote,
    talk.vehicle_detail,
    wishes.several,
    answers.points_at,
    answers.yes,
    answers.half_yes,
    answers.no,
    wishes.wish,
    talk.company,
    talk.contact_early,
    talk.talk,
)
