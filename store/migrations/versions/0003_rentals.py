"""Holds, versions and changes of rentals, rules of the company, holidays; pending requests block by setting."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.migrations import overlap_guard_v1, overlap_guard_v2

revision = "0003_rentals"
down_revision = "0002_chat"
branch_labels = None
depends_on = None

_V1_SQLITE_DOWN = ("DROP TRIGGER rental_no_overlap_insert", "DROP TRIGGER rental_no_overlap_update")
_V1_POSTGRESQL_DOWN = ("ALTER TABLE rental DROP CONSTRAINT rental_no_overlap",)
_V1_CONSTRAINT = overlap_guard_v1.POSTGRESQL[1:]


def upgrade() -> None:
    """Add the columns first: the new guard reads them."""
    _run(_V1_SQLITE_DOWN, _V1_POSTGRESQL_DOWN)
    for table, column in _columns():
        op.add_column(table, column)
    op.create_index("ix_rental_actor", "rental", ["company_id", "actor"])
    _create_hold()
    _run(overlap_guard_v2.SQLITE, overlap_guard_v2.POSTGRESQL)


def downgrade() -> None:
    """Take the guard off before its columns."""
    _run(overlap_guard_v2.SQLITE_DOWN, overlap_guard_v2.POSTGRESQL_DOWN)
    op.drop_table("vehicle_hold")
    op.drop_index("ix_rental_actor", "rental")
    for table, column in reversed(_columns()):
        op.drop_column(table, column.name)
    _run(overlap_guard_v1.SQLITE, _V1_CONSTRAINT)


def _run(sqlite: tuple[str, ...], postgresql: tuple[str, ...]) -> None:
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    for statement in postgresql if is_postgresql else sqlite:
        op.execute(statement)


def _columns() -> list[tuple[str, sa.Column[object]]]:
    return [
        ("company", sa.Column("hold_minutes", sa.Integer(), nullable=False, server_default="0")),
        ("company", sa.Column("pending_blocks", sa.Boolean(), nullable=False, server_default=sa.true())),
        ("company", sa.Column("lead_minutes", sa.Integer(), nullable=False, server_default="0")),
        ("company", sa.Column("cancellation", sa.JSON(), nullable=False, server_default="[]")),
        ("office", sa.Column("closed_days", sa.JSON(), nullable=False, server_default="[]")),
        ("rental", sa.Column("pending_blocks", sa.Boolean(), nullable=False, server_default=sa.true())),
        ("rental", sa.Column("cancel_fee_minor", sa.BigInteger(), nullable=True)),
        ("rental", sa.Column("policy_pickup_at", sa.DateTime(timezone=True), nullable=True)),
        ("rental_status_change", sa.Column("kind", sa.String(10), nullable=False, server_default="status")),
        ("rental_status_change", sa.Column("facts", sa.JSON(), nullable=False, server_default="{}")),
        ("idempotency", sa.Column("change_id", sa.Integer(), nullable=True)),
    ]


def _create_hold() -> None:
    op.create_table(
        "vehicle_hold",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("vehicle_id", sa.Integer(), nullable=False),
        sa.Column("quote_id", sa.Integer(), nullable=False),
        sa.Column("actor", sa.String(100), nullable=False),
        sa.Column("start_date", sa.Date(), nullable=False),
        sa.Column("end_date", sa.Date(), nullable=False),
        sa.Column("block_start", sa.Date(), nullable=False),
        sa.Column("block_end", sa.Date(), nullable=False),
        sa.Column("held_until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.ForeignKeyConstraint(["vehicle_id"], ["vehicle.id"]),
        sa.ForeignKeyConstraint(["quote_id"], ["quote.id"]),
        sa.UniqueConstraint("company_id", "actor", name="uq_vehicle_hold_actor"),
    )
    op.create_index("ix_vehicle_hold_block", "vehicle_hold", ["vehicle_id", "block_end"])
