"""Money that the shop cannot reckon with: other currencies, and amounts that read in two ways."""

from __future__ import annotations

from graph.policy.plan import Plan
from graph.understanding.meaning import Understanding


def tell_unusable_limit(plan: Plan, understanding: Understanding, *, new_dates: bool) -> bool:
    """Say why a limit is not used. True where nothing else was said, so that the answer is waited for."""
    budget = understanding.budget
    if budget is None or budget.problem is None:
        return False
    plan.say(f"budget_{budget.problem}")
    u = understanding
    named = u.category or u.brand or u.model or u.search_text or u.gearbox or u.seats
    return budget.problem == "unsure" and not (named or new_dates)


def tell_other_currency(plan: Plan, understanding: Understanding, *, acts: bool) -> bool:
    """Say that only the shop's currency is quoted, after the price or before what else was asked (`acts`).

    True where the message is answered with it.
    """
    if "ask_currency" not in understanding.intents:
        return False
    points = understanding.reference is not None and understanding.reference.kind != "that"
    acts = acts or points or bool({"ask_company", "ask_vehicle"} & set(understanding.intents))
    plan.say("other_currency", leads_on=not acts)
    return not acts
