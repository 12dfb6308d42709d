"""What no single entry of a company's file can know: names that are missing or given twice, prices that do not work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from store.rules.cancellation import policy_problems
from store.rules.company_file import CompanyFile, PriceListEntry
from store.rules.price_checks import price_list_problems
from store.rules.price_file import target_problems
from store.rules.price_warnings import price_list_warnings

Place = tuple[str | int, ...]
"""Where in the file: ("vehicles", 3, "office")."""
Finding = tuple[Place, str]

_NAME_OF: Final = {"offices": "slug", "brands": "slug", "models": "slug", "price_lists": "code", "vehicles": "plate"}


def file_problems(file: CompanyFile) -> Iterator[Finding]:
    """Name each fault and its place."""
    if not file.vehicles:
        yield ("vehicles",), "the fleet is empty: a shop needs a vehicle"
    yield from _doubles(file)
    yield from _missing(file)
    yield from _price_problems(file)
    steps = [step.model_dump(exclude_none=True) for step in file.company.cancellation]
    yield from ((("company", "cancellation", n), problem) for n, problem in policy_problems(steps))
    if file.company.min_days > file.company.max_days:
        yield ("company", "max_days"), "the longest stay is shorter than the shortest one"


def file_warnings(file: CompanyFile) -> Iterator[Finding]:
    """Name what a shop may want to know and may be meant."""
    lists = file.price_lists
    if all(entry.model or entry.category or entry.plate for entry in lists):
        priced = {entry.model for entry in lists} | {entry.category for entry in lists}
        for n, model in enumerate(file.models):
            if model.slug not in priced and model.category not in priced:
                yield ("models", n), f"no price list is for {model.slug}: it cannot be booked"
    for n, entry in enumerate(lists):
        for warning in price_list_warnings(file.price_list(entry), file.company.max_days):
            yield ("price_lists", n), f"{entry.code}: {warning}"
    yield from _limits_of_nobody(file)


def _limits_of_nobody(file: CompanyFile) -> Iterator[Finding]:
    """A season's limits of stay hold where the season has a price."""
    for season in file.seasons:
        if not (season.min_days or season.max_days):
            continue
        without = [entry.code for entry in file.price_lists if season.code not in entry.seasons]
        if without:
            told = f"limits of stay in {season.code} do not hold for lists without a price for it: {', '.join(without)}"
            yield ("seasons",), told


def _doubles(file: CompanyFile) -> Iterator[Finding]:
    for part, name in _NAME_OF.items():
        seen: set[str] = set()
        for n, entry in enumerate(getattr(file, part)):
            value = getattr(entry, name)
            if value in seen:
                yield (part, n, name), f"{value!r} is there twice"
            seen.add(value)


def _missing(file: CompanyFile) -> Iterator[Finding]:
    brands, models = {b.slug for b in file.brands}, {m.slug for m in file.models}
    offices, plates = {o.slug for o in file.offices}, {v.plate for v in file.vehicles}
    for n, model in enumerate(file.models):
        if model.brand not in brands:
            yield ("models", n, "brand"), f"there is no brand {model.brand!r}"
    for n, vehicle in enumerate(file.vehicles):
        if vehicle.model not in models:
            yield ("vehicles", n, "model"), f"there is no model {vehicle.model!r}"
        if vehicle.office not in offices:
            yield ("vehicles", n, "office"), f"there is no office {vehicle.office!r}"
    categories = {m.category for m in file.models}
    for n, entry in enumerate(file.price_lists):
        for kind, known in (("model", models), ("plate", plates), ("category", categories)):
            value = getattr(entry, kind)
            if value is not None and value not in known:
                yield ("price_lists", n, kind), f"there is no {kind} {value!r}"


def _price_problems(file: CompanyFile) -> Iterator[Finding]:
    yield from ((("price_lists",), problem) for problem in target_problems(file.price_lists))
    for n, entry in enumerate(file.price_lists):
        yield from ((("price_lists", n), f"{entry.code}: {problem}") for problem in _list_problems(file, entry))


def _list_problems(file: CompanyFile, entry: PriceListEntry) -> tuple[str, ...]:
    unknown = set(entry.seasons) - {season.code for season in file.seasons}
    if unknown:
        return tuple(f"there is no season {code!r}" for code in sorted(unknown))
    try:
        return price_list_problems(file.price_list(entry), file.company.max_days)
    except ValueError as error:
        return (str(error),)
