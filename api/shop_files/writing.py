"""A company to its three files, and the JSON Schemas by which editors help to write them."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel

from api.shop_files.reading import FLEET_COLUMNS, ShopFiles
from store.rules.company_file import CompanyDocument, CompanyFile, PricesDocument

SCHEMA_DIR: Final = Path(__file__).parents[2] / "store" / "schemas"
SCHEMAS: Final[dict[str, type[BaseModel]]] = {
    "company.schema.json": CompanyDocument,
    "prices.schema.json": PricesDocument,
}


def write_shop(file: CompanyFile, directory: Path) -> ShopFiles:
    """Write company.yaml, fleet.csv, prices.yaml and the schemas into a directory; return the paths of the three."""
    directory.mkdir(parents=True, exist_ok=True)
    files = ShopFiles(directory / "company.yaml", directory / "fleet.csv", directory / "prices.yaml")
    files.company.write_text(_yaml(file, CompanyDocument, "company.schema.json"), encoding="utf-8")
    files.prices.write_text(_yaml(file, PricesDocument, "prices.schema.json"), encoding="utf-8")
    files.fleet.write_text(_fleet(file), encoding="utf-8", newline="")
    for name in SCHEMAS:
        (directory / name).write_text(render_schema(name), encoding="utf-8")
    return files


def render_schema(name: str) -> str:
    """Return a schema as it is committed."""
    schema = SCHEMAS[name].model_json_schema()
    return json.dumps(_with_numbers(schema), indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def outdated_schemas() -> list[str]:
    """Return the committed schemas that the models have left behind."""
    committed = {name: SCHEMA_DIR / name for name in SCHEMAS}
    return [n for n, p in committed.items() if not p.exists() or p.read_text(encoding="utf-8") != render_schema(n)]


def write_schemas() -> None:
    """Write the schemas where they are committed."""
    SCHEMA_DIR.mkdir(exist_ok=True)
    for name in SCHEMAS:
        (SCHEMA_DIR / name).write_text(render_schema(name), encoding="utf-8")


def _with_numbers(part: Any) -> Any:
    """Let amounts be written with decimals, and texts of digits without quotes: both are read as they are written."""
    if isinstance(part, dict):
        kinds = [option.get("type") for option in part.get("anyOf", []) if isinstance(option, dict)]
        changed = {key: _with_numbers(value) for key, value in part.items()}
        if "integer" in kinds and "string" in kinds:
            changed["anyOf"] = [{"type": "number"}, *(o for o in changed["anyOf"] if o.get("type") != "integer")]
        return changed
    return [_with_numbers(item) for item in part] if isinstance(part, list) else part


def _yaml(file: CompanyFile, document: type[BaseModel], schema: str) -> str:
    whole = file.model_dump(mode="json", exclude_defaults=True)
    data = {name: whole[name] for name in document.model_fields if name in whole}
    body = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=110)
    return f"# yaml-language-server: $schema=./{schema}\n{body}"


def _fleet(file: CompanyFile) -> str:
    out = StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(FLEET_COLUMNS)
    for entry in file.vehicles:
        values = entry.model_dump()
        writer.writerow(["" if values[name] is None else values[name] for name in FLEET_COLUMNS])
    return out.getvalue()
