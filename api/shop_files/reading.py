"""Three files to one checked company, or to every fault that is in them."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path as FilePath
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from api.shop_files.places import Document, Path, Problem, read_yaml
from store.rules.company_checks import file_problems, file_warnings
from store.rules.company_file import CompanyDocument, CompanyFile, PricesDocument, VehicleEntry
from store.rules.spellings import WORDS

M = TypeVar("M", bound=BaseModel)

FLEET_COLUMNS: Final = tuple(VehicleEntry.model_fields)
_REQUIRED_COLUMNS: Final = tuple(name for name, f in VehicleEntry.model_fields.items() if f.is_required())
_MAX_PROBLEMS: Final = 200
_IN_COMPANY: Final = frozenset(CompanyDocument.model_fields)
_WORDS: Final = {
    "missing": "this is missing",
    "extra_forbidden": "there is no such setting",
    "string_type": "this has to be a text",
}


@dataclass(frozen=True, slots=True)
class ShopFiles:
    """The three files of a shop."""

    company: FilePath
    fleet: FilePath
    prices: FilePath


@dataclass(frozen=True, slots=True)
class Reading:
    """A company, or what is in its way; warnings refuse nothing."""

    file: CompanyFile | None
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()


def read_shop(files: ShopFiles) -> Reading:
    """Read and check the three files together."""
    documents = {
        "company": _open(files.company, read_yaml),
        "fleet": _open(files.fleet, read_fleet),
        "prices": _open(files.prices, read_yaml),
    }
    company = _checked(documents["company"], CompanyDocument)
    prices = _checked(documents["prices"], PricesDocument)
    vehicles = _checked_vehicles(documents["fleet"])
    problems = [problem for document in documents.values() for problem in document.problems]
    if company is None or prices is None or vehicles is None or problems:
        return Reading(None, tuple(sorted(problems, key=_order)[:_MAX_PROBLEMS]))
    file = CompanyFile.model_construct(
        **{name: getattr(company, name) for name in CompanyDocument.model_fields},
        **{name: getattr(prices, name) for name in PricesDocument.model_fields},
        vehicles=vehicles,
    )
    return _cross_checked(file, documents)


def read_fleet(text: str, name: str) -> Document:
    """Read the CSV of the fleet. Commas, semicolons and tabs are understood; an empty cell is left out."""
    document = Document(name, data=[])
    rows = csv.reader(StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    try:
        header = [cell.strip().lower() for cell in next(rows, [])]
        document.problems += [Problem(name, 1, *found) for found in _header_problems(header)]
        for cells in rows:
            if any(cell.strip() for cell in cells):
                _add_row(document, header, cells, rows.line_num)
    except csv.Error as error:
        document.problems.append(Problem(name, rows.line_num, 1, f"not CSV: {error}"))
    return document


def _open(path: FilePath, read: Any) -> Document:
    try:
        document: Document = read(path.read_text(encoding="utf-8-sig"), path.name)
    except OSError as error:
        document = Document(path.name, problems=[Problem(path.name, 1, 1, error.strerror or "this cannot be opened")])
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        document = Document(path.name, problems=[Problem(path.name, line, 1, "not UTF-8: save the file as UTF-8")])
    return document


def _delimiter(text: str) -> str:
    header = text.partition("\n")[0]
    return max(",;\t", key=header.count)


def _header_problems(header: list[str]) -> list[tuple[int, str]]:
    unknown = [(n, f"there is no column {c!r}") for n, c in enumerate(header, 1) if c not in FLEET_COLUMNS]
    doubled = [(n, f"{c!r} is there twice") for n, c in enumerate(header, 1) if c in header[: n - 1]]
    missing = [(1, f"the column {c!r} is missing") for c in _REQUIRED_COLUMNS if c not in header]
    return unknown + doubled + missing


def _add_row(document: Document, header: list[str], cells: list[str], line: int) -> None:
    number = len(document.data)
    if len(cells) > len(header):
        document.problems.append(Problem(document.file, line, len(header) + 1, "more cells than the header has"))
    document.places[number,] = (line, 1)
    document.places |= {(number, name): (line, n) for n, name in enumerate(header, 1)}
    row = {name: cell.strip() for name, cell in zip(header, cells, strict=False) if cell.strip()}
    document.data.append({name: value for name, value in row.items() if name in FLEET_COLUMNS})


def _checked(document: Document, model: type[M]) -> M | None:
    if document.data is None:
        return None
    return _validated(document, model, document.data, ())


def _checked_vehicles(document: Document) -> tuple[VehicleEntry, ...] | None:
    if document.data is None:
        return None
    found = [_validated(document, VehicleEntry, row, (n,)) for n, row in enumerate(document.data)]
    return tuple(entry for entry in found if entry is not None)


def _validated(document: Document, model: type[M], data: Any, place: Path) -> M | None:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        found: dict[tuple[Path, str], Problem] = {}
        for detail in error.errors(include_url=False):
            path = (*place, *_named(detail["loc"]))
            found.setdefault((path, detail["type"]), document.problem(path, _message(path, detail)))
        document.problems += found.values()
        return None


def _named(loc: tuple[str | int, ...]) -> Path:
    # Faults of a key of a mapping end with a mark of the validator.
    return tuple(part for part in loc if part != "[key]")


def _message(path: Path, detail: Mapping[str, Any]) -> str:
    where = ".".join(str(part + 1 if isinstance(part, int) else part) for part in path)
    said = _WORDS.get(detail["type"]) or _spelt(detail) or str(detail["msg"]).removeprefix("Value error, ")
    return f"{where}: {said}" if where else said


def _spelt(detail: Mapping[str, Any]) -> str:
    """How it has to be spelt, in words, for what does not match a pattern; nothing for any other fault."""
    words = WORDS.get(detail.get("ctx", {}).get("pattern", ""))
    return f"{detail['input']!r} has to be written as {words}" if words else ""


def _cross_checked(file: CompanyFile, documents: Mapping[str, Document]) -> Reading:
    problems = [_placed(documents, place, message) for place, message in file_problems(file)]
    if problems:
        return Reading(None, tuple(sorted(problems, key=_order)[:_MAX_PROBLEMS]))
    warnings = [_placed(documents, place, message) for place, message in file_warnings(file)]
    return Reading(file, (), tuple(warnings))


def _placed(documents: Mapping[str, Document], place: Path, message: str) -> Problem:
    part = place[0] if place else ""
    if part == "vehicles":
        return documents["fleet"].problem(place[1:], message)
    return documents["company" if part in _IN_COMPANY else "prices"].problem(place, message)


def _order(problem: Problem) -> tuple[str, int, int]:
    return problem.file, problem.line, problem.column
