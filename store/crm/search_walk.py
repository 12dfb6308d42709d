"""The walk of a search: what the rules let out, in the order of price, and which of it is free.

Prices come from the rules, one for each price list that says something of its own; the database then looks at kinds
in the order of their prices, a bounded number of vehicles each. No list of vehicles goes through Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal, NamedTuple

from sqlalchemy.orm import Session

from store.crm.terms import make_terms
from store.rules.facts import CompanyFacts, OfficeFacts
from store.rules.periods import Period
from store.rules.stay import Decision, Refusal, decide
from store.sql.catalogue import Amounts, Catalogue, CatalogueModel, period_prices
from store.sql.kinds import Asked, Candidate, FreeKind, Named, find_free_kinds, list_own_priced
from store.sql.scope import Scope

_FIRST_LOOK: Final = 64
_LONGEST_LOOK: Final = 2048
"""Candidates that the database is asked about at a time: few first, since a page is mostly full after them."""


class Entry(NamedTuple):
    """A model, or a vehicle with its own list, that the rules let out at some offices."""

    place: int
    """Of its price class."""
    model_id: int
    office_ids: tuple[int, ...]
    vehicle_id: int | None = None


class Allowed(NamedTuple):
    """A price and the offices at which the rules let it out."""

    amounts: Amounts
    office_ids: tuple[int, ...]


class Found(NamedTuple):
    """A free kind."""

    kind: FreeKind
    candidate: Candidate
    entry: Entry


@dataclass(frozen=True, slots=True)
class Look:
    """What one search reads with, and what it looks at."""

    session: Session
    scope: Scope
    asked: Asked
    company: CompanyFacts
    catalogue: Catalogue
    offices: tuple[OfficeFacts, ...]
    period: Period
    named: Named | None
    """Those that own words name, when only own words can satisfy what is wanted."""

    def decide(self, place: int, office_id: int) -> Decision:
        """Take the one decision for a price at an office. Which vehicles are booked, the database looks at."""
        terms = make_terms(self.company, office_id, self.catalogue.classes[place])
        return decide(self.period, terms, self.asked.now, ())


def let_out(look: Look, models: Sequence[CatalogueModel]) -> dict[int, Allowed]:
    """Return, by price class, what the rules let out.

    Lists with the same limits of stay, at offices with the same hours, are refused or not alike: one decision each.
    What is shown in the end passes the decision once more, each with its own list and office.
    """
    places = {look.catalogue.class_of[model.list_id] for model in models}
    if models:
        places |= {look.catalogue.class_of[list_id] for list_id in look.catalogue.own_lists.values()}
    by_hours: dict[Any, list[int]] = {}
    for office in look.offices:
        by_hours.setdefault((office.timezone, office.hours), []).append(office.id)
    prices = period_prices(look.catalogue, look.period)
    by_limits: dict[int, list[int]] = {}
    for place in sorted(places - {0}):
        by_limits.setdefault(look.catalogue.limits[place], []).append(place)
    found: dict[int, Allowed] = {}
    for alike in by_limits.values():
        refusals = {ids: look.decide(alike[0], ids[0]).refusal for ids in map(tuple, by_hours.values())}
        open_ids = {n for ids, refusal in refusals.items() if not refusal or refusal.code == "no_price" for n in ids}
        office_ids = tuple(office.id for office in look.offices if office.id in open_ids)
        for place in alike if office_ids else ():
            amounts = prices.of(place)
            if amounts is not None:
                found[place] = Allowed(amounts, office_ids)
    return found


def ranked(
    look: Look,
    models: Sequence[CatalogueModel],
    allowed: Mapping[int, Allowed],
    fits: Mapping[int, bool],
    sort: Literal["price", "price_desc"],
) -> Iterator[Entry]:
    """Yield what may be offered in the order of price, then name; only as far as somebody asks."""
    own = _own_entries(look, models, allowed) if look.catalogue.own_lists else []
    by_place = look.catalogue.by_place
    if len(models) < len(look.catalogue.models):
        by_place = {}
        for model in models:
            by_place.setdefault(look.catalogue.class_of[model.list_id], []).append(model)
    totals: dict[int, list[int]] = {}
    for place in allowed:
        if fits[place]:
            totals.setdefault(allowed[place].amounts.total_minor, []).append(place)
    for total_minor in sorted(totals, reverse=sort == "price_desc"):
        same_price = [pair for pair in own if pair[1].place in totals[total_minor]]
        for place in totals[total_minor]:
            office_ids = allowed[place].office_ids
            same_price += [(model.name, Entry(place, model.id, office_ids)) for model in by_place.get(place, ())]
        same_price.sort(key=lambda pair: (pair[0], pair[1].model_id, pair[1].vehicle_id or 0))
        yield from (entry for _, entry in same_price)


def _own_entries(
    look: Look, models: Sequence[CatalogueModel], allowed: Mapping[int, Allowed]
) -> list[tuple[str, Entry]]:
    names = {model.id: model.name for model in models}
    found = []
    for own in list_own_priced(look.session, look.scope):
        place = look.catalogue.class_of.get(look.catalogue.own_lists.get(own.vehicle_id or 0), 0)
        if own.model_id in names and place in allowed and own.office_id in allowed[place].office_ids:
            found.append((names[own.model_id], Entry(place, own.model_id, (own.office_id,), own.vehicle_id)))
    return found


def walk(look: Look, entries: Iterator[Entry], enough: int) -> tuple[list[Found], bool]:
    """Return free kinds in the order of the entries, and whether these are all; stops after `enough`."""
    pairs = _pairs(look, entries)
    any_own_price = bool(look.catalogue.own_lists)
    found: list[Found] = []
    size, looked = _FIRST_LOOK, 0
    while chunk := list(islice(pairs, size)):
        candidates = [candidate for candidate, _ in chunk]
        kinds = find_free_kinds(look.session, look.scope, look.asked, candidates, any_own_price=any_own_price)
        found += [Found(kind, *chunk[kind.place]) for kind in kinds]
        if len(found) > enough:
            return found[:enough], False
        looked += size
        size = _next_look(size, looked, len(found), enough)
    return found, True


def _pairs(look: Look, entries: Iterator[Entry]) -> Iterator[tuple[Candidate, Entry]]:
    """Yield each entry at each office; only where a vehicle stands that own words name, if all of these are known."""
    known = {spot[1:] for spot in look.named.spots} if look.named and look.named.is_all else None
    for entry in entries:
        for office_id in entry.office_ids:
            if known is None or (entry.model_id, office_id) in known:
                yield Candidate(entry.model_id, office_id, entry.vehicle_id), entry


def _next_look(size: int, looked: int, found: int, enough: int) -> int:
    """Return how many candidates are likely to fill the rest: as many are free as of those already looked at."""
    most = min(size * 4, _LONGEST_LOOK)
    likely = (enough + 1 - found) * looked * 5 // (4 * found) if found else most
    return min(most, max(_FIRST_LOOK, likely))


def refusals_by_class(look: Look, places: set[int], office_id: int) -> dict[int, Refusal | None]:
    """Return what refuses each price class at an office. Those with the same limits of stay are refused alike."""
    by_limits: dict[int, Refusal | None] = {}
    found: dict[int, Refusal | None] = {}
    for place in sorted(places):
        limits = look.catalogue.limits[place]
        known = by_limits.get(limits)
        if known is None or known.code == "no_price":
            known = look.decide(place, office_id).refusal
            by_limits[limits] = known
        found[place] = known
    return found
