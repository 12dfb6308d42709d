"""The guard against double booking, first form. Frozen: a later change is a new file and a new revision.

A rental that blocks (pending, confirmed, active) may not share a day with another one of the same vehicle.
Days are half-open, `[block_start, block_end)`. The schema refuses it, whatever code path writes.
"""

from __future__ import annotations

from typing import Final

_BLOCKING: Final = "('pending', 'confirmed', 'active')"

_OVERLAP: Final = f"""
    SELECT RAISE(ABORT, 'rental_overlap') WHERE EXISTS (
        SELECT 1 FROM rental AS other
        WHERE other.vehicle_id = NEW.vehicle_id AND other.id IS NOT NEW.id
          AND other.block_end > NEW.block_start AND other.block_start < NEW.block_end
          AND other.status IN {_BLOCKING}
    );
"""  # noqa: S608 - constants only

_WHEN: Final = f"WHEN NEW.status IN {_BLOCKING} BEGIN {_OVERLAP} END"

SQLITE: Final = (
    f"CREATE TRIGGER rental_no_overlap_insert BEFORE INSERT ON rental {_WHEN}",
    f"CREATE TRIGGER rental_no_overlap_update BEFORE UPDATE ON rental {_WHEN}",
)

_EXCLUDE: Final = "EXCLUDE USING gist (vehicle_id WITH =, daterange(block_start, block_end, '[)') WITH &&)"

POSTGRESQL: Final = (
    # In `public`, so that it outlives any schema that a second installation drops.
    "CREATE EXTENSION IF NOT EXISTS btree_gist WITH SCHEMA public",
    f"ALTER TABLE rental ADD CONSTRAINT rental_no_overlap {_EXCLUDE} WHERE (status IN {_BLOCKING})",
)
