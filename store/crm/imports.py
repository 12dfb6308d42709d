"""A shop's own files: taken in as a whole or not at all, and written back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from store.errors import InvalidData
from store.rules.company_checks import file_problems
from store.rules.company_file import CompanyFile
from store.sql.companies import company_id_of
from store.sql.company_apply import Change, GoneRental, apply_company, list_rentals_of_gone
from store.sql.company_reading import read_company
from store.sql.scope import Scope
from store.sql.unit import Database


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What an import did, or would do."""

    is_new: bool
    changes: dict[str, Change]
    rentals_of_gone_vehicles: tuple[GoneRental, ...]
    """Coming rentals whose vehicle is not in the fleet any more."""

    @property
    def is_same(self) -> bool:
        """Whether the file says what was stored already."""
        return all(change == Change() for change in self.changes.values())


class _Undone(Exception):
    """Ends a trial; the transaction is rolled back."""


def import_company(database: Database, file: CompanyFile, now: datetime, *, dry_run: bool = False) -> ImportOutcome:
    """Bring a company to what its file says, in one transaction. A trial does the same and keeps nothing.

    Raises:
        InvalidData: the file has faults; `facts["problems"]` names each.
        Refused: `currency_in_use`, rentals are priced in the old currency.
    """
    problems = [{"place": list(place), "message": message} for place, message in file_problems(file)]
    if problems:
        raise InvalidData("the file has faults", facts={"problems": problems})
    outcome: ImportOutcome | None = None
    try:
        with database.write() as session:
            applied = apply_company(session, file, now)
            of_gone = tuple(list_rentals_of_gone(session, applied.scope, now))
            outcome = ImportOutcome(applied.is_new, applied.changes, of_gone)
            if dry_run:
                raise _Undone
    except _Undone:
        pass
    if outcome is None:
        raise RuntimeError("a transaction that ended has an outcome")
    return outcome


def export_company(database: Database, slug: str) -> CompanyFile:
    """Return the company as its file would say it; clients and rentals are not part of it.

    Raises:
        NotFound: there is no such company.
    """
    with database.read() as session:
        return read_company(session, Scope(company_id_of(session, slug)))
