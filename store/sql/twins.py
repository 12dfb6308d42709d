"""Other vehicles of the same kind: what one customer has taken, another may have twice."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from sqlalchemy import Date, Integer, Select, bindparam, case, exists, literal_column, select
from sqlalchemy.orm import Session

from store.rules.facts import VehicleFacts
from store.rules.periods import Block
from store.sql.core import COMPANY_ID, blocks, table
from store.sql.holds import held_by_others, hold_parameters
from store.sql.scope import Scope
from store.sql.tables.fleet import Vehicle
from store.sql.tables.rentals import RentalRow

_vehicle, _rental = table(Vehicle), table(RentalRow)

_IS_TAKEN: Final = exists().where(
    _rental.c.company_id == COMPANY_ID,
    _rental.c.vehicle_id == _vehicle.c.id,
    _rental.c.block_end > bindparam("block_start", type_=Date()),
    _rental.c.block_start < bindparam("block_end", type_=Date()),
    blocks(_rental.c.status),
)

_TWINS_QUERY: Final[Select[Any]] = (
    select(_vehicle.c.uuid)
    .where(
        _vehicle.c.company_id == COMPANY_ID,
        _vehicle.c.state == literal_column("'ready'"),
        _vehicle.c.model_id == bindparam("model_id", type_=Integer()),
        _vehicle.c.id != bindparam("vehicle_id", type_=Integer()),
        ~_IS_TAKEN,
        ~held_by_others(_vehicle.c.id),
    )
    .order_by(case((_vehicle.c.office_id == bindparam("office_id", type_=Integer()), 0), else_=1), _vehicle.c.id)
    .limit(bindparam("most", type_=Integer()))
)


def list_twins(
    session: Session, scope: Scope, vehicle: VehicleFacts, block: Block, now: datetime, limit: int
) -> list[str]:
    """Return the addresses of free vehicles of the same model, those of the same office first."""
    parameters = {
        "company_id": scope.company_id,
        "model_id": vehicle.model_id,
        "vehicle_id": vehicle.id,
        "office_id": vehicle.office_id,
        "block_start": block.start,
        "block_end": block.end,
        "most": limit,
        **hold_parameters(scope, now),
    }
    return list(session.execute(_TWINS_QUERY, parameters).scalars())
