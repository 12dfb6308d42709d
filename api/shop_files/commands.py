"""`ridepass import`: what it says."""

from __future__ import annotations

from datetime import datetime

from api.shop_files.reading import ShopFiles, read_shop
from store.crm.imports import ImportOutcome, import_company
from store.sql.unit import Database


def run_import(
    database: Database, files: ShopFiles, now: datetime, company: str | None, *, dry_run: bool
) -> tuple[list[str], bool]:
    """Read, check and store; return what to print, and whether it went well. Nothing is stored when it did not.

    Raises:
        Refused: the change cannot be made to what is stored.
    """
    reading = read_shop(files)
    if reading.file is None:
        count = len(reading.problems)
        noun = "problem" if count == 1 else "problems"
        return [*map(str, reading.problems), f"{count} {noun}; nothing was loaded."], False
    slug = reading.file.company.slug
    if company not in {None, slug}:
        return [f"{files.company.name} is of {slug!r}, not of {company!r}; nothing was loaded."], False
    outcome = import_company(database, reading.file, now, dry_run=dry_run)
    warnings = [f"{warning} (a warning)" for warning in reading.warnings]
    return [*warnings, *_told(slug, outcome, dry_run=dry_run)], True


def _told(slug: str, outcome: ImportOutcome, *, dry_run: bool) -> list[str]:
    if outcome.is_same:
        return [f"{slug}: everything is as the files say."]
    lines = [
        f"  {part}: {change.added} new, {change.changed} changed, {change.removed} gone"
        for part, change in outcome.changes.items()
        if change.added or change.changed or change.removed
    ]
    if outcome.rentals_of_gone_vehicles:
        lines.append("  coming rentals are on vehicles that are gone; call these customers:")
        lines += [
            f"    {each.order_number}  {each.plate}  {each.start} to {each.end}  {each.customer.strip()}  {each.phone}"
            for each in outcome.rentals_of_gone_vehicles
        ]
    done = "would be" if dry_run else "is"
    return [f"{slug} {done} {'new' if outcome.is_new else 'changed'}:", *lines]
