"""How texts of a shop's files are spelt: the pattern for the machine, and words for the person who has to mend one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_CLOCK: Final = r"([01]\d|2[0-3]):[0-5]\d"

SLUG: Final = r"^[a-z0-9]+(-[a-z0-9]+)*$"
TIME: Final = rf"^{_CLOCK}$"
INTERVAL: Final = rf"^{_CLOCK}-{_CLOCK}$"
HOLIDAY: Final = r"^(\d{4}-)?(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$"
SEASON_DAY: Final = r"^(\d{4}-)?\d{2}-\d{2}$"
CURRENCY: Final = r"^[A-Z]{3}$"
REGION: Final = r"^[A-Z]{2}$"

WORDS: Final[Mapping[str, str]] = {
    SLUG: "small letters, digits and single dashes, as in coral-rentals",
    TIME: "a time from 00:00 to 23:59, as in 09:30",
    INTERVAL: "from and to, as in 08:00-18:00",
    HOLIDAY: "a day of one year, as in 2027-12-25, or of every year, as in 12-25",
    SEASON_DAY: "a day of every year, as in 12-25, or of one year, as in 2027-12-25",
    CURRENCY: "three capital letters, as in EUR",
    REGION: "two capital letters, as in TH",
}
