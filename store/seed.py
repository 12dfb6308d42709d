"""The demo companies, loaded from the files in `seed_data` that a person can edit."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from store.errors import InvalidData
from store.rules.company_file import CompanyFile
from store.sql.companies import company_id_of
from store.sql.loading import count_rentals_between, has_company, store_company, store_rentals
from store.sql.scope import Scope
from store.sql.unit import Database

SEED_DATA: Final = Path(__file__).parent / "seed_data"
_ALIVE_DAYS: Final = 14
"""The demo has bookings that start from some days ago to so many days ahead."""


def seed(database: Database, now: datetime) -> None:
    """Load the demo companies that are missing; give those that have gone quiet some bookings near `now`."""
    for path in sorted(SEED_DATA.glob("*.json")):
        seed_company(database, read_company_file(path), now)


def read_company_file(path: Path) -> CompanyFile:
    """Read and check a company's data file.

    Raises:
        InvalidData: the file is not in the form, or a price list has faults; the message names them.
    """
    try:
        file = CompanyFile.model_validate(json.loads(path.read_text(encoding="utf-8")))
        problems = file.price_problems()
    except (ValidationError, ValueError, KeyError) as error:
        raise InvalidData(f"{path.name}: {error}") from error
    if problems:
        raise InvalidData(f"{path.name}: " + "; ".join(problems))
    return file


def seed_company(database: Database, file: CompanyFile, now: datetime) -> Scope:
    """Store one company unless it is there, in one transaction, and keep its calendar alive."""
    with database.write() as session:
        if not has_company(session, file.company.slug):
            scope = store_company(session, file, now)
            store_rentals(session, scope, file, file.rentals, now)
            return scope
        scope = Scope(company_id_of(session, file.company.slug))
        today = now.astimezone(ZoneInfo(file.company.timezone)).date()
        alive = timedelta(days=_ALIVE_DAYS)
        if count_rentals_between(session, scope, today - alive, today + alive) == 0:
            near = tuple(entry for entry in file.rentals if entry.start is None)
            store_rentals(session, scope, file, near, now)
        return scope
