"""One function per card: payload to lines. The words of the turn stand above, see `render`."""

from __future__ import annotations

from datetime import date, datetime

from frontend_contract.facts import Money, OfficeFacts, Period, VehicleFacts
from frontend_contract.payloads import (
    AlternativeOption,
    AlternativePeriodsPayload,
    BookingReviewPayload,
    ClarifyingQuestionPayload,
    ConfirmationPayload,
    ConflictPayload,
    ContactRequestPayload,
    HandoffPayload,
    NoticePayload,
    OfficeInfoPayload,
    PriceQuotePayload,
    VehicleCarouselPayload,
    VehicleDetailPayload,
)
from renderers import phrases
from renderers.labels import Labels, to_zone
from renderers.plain.layout import facts, pairs, paragraphs, rule, sums, wrap
from renderers.plain.strip import strip_lines
from renderers.safe_text import safe_paragraphs


def clarifying_question(payload: ClarifyingQuestionPayload, labels: Labels, width: int) -> list[str]:
    """Draw the answers, numbered."""
    lines: list[str] = []
    for number, option in enumerate(payload.options, start=1):
        lines += facts(phrases.question_option(option, labels), width, *_numbered(number))
    return lines


def vehicle_carousel(payload: VehicleCarouselPayload, labels: Labels, width: int) -> list[str]:
    """Draw the vehicles, numbered in the order that "the second one" means."""
    shown = len(payload.vehicles)
    counted = labels.count("free", shown)
    if payload.total_found > shown:
        counted = labels.count("free_of", payload.total_found, shown=labels.number(shown))
    order = labels.text(f"sort.{payload.sort}") if payload.sort != "other" and shown > 1 else ""
    lines = facts([labels.period(payload.requested), counted, order], width)
    for number, vehicle in enumerate(payload.vehicles, start=1):
        lines += _vehicle_item(number, vehicle, payload.requested.days, labels, width)
    if payload.total_found > shown:
        lines += wrap(labels.count("more", payload.total_found - shown), width)
    return lines


def vehicle_detail(payload: VehicleDetailPayload, labels: Labels, width: int) -> list[str]:
    """Draw label and value, then the shop's words, then the price."""
    vehicle, name = payload.vehicle, labels.name
    rows = [
        ("label.category", labels.text(f"category.{vehicle.category}")),
        ("label.year", str(vehicle.year) if vehicle.year else ""),
        ("label.engine", ", ".join(x for x in (phrases.engine(vehicle, labels), name(vehicle.fuel)) if x)),
        ("label.gearbox", phrases.gearbox(vehicle, labels)),
        ("label.seats", labels.number(vehicle.seats) if vehicle.seats else ""),
        ("label.helmets", labels.number(vehicle.helmets) if vehicle.helmets else ""),
        ("label.skipper", labels.text("included") if vehicle.skipper else ""),
        ("label.licence", name(vehicle.licence)),
        ("label.office", name(vehicle.office.name) if vehicle.office else ""),
        ("label.deposit", labels.money(vehicle.deposit) if vehicle.deposit else ""),
    ]
    lines = facts([phrases.vehicle_name(vehicle, labels), *phrases.vehicle_flags(vehicle, labels)], width)
    lines += pairs([(labels.text(key), value) for key, value in rows], width)
    lines += paragraphs(safe_paragraphs(payload.details), width) if payload.details.strip() else []
    if payload.requested:
        lines += wrap(labels.period(payload.requested), width)
        return lines + facts(phrases.vehicle_price(vehicle, payload.requested.days, labels), width)
    return lines + (facts([labels.per_day(vehicle.per_day)], width) if vehicle.per_day else [])


def alternative_periods(payload: AlternativePeriodsPayload, labels: Labels, width: int) -> list[str]:
    """Draw the wish, the days that are taken, and the ways out, numbered."""
    lines = _wish(payload.vehicle, payload.requested, payload.conflicts, labels, width)
    if payload.strip:
        lines += ["", *strip_lines(payload.strip, payload.requested, labels, width)]
    lines.append("")
    for number, option in enumerate(payload.options, start=1):
        lines += _alternative_item(number, option, labels, width)
    return lines


def price_quote(payload: PriceQuotePayload, labels: Labels, width: int, now: datetime | None) -> list[str]:
    """Draw the parts that add up to the total; the deposit apart; how long it holds (`now` None: no more)."""
    rows = [
        (phrases.price_line(line, labels), phrases.price_amount(line, payload.total.currency, labels))
        for line in payload.lines
    ]
    return [
        *wrap(phrases.vehicle_name(payload.vehicle, labels), width),
        *wrap(labels.period(payload.period), width),
        "",
        *sums(rows, (labels.text("label.total"), labels.money(payload.total)), width),
        *wrap(labels.per_day(payload.per_day), width),
        *_by_use(payload.by_use or [], labels, width),
        *_deposit(payload.deposit, labels, width),
        *(_held(payload.expires_at, payload.period.tz, now, labels, width) if now else []),
    ]


def contact_request(payload: ContactRequestPayload, labels: Labels, width: int) -> list[str]:
    """Draw what is known and what is still needed."""
    reason = f"contact_reason.{payload.reason}"
    rows = [
        (labels.text("label.known"), phrases.contact(payload.have, labels) if payload.have else ""),
        (labels.text("label.needed"), ", ".join(labels.text(f"contact.{item}") for item in payload.need)),
    ]
    return [*(wrap(labels.text(reason), width) if labels.has(reason) else []), *pairs(rows, width)]


def booking_review(payload: BookingReviewPayload, labels: Labels, width: int, now: datetime | None) -> list[str]:
    """Draw all that will be booked, and how long that can be done (`now` None: no more)."""
    rows = [
        ("label.vehicle", phrases.vehicle_name(payload.vehicle, labels)),
        ("label.dates", labels.period(payload.period)),
        *_places(payload.period, payload.office, labels),
        ("label.name", labels.name(payload.contact.name or "")),
        ("label.phone", labels.name(payload.contact.phone or "")),
        ("label.total", labels.money(payload.total)),
        ("label.deposit", labels.money(payload.deposit) if payload.deposit else ""),
    ]
    lines = pairs([(labels.text(key), value) for key, value in rows], width)
    if now is None:
        return lines
    lines += _held(payload.expires_at, payload.period.tz, now, labels, width)
    return lines + wrap(labels.text("nothing_booked_yet"), width)


def confirmation(payload: ConfirmationPayload, labels: Labels, width: int) -> list[str]:
    """Draw the ticket: number, when, where, what to bring, what to pay."""
    rows = [
        ("label.order_number", labels.name(payload.order_number)),
        ("label.vehicle", phrases.vehicle_name(payload.vehicle, labels)),
        ("label.dates", labels.period(payload.period)),
        *_places(payload.period, payload.office, labels),
        ("label.shop_phone", labels.name(payload.office.phone or "")),
        ("label.name", phrases.contact(payload.contact, labels)),
        ("label.bring", labels.name(payload.bring)),
        ("label.total", labels.money(payload.total)),
        ("label.deposit", labels.money(payload.deposit) if payload.deposit else ""),
    ]
    return [
        rule(width, "="),
        *wrap(labels.text(f"rental.{payload.rental_status}"), width),
        *pairs([(labels.text(key), value) for key, value in rows], width),
        *(wrap(labels.text("rental.idempotent"), width) if payload.idempotent else []),
        rule(width, "="),
    ]


def conflict(payload: ConflictPayload, labels: Labels, width: int) -> list[str]:
    """Draw the days that are gone and the nearest way on."""
    lines = _wish(payload.vehicle, payload.requested, payload.conflicting_rentals, labels, width)
    return lines + (["", *_alternative_item(1, payload.suggested, labels, width)] if payload.suggested else [])


def office_info(payload: OfficeInfoPayload, labels: Labels, width: int) -> list[str]:
    """Draw each office: where, when, by what number."""
    lines: list[str] = []
    for index, office in enumerate(payload.offices):
        lines += [""] if index else []
        lines += _office(office, payload.observed_local, labels, width)
    return lines


def handoff(payload: HandoffPayload, labels: Labels, width: int, now: datetime) -> list[str]:
    """Draw how long it takes, or when somebody is there again."""
    if payload.opens_at:
        return wrap(labels.text("opens", time=labels.moment(payload.opens_at, now=now)), width)
    lines = wrap(labels.text("handoff.waiting"), width)
    if payload.expected_wait_seconds is not None:
        lines += wrap(labels.text("handoff.wait", time=labels.wait(payload.expected_wait_seconds)), width)
    return lines


def notice(payload: NoticePayload, labels: Labels, width: int) -> list[str]:
    """Draw the facts behind the words, where there are any."""
    known = payload.facts
    if known is None:
        return []
    rows = [
        ("label.min_days", labels.count("days", known.min_days) if known.min_days else ""),
        ("label.max_days", labels.count("days", known.max_days) if known.max_days else ""),
        ("label.max_days", labels.count("characters", known.max_characters) if known.max_characters else ""),
        ("label.day", labels.day(known.day) if known.day else ""),
    ]
    lines = pairs([(labels.text(key), value) for key, value in rows], width)
    if known.old_total and known.new_total:
        old, new = labels.money(known.old_total), labels.money(known.new_total)
        lines += wrap(labels.text("price.changed", old=old, new=new), width)
    return lines


def _numbered(number: int) -> tuple[str, str]:
    mark = f"{number}. "
    return mark, " " * len(mark)


def _vehicle_item(number: int, vehicle: VehicleFacts, days: int, labels: Labels, width: int) -> list[str]:
    mark, hanging = _numbered(number)
    head = [phrases.vehicle_name(vehicle, labels), *phrases.vehicle_price(vehicle, days, labels)]
    lines = facts([*head, *phrases.vehicle_flags(vehicle, labels)], width, mark, hanging)
    return lines + facts(phrases.vehicle_traits(vehicle, labels), width, hanging)


def _alternative_item(number: int, option: AlternativeOption, labels: Labels, width: int) -> list[str]:
    reason = phrases.alternative_reason(option, labels)
    parts = [labels.period(option.period), labels.money(option.total), *reason, labels.difference(option.difference)]
    return facts(parts, width, *_numbered(number))


def _wish(vehicle: VehicleFacts, wish: Period, taken: list[Period], labels: Labels, width: int) -> list[str]:
    gone = ", ".join(labels.span_short(period.start, period.end) for period in taken)
    rows = [("label.asked_for", labels.period(wish)), ("label.taken", gone)]
    named = wrap(phrases.vehicle_name(vehicle, labels), width)
    return named + pairs([(labels.text(key), value) for key, value in rows], width)


def _places(period: Period, office: OfficeFacts, labels: Labels) -> list[tuple[str, str]]:
    where = [labels.name(office.name), phrases.office_address(office, labels)]
    return [
        ("label.pickup", _day_at(period.start, period.pickup_time or "", labels)),
        ("label.return", _return(period, labels)),
        ("label.where", ", ".join(part for part in where if part)),
    ]


def _return(period: Period, labels: Labels) -> str:
    time = labels.text("by_time", time=period.return_time) if period.return_time else ""
    return _day_at(period.end, time, labels)


def _day_at(day: date, time: str, labels: Labels) -> str:
    return labels.day_at(day, time) if time else labels.day(day)


def _by_use(names: list[str], labels: Labels, width: int) -> list[str]:
    shown = ", ".join(name for name in map(labels.name, names) if name)
    return wrap(labels.text("price.by_use", names=shown), width) if shown else []


def _deposit(deposit: Money | None, labels: Labels, width: int) -> list[str]:
    return wrap(labels.text("price.deposit", money=labels.money(deposit)), width) if deposit else []


def _held(until: datetime, tz: str, now: datetime, labels: Labels, width: int) -> list[str]:
    return wrap(labels.text("held_until", time=labels.moment(until, tz, now=now)), width)


def _office(office: OfficeFacts, now: datetime, labels: Labels, width: int) -> list[str]:
    state = ""
    if office.closes_at:
        state = labels.text("open_until", time=labels.moment(office.closes_at, office.tz, now=now))
    elif office.opens_at:
        state = labels.text("opens", time=labels.moment(office.opens_at, office.tz, now=now))
    hours = phrases.opening_hours(office.hours, labels, to_zone(now, office.tz).weekday())
    lines = [*facts([labels.name(office.name)], width), *facts([phrases.office_address(office, labels)], width)]
    lines += pairs(hours, width)
    return lines + facts([state], width) + facts([labels.name(office.phone or "")], width)
