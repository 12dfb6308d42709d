"""What the use cases found, as wire models. No decision is taken here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from graph.tools import wire
from store.crm.alternatives import AlternativeOption, AlternativesOutcome
from store.crm.clients import ClientOutcome
from store.crm.companies import CompanyOutcome
from store.crm.holds import HoldOutcome
from store.crm.offers import Offer
from store.crm.own_rentals import OwnRentals
from store.crm.rental_changes import ChangeOutcome
from store.crm.rentals import RentalOutcome
from store.crm.search import SearchOutcome
from store.crm.vehicles import AvailabilityOutcome, QuoteOutcome
from store.rules.cancellation import CancelTerms
from store.rules.extras import ChosenExtra
from store.rules.facts import CompanyFacts, OfficeFacts, VehicleFacts
from store.rules.periods import Period, Taken
from store.rules.prices import Extra, Line, Span
from store.rules.stay import Refusal
from store.sql.rentals import RentalRecord


def search_result(outcome: SearchOutcome, page: int, now: datetime) -> wire.SearchResult:
    """Return found vehicles with their prices."""
    company = outcome.company
    return wire.SearchResult(
        requested=_period(outcome.period, company.timezone),
        vehicles=tuple(_offer(company, offer) for offer in outcome.offers),
        total_found=outcome.total_found,
        vehicles_found=outcome.vehicles_found,
        totals_are_minimum=outcome.totals_are_minimum,
        matching_total=outcome.matching_total,
        taken=tuple(_vehicle(vehicle) for vehicle in outcome.taken),
        refusal=_refusal(outcome.refusal),
        hints=tuple(wire.SearchHint(code=h.code, word=h.word, meaning=h.meaning) for h in outcome.hints),
        page=page,
        has_more=outcome.has_more,
        observed_at=now,
    )


def availability(outcome: AvailabilityOutcome, now: datetime) -> wire.Availability:
    """Return whether the vehicle may be rented."""
    zone = outcome.company.office(outcome.vehicle.office_id).timezone
    return wire.Availability(
        vehicle=_vehicle(outcome.vehicle),
        requested=_period(outcome.period, zone),
        available=outcome.decision.allowed,
        conflicts=_conflicts(outcome.decision.conflicts, zone),
        refusal=_refusal(outcome.decision.refusal),
        observed_at=now,
    )


def quote(outcome: QuoteOutcome, now: datetime) -> wire.Quote:
    """Return the price that holds for a while."""
    company, price = outcome.company, outcome.price
    zone = company.office(outcome.vehicle.office_id).timezone
    return wire.Quote(
        quote_uuid=outcome.quote_uuid,
        vehicle=_vehicle(outcome.vehicle),
        period=_period(outcome.period, zone),
        pickup_at=outcome.pickup_at,
        return_at=outcome.return_at,
        lines=tuple(_line(company, line) for line in price.lines),
        seasons=tuple(_span(company, span) for span in price.spans),
        total=_money(company, price.total_minor),
        per_day=_money(company, price.per_day_minor),
        deposit=_money_or_none(company, price.deposit_minor),
        extras_offered=tuple(_offered_extra(company, extra, price.extras) for extra in outcome.offered),
        by_use=price.by_use,
        expires_at=outcome.expires_at.astimezone(ZoneInfo(zone)),
        observed_at=now,
    )


def alternatives(outcome: AlternativesOutcome, now: datetime) -> wire.Alternatives:
    """Return the ways out."""
    zone = outcome.company.office(outcome.vehicle.office_id).timezone
    return wire.Alternatives(
        vehicle=_vehicle(outcome.vehicle),
        requested=_period(outcome.period, zone),
        wish_total=_money(outcome.company, outcome.wish_total_minor),
        available=outcome.decision.allowed,
        conflicts=_conflicts(outcome.decision.conflicts, zone),
        options=tuple(_alternative(outcome.company, option) for option in outcome.options),
        strip_start=outcome.strip_start,
        strip_taken=outcome.strip_taken,
        observed_at=now,
    )


def bookings(vehicle_uuid: str, taken: Sequence[Taken], now: datetime) -> wire.Bookings:
    """Return taken periods."""
    return wire.Bookings(
        vehicle_uuid=vehicle_uuid,
        bookings=tuple(
            wire.TakenPeriod(start=t.period.start, end=t.period.end, **_status_and_source(t)) for t in taken
        ),
        observed_at=now,
    )


def rental(outcome: RentalOutcome) -> wire.Rental:
    """Return a rental that was just made, or made before by the same request."""
    return _rental(outcome.company, outcome.vehicle, outcome.rental, idempotent=outcome.idempotent)


def hold(outcome: HoldOutcome, now: datetime) -> wire.Hold:
    """Return whether the vehicle is kept."""
    zone = outcome.company.office(outcome.vehicle.office_id).timezone
    held_until = outcome.held_until
    return wire.Hold(
        quote_uuid=outcome.quote_uuid,
        vehicle=_vehicle(outcome.vehicle),
        period=_period(outcome.period, zone),
        held=held_until is not None,
        held_until=held_until.astimezone(ZoneInfo(zone)) if held_until else None,
        observed_at=now,
    )


def own_rental(found: OwnRentals) -> wire.Rental:
    """Return the one rental that was asked for."""
    (view,) = found.rentals
    return _rental(found.company, view.vehicle, view.rental)


def own_rentals(found: OwnRentals, now: datetime) -> wire.OwnRentals:
    """Return a customer's rentals."""
    return wire.OwnRentals(
        rentals=tuple(_rental(found.company, view.vehicle, view.rental) for view in found.rentals), observed_at=now
    )


def rental_change(outcome: ChangeOutcome, now: datetime) -> wire.RentalChange:
    """Return what a change does or did."""
    company, plan = outcome.company, outcome.plan
    zone = company.office(outcome.rental.office_id).timezone
    return wire.RentalChange(
        kind=outcome.kind,
        preview=outcome.is_preview,
        rental=_rental(company, outcome.vehicle, outcome.rental, idempotent=outcome.idempotent),
        old_period=_period(plan.old_period, zone),
        new_period=_period(plan.new_period, zone),
        old_total=_money(company, plan.old_total_minor),
        new_total=_money(company, plan.new_total_minor),
        difference=_money(company, plan.new_total_minor - plan.old_total_minor),
        deposit=_money_or_none(company, plan.deposit_minor),
        lines=tuple(_line(company, line) for line in plan.lines),
        cancellation=_cancellation(company, plan.cancel, zone),
        idempotent=outcome.idempotent,
        observed_at=now,
    )


def _cancellation(company: CompanyFacts, terms: CancelTerms | None, timezone: str) -> wire.CancelFacts | None:
    if terms is None:
        return None
    return wire.CancelFacts(
        fee=_money_or_none(company, terms.fee_minor),
        free_until=terms.free_until.astimezone(ZoneInfo(timezone)) if terms.free_until else None,
        policy=company.house_rules.get("cancellation", ""),
    )


def _rental(
    company: CompanyFacts, vehicle: VehicleFacts, record: RentalRecord, *, idempotent: bool = False
) -> wire.Rental:
    office = company.office(record.office_id)
    zone = ZoneInfo(office.timezone)
    return wire.Rental(
        rental_uuid=record.uuid,
        order_number=record.order_number,
        **_status_and_source(record),
        vehicle=_vehicle(vehicle),
        period=_period(record.period, office.timezone),
        pickup_at=record.pickup_at.astimezone(zone),
        return_at=record.return_at.astimezone(zone),
        office=_office(office),
        total=_money(company, record.total_minor),
        deposit=_money_or_none(company, record.deposit_minor),
        extras=tuple(wire.ChosenExtra(code=e.code, name=e.name, pieces=e.pieces) for e in record.extras),
        client_first_name=record.customer_first_name,
        idempotent=idempotent,
        version=record.version,
        cancel_fee=_money_or_none(company, record.cancel_fee_minor),
        created_at=record.created_at.astimezone(zone),
    )


def company_info(outcome: CompanyOutcome, now: datetime) -> wire.CompanyInfo:
    """Return facts, house rules and words."""
    company, words = outcome.company, outcome.words
    return wire.CompanyInfo.model_validate(
        {
            "slug": company.slug,
            "name": company.name,
            "tagline": company.tagline,
            "currency": company.currency,
            "currency_exponent": company.currency_exponent,
            "timezone": company.timezone,
            "locale": company.locale,
            "date_order": company.date_order,
            "phone_region": company.phone_region,
            "min_days": company.rules.min_days,
            "max_days": company.rules.max_days,
            "phone": company.phone,
            "house_rules": company.house_rules,
            "words": {
                "brands": words.brands,
                "models": words.models,
                "categories": words.categories,
                "aliases": words.aliases,
            },
            "observed_at": now,
        }
    )


def offices(company: CompanyFacts, now: datetime) -> wire.Offices:
    """Return all offices."""
    return wire.Offices(offices=tuple(_office(office) for office in company.offices), observed_at=now)


def client(outcome: ClientOutcome) -> wire.ClientInfo:
    """Return the client behind the chat."""
    return wire.ClientInfo(
        known=outcome.known,
        client_uuid=outcome.client_uuid,
        first_name=outcome.first_name,
        last_name=outcome.last_name,
        phone_masked=outcome.phone_masked,
        is_placeholder=outcome.is_placeholder,
    )


def _money(company: CompanyFacts, minor: int) -> wire.MoneyWire:
    return wire.MoneyWire(minor=minor, currency=company.currency, exponent=company.currency_exponent)


def _money_or_none(company: CompanyFacts, minor: int | None) -> wire.MoneyWire | None:
    return None if minor is None else _money(company, minor)


def _period(period: Period, timezone: str) -> wire.PeriodWire:
    return wire.PeriodWire(start=period.start, end=period.end, days=period.days, timezone=timezone)


def _conflicts(taken: Sequence[Taken], timezone: str) -> tuple[wire.PeriodWire, ...]:
    return tuple(_period(t.period, timezone) for t in taken)


def _refusal(refusal: Refusal | None) -> wire.RuleRefusal | None:
    return None if refusal is None else wire.RuleRefusal(code=refusal.code, facts=refusal.facts)


def _status_and_source(record: Any) -> dict[str, Any]:
    # The schema's checks keep both inside the wire's values.
    return {"status": record.status, "source": record.source}


def _vehicle(facts: VehicleFacts) -> wire.VehicleWire:
    values: dict[str, Any] = {name: getattr(facts, name) for name in _VEHICLE_FIELDS}
    return wire.VehicleWire(**values, office=wire.OfficeRef(slug=facts.office_slug, name=facts.office_name))


_VEHICLE_FIELDS = tuple(name for name in wire.VehicleWire.model_fields if name != "office")


def _offer(company: CompanyFacts, offer: Offer) -> wire.VehicleOffer:
    return wire.VehicleOffer(
        vehicle=_vehicle(offer.vehicle),
        per_day=_money(company, offer.price.per_day_minor),
        total=_money(company, offer.price.total_minor),
        deposit=_money_or_none(company, offer.price.deposit_minor),
        is_cheapest=offer.is_cheapest,
        is_exact_match=offer.is_exact_match,
        also_free=offer.also_free,
    )


def _alternative(company: CompanyFacts, option: AlternativeOption) -> wire.Alternative:
    zone = company.office(option.offer.vehicle.office_id).timezone
    return wire.Alternative(
        strategy=option.strategy,
        period=_period(option.period, zone),
        offer=_offer(company, option.offer),
        difference=_money(company, option.difference_minor),
        shift_days=option.shift_days,
        reason=wire.AlternativeReason(code=option.reason.code, day=option.reason.day),
    )


def _line(company: CompanyFacts, line: Line) -> wire.PriceLine:
    return wire.PriceLine(
        code=line.code,
        season_code=line.season_code,
        season_name=line.season_name,
        start=line.start,
        end=line.end,
        quantity=line.quantity,
        unit_amount=_money_or_none(company, line.unit_minor),
        percent=line.percent,
        min_days=line.min_days,
        name=line.name,
        amount=_money(company, line.amount_minor),
    )


def _offered_extra(company: CompanyFacts, extra: Extra, chosen: Sequence[ChosenExtra]) -> wire.OfferedExtra:
    return wire.OfferedExtra(
        code=extra.code,
        name=extra.name,
        per=extra.per,
        unit_amount=_money(company, extra.amount_minor),
        at_most=_money_or_none(company, extra.at_most_minor),
        pieces=sum(e.pieces for e in chosen if e.code == extra.code),
    )


def _span(company: CompanyFacts, span: Span) -> wire.SeasonSpan:
    return wire.SeasonSpan(
        code=span.code,
        name=span.name,
        start=span.start,
        end=span.end,
        days=span.days,
        per_day=_money(company, span.per_day_minor),
    )


def _office(office: OfficeFacts) -> wire.Office:
    return wire.Office(
        slug=office.slug,
        name=office.name,
        address=office.address,
        city=office.city,
        latitude=office.latitude,
        longitude=office.longitude,
        phone=office.phone,
        timezone=office.timezone,
        hours=tuple(
            wire.OpeningInterval(weekday=i.weekday, opens=i.opens.strftime("%H:%M"), closes=i.closes.strftime("%H:%M"))
            for i in office.hours.intervals
        ),
    )
