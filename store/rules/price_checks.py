"""What is wrong with a price list, in words that name the place. Used when a list is loaded."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import combinations, pairwise

from store.rules.price_lists import BASE, MonthDay, Package, PriceList, Season, Tier

_LEAP_YEAR = 2028
_FOUR_YEARS = timedelta(days=1461)
_YEAR = tuple(date(_LEAP_YEAR, 1, 1) + timedelta(days=n) for n in range(366))


def price_list_problems(prices: PriceList, longest_days: int = 0) -> tuple[str, ...]:
    """Return one sentence for each fault; empty when the list may be used.

    `longest_days` is the longest stay that the company rents, 0 without limit: prices beyond it are never reached.
    """
    limits = [days for days in (longest_days, prices.max_days) if days]
    return (
        *_tier_problems(prices, min(limits, default=0)),
        *(p for season in prices.seasons for p in _season_problems(season, prices)),
        *_priority_problems(prices.seasons),
        *_hidden_problems(prices.seasons),
        *_gap_problems(prices),
        *_package_problems(prices, min(limits, default=0)),
        *_extra_problems(prices),
        *_limit_problems("the list", prices.min_days, prices.max_days),
    )


def _tier_problems(prices: PriceList, longest_days: int) -> Iterator[str]:
    codes = {season.code for season in prices.seasons} | {"", BASE}
    for code in sorted({tier.season_code for tier in prices.tiers}):
        place = f" in season {code}" if code else ""
        if code not in codes:
            yield f"tiers are for season {code}, which the list does not have"
        ordered = sorted((t for t in prices.tiers if t.season_code == code), key=lambda t: t.min_days)
        yield from (problem + place for problem in _length_problems(ordered))
        yield from (problem + place for tier in ordered for problem in _one_tier_problems(tier, longest_days))
    if any(t.per_day_minor is not None and not t.season_code for t in prices.tiers):
        yield from _priced_season_problems(prices)
    if prices.package_rest == "share":
        yield from _shared_problems(prices)


def _length_problems(ordered: list[Tier]) -> Iterator[str]:
    if ordered and ordered[0].min_days != 1:
        yield f"no tier covers a stay of 1 to {ordered[0].min_days - 1} days"
    for first, second in pairwise(ordered):
        if first.max_days is None or second.min_days <= first.max_days:
            yield f"two tiers cover a stay of {second.min_days} days"
        elif second.min_days > first.max_days + 1:
            yield f"no tier covers a stay of {first.max_days + 1} to {second.min_days - 1} days"


def _one_tier_problems(tier: Tier, longest_days: int) -> Iterator[str]:
    if tier.max_days is not None and tier.max_days < tier.min_days:
        yield f"the tier from {tier.min_days} to {tier.max_days} days is empty"
    if not 0 <= tier.percent_off <= 100:
        yield f"the tier from {tier.min_days} days takes {tier.percent_off} % off"
    if tier.per_day_minor is not None and tier.percent_off:
        yield f"the tier from {tier.min_days} days: give either a price or a percentage"
    if (tier.per_day_minor or 0) < 0:
        yield f"the tier from {tier.min_days} days: a price cannot be negative"
    if 0 < longest_days < tier.min_days:
        yield f"the tier from {tier.min_days} days is never reached: the longest stay is {longest_days} days"


def _priced_season_problems(prices: PriceList) -> Iterator[str]:
    for season in prices.seasons:
        has_own = any(tier.season_code == season.code for tier in prices.tiers)
        if season.per_day_minor is not None and not has_own:
            yield (
                f"season {season.code} has a price of its own, so the prices by length are never reached in it:"
                " give it tiers of its own, or a percentage"
            )


def _shared_problems(prices: PriceList) -> Iterator[str]:
    always = [p.days for p in prices.packages if p.days and not p.season_code and not p.weekdays]
    seasonal = any(package.season_code for package in prices.packages)
    for tier in prices.tiers:
        if always and not seasonal and tier.min_days >= min(always):
            yield (
                f"the tier from {tier.min_days} days is never reached: days after the package of {min(always)} days"
                " cost their share of it"
            )


def _season_problems(season: Season, prices: PriceList) -> Iterator[str]:
    name = f"season {season.code}"
    for month_day in (season.start, season.end):
        if not _exists(month_day):
            yield f"{name}: {month_day[1]}.{month_day[0]}. is not a day"
    if season.code == BASE:
        yield f"{name}: this word means the days outside every season, choose another"
    if season.valid_from and season.valid_until and season.valid_until < season.valid_from:
        yield f"{name}: ends on {season.valid_until} before it begins on {season.valid_from}"
    if season.percent is not None and prices.base_per_day_minor is None and not _general_prices(prices):
        yield f"{name}: a percentage needs a base price"
    if (season.per_day_minor or 0) < 0 or (season.percent or 0) < 0:
        yield f"{name}: a price cannot be negative"
    yield from _season_price_problems(season, prices)
    yield from _limit_problems(name, season.min_days or 0, season.max_days or 0)


def _season_price_problems(season: Season, prices: PriceList) -> Iterator[str]:
    given = [season.per_day_minor is not None, season.percent is not None, season.is_closed]
    brings = _own_parts(season, prices) or season.min_days or season.max_days
    if sum(given) > 1 or not (any(given) or brings):
        yield f"season {season.code}: give either a price or a percentage"
    if season.is_closed and _own_parts(season, prices):
        yield f"season {season.code}: it is closed, so its tiers and packages are never reached"


def _own_parts(season: Season, prices: PriceList) -> bool:
    codes = {tier.season_code for tier in prices.tiers} | {package.season_code for package in prices.packages}
    return season.code in codes


def _general_prices(prices: PriceList) -> bool:
    general = any(tier.per_day_minor is not None and not tier.season_code for tier in prices.tiers)
    return general or any(not package.season_code for package in prices.packages)


def _priority_problems(seasons: tuple[Season, ...]) -> Iterator[str]:
    for first, second in combinations(seasons, 2):
        if first.code == second.code:
            yield f"two seasons have the code {first.code}"
        shared = next(_shared_days(first, second), None)
        if first.priority == second.priority and shared is not None:
            yield (
                f"seasons {first.code} and {second.code} both cover {_named(shared, first, second)}"
                f" with the same priority {first.priority}"
            )


def _hidden_problems(seasons: tuple[Season, ...]) -> Iterator[str]:
    for season in seasons:
        above = [s for s in seasons if s.priority > season.priority]
        days = [day for day in _days_of(season) if season.covers(day)]
        if days and all(any(s.covers(day) for s in above) for day in days):
            hiding = ", ".join(sorted({s.code for s in above if any(s.covers(day) for day in days)}))
            yield f"season {season.code} is never reached: {hiding} with a higher priority covers all of it"


def _gap_problems(prices: PriceList) -> Iterator[str]:
    """Name the yearly days without any price. A shop that rents nothing then writes a closed season."""
    if prices.base_per_day_minor is not None or not prices.seasons:
        if _prices_nothing(prices):
            yield "the list has no price at all"
        return
    if _general_prices(prices):
        return
    open_days = [d for d in _YEAR if not any(s.covers(d) for s in prices.seasons)]
    for first, last in _runs(open_days):
        yield f"no season covers {first.day}.{first.month}. to {last.day}.{last.month}., and there is no base price"


def _prices_nothing(prices: PriceList) -> bool:
    return (
        prices.base_per_day_minor is None and not prices.packages and all(t.per_day_minor is None for t in prices.tiers)
    )


def _package_problems(prices: PriceList, longest_days: int) -> Iterator[str]:
    codes = {season.code for season in prices.seasons} | {"", BASE}
    for package in prices.packages:
        name = f"the package of {_length(package)}"
        if (package.days is None) == (package.months is None) or (package.days or 0) < 0 or (package.months or 1) < 1:
            yield f"{name}: give either days or months"
        if package.amount_minor < 0:
            yield f"{name}: a price cannot be negative"
        if package.season_code not in codes:
            yield f"{name} is for season {package.season_code}, which the list does not have"
        if 0 < longest_days < package.about_days and prices.package_rest != "cheapest":
            yield f"{name} is never reached: the longest stay is {longest_days} days"
    for first, second in combinations(prices.packages, 2):
        if _same_place(first, second):
            yield f"two packages of {_length(first)} begin on the same day"


def _same_place(first: Package, second: Package) -> bool:
    days = set(first.weekdays or range(7)) & set(second.weekdays or range(7))
    return (first.days, first.months, first.season_code) == (second.days, second.months, second.season_code) and bool(
        days
    )


def _extra_problems(prices: PriceList) -> Iterator[str]:
    codes = [extra.code for extra in prices.extras]
    yield from (f"two extras have the code {code}" for code in sorted({c for c in codes if codes.count(c) > 1}))
    for extra in prices.extras:
        if extra.amount_minor < 0 or (extra.at_most_minor or 0) < 0:
            yield f"extra {extra.code}: a price cannot be negative"
        if extra.mode in {"included", "by_use"} and (extra.amount_minor or extra.at_most_minor is not None):
            yield f"extra {extra.code}: what is {extra.mode} has no price"
        if extra.at_most_minor is not None and extra.at_most_minor < extra.amount_minor:
            yield f"extra {extra.code}: it costs more than its own cap"


def _limit_problems(name: str, min_days: int, max_days: int) -> Iterator[str]:
    if min_days < 0 or max_days < 0 or 0 < max_days < min_days:
        yield f"{name}: no stay is at least {min_days} and at most {max_days} days long"


def _length(package: Package) -> str:
    return f"{package.days} days" if package.days is not None else f"{package.months} months"


def _days_of(season: Season) -> tuple[date, ...]:
    if season.valid_from is None or season.valid_until is None:
        return _YEAR
    count = min((season.valid_until - season.valid_from).days + 1, _FOUR_YEARS.days)
    return tuple(season.valid_from + timedelta(days=n) for n in range(count))


def _shared_days(first: Season, second: Season) -> Iterator[date]:
    days = _days_of(first) if first.valid_from else _days_of(second)
    return (day for day in days if first.covers(day) and second.covers(day))


def _named(day: date, first: Season, second: Season) -> str:
    is_yearly = first.valid_from is None and second.valid_from is None
    return f"{day.day}.{day.month}." if is_yearly else f"{day.day}.{day.month}.{day.year}"


def _runs(days: list[date]) -> Iterator[tuple[date, date]]:
    """Yield first and last of each run of consecutive days."""
    start = 0
    for n, day in enumerate(days):
        if n + 1 == len(days) or days[n + 1] - day > timedelta(days=1):
            yield days[start], day
            start = n + 1


def _exists(month_day: MonthDay) -> bool:
    month, day = month_day
    return 1 <= month <= 12 and 1 <= day <= monthrange(_LEAP_YEAR, month)[1]
