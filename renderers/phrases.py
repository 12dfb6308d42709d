"""Short phrases about the facts of a card, the same on every channel that speaks in text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from frontend_contract.actions import ActionRef
from frontend_contract.facts import ContactMasked, Money, OfficeFacts, OpeningHours, PriceLine, VehicleFacts
from frontend_contract.payloads import AlternativeOption, QuestionOption
from renderers.labels import Labels


def vehicle_name(vehicle: VehicleFacts, labels: Labels) -> str:
    """Return what to call a vehicle; its kind where the shop gave it no name."""
    given = labels.name(vehicle.name) or labels.name(f"{vehicle.brand} {vehicle.model}")
    return given or labels.text(f"category.{vehicle.category}")


def vehicle_traits(vehicle: VehicleFacts, labels: Labels) -> list[str]:
    """Return the few facts that tell vehicles apart: ["157 cc", "automatic", "2 seats", "2 helmets"]."""
    counted = [("seats", vehicle.seats), ("helmets", vehicle.helmets)]
    traits = [engine(vehicle, labels), gearbox(vehicle, labels)]
    traits += [labels.count(key, n) for key, n in counted if n]
    traits += [labels.text("skipper")] if vehicle.skipper else []
    return [trait for trait in traits if trait]


def engine(vehicle: VehicleFacts, labels: Labels) -> str:
    """Return size or power of the engine; empty where there is none."""
    if vehicle.engine_cc:
        return labels.count("cc", vehicle.engine_cc)
    return labels.count("hp", vehicle.power_hp) if vehicle.power_hp else ""


def gearbox(vehicle: VehicleFacts, labels: Labels) -> str:
    """Return e.g. "automatic" or "5 gears"; empty where there is nothing to say."""
    if vehicle.gearbox == "automatic":
        return labels.text("automatic")
    if vehicle.gears:
        return labels.count("gears", vehicle.gears)
    return labels.text("manual") if vehicle.gearbox == "manual" else ""


def vehicle_price(vehicle: VehicleFacts, days: int, labels: Labels) -> list[str]:
    """Return total and price a day, as far as they are known."""
    total = [labels.price_for(vehicle.total, days)] if vehicle.total else []
    said = bool(total) and days == 1 and vehicle.per_day == vehicle.total
    return total + ([labels.per_day(vehicle.per_day)] if vehicle.per_day and not said else [])


def vehicle_flags(vehicle: VehicleFacts, labels: Labels) -> list[str]:
    """Return what stands out about a vehicle."""
    flags = [
        (vehicle.is_cheapest, "flag.cheapest"),
        (vehicle.is_exact_match, "flag.named"),
        (not vehicle.available, "flag.taken"),
    ]
    several = [labels.count("free", vehicle.also_free + 1)] if vehicle.also_free else []
    return [labels.text(key) for raised, key in flags if raised] + several


def question_option(option: QuestionOption, labels: Labels) -> list[str]:
    """Return what one answer says, in parts; one fixed word for an answer that carries no facts."""
    parts: list[str] = []
    if option.vehicle:
        parts += [vehicle_name(option.vehicle, labels), *vehicle_traits(option.vehicle, labels)]
        parts += [labels.per_day(option.vehicle.per_day)] if option.vehicle.per_day else []
    if option.period:
        parts.append(labels.period(option.period))
    if option.day:
        parts.append(labels.day(option.day))
    if option.office:
        parts.append(labels.name(option.office.name))
    if option.code and not parts:
        parts.append(_code(option.code, labels))
    return [part for part in parts if part] or [labels.text("option.other")]


def _code(code: str, labels: Labels) -> str:
    if code == "other":
        return labels.text("option.other")
    known = f"category.{code}"
    return labels.text(known) if labels.has(known) else labels.name(code)


def alternative_reason(option: AlternativeOption, labels: Labels) -> list[str]:
    """Return why this way out differs from the wish: ["10 days later"], ["on a Yamaha NMAX 155"]."""
    reasons: list[str] = []
    if option.strategy == "other_vehicle":
        reasons.append(labels.text("reason.other_vehicle", vehicle=vehicle_name(option.vehicle, labels)))
    elif option.strategy in ("shorter", "gap"):
        reasons.append(labels.text(f"reason.{option.strategy}"))
    if option.shift_days:
        key = "reason.earlier" if option.shift_days < 0 else "reason.later"
        reasons.append(labels.count(key, abs(option.shift_days)))
    return reasons


def price_line(line: PriceLine, labels: Labels) -> str:
    """Return what one line of a price is for, without its amount."""
    match line.code:
        case "days":
            return _days_line(line, labels)
        case "length_discount":
            return _discount_line(line, labels)
        case "package" | "extra" | "included" | "other":
            return _named_line(line, labels)


def _days_line(line: PriceLine, labels: Labels) -> str:
    days = labels.count("days", line.quantity)
    season = labels.name(line.season_name or "")
    what = labels.text("line.season", season=season, days=days) if season else labels.text("line.days", days=days)
    return _times(what, line.unit_amount, labels)


def _discount_line(line: PriceLine, labels: Labels) -> str:
    if not line.percent:
        return labels.text("line.length_discount")
    if not line.min_days:
        return labels.count("line.percent", line.percent)
    return labels.count("line.percent_from", line.percent, days=labels.count("days", line.min_days))


def _named_line(line: PriceLine, labels: Labels) -> str:
    name = labels.name(line.name or "") or labels.text(f"line.{line.code}")
    what = labels.count("line.several", line.quantity, name=name) if line.quantity != 1 else name
    return _times(what, line.unit_amount, labels)


def _times(what: str, unit: Money | None, labels: Labels) -> str:
    return labels.text("line.times", what=what, money=labels.amount(unit)) if unit else what


def price_amount(line: PriceLine, currency: str, labels: Labels) -> str:
    """Return the amount of a line; a code only where it is another currency than the total's."""
    if line.code == "included" and line.amount.minor == 0:
        return labels.text("included")
    return labels.amount(line.amount) if line.amount.currency == currency else labels.money(line.amount)


def contact(known: ContactMasked, labels: Labels) -> str:
    """Return name and phone as far as they are known, masked as they came."""
    return ", ".join(part for part in (labels.name(known.name or ""), labels.name(known.phone or "")) if part)


def office_address(office: OfficeFacts, labels: Labels) -> str:
    """Return street and city on one line; the city once, where the shop wrote it into the address already."""
    city = "" if office.city.casefold() in office.address.casefold() else office.city
    return ", ".join(part for part in (labels.name(office.address), labels.name(city)) if part)


def opening_hours(hours: Sequence[OpeningHours], labels: Labels, today: int | None = None) -> list[tuple[str, str]]:
    """Return the week in few rows: days with equal hours that follow each other are one.

    E.g. [("Mon - Sat", "08:00-18:00 (today)"), ("Sun", "closed")]. Empty where no hours are known.
    """
    if not hours:
        return []
    rows: list[tuple[str, str]] = []
    for times, group in groupby(range(7), key=lambda weekday: _hours_of(hours, weekday, labels)):
        days = list(group)
        mark = f" ({labels.text('today')})" if today in days else ""
        rows.append((_weekdays(days, labels), times + mark))
    return rows


def _weekdays(days: list[int], labels: Labels) -> str:
    first, last = labels.weekday(days[0]), labels.weekday(days[-1])
    return first if len(days) == 1 else labels.text("date.weekdays", first=first, last=last)


def _hours_of(hours: Iterable[OpeningHours], weekday: int, labels: Labels) -> str:
    spans = sorted((item.opens, item.closes) for item in hours if item.weekday == weekday)
    texts = [labels.text("time.hours", opens=opens, closes=closes) for opens, closes in spans]
    return ", ".join(texts) or labels.text("closed")


def action_caption(action: ActionRef, turn_type: str, labels: Labels) -> str:
    """Return the caption of an action by its kind; the label counts only for kinds nobody here knows."""
    if action.kind == "other":
        return labels.name(action.label or "")
    if action.kind == "open_url":
        by_scheme = f"action.open_url.{(action.url or '').partition(':')[0]}"
        return labels.text(by_scheme if labels.has(by_scheme) else "action.open_url")
    keys = [f"action.{action.kind}.{action.target}", f"action.{action.kind}.{turn_type}", f"action.{action.kind}"]
    return labels.text(next((key for key in keys if labels.has(key)), keys[-1]))
