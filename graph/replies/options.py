"""Shown things and readings as answers to a question."""

from __future__ import annotations

from datetime import date

from frontend_contract.facts import Period, VehicleFacts
from frontend_contract.payloads import QuestionOption
from graph.state import Json


def candidate_period(candidate: Json, tz: str) -> Period:
    """A reading of dates as a period."""
    start, end = date.fromisoformat(candidate["start"]), date.fromisoformat(candidate["end"])
    return Period(start=start, end=end, days=max((end - start).days, 1), tz=tz)


def item_option(item: Json, tz: str) -> QuestionOption:
    """A shown thing as an answer."""
    vehicle = VehicleFacts.model_validate(item["facts"])
    period = candidate_period(item, tz) if item.get("start") else None
    return QuestionOption(ref=item["ref"], vehicle=vehicle, period=period)


def item_arguments(item: Json) -> Json:
    """What the server needs to know when it is chosen."""
    return {key: item[key] for key in ("vehicle_uuid", "name", "start", "end") if item.get(key)}
