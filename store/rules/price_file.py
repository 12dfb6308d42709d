"""The price part of a company's data file, as a shop writes it.

Amounts are in the currency's major unit ("45.00", 150000); they become minor units exactly, never by rounding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from store.rules.price_lists import (
    BASE,
    Extra,
    MonthDay,
    Package,
    PackageRest,
    PriceList,
    Season,
    StayBy,
    Tier,
    TierMode,
)
from store.rules.spellings import SEASON_DAY, SLUG

Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEKDAYS: tuple[Weekday, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
CLOSED: Final = "closed"
"""Written instead of a season's price: nothing is rented on these days."""


_AMOUNT: Final = re.compile(r"[0-9]{1,12}(?:\.(?P<decimals>[0-9]+))?")
"""So large that every price fits, and the sum of a year's days fits the database."""

_PERCENT: Final = re.compile(r"[0-9]{1,4}%")
_MOST_DAYS: Final = 3660


def _one_amount(value: Any) -> Any:
    if isinstance(value, list | tuple):
        # A haggled price is not one that a customer may be told.
        raise ValueError("a range is not a price: give one amount")
    if isinstance(value, float):
        # YAML and JSON read 45.00 and 99.99 as floating point; their shortest spelling is what was written.
        return repr(value)
    return value


def _day_as_written(value: Any) -> Any:
    # YAML reads 2028-02-10 as a date.
    return value.isoformat() if isinstance(value, date) else value


Amount = Annotated[int | str, BeforeValidator(_one_amount)]
SeasonDay = Annotated[str, Field(pattern=SEASON_DAY), BeforeValidator(_day_as_written)]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SeasonEntry(_Entry):
    """A span of days that price lists may price, both ends inclusive.

    Yearly ("06-01" to "08-31"; may cross the new year) or once, with the year ("2028-02-10" to "2028-02-20").
    """

    code: str = Field(min_length=1, max_length=40)
    name: str
    first: SeasonDay
    last: SeasonDay
    priority: int = 0
    """Where seasons overlap, the higher one prices the day."""
    min_days: int | None = None
    max_days: int | None = None

    @model_validator(mode="after")
    def _both_or_no_year(self) -> SeasonEntry:
        if len(self.first) != len(self.last):
            raise ValueError("write the year at both ends of a season, or at none")
        if len(self.first) == len("2028-02-10"):
            date.fromisoformat(self.first)
            date.fromisoformat(self.last)
        return self


class TierEntry(_Entry):
    """A price by length: a percentage off, or a price of the day; for all seasons, or for one."""

    min_days: int = Field(ge=0, le=_MOST_DAYS)
    max_days: int | None = Field(default=None, ge=0, le=_MOST_DAYS)
    """Inclusive; no upper end when not given."""
    percent_off: int = 0
    per_day: Amount | None = None
    season: str = ""
    """A season's code, or "base" for the days outside every season."""


class PackageEntry(_Entry):
    """One price for a number of days or of calendar months. 0 days: the price of a same-day return."""

    price: Amount
    days: int | None = None
    months: int | None = None
    name: str = ""
    season: str = ""
    weekdays: tuple[Weekday, ...] = ()
    """It begins only on these."""


class ExtraEntry(_Entry):
    """Something besides the vehicle: a helmet, a child seat, cleaning, fuel by use."""

    code: str = Field(pattern=SLUG, max_length=40)
    """Callers choose by it: "helmet:2"."""
    name: str
    mode: Literal["included", "required", "chosen", "by_use"] = "chosen"
    per: Literal["day", "rental"] = "rental"
    price: Amount | None = None
    at_most: Amount | None = None
    """A cap per piece and rental."""


class PriceRulesEntry(_Entry):
    """How the prices are used; the house rule for all lists that say nothing else."""

    tier_mode: TierMode = "whole"
    package_rest: PackageRest = "by_day"
    stay_by: StayBy = "arrival"


class PriceListEntry(_Entry):
    """Prices of one model, category or vehicle, or of the whole company when none is named."""

    code: str
    model: str | None = None
    category: str | None = None
    plate: str | None = None
    base: Amount | None = None
    deposit: Amount | None = None
    seasons: dict[str, Amount | None] = Field(default_factory=dict)
    """Season code -> a price of the day, a percentage of the base like "120%", "closed", or null: the base price."""
    tiers: tuple[TierEntry, ...] | None = None
    """The company's tiers when not given."""
    packages: tuple[PackageEntry, ...] | None = None
    extras: tuple[ExtraEntry, ...] | None = None
    tier_mode: TierMode | None = None
    package_rest: PackageRest | None = None
    stay_by: StayBy | None = None
    min_days: int = 0
    max_days: int = 0

    @property
    def target(self) -> tuple[str, str]:
        """What it prices: (kind, name)."""
        kinds = {"plate": self.plate, "model": self.model, "category": self.category}
        return next(((kind, name) for kind, name in kinds.items() if name), ("company", ""))

    @model_validator(mode="after")
    def _one_target(self) -> PriceListEntry:
        if sum(name is not None for name in (self.plate, self.model, self.category)) > 1:
            raise ValueError("a price list is for one plate, one model or one category")
        return self


class HousePrices(_Entry):
    """What all price lists of a company share."""

    seasons: tuple[SeasonEntry, ...] = ()
    tiers: tuple[TierEntry, ...] = ()
    packages: tuple[PackageEntry, ...] = ()
    extras: tuple[ExtraEntry, ...] = ()
    price_rules: PriceRulesEntry = PriceRulesEntry()

    @model_validator(mode="after")
    def _known_seasons(self) -> HousePrices:
        known = {"", BASE, *(season.code for season in self.seasons)}
        unknown = {tier.season for tier in self.tiers} | {package.season for package in self.packages}
        unknown -= known
        if unknown:
            raise ValueError(f"tiers or packages name seasons that are not there: {', '.join(sorted(unknown))}")
        return self


def read_price_list(entry: PriceListEntry, house: HousePrices, exponent: int) -> PriceList:
    """Return the list as the pricing rules read it. `exponent` is the number of decimals of the currency.

    Raises:
        ValueError: an amount is not one, or has more decimals than the currency.
        KeyError: it names a season that the house does not have.
    """
    seasons = {season.code: season for season in house.seasons}
    # What the house says about seasons that this list has no price for is not its business.
    known = {"", BASE, *entry.seasons}
    tiers = tuple(t for t in house.tiers if t.season in known) if entry.tiers is None else entry.tiers
    packages = tuple(p for p in house.packages if p.season in known) if entry.packages is None else entry.packages
    extras = house.extras if entry.extras is None else entry.extras
    return PriceList(
        id=0,
        version=1,
        base_per_day_minor=_maybe_minor(entry.base, exponent),
        deposit_minor=_maybe_minor(entry.deposit, exponent),
        seasons=tuple(_season(seasons[code], price, exponent) for code, price in entry.seasons.items()),
        tiers=tuple(
            Tier(t.min_days, t.max_days, t.percent_off, _maybe_minor(t.per_day, exponent), t.season) for t in tiers
        ),
        packages=tuple(_package(package, exponent) for package in packages),
        extras=tuple(_extra(extra, exponent) for extra in extras),
        tier_mode=entry.tier_mode or house.price_rules.tier_mode,
        package_rest=entry.package_rest or house.price_rules.package_rest,
        stay_by=entry.stay_by or house.price_rules.stay_by,
        min_days=entry.min_days,
        max_days=entry.max_days,
    )


def most_specific(entries: Iterable[PriceListEntry], plate: str, model: str, category: str) -> PriceListEntry | None:
    """Return the list that prices a vehicle: its own, its model's, its category's, the company's."""
    by_target = {entry.target: entry for entry in entries}
    wanted = (("plate", plate), ("model", model), ("category", category), ("company", ""))
    return next((by_target[target] for target in wanted if target in by_target), None)


def target_problems(entries: Iterable[PriceListEntry]) -> Iterator[str]:
    """Name the lists that price the same thing: none of them is more specific than the other."""
    codes_of: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        codes_of.setdefault(entry.target, []).append(entry.code)
    for (kind, name), codes in codes_of.items():
        if len(codes) > 1:
            what = f"the {kind} {name}" if name else "the whole company"
            yield f"price lists {' and '.join(codes)} are both for {what}"


def to_minor(amount: Amount, exponent: int) -> int:
    """Return an amount in minor units, exactly.

    Raises:
        ValueError: not a number, negative, or more decimals than the currency has.
    """
    written = _AMOUNT.fullmatch(str(amount))
    if written is None:
        raise ValueError(f"{amount!r} is not an amount: digits, and decimals after a point")
    # As it is written: "1.200" may be meant as twelve hundred, so zeros at the end are not let pass either.
    if len(written["decimals"] or "") > exponent:
        raise ValueError(f"{amount!r} has more decimals than the currency, which has {exponent}")
    return int(Decimal(written[0]).scaleb(exponent))


def from_minor(amount_minor: int, exponent: int) -> int | str:
    """Return minor units as a shop writes them: 150000 without decimals, else "45.00"."""
    return str(Decimal(amount_minor).scaleb(-exponent)) if exponent else amount_minor


def _maybe_minor(amount: Amount | None, exponent: int) -> int | None:
    return None if amount is None else to_minor(amount, exponent)


def _package(entry: PackageEntry, exponent: int) -> Package:
    weekdays = tuple(sorted(WEEKDAYS.index(day) for day in entry.weekdays))
    return Package(to_minor(entry.price, exponent), entry.days, entry.months, entry.name, entry.season, weekdays)


def _extra(entry: ExtraEntry, exponent: int) -> Extra:
    return Extra(
        code=entry.code,
        name=entry.name,
        mode=entry.mode,
        per=entry.per,
        amount_minor=_maybe_minor(entry.price, exponent) or 0,
        at_most_minor=_maybe_minor(entry.at_most, exponent),
    )


def _season(entry: SeasonEntry, price: Amount | None, exponent: int) -> Season:
    is_closed = price == CLOSED
    percent = _percent(price)
    is_yearly = len(entry.first) == len("06-01")
    is_amount = price is not None and percent is None and not is_closed
    return Season(
        code=entry.code,
        name=entry.name,
        start=_month_day(entry.first) if is_yearly else (1, 1),
        end=_month_day(entry.last) if is_yearly else (12, 31),
        priority=entry.priority,
        per_day_minor=to_minor(price, exponent) if is_amount and price is not None else None,
        percent=percent,
        min_days=entry.min_days,
        max_days=entry.max_days,
        valid_from=None if is_yearly else date.fromisoformat(entry.first),
        valid_until=None if is_yearly else date.fromisoformat(entry.last),
        is_closed=is_closed,
    )


def _percent(price: Amount | None) -> int | None:
    if not isinstance(price, str) or not price.endswith("%"):
        return None
    if not _PERCENT.fullmatch(price):
        raise ValueError(f"{price!r} is not a percentage: whole, at most 9999%")
    return int(price[:-1])


def _month_day(text: str) -> MonthDay:
    month, day = text.split("-")
    return int(month), int(day)
