"""Money that the shop cannot reckon with: other currencies, and amounts that read in two ways."""

from __future__ import annotations

from graph.policy.turn import Turn


def unusable_limit(turn: Turn) -> bool:
    """Say why a limit is not used; the answer is waited for where nothing else was said."""
    budget = turn.u.budget
    if budget is None or budget.problem is None:
        return False
    turn.plan.say(f"budget_{budget.problem}")
    says_more = turn.names_a_vehicle or turn.u.gearbox or turn.u.seats or turn.new_dates
    return budget.problem == "unsure" and not says_more


def other_currency(turn: Turn) -> bool:
    """Only the shop's currency is quoted: said with the price that is known, or before what else was asked."""
    if not turn.wants("ask_currency"):
        return False
    points = turn.u.reference is not None and turn.u.reference.kind != "that"
    acts = turn.new_dates or turn.new_vehicle_words or points or turn.wants("ask_company", "ask_vehicle")
    turn.plan.say("other_currency", leads_on=not acts)
    return not acts
