"""The guard against double booking, second form. Frozen: a later change is a new file and a new revision.

New: whether a pending request blocks is the company's setting. SQLite's triggers read it where it stands. PostgreSQL's
constraint sees its own row only, so a trigger keeps a copy there, whatever the writer gives. Turning the setting on
while pending requests overlap is refused on both.
"""

from __future__ import annotations

from typing import Final

SQLITE_DOWN: Final = (
    "DROP TRIGGER rental_no_overlap_insert",
    "DROP TRIGGER rental_no_overlap_update",
    "DROP TRIGGER company_pending_blocks",
)


def _sqlite_blocks(row: str) -> str:
    setting = f"(SELECT company.pending_blocks FROM company WHERE company.id = {row}.company_id)"  # noqa: S608 - constants only
    return f"({row}.status IN ('confirmed', 'active') OR ({row}.status = 'pending' AND {setting}))"


_OVERLAP: Final = f"""
    SELECT RAISE(ABORT, 'rental_overlap') WHERE EXISTS (
        SELECT 1 FROM rental AS other
        WHERE other.vehicle_id = NEW.vehicle_id AND other.id IS NOT NEW.id
          AND other.block_end > NEW.block_start AND other.block_start < NEW.block_end
          AND {_sqlite_blocks("other")}
    );
"""  # noqa: S608 - constants only

_WHEN: Final = f"WHEN {_sqlite_blocks('NEW')} BEGIN {_OVERLAP} END"

_SETTING_TURNED_ON: Final = """
    SELECT RAISE(ABORT, 'rental_overlap') WHERE EXISTS (
        SELECT 1 FROM rental AS waiting
        JOIN rental AS other ON other.vehicle_id = waiting.vehicle_id AND other.id <> waiting.id
         AND other.block_end > waiting.block_start AND other.block_start < waiting.block_end
        WHERE waiting.company_id = NEW.id AND waiting.status = 'pending'
          AND other.status IN ('pending', 'confirmed', 'active')
    );
"""

SQLITE: Final = (
    f"CREATE TRIGGER rental_no_overlap_insert BEFORE INSERT ON rental {_WHEN}",
    f"CREATE TRIGGER rental_no_overlap_update BEFORE UPDATE ON rental {_WHEN}",
    (
        "CREATE TRIGGER company_pending_blocks BEFORE UPDATE OF pending_blocks ON company"
        f" WHEN NEW.pending_blocks AND NOT OLD.pending_blocks BEGIN {_SETTING_TURNED_ON} END"
    ),
)

_EXCLUDE: Final = "EXCLUDE USING gist (vehicle_id WITH =, daterange(block_start, block_end, '[)') WITH &&)"
_BLOCKS: Final = "status IN ('confirmed', 'active') OR (status = 'pending' AND pending_blocks)"

POSTGRESQL: Final = (
    f"ALTER TABLE rental ADD CONSTRAINT rental_no_overlap {_EXCLUDE} WHERE ({_BLOCKS})",
    """
    CREATE FUNCTION rental_pending_blocks() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        SELECT company.pending_blocks INTO NEW.pending_blocks FROM company WHERE company.id = NEW.company_id;
        RETURN NEW;
    END $$
    """,
    (
        "CREATE TRIGGER rental_pending_blocks BEFORE INSERT OR UPDATE ON rental"
        " FOR EACH ROW EXECUTE FUNCTION rental_pending_blocks()"
    ),
    """
    CREATE FUNCTION company_pending_blocks() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        UPDATE rental SET pending_blocks = NEW.pending_blocks
        WHERE rental.company_id = NEW.id AND rental.pending_blocks <> NEW.pending_blocks;
        RETURN NULL;
    END $$
    """,
    (
        "CREATE TRIGGER company_pending_blocks AFTER UPDATE OF pending_blocks ON company"
        " FOR EACH ROW EXECUTE FUNCTION company_pending_blocks()"
    ),
)

POSTGRESQL_DOWN: Final = (
    "DROP TRIGGER company_pending_blocks ON company",
    "DROP FUNCTION company_pending_blocks()",
    "DROP TRIGGER rental_pending_blocks ON rental",
    "DROP FUNCTION rental_pending_blocks()",
    "ALTER TABLE rental DROP CONSTRAINT rental_no_overlap",
)
