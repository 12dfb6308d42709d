"""The words by which a company's vehicles are found, and which an agent may learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from store.rules.matching import ModelWords, model_words
from store.sql.core import COMPANY_ID, table
from store.sql.scope import Scope
from store.sql.tables.fleet import Brand, VehicleModel

_model, _brand = table(VehicleModel), table(Brand)


@dataclass(frozen=True, slots=True)
class Words:
    """Names that only this company uses."""

    brands: tuple[str, ...]
    models: tuple[str, ...]
    categories: tuple[str, ...]
    aliases: dict[str, str]
    """Another name -> the name that the shop writes."""


_MODELS: Final = _model.join(_brand, and_(_brand.c.id == _model.c.brand_id, _brand.c.company_id == _model.c.company_id))
_VOCABULARY_QUERY: Final = (
    select(
        _model.c.id,
        _brand.c.slug,
        _brand.c.name,
        _brand.c.aliases,
        _model.c.slug,
        _model.c.name,
        _model.c.display_name,
        _model.c.aliases,
        _model.c.gearbox,
    )
    .select_from(_MODELS)
    .where(_model.c.company_id == COMPANY_ID)
)
_WORDS_QUERY: Final = (
    select(_brand.c.name, _brand.c.aliases, _model.c.name, _model.c.display_name, _model.c.aliases, _model.c.category)
    .select_from(_MODELS)
    .where(_model.c.company_id == COMPANY_ID)
    .order_by(_model.c.display_name)
)


def load_vocabulary(session: Session, scope: Scope) -> list[ModelWords]:
    """Return the words by which the models of the company are found."""
    return [_words(row) for row in session.execute(_VOCABULARY_QUERY, {"company_id": scope.company_id})]


def load_words(session: Session, scope: Scope) -> Words:
    """Return the names of brands and models, and the categories that the company has."""
    rows = session.execute(_WORDS_QUERY, {"company_id": scope.company_id}).all()
    return Words(
        brands=tuple(dict.fromkeys(row[0] for row in rows)),
        models=tuple(dict.fromkeys(row[2] for row in rows)),
        categories=tuple(dict.fromkeys(row[5] for row in rows)),
        aliases=_unambiguous(
            [(a, row[0]) for row in rows for a in row[1]] + [(a, row[3]) for row in rows for a in row[4]]
        ),
    )


def _words(row: Any) -> ModelWords:
    model_id, brand_slug, brand, brand_aliases, slug, name, display_name, aliases, gearbox = row
    names = (brand_slug, brand, *brand_aliases, slug, name, display_name, f"{brand} {name}", *aliases)
    return model_words(model_id, (*names, "" if gearbox == "none" else gearbox))


def _unambiguous(pairs: list[tuple[str, str]]) -> dict[str, str]:
    meanings: dict[str, set[str]] = {}
    for alias, name in pairs:
        meanings.setdefault(alias, set()).add(name)
    return {alias: names.pop() for alias, names in meanings.items() if len(names) == 1}
