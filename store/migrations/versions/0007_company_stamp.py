"""A stamp for the company, its offices and their hours, so that a search need not read them again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.migrations import company_stamp_v1

revision = "0007_company_stamp"
down_revision = "0006_clients"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "company_stamp",
        sa.Column("company_id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("stamp", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
    )
    _run(company_stamp_v1.SQLITE, company_stamp_v1.POSTGRESQL)
    random = "replace(gen_random_uuid()::text, '-', '')" if _is_postgresql() else "lower(hex(randomblob(16)))"
    op.execute(f"INSERT INTO company_stamp (company_id, stamp) SELECT id, {random} FROM company")  # noqa: S608


def downgrade() -> None:
    _run(company_stamp_v1.SQLITE_DOWN, company_stamp_v1.POSTGRESQL_DOWN)
    op.drop_table("company_stamp")


def _run(sqlite: tuple[str, ...], postgresql: tuple[str, ...]) -> None:
    for statement in postgresql if _is_postgresql() else sqlite:
        op.execute(statement)


def _is_postgresql() -> bool:
    return bool(op.get_bind().dialect.name == "postgresql")
