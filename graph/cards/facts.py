"""Wire models of the business API to facts of the render contract."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any, cast, get_args

from phonenumbers import NumberParseException, PhoneNumberFormat, format_number, parse

from frontend_contract.facts import (
    Drawing,
    Image,
    Money,
    OfficeFacts,
    OfficeRef,
    OpeningHours,
    Period,
    PriceLine,
    SeasonSpan,
    VehicleFacts,
)
from frontend_contract.payloads import AlternativeOption
from graph.tools import wire

_DRAWINGS = frozenset(get_args(Drawing))


def money(value: wire.MoneyWire) -> Money:
    """Same amount, contract model."""
    return Money(minor=value.minor, currency=value.currency, exponent=value.exponent)


def maybe_money(value: wire.MoneyWire | None) -> Money | None:
    """Same amount, where there is one."""
    return money(value) if value else None


def period(value: wire.PeriodWire, pickup_at: datetime | None = None, return_at: datetime | None = None) -> Period:
    """Rental days; times of day where the server has fixed them."""
    return Period(
        start=value.start,
        end=value.end,
        days=value.days,
        tz=value.timezone,
        pickup_time=pickup_at.strftime("%H:%M") if pickup_at else None,
        return_time=return_at.strftime("%H:%M") if return_at else None,
    )


def vehicle(value: wire.VehicleWire, offer: wire.VehicleOffer | None = None, *, available: bool = True) -> VehicleFacts:
    """One vehicle, with the price of an offer where there is one."""
    drawing = value.drawing if value.drawing in _DRAWINGS else "other"
    https_image = value.image_url.startswith("https://")
    return VehicleFacts(
        ref=value.uuid,
        brand=value.brand,
        model=value.model,
        name=value.name,
        category=value.category,
        drawing=cast(Drawing, drawing),
        colour=value.colour,
        year=value.year,
        engine_cc=value.engine_cc,
        power_hp=value.power_hp,
        gearbox=value.gearbox,
        gears=value.gears,
        seats=value.seats,
        helmets=value.helmets,
        skipper=value.skipper,
        fuel=value.fuel,
        licence=value.licence,
        image=Image(url=value.image_url, width=640, height=400) if https_image else None,
        office=OfficeRef(slug=value.office.slug, name=value.office.name),
        per_day=money(offer.per_day) if offer else None,
        total=money(offer.total) if offer else None,
        deposit=maybe_money(offer.deposit) if offer else None,
        is_cheapest=offer.is_cheapest if offer else False,
        is_exact_match=offer.is_exact_match if offer else False,
        available=available,
        also_free=(offer.also_free or None) if offer else None,
    )


def offered(offer: wire.VehicleOffer) -> VehicleFacts:
    """A priced vehicle."""
    return vehicle(offer.vehicle, offer)


def alternative(option: wire.Alternative, ref: str) -> AlternativeOption:
    """One way out; `ref` is its name for actions."""
    return AlternativeOption(
        ref=ref,
        strategy=option.strategy,
        period=period(option.period),
        shift_days=option.shift_days,
        vehicle=offered(option.offer),
        total=money(option.offer.total),
        difference=money(option.difference),
    )


def price_line(line: wire.PriceLine) -> PriceLine:
    """One line of a price."""
    return PriceLine(
        code=line.code,
        amount=money(line.amount),
        season_code=line.season_code or None,
        season_name=line.season_name or None,
        start=line.start,
        end=line.end,
        quantity=line.quantity,
        unit_amount=maybe_money(line.unit_amount),
        percent=line.percent,
        min_days=line.min_days,
        name=line.name or None,
    )


def season_span(span: wire.SeasonSpan) -> SeasonSpan:
    """One season of a rental."""
    return SeasonSpan(
        code=span.code, name=span.name, start=span.start, end=span.end, days=span.days, per_day=money(span.per_day)
    )


def office(value: wire.Office, now_local: datetime) -> OfficeFacts:
    """One office, and whether it is open at this moment."""
    closes_at, opens_at = _open_state(value, now_local)
    return OfficeFacts(
        slug=value.slug,
        name=value.name,
        address=value.address,
        city=value.city,
        latitude=value.latitude,
        longitude=value.longitude,
        phone=value.phone or None,
        tz=value.timezone,
        hours=[OpeningHours(weekday=h.weekday, opens=h.opens, closes=h.closes) for h in value.hours],
        opens_at=opens_at,
        closes_at=closes_at,
    )


def _open_state(value: wire.Office, now: datetime) -> tuple[datetime | None, datetime | None]:
    """Return (closes_at, None) while open, else (None, next opening within a week)."""
    for ahead in range(8):
        day = now.date() + timedelta(days=ahead)
        for hours in sorted((h for h in value.hours if h.weekday == day.weekday()), key=lambda h: h.opens):
            opens, closes = _at(day, hours.opens, now), _at(day, hours.closes, now)
            if opens <= now < closes:
                return closes, None
            if opens > now:
                return None, opens
    return None, None


def _at(day: date, clock: str, now: datetime) -> datetime:
    return datetime.combine(day, datetime.strptime(clock, "%H:%M").time(), tzinfo=now.tzinfo)


def mask_phone(e164: str) -> str:
    """Keep the country code and the last three digits: "+66 •• ••• •678"."""
    try:
        shown = format_number(parse(e164, None), PhoneNumberFormat.INTERNATIONAL)
    except NumberParseException:
        shown = e164
    country, _, rest = shown.partition(" ")
    keep = sum(ch.isdigit() for ch in rest) - 3
    masked = []
    for ch in rest:
        if ch.isdigit():
            masked.append("•" if keep > 0 else ch)
            keep -= 1
        else:
            masked.append(ch)
    return f"{country} {''.join(masked)}".strip()


def dump(model: Any) -> dict[str, Any]:
    """Return a contract model as plain JSON values."""
    data: dict[str, Any] = model.model_dump(mode="json")
    return data
