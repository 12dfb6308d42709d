"""The search as the seed document writes it, on our tables: what to compare with."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from sqlalchemy import Select, and_, or_, select

from store.sql.core import table
from store.sql.tables.fleet import Brand, Vehicle, VehicleModel
from store.sql.tables.rentals import RentalRow
from store.sql.unit import Database

_vehicle, _model, _brand, _rental = table(Vehicle), table(VehicleModel), table(Brand), table(RentalRow)
_FIELDS = (
    _brand.c.slug,
    _brand.c.name,
    _model.c.slug,
    _model.c.display_name,
    _vehicle.c.details,
    _vehicle.c.plate,
)


def seed_search(database: Database, start: date, end: date, wish: dict[str, Any]) -> int:
    """Filter by each token, read the conflicting ids out, exclude them; return how many vehicles came back."""
    matching = _matching(wish)
    conflicting = (
        select(_vehicle.c.uuid)
        .join_from(_rental, _vehicle, _vehicle.c.id == _rental.c.vehicle_id)
        .where(
            _rental.c.vehicle_id.in_(matching.with_only_columns(_vehicle.c.id)),
            _rental.c.start_date < end,
            _rental.c.end_date > start,
            _rental.c.status.in_(["pending", "confirmed", "active"]),
        )
    )
    with database.read() as session:
        ids = list(session.execute(conflicting).scalars())
        available = matching.where(_vehicle.c.uuid.not_in(ids))
        return len(session.execute(available).all())


def _matching(wish: dict[str, Any]) -> Select[Any]:
    joined = _vehicle.join(_model, _model.c.id == _vehicle.c.model_id).join(_brand, _brand.c.id == _model.c.brand_id)
    query = select(_vehicle, _model.c.display_name, _brand.c.name.label("brand")).select_from(joined)
    query = query.where(_vehicle.c.company_id == 1, _vehicle.c.state == "ready")
    tokens = [
        token.lower() for part in (wish.get("brand"), wish.get("model")) if part for token in re.split(r"[^\w]+", part)
    ]
    conditions = [or_(*(field.ilike(f"%{token}%") for field in _FIELDS)) for token in tokens if len(token) >= 2]
    return query.where(and_(True, *conditions)).distinct() if conditions else query
