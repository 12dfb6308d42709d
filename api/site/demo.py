"""The facts of a company's demo page: real vehicles, real prices, real opening hours."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from api.chat.companies import CompanyDirectory
from graph.cards import facts
from graph.tools import wire
from renderers.web.page import DemoPageContext, FleetCard, KnowItem, PriceRow

_SAMPLE_DAYS: Final = 7
_FLEET_SIZE: Final = 8
_KNOW: Final = (
    ("documents", "What to bring", "info"),
    ("deposit", "Deposit", "check"),
    ("delivery", "Delivery", "pin"),
    ("insurance", "Insurance", "helmet"),
    ("payment", "Payment", "check"),
    ("cancellation", "Cancelling", "calendar"),
)
_THEMES: Final = {"coral-rentals": "coral", "harbour-wheels": "kalypso"}


async def demo_page_context(companies: CompanyDirectory, company_id: int, now: datetime) -> DemoPageContext:
    """Collect what the page says, through the same tools that the agent has."""
    gateway = companies.gateway(company_id, "system:page")
    known = await companies.facts(company_id, gateway)
    local = now.astimezone(ZoneInfo(known.info.timezone))
    start = local.date() + timedelta(days=1)
    arguments = wire.SearchArgs(start=start, end=start + timedelta(days=_SAMPLE_DAYS), page_size=50)
    found = await gateway.call("search_available", arguments, wire.SearchResult)
    offers = found.value.vehicles if found.value else ()
    theme = _THEMES.get(known.info.slug, "")
    return DemoPageContext(
        slug=known.info.slug,
        name=known.info.name,
        tagline=known.info.tagline,
        city=known.offices.offices[0].city if known.offices.offices else "",
        theme=theme,
        sign="coral" if theme == "coral" else "",
        fleet=_fleet(offers),
        fleet_note=f"Free from tomorrow for {_SAMPLE_DAYS} days. Ask for your own dates.",
        know=tuple(
            KnowItem(title, known.info.house_rules[topic], icon)
            for topic, title, icon in _KNOW
            if known.info.house_rules.get(topic)
        ),
        offices=tuple(facts.office(office, local) for office in known.offices.offices),
    )


def _fleet(offers: tuple[wire.VehicleOffer, ...]) -> tuple[FleetCard, ...]:
    """One card a model, every category before the second of any."""
    by_category: dict[str, list[wire.VehicleOffer]] = {}
    seen: set[str] = set()
    for offer in offers:
        if offer.vehicle.name not in seen:
            seen.add(offer.vehicle.name)
            by_category.setdefault(offer.vehicle.category, []).append(offer)
    rounds = max((len(found) for found in by_category.values()), default=0)
    chosen = [found[n] for n in range(rounds) for found in by_category.values() if n < len(found)]
    return tuple(_card(offer) for offer in chosen[:_FLEET_SIZE])


def _card(offer: wire.VehicleOffer) -> FleetCard:
    vehicle = offer.vehicle
    kind = vehicle.category.capitalize() + (f", {vehicle.year}" if vehicle.year else "")
    prices = (
        PriceRow("a day", facts.money(offer.per_day)),
        PriceRow(f"for {_SAMPLE_DAYS} days", facts.money(offer.total)),
    )
    return FleetCard(vehicle=facts.offered(offer), prices=prices, kind=kind)
