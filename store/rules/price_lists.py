"""What a price list says. Amounts are minor units of the company's currency."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal, Protocol, TypeVar

from store.rules.money import percent_of
from store.rules.periods import Period

MonthDay = tuple[int, int]
"""(month, day). 29 February is a legal end in every year: days are compared, never constructed."""

BASE: Final = "base"
"""The code that tiers and packages use for days outside every season."""

TierMode = Literal["whole", "stepwise"]
"""whole: the length of the stay decides for all its days; stepwise: the n-th day has the rate of its own step."""

PackageRest = Literal["by_day", "share", "cheapest"]
"""What days cost that no full package holds.

by_day: their day price. share: their share of the package before them; a stay shorter than every package is by day.
cheapest: the cheapest combination, also one that pays a package without using all its days.
"""

StayBy = Literal["arrival", "any_day"]
"""Whose limits of length hold: of the season of the first day, or of every season that the stay touches."""


@dataclass(frozen=True, slots=True)
class Season:
    """A yearly span, both ends inclusive; `start > end` crosses the new year. Absolute price or percent of the base.

    `valid_from` and `valid_until` (inclusive) bind it to certain years. A closed season has no price at all.
    Neither price nor percent: the base price, with what else the season brings (limits, tiers, packages of its own).
    """

    code: str
    name: str
    start: MonthDay
    end: MonthDay
    priority: int = 0
    per_day_minor: int | None = None
    percent: int | None = None
    min_days: int | None = None
    max_days: int | None = None
    valid_from: date | None = None
    valid_until: date | None = None
    is_closed: bool = False

    @property
    def rank(self) -> tuple[int, str]:
        """Lower goes first where seasons overlap."""
        return -self.priority, self.code

    def covers(self, day: date) -> bool:
        """Whether the day is in the season."""
        if (self.valid_from and day < self.valid_from) or (self.valid_until and day > self.valid_until):
            return False
        month_day = (day.month, day.day)
        if self.start <= self.end:
            return self.start <= month_day <= self.end
        return month_day >= self.start or month_day <= self.end


@dataclass(frozen=True, slots=True)
class Tier:
    """A price by length: percent off, or a price of the day; `max_days` is inclusive, None is without end.

    `season_code` limits it to the days of one season, which then has no use for the general tiers.
    """

    min_days: int
    max_days: int | None
    percent_off: int = 0
    per_day_minor: int | None = None
    season_code: str = ""

    def covers(self, days: int) -> bool:
        """Whether a length of so many days is in the tier."""
        return self.min_days <= days and (self.max_days is None or days <= self.max_days)


@dataclass(frozen=True, slots=True)
class Package:
    """One flat price for `days` days or for `months` calendar months; 0 days are a same-day return.

    `season_code` limits it to blocks that begin in that season, `weekdays` (0 is Monday; empty: any) to those that
    begin on one of them.
    """

    amount_minor: int
    days: int | None = None
    months: int | None = None
    name: str = ""
    season_code: str = ""
    weekdays: tuple[int, ...] = ()

    @property
    def about_days(self) -> int:
        """Its length, to compare packages by; a month counts 30 days."""
        return self.days if self.days is not None else 30 * (self.months or 0)

    def end_from(self, anchor: date, months_before: int = 0) -> date:
        """Return the day after a block that begins at `anchor`, or so many months after it.

        Months are counted from the anchor: two months from 31 January end on 31 March, not on the 28th.
        """
        if self.days is not None:
            return anchor + timedelta(days=self.days)
        return add_months(anchor, months_before + (self.months or 0))


@dataclass(frozen=True, slots=True)
class Extra:
    """Something besides the vehicle. `at_most_minor` caps what one piece costs per rental.

    included: named, costs nothing. required: always charged. chosen: when the customer wants it.
    by_use: known only afterwards, so it is named and never in the total.
    """

    code: str
    name: str
    mode: Literal["included", "required", "chosen", "by_use"] = "chosen"
    per: Literal["day", "rental"] = "rental"
    amount_minor: int = 0
    at_most_minor: int | None = None


@dataclass(frozen=True, slots=True)
class Rate:
    """What one day costs before the discount by length, and that discount."""

    per_day_minor: int
    percent_off: int = 0
    min_days: int = 1
    """From how many days the discount applies."""

    @property
    def hundredths(self) -> int:
        """The discounted price in hundredths of a minor unit: exact, to compare with."""
        return self.per_day_minor * (100 - self.percent_off)


class _Seasonal(Protocol):
    @property
    def season_code(self) -> str: ...


_S = TypeVar("_S", bound=_Seasonal)


@dataclass(frozen=True, slots=True)
class PriceList:
    """One list: a base price outside seasons, seasons, tiers, packages, extras, deposit and the rules between them."""

    id: int
    version: int
    base_per_day_minor: int | None
    deposit_minor: int | None = None
    seasons: tuple[Season, ...] = ()
    tiers: tuple[Tier, ...] = ()
    packages: tuple[Package, ...] = ()
    extras: tuple[Extra, ...] = ()
    tier_mode: TierMode = "whole"
    package_rest: PackageRest = "by_day"
    stay_by: StayBy = "arrival"
    min_days: int = 0
    max_days: int = 0
    """0 means no limit."""

    def season_on(self, day: date) -> Season | None:
        """Return the season that prices the day: highest priority, then the code that sorts first."""
        best = None
        for season in self.seasons:
            if season.covers(day) and (best is None or season.rank < best.rank):
                best = season
        return best

    def day_price_minor(self, season: Season | None) -> int | None:
        """Return the price of a day of that season, apart from tiers; None when it has none."""
        return self._seasonal_price(self.base_per_day_minor, season)

    def tiers_of(self, season: Season | None) -> tuple[Tier, ...]:
        """Return the tiers for days of that season: its own, else the general ones."""
        return _of_season(self.tiers, season)

    def packages_of(self, season: Season | None) -> tuple[Package, ...]:
        """Return the packages that may begin in that season: its own, else the general ones."""
        return _of_season(self.packages, season)

    def package_price_minor(self, package: Package, season: Season | None) -> int:
        """Return its price in that season: a general one follows the season's percentage, otherwise flat is flat."""
        if package.season_code or season is None or season.percent is None:
            return package.amount_minor
        return percent_of(package.amount_minor, season.percent)

    def rate(self, season: Season | None, days: int) -> Rate | None:
        """Return what a day of that season costs, by a length in days (stepwise: by its own number); None: no price.

        A season's own price goes before a general tier's price, a season's own tier before both.
        """
        if season is not None and season.is_closed:
            return None
        tier = next((t for t in self.tiers_of(season) if t.covers(days)), None)
        price_minor = self.day_price_minor(season)
        if tier is not None and tier.per_day_minor is not None:
            own = bool(tier.season_code)
            price_minor = tier.per_day_minor if own else self._seasonal_price(tier.per_day_minor, season)
        if price_minor is None:
            return None
        return Rate(price_minor, tier.percent_off, tier.min_days) if tier else Rate(price_minor)

    def _seasonal_price(self, general_minor: int | None, season: Season | None) -> int | None:
        if season is None:
            return general_minor
        if season.is_closed:
            return None
        if season.per_day_minor is not None:
            return season.per_day_minor
        if season.percent is None or general_minor is None:
            # A season may bring only limits, tiers or packages.
            return general_minor if season.percent is None else None
        return percent_of(general_minor, season.percent)


def stay_limits(price_list: PriceList, period: Period) -> tuple[int, int]:
    """Return (min_days, max_days) that the list and its seasons ask of a stay; 0 is no limit.

    Which season's: that of the arrival day, or of every rental day, as the list's `stay_by` says.
    """
    days = 1 if price_list.stay_by == "arrival" else period.days
    touched = [price_list.season_on(period.start + timedelta(days=n)) for n in range(days)]
    seasons = {season for season in touched if season is not None}
    min_days = max([price_list.min_days, *(season.min_days or 0 for season in seasons)])
    ceilings = [limit for limit in (price_list.max_days, *(season.max_days or 0 for season in seasons)) if limit]
    return min_days, min(ceilings, default=0)


def add_months(day: date, months: int) -> date:
    """Return the same day of a later month; the month's last day where it is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _of_season(parts: tuple[_S, ...], season: Season | None) -> tuple[_S, ...]:
    code = season.code if season else BASE
    own = tuple(part for part in parts if part.season_code == code)
    return own or tuple(part for part in parts if not part.season_code)
