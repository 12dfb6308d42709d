"""Packages, extras, tiers with a price or for a season, seasons between dates, rules by list."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004_prices"
down_revision = "0003_rentals"
branch_labels = None
depends_on = None

_WHOLE_COMPANY = sa.text("vehicle_id IS NULL AND model_id IS NULL AND category IS NULL")

_LIST_COLUMNS = (
    ("tier_mode", sa.String(10), "whole"),
    ("package_rest", sa.String(10), "by_day"),
    ("stay_by", sa.String(10), "arrival"),
    ("min_days", sa.Integer(), "0"),
    ("max_days", sa.Integer(), "0"),
)

_WITH_CHOSEN_EXTRAS = ("quote", "rental")


def upgrade() -> None:
    for name, column_type, default in _LIST_COLUMNS:
        op.add_column("price_list", sa.Column(name, column_type, nullable=False, server_default=default))
    op.drop_index("ix_price_list_category", "price_list")
    op.create_index("ix_price_list_category", "price_list", ["company_id", "category"], unique=True)
    op.create_index(
        "ix_price_list_company",
        "price_list",
        ["company_id"],
        unique=True,
        sqlite_where=_WHOLE_COMPANY,
        postgresql_where=_WHOLE_COMPANY,
    )
    _change_seasons()
    _change_tiers()
    _create_packages()
    _create_extras()
    for table in _WITH_CHOSEN_EXTRAS:
        op.add_column(table, sa.Column("extras", sa.JSON(), nullable=False, server_default="[]"))


def downgrade() -> None:
    for table in _WITH_CHOSEN_EXTRAS:
        op.drop_column(table, "extras")
    op.drop_table("price_extra")
    op.drop_table("price_package")
    # The older tables cannot say these: a rule that is left out would give another price than the shop's.
    op.execute("DELETE FROM price_tier WHERE season_code <> '' OR per_day_minor IS NOT NULL")
    op.execute("DELETE FROM price_season WHERE (per_day_minor IS NULL) = (percent IS NULL) OR valid_from IS NOT NULL")
    with op.batch_alter_table("price_tier", copy_from=_tier_table(new=True)) as batch:
        batch.drop_constraint("uq_price_tier_min_days", type_="unique")
        batch.create_unique_constraint("uq_price_tier_min_days", ["price_list_id", "min_days"])
        batch.drop_column("season_code")
        batch.drop_column("per_day_minor")
    with op.batch_alter_table("price_season", copy_from=_season_table(new=True)) as batch:
        batch.drop_constraint("ck_price_season_one_price", type_="check")
        batch.create_check_constraint("ck_price_season_one_price", "(per_day_minor IS NULL) <> (percent IS NULL)")
        for name in ("max_days", "valid_from", "valid_until", "is_closed"):
            batch.drop_column(name)
    op.drop_index("ix_price_list_company", "price_list")
    op.drop_index("ix_price_list_category", "price_list")
    op.create_index("ix_price_list_category", "price_list", ["company_id", "category"])
    for name, _, _ in _LIST_COLUMNS:
        op.drop_column("price_list", name)


def _change_seasons() -> None:
    with op.batch_alter_table("price_season", copy_from=_season_table(new=False)) as batch:
        for column in _new_season_columns():
            batch.add_column(column)
        batch.drop_constraint("ck_price_season_one_price", type_="check")
        batch.create_check_constraint("ck_price_season_one_price", "per_day_minor IS NULL OR percent IS NULL")


def _change_tiers() -> None:
    with op.batch_alter_table("price_tier", copy_from=_tier_table(new=False)) as batch:
        for column in _new_tier_columns():
            batch.add_column(column)
        batch.drop_constraint("uq_price_tier_min_days", type_="unique")
        batch.create_unique_constraint("uq_price_tier_min_days", ["price_list_id", "season_code", "min_days"])


def _new_season_columns() -> list[sa.Column[Any]]:
    return [
        sa.Column("max_days", sa.Integer(), nullable=True),
        sa.Column("valid_from", sa.Date(), nullable=True),
        sa.Column("valid_until", sa.Date(), nullable=True),
        sa.Column("is_closed", sa.Boolean(), nullable=False, server_default=sa.false()),
    ]


def _new_tier_columns() -> list[sa.Column[Any]]:
    return [
        sa.Column("per_day_minor", sa.BigInteger(), nullable=True),
        sa.Column("season_code", sa.String(40), nullable=False, server_default=""),
    ]


def _season_table(*, new: bool) -> sa.Table:
    """The table as it is: SQLite makes a new one of it, and does not tell its check constraints."""
    one_price = "per_day_minor IS NULL OR percent IS NULL" if new else "(per_day_minor IS NULL) <> (percent IS NULL)"
    return sa.Table(
        "price_season",
        sa.MetaData(),
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("price_list_id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(40), nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("start_month", sa.Integer(), nullable=False),
        sa.Column("start_day", sa.Integer(), nullable=False),
        sa.Column("end_month", sa.Integer(), nullable=False),
        sa.Column("end_day", sa.Integer(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("per_day_minor", sa.BigInteger(), nullable=True),
        sa.Column("percent", sa.Integer(), nullable=True),
        sa.Column("min_days", sa.Integer(), nullable=True),
        *(_new_season_columns() if new else ()),
        sa.CheckConstraint(one_price, name="ck_price_season_one_price"),
        sa.CheckConstraint(
            "start_month BETWEEN 1 AND 12 AND end_month BETWEEN 1 AND 12"
            " AND start_day BETWEEN 1 AND 31 AND end_day BETWEEN 1 AND 31",
            name="ck_price_season_days",
        ),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.ForeignKeyConstraint(["price_list_id"], ["price_list.id"]),
        sa.UniqueConstraint("price_list_id", "code", name="uq_price_season_code"),
    )


def _tier_table(*, new: bool) -> sa.Table:
    unique = ("price_list_id", "season_code", "min_days") if new else ("price_list_id", "min_days")
    return sa.Table(
        "price_tier",
        sa.MetaData(),
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("price_list_id", sa.Integer(), nullable=False),
        sa.Column("min_days", sa.Integer(), nullable=False),
        sa.Column("max_days", sa.Integer(), nullable=True),
        sa.Column("percent_off", sa.Integer(), nullable=False),
        *(_new_tier_columns() if new else ()),
        sa.CheckConstraint("min_days >= 1 AND (max_days IS NULL OR max_days >= min_days)", name="ck_price_tier_days"),
        sa.CheckConstraint("percent_off BETWEEN 0 AND 100", name="ck_price_tier_percent"),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.ForeignKeyConstraint(["price_list_id"], ["price_list.id"]),
        sa.UniqueConstraint(*unique, name="uq_price_tier_min_days"),
    )


def _create_packages() -> None:
    op.create_table(
        "price_package",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("price_list_id", sa.Integer(), nullable=False),
        sa.Column("amount_minor", sa.BigInteger(), nullable=False),
        sa.Column("days", sa.Integer(), nullable=True),
        sa.Column("months", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("season_code", sa.String(40), nullable=False),
        sa.Column("weekdays", sa.String(7), nullable=False),
        sa.CheckConstraint("(days IS NULL) <> (months IS NULL)", name="ck_price_package_length"),
        sa.CheckConstraint("amount_minor >= 0", name="ck_price_package_amount"),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.ForeignKeyConstraint(["price_list_id"], ["price_list.id"]),
    )
    op.create_index("ix_price_package_price_list_id", "price_package", ["price_list_id"])


def _create_extras() -> None:
    op.create_table(
        "price_extra",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("price_list_id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(40), nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("mode", sa.String(10), nullable=False),
        sa.Column("per", sa.String(10), nullable=False),
        sa.Column("amount_minor", sa.BigInteger(), nullable=False),
        sa.Column("at_most_minor", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("mode IN ('included', 'required', 'chosen', 'by_use')", name="ck_price_extra_mode"),
        sa.CheckConstraint("per IN ('day', 'rental')", name="ck_price_extra_per"),
        sa.CheckConstraint("amount_minor >= 0", name="ck_price_extra_amount"),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.ForeignKeyConstraint(["price_list_id"], ["price_list.id"]),
        sa.UniqueConstraint("price_list_id", "code", name="uq_price_extra_code"),
    )
