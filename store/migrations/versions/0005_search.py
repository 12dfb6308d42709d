"""What search needs at size: an index for the walk over kinds, one for words in details, stamps for what is kept."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.migrations import catalogue_stamp_v1

revision = "0005_search"
down_revision = "0004_prices"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "catalogue_stamp",
        sa.Column("company_id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("stamp", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
    )
    _run(catalogue_stamp_v1.SQLITE, catalogue_stamp_v1.POSTGRESQL)
    random = "lower(hex(randomblob(16)))"
    if _is_postgresql():
        random = "replace(gen_random_uuid()::text, '-', '')"
        # In `public`, so that it outlives any schema that a second installation drops.
        op.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public")
    op.execute(f"INSERT INTO catalogue_stamp (company_id, stamp) SELECT id, {random} FROM company")  # noqa: S608
    op.drop_index("ix_vehicle_offer", "vehicle")
    op.create_index("ix_vehicle_offer", "vehicle", ["company_id", "state", "model_id", "office_id", "id"])
    op.execute("UPDATE vehicle SET search_text = ' ' || search_text || ' '")
    op.create_index(
        "ix_vehicle_search_text",
        "vehicle",
        ["search_text"],
        postgresql_using="gin",
        postgresql_ops={"search_text": "gin_trgm_ops"},
    )


def downgrade() -> None:
    op.drop_index("ix_vehicle_search_text", "vehicle")
    op.execute("UPDATE vehicle SET search_text = trim(search_text)")
    op.drop_index("ix_vehicle_offer", "vehicle")
    op.create_index("ix_vehicle_offer", "vehicle", ["company_id", "state", "model_id", "office_id"])
    _run(catalogue_stamp_v1.SQLITE_DOWN, catalogue_stamp_v1.POSTGRESQL_DOWN)
    op.drop_table("catalogue_stamp")


def _run(sqlite: tuple[str, ...], postgresql: tuple[str, ...]) -> None:
    for statement in postgresql if _is_postgresql() else sqlite:
        op.execute(statement)


def _is_postgresql() -> bool:
    return bool(op.get_bind().dialect.name == "postgresql")
