"""The demo page of a shop: facts in, one HTML text out. No number here is ours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import groupby
from pathlib import Path
from string import Template
from typing import Final

from frontend_contract.facts import Money, OfficeFacts, OpeningHours, VehicleFacts

HOME: Final = Path(__file__).parent
WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
LEAD: Final = (
    "Say what you want and when. You see the real vehicles, the full price and your booking number, at any hour."
)
SIGNS: Final = frozenset({"coral"})
"""Drawn signs; any other shop shows its first letter."""


@dataclass(frozen=True)
class PriceRow:
    """One price of a vehicle, with the shop's words for when it holds ("a day in high season")."""

    label: str
    money: Money


@dataclass(frozen=True)
class FleetCard:
    """One vehicle of the fleet section."""

    vehicle: VehicleFacts
    prices: tuple[PriceRow, ...] = ()
    kind: str = ""
    """The shop's word, e.g. "Scooter, 2025"; empty leaves it out."""


@dataclass(frozen=True)
class KnowItem:
    """One thing that is good to know, in the shop's words."""

    title: str
    text: str
    icon: str = "info"


@dataclass(frozen=True)
class DemoPageContext:
    """Everything that the page says. Empty parts leave their section out."""

    slug: str
    name: str
    tagline: str = ""
    city: str = ""
    lang: str = "en"
    theme: str = ""
    """A look of demo.css: coral, kalypso or longtail; empty is the product's own."""
    sign: str = ""
    headline: str = ""
    fleet: tuple[FleetCard, ...] = ()
    fleet_note: str = ""
    know: tuple[KnowItem, ...] = ()
    offices: tuple[OfficeFacts, ...] = ()
    telegram_url: str = ""


def render_demo_page(context: DemoPageContext) -> str:
    """Return the page. Every fact is escaped; nothing in it is inline script or style."""
    c = context
    sections = [
        ("#fleet", "Fleet and prices", c.fleet),
        ("#know", "Good to know", c.know),
        ("#office", "Find us", c.offices),
    ]
    place = f" in {c.city}" if c.city else ""
    return _template().substitute(
        lang=escape(c.lang),
        theme=escape(c.theme),
        slug=escape(c.slug),
        name=escape(c.name),
        sign=escape(c.sign if c.sign in SIGNS else ""),
        title=escape(f"{c.name}{', ' + c.city if c.city else ''}"),
        tagline=escape(c.tagline),
        city_suffix=escape(f", {c.city}" if c.city else ""),
        mark=_mark(c),
        sprite=_sprite(),
        nav="".join(f'<a href="{href}">{label}</a>' for href, label, there in sections if there),
        headline=escape(c.headline or f"Your ride{place}, booked in one chat"),
        lead=LEAD,
        points="".join(
            f"<li>{_icon('check', small=True)}{label}</li>" for label in ("Live fleet", "Full price", "Pay at pick-up")
        ),
        telegram_button=_telegram_button(c.telegram_url),
        fleet=_fleet(c),
        sample_price=_sample_price(c),
        sample_ticket=_sample_ticket(c),
        know=_know(c.know),
        offices=_offices(c),
    )


@cache
def _template() -> Template:
    return Template((HOME / "demo" / "index.html").read_text(encoding="utf-8"))


@cache
def _sprite() -> str:
    return (HOME / "bundle" / "sprite.svg").read_text(encoding="utf-8").strip()


def _icon(name: str, *, small: bool = False) -> str:
    return f'<svg class="rp-i{" rp-i--s" if small else ""}" aria-hidden="true"><use href="#i-{escape(name)}"/></svg>'


def _mark(c: DemoPageContext) -> str:
    if c.sign in SIGNS:
        return f'<span class="rp-mark" aria-hidden="true"><svg><use href="#i-{c.sign}"/></svg></span>'
    return f'<span class="rp-mark rp-mark--letter" aria-hidden="true">{escape(c.name[:1])}</span>'


def format_amount(money: Money) -> str:
    """Return "1,120,000" or "99.90"; decimals only where there are any."""
    sign = "−" if money.minor < 0 else ""
    whole, rest = divmod(abs(money.minor), 10**money.exponent)
    return f"{sign}{whole:,}" + (f".{rest:0{money.exponent}d}" if rest else "")


def _money(money: Money) -> str:
    return (
        f'<data class="rp-money" value="{money.minor}"><span class="rp-cur">{escape(money.currency)}</span>'
        f" {format_amount(money)}</data>"
    )


def _drawing(vehicle: VehicleFacts) -> str:
    if vehicle.drawing != "other":
        return vehicle.drawing
    return vehicle.category if vehicle.category != "other" else "scooter"


def _picture(vehicle: VehicleFacts) -> str:
    use = f'<use href="#v-{_drawing(vehicle)}"/>'
    return (
        f'<div class="rp-pic" data-paint="{escape(vehicle.colour)}">'
        f'<svg class="rp-v" role="img" aria-label="{escape(vehicle.name)}">{use}</svg></div>'
    )


def _facts(vehicle: VehicleFacts) -> str:
    v = vehicle
    gears = "Automatic" if v.gearbox == "automatic" else f"{v.gears} gears" if v.gears else ""
    rows = [
        ("engine", f"{v.engine_cc:,} cc" if v.engine_cc else f"{v.power_hp} hp" if v.power_hp else ""),
        ("gearbox", gears),
        ("seats", f"{v.seats} seats" if v.seats else ""),
        ("helmet", f"{v.helmets} helmets" if v.helmets else ""),
        ("person", "Skipper" if v.skipper else ""),
    ]
    items = [f"<li>{_icon(icon, small=True)}{text}</li>" for icon, text in rows if text]
    return f'<ul class="rp-facts{" rp-facts--two" if len(items) > 3 else ""}">{"".join(items)}</ul>'


def _fleet(c: DemoPageContext) -> str:
    if not c.fleet:
        return ""
    note = f"<p>{escape(c.fleet_note)}</p>" if c.fleet_note else ""
    cards = "".join(_fleet_card(card) for card in c.fleet)
    return (
        f'<section class="sh-sec" id="fleet"><div class="sh-sec__h"><h2>Fleet and prices</h2>{note}</div>'
        f'<ul class="sh-fleet">{cards}</ul></section>'
    )


def _fleet_card(card: FleetCard) -> str:
    name = escape(card.vehicle.name)
    first, *rest = card.prices or (None,)
    prices = ""
    if first is not None:
        more = "".join(f'<span class="sh-veh__d">{_price_row(row)}</span>' for row in rest if row is not None)
        prices = f'<p class="sh-veh__p"><span>{_price_row(first)}</span>{more}</p>'
    return (
        f'<li class="sh-veh">{_picture(card.vehicle)}<div class="sh-veh__b"><h3>{name}</h3>'
        f'<p class="rp-sub">{escape(card.kind)}</p>{_facts(card.vehicle)}{prices or "<p></p>"}'
        f'<button class="rp-btn rp-btn--plain rp-btn--wide" type="button" data-ask="{name}">Ask about it'
        f'<span class="rp-vh">: {name}</span></button></div></li>'
    )


def _price_row(row: PriceRow) -> str:
    return f'{_money(row.money)} <span class="rp-sub">{escape(row.label)}</span>'


def _sample_price(c: DemoPageContext) -> str:
    card = next((one for one in c.fleet if one.prices), None)
    if card is None:
        return ""
    vehicle = card.vehicle
    thumb = (
        f'<span class="rp-thumb" data-paint="{escape(vehicle.colour)}">'
        f'<svg class="rp-v" aria-hidden="true"><use href="#v-{_drawing(vehicle)}"/></svg></span>'
    )
    row = card.prices[0]
    return (
        f'<div class="rp-card"><div class="rp-card__b"><div class="rp-vhd">{thumb}<div>'
        f'<h4 class="rp-card__t">{escape(vehicle.name)}</h4><p class="rp-sub">{escape(card.kind)}</p></div></div>'
        f'<div class="rp-total"><p>{_money(row.money)}</p><p class="rp-sub">{escape(row.label)}</p></div></div></div>'
    )


def _sample_ticket(c: DemoPageContext) -> str:
    if not c.offices:
        return ""
    office = c.offices[0]
    return (
        f'<div class="rp-ticket"><div class="rp-ticket__a"><p class="rp-ticket__h"><span class="rp-okdisc">'
        f'{_icon("check")}</span>Booked</p><p class="rp-sub">Your number stands here. Show it at pick-up.</p></div>'
        f'<div class="rp-ticket__b"><p class="rp-line">{_icon("pin")}<span>{escape(office.name)}<br>'
        f"{escape(office.address)}</span></p></div></div>"
    )


def _know(items: tuple[KnowItem, ...]) -> str:
    if not items:
        return ""
    rows = "".join(
        f"<div>{_icon(item.icon)}<dt>{escape(item.title)}</dt><dd>{escape(item.text)}</dd></div>" for item in items
    )
    return (
        '<section class="sh-sec" id="know"><div class="sh-sec__h"><h2>Good to know</h2></div>'
        f'<dl class="sh-know">{rows}</dl></section>'
    )


def _offices(c: DemoPageContext) -> str:
    if not c.offices:
        return ""
    blocks = "".join(_office(c.name, office) for office in c.offices)
    return f'<section class="sh-sec sh-sec--last" id="office">{blocks}</section>'


def _office(shop: str, office: OfficeFacts) -> str:
    phone = f'<p class="rp-line">{_icon("phone")}{_phone(office.phone)}</p>' if office.phone else ""
    rows = "".join(f"<dt>{days}</dt><dd>{hours}</dd>" for days, hours in group_hours(office.hours))
    title = office.name if shop in office.name else f"{shop}, {office.name}"
    zone = escape(office.tz.split("/")[-1].replace("_", " "))
    return (
        f'<div class="sh-office"><div><h2>{escape(title)}</h2><p class="rp-line">{_icon("pin")}'
        f"<span>{escape(office.address)}{_map_link(office)}</span></p>{phone}</div>"
        f'<div><h3>Open</h3><dl class="rp-hours">{rows}</dl><p class="rp-sub">{zone} time. The chat never closes.</p>'
        "</div></div>"
    )


def _phone(phone: str) -> str:
    digits = "".join(char for char in phone if char.isdigit() or char == "+")
    return f'<a href="tel:{escape(digits)}"><bdi>{escape(phone)}</bdi></a>'


def _map_link(office: OfficeFacts) -> str:
    if office.latitude is None or office.longitude is None:
        return ""
    spot = f"{office.latitude}/{office.longitude}"
    url = f"https://www.openstreetmap.org/?mlat={office.latitude}&amp;mlon={office.longitude}#map=17/{spot}"
    return f'<br><a href="{url}" target="_blank" rel="noopener noreferrer">Open map</a>'


def _telegram_button(url: str) -> str:
    if not url.startswith("https://t.me/"):
        return ""
    return f'<a class="rp-btn rp-btn--plain sh-tg" href="{escape(url)}">{_icon("chat", small=True)}Telegram</a>'


def group_hours(hours: list[OpeningHours]) -> list[tuple[str, str]]:
    """Return ("Mon – Sat", "08:00 – 18:00") rows: neighbouring days with equal hours together, Monday first."""
    by_day = [
        " and ".join(f"{h.opens} – {h.closes}" for h in sorted(hours, key=lambda h: h.opens) if h.weekday == day)
        for day in range(7)
    ]
    rows = []
    for text, group in groupby(range(7), key=lambda day: by_day[day]):
        days = list(group)
        first, last = WEEKDAYS[days[0]], WEEKDAYS[days[-1]]
        rows.append((first if first == last else f"{first} – {last}", text or "closed"))
    return rows
