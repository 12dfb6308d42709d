"""The business side: company, fleet, prices, clients, quotes, rentals, idempotency, outbox."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.migrations import overlap_guard_v1

revision = "0001_business"
down_revision = None
branch_labels = None
depends_on = None

_TABLES = (
    "company",
    "bot",
    "brand",
    "client",
    "office",
    "outbox",
    "client_contact",
    "office_hours",
    "vehicle_model",
    "vehicle",
    "price_list",
    "price_season",
    "price_tier",
    "quote",
    "rental",
    "idempotency",
    "rental_status_change",
)


def upgrade() -> None:
    _create_tables()
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    for statement in overlap_guard_v1.POSTGRESQL if is_postgresql else overlap_guard_v1.SQLITE:
        op.execute(statement)


def downgrade() -> None:
    for table in reversed(_TABLES):
        op.drop_table(table)


def _create_tables() -> None:
    op.create_table(
        "company",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("slug", sa.String(60), nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("tagline", sa.String(200), nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("currency_exponent", sa.Integer(), nullable=False),
        sa.Column("timezone", sa.String(60), nullable=False),
        sa.Column("locale", sa.String(20), nullable=False),
        sa.Column("date_order", sa.String(3), nullable=False),
        sa.Column("phone_region", sa.String(2), nullable=False),
        sa.Column("phone", sa.String(40), nullable=False),
        sa.Column("min_days", sa.Integer(), nullable=False),
        sa.Column("max_days", sa.Integer(), nullable=False),
        sa.Column("max_ahead_days", sa.Integer(), nullable=False),
        sa.Column("turnaround_hours", sa.Integer(), nullable=False),
        sa.Column("pickup_time", sa.String(5), nullable=False),
        sa.Column("quote_minutes", sa.Integer(), nullable=False),
        sa.Column("house_rules", sa.JSON(), nullable=False),
        sa.Column("allowed_origins", sa.JSON(), nullable=False),
        sa.Column("order_prefix", sa.String(8), nullable=False),
        sa.Column("next_order_number", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("slug"),
    )
    op.create_table(
        "bot",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("token_prefix", sa.String(16), nullable=False),
        sa.Column("token_sha256", sa.String(64), nullable=False),
        sa.Column("channel", sa.String(20), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.UniqueConstraint("token_sha256"),
    )
    op.create_index("ix_bot_company_id", "bot", ["company_id"])
    op.create_index("ix_bot_token_prefix", "bot", ["token_prefix"])
    op.create_table(
        "brand",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(60), nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("aliases", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.UniqueConstraint("company_id", "slug", name="uq_brand_slug"),
    )
    op.create_table(
        "client",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("uuid", sa.String(36), nullable=False),
        sa.Column("first_name", sa.String(120), nullable=False),
        sa.Column("last_name", sa.String(120), nullable=False),
        sa.Column("language", sa.String(20), nullable=False),
        sa.Column("is_placeholder", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.UniqueConstraint("uuid"),
    )
    op.create_index("ix_client_company_id", "client", ["company_id"])
    op.create_table(
        "office",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(60), nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("address", sa.String(300), nullable=False),
        sa.Column("city", sa.String(120), nullable=False),
        sa.Column("latitude", sa.Float(), nullable=True),
        sa.Column("longitude", sa.Float(), nullable=True),
        sa.Column("phone", sa.String(40), nullable=False),
        sa.Column("timezone", sa.String(60), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.UniqueConstraint("company_id", "slug", name="uq_office_slug"),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("dedupe_key", sa.String(128), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("leased_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("state IN ('waiting', 'sent', 'failed')", name="ck_outbox_state"),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.UniqueConstraint("company_id", "dedupe_key", name="uq_outbox_dedupe_key"),
    )
    op.create_index("ix_outbox_due", "outbox", ["state", "next_at"])
    op.create_table(
        "client_contact",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("client_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(12), nullable=False),
        sa.Column("value", sa.String(254), nullable=False),
        sa.CheckConstraint("kind IN ('phone', 'email', 'telegram_id', 'session')", name="ck_client_contact_kind"),
        sa.ForeignKeyConstraint(["client_id"], ["client.id"]),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.UniqueConstraint("company_id", "kind", "value", name="uq_client_contact"),
    )
    op.create_index("ix_client_contact_client_id", "client_contact", ["client_id"])
    op.create_table(
        "office_hours",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("office_id", sa.Integer(), nullable=False),
        sa.Column("weekday", sa.Integer(), nullable=False),
        sa.Column("opens", sa.String(5), nullable=False),
        sa.Column("closes", sa.String(5), nullable=False),
        sa.CheckConstraint("opens < closes", name="ck_office_hours_order"),
        sa.CheckConstraint("weekday BETWEEN 0 AND 6", name="ck_office_hours_weekday"),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.ForeignKeyConstraint(["office_id"], ["office.id"]),
        sa.UniqueConstraint("office_id", "weekday", "opens", name="uq_office_hours"),
    )
    op.create_table(
        "vehicle_model",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("brand_id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(80), nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("display_name", sa.String(160), nullable=False),
        sa.Column("category", sa.String(20), nullable=False),
        sa.Column("drawing", sa.String(20), nullable=False),
        sa.Column("engine_cc", sa.Integer(), nullable=True),
        sa.Column("power_hp", sa.Integer(), nullable=True),
        sa.Column("gearbox", sa.String(10), nullable=False),
        sa.Column("gears", sa.Integer(), nullable=True),
        sa.Column("seats", sa.Integer(), nullable=True),
        sa.Column("helmets", sa.Integer(), nullable=True),
        sa.Column("skipper", sa.Boolean(), nullable=False),
        sa.Column("fuel", sa.String(20), nullable=False),
        sa.Column("licence", sa.String(120), nullable=False),
        sa.Column("image_url", sa.String(500), nullable=False),
        sa.Column("aliases", sa.JSON(), nullable=False),
        sa.CheckConstraint(
            "category IN ('scooter', 'motorcycle', 'car', 'boat', 'bicycle')", name="ck_vehicle_model_category"
        ),
        sa.ForeignKeyConstraint(["brand_id"], ["brand.id"]),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.UniqueConstraint("company_id", "slug", name="uq_vehicle_model_slug"),
    )
    op.create_index("ix_vehicle_model_category", "vehicle_model", ["company_id", "category"])
    op.create_table(
        "vehicle",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("uuid", sa.String(36), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("office_id", sa.Integer(), nullable=False),
        sa.Column("plate", sa.String(40), nullable=False),
        sa.Column("colour", sa.String(20), nullable=False),
        sa.Column("year", sa.Integer(), nullable=True),
        sa.Column("details", sa.String(500), nullable=False),
        sa.Column("search_text", sa.String(700), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.CheckConstraint("state IN ('ready', 'workshop', 'retired')", name="ck_vehicle_state"),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.ForeignKeyConstraint(["model_id"], ["vehicle_model.id"]),
        sa.ForeignKeyConstraint(["office_id"], ["office.id"]),
        sa.UniqueConstraint("company_id", "plate", name="uq_vehicle_plate"),
        sa.UniqueConstraint("uuid"),
    )
    op.create_index("ix_vehicle_offer", "vehicle", ["company_id", "state", "model_id", "office_id"])
    op.create_table(
        "price_list",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(80), nullable=False),
        sa.Column("vehicle_id", sa.Integer(), nullable=True),
        sa.Column("model_id", sa.Integer(), nullable=True),
        sa.Column("category", sa.String(20), nullable=True),
        sa.Column("base_per_day_minor", sa.BigInteger(), nullable=True),
        sa.Column("deposit_minor", sa.BigInteger(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "(CASE WHEN vehicle_id IS NULL THEN 0 ELSE 1 END) + (CASE WHEN model_id IS NULL THEN 0 ELSE 1 END)"
            " + (CASE WHEN category IS NULL THEN 0 ELSE 1 END) <= 1",
            name="ck_price_list_one_target",
        ),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.ForeignKeyConstraint(["model_id"], ["vehicle_model.id"]),
        sa.ForeignKeyConstraint(["vehicle_id"], ["vehicle.id"]),
        sa.UniqueConstraint("company_id", "code", name="uq_price_list_code"),
        sa.UniqueConstraint("model_id", name="uq_price_list_model"),
        sa.UniqueConstraint("vehicle_id", name="uq_price_list_vehicle"),
    )
    op.create_index("ix_price_list_category", "price_list", ["company_id", "category"])
    op.create_table(
        "price_season",
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
        sa.CheckConstraint("(per_day_minor IS NULL) <> (percent IS NULL)", name="ck_price_season_one_price"),
        sa.CheckConstraint(
            "start_month BETWEEN 1 AND 12 AND end_month BETWEEN 1 AND 12"
            " AND start_day BETWEEN 1 AND 31 AND end_day BETWEEN 1 AND 31",
            name="ck_price_season_days",
        ),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.ForeignKeyConstraint(["price_list_id"], ["price_list.id"]),
        sa.UniqueConstraint("price_list_id", "code", name="uq_price_season_code"),
    )
    op.create_table(
        "price_tier",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("price_list_id", sa.Integer(), nullable=False),
        sa.Column("min_days", sa.Integer(), nullable=False),
        sa.Column("max_days", sa.Integer(), nullable=True),
        sa.Column("percent_off", sa.Integer(), nullable=False),
        sa.CheckConstraint("min_days >= 1 AND (max_days IS NULL OR max_days >= min_days)", name="ck_price_tier_days"),
        sa.CheckConstraint("percent_off BETWEEN 0 AND 100", name="ck_price_tier_percent"),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.ForeignKeyConstraint(["price_list_id"], ["price_list.id"]),
        sa.UniqueConstraint("price_list_id", "min_days", name="uq_price_tier_min_days"),
    )
    op.create_table(
        "quote",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("uuid", sa.String(36), nullable=False),
        sa.Column("vehicle_id", sa.Integer(), nullable=False),
        sa.Column("start_date", sa.Date(), nullable=False),
        sa.Column("end_date", sa.Date(), nullable=False),
        sa.Column("total_minor", sa.BigInteger(), nullable=False),
        sa.Column("deposit_minor", sa.BigInteger(), nullable=True),
        sa.Column("lines", sa.JSON(), nullable=False),
        sa.Column("price_list_id", sa.Integer(), nullable=False),
        sa.Column("price_list_version", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=True),
        sa.Column("actor", sa.String(100), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"]),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.ForeignKeyConstraint(["price_list_id"], ["price_list.id"]),
        sa.ForeignKeyConstraint(["vehicle_id"], ["vehicle.id"]),
        sa.UniqueConstraint("uuid"),
    )
    op.create_index("ix_quote_vehicle_id", "quote", ["vehicle_id"])
    op.create_table(
        "rental",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("uuid", sa.String(36), nullable=False),
        sa.Column("order_number", sa.String(24), nullable=False),
        sa.Column("vehicle_id", sa.Integer(), nullable=False),
        sa.Column("office_id", sa.Integer(), nullable=False),
        sa.Column("client_id", sa.Integer(), nullable=False),
        sa.Column("quote_id", sa.Integer(), nullable=True),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("source", sa.String(10), nullable=False),
        sa.Column("start_date", sa.Date(), nullable=False),
        sa.Column("end_date", sa.Date(), nullable=False),
        sa.Column("block_start", sa.Date(), nullable=False),
        sa.Column("block_end", sa.Date(), nullable=False),
        sa.Column("pickup_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("return_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("total_minor", sa.BigInteger(), nullable=False),
        sa.Column("deposit_minor", sa.BigInteger(), nullable=True),
        sa.Column("price_lines", sa.JSON(), nullable=False),
        sa.Column("customer_first_name", sa.String(120), nullable=False),
        sa.Column("customer_last_name", sa.String(120), nullable=False),
        sa.Column("customer_phone", sa.String(20), nullable=False),
        sa.Column("customer_email", sa.String(254), nullable=False),
        sa.Column("customer_language", sa.String(20), nullable=False),
        sa.Column("note", sa.String(500), nullable=False),
        sa.Column("staff_flag", sa.String(40), nullable=False),
        sa.Column("flag_client_id", sa.Integer(), nullable=True),
        sa.Column("actor", sa.String(100), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("source IN ('mcp', 'admin', 'widget', 'app')", name="ck_rental_source"),
        sa.CheckConstraint(
            "status IN ('pending', 'confirmed', 'active', 'completed', 'cancelled', 'rejected')",
            name="ck_rental_status",
        ),
        sa.CheckConstraint(
            "start_date <= end_date AND block_start = start_date AND block_end >= end_date AND block_end > block_start",
            name="ck_rental_block",
        ),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"]),
        sa.ForeignKeyConstraint(["client_id"], ["client.id"]),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.ForeignKeyConstraint(["flag_client_id"], ["client.id"]),
        sa.ForeignKeyConstraint(["office_id"], ["office.id"]),
        sa.ForeignKeyConstraint(["quote_id"], ["quote.id"]),
        sa.ForeignKeyConstraint(["vehicle_id"], ["vehicle.id"]),
        sa.UniqueConstraint("company_id", "order_number", name="uq_rental_order_number"),
        sa.UniqueConstraint("uuid"),
    )
    op.create_index("ix_rental_block", "rental", ["vehicle_id", "block_end", "block_start", "status", "company_id"])
    op.create_index("ix_rental_client_id", "rental", ["client_id"])
    op.create_index("ix_rental_company_start", "rental", ["company_id", "start_date"])
    op.create_table(
        "idempotency",
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(128), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("rental_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.ForeignKeyConstraint(["rental_id"], ["rental.id"]),
        sa.PrimaryKeyConstraint("company_id", "key"),
    )
    op.create_table(
        "rental_status_change",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), nullable=False),
        sa.Column("rental_id", sa.Integer(), nullable=False),
        sa.Column("old_status", sa.String(10), nullable=True),
        sa.Column("new_status", sa.String(10), nullable=False),
        sa.Column("actor", sa.String(100), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.ForeignKeyConstraint(["rental_id"], ["rental.id"]),
    )
    op.create_index("ix_rental_status_change_rental_id", "rental_status_change", ["rental_id"])
