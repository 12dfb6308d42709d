"""The conversation side: conversations, inbox, turns, actions, tool-call audit."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002_chat"
down_revision = "0001_business"
branch_labels = None
depends_on = None

_TABLES = ("conversation", "inbox_message", "turn", "action", "tool_call")
_ROW_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    _create_conversation()
    _create_inbox_message()
    _create_turn()
    _create_action()
    _create_tool_call()


def downgrade() -> None:
    for table in reversed(_TABLES):
        op.drop_table(table)


def _create_conversation() -> None:
    op.create_table(
        "conversation",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("company_id", sa.Integer(), sa.ForeignKey("company.id"), nullable=False),
        sa.Column("channel", sa.String(16), nullable=False),
        sa.Column("token_sha256", sa.String(64), nullable=False, unique=True),
        sa.Column("locale", sa.String(64)),
        sa.Column("lang", sa.String(64)),
        sa.Column("accepts", sa.JSON()),
        sa.Column("next_seq", sa.Integer(), nullable=False),
        sa.Column("last_fence", sa.Integer(), nullable=False),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.Column("last_seen_at", _INSTANT, nullable=False),
        sa.Column("closed_at", _INSTANT),
    )
    op.create_index("ix_conversation_company_id_created_at", "conversation", ["company_id", "created_at"])


def _create_inbox_message() -> None:
    op.create_table(
        "inbox_message",
        sa.Column("id", _ROW_NUMBER, primary_key=True),
        sa.Column("company_id", sa.Integer(), sa.ForeignKey("company.id"), nullable=False),
        sa.Column("conversation_id", sa.String(64), sa.ForeignKey("conversation.id"), nullable=False),
        sa.Column("channel", sa.String(16), nullable=False),
        sa.Column("dedupe_key", sa.String(200)),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("owner", sa.String(200)),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("lease_until", _INSTANT),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("first_seq", sa.Integer()),
        sa.Column("last_seq", sa.Integer()),
        sa.Column("received_at", _INSTANT, nullable=False),
        sa.Column("done_at", _INSTANT),
        sa.UniqueConstraint("conversation_id", "dedupe_key", name="uq_inbox_message_conversation_id_dedupe_key"),
        sa.CheckConstraint("(state = 'done') = (done_at IS NOT NULL)", name="ck_inbox_message_done_has_a_time"),
        sqlite_autoincrement=True,
    )
    unfinished = sa.text("done_at IS NULL")
    op.create_index(
        "ix_inbox_message_unfinished",
        "inbox_message",
        ["conversation_id", "id"],
        sqlite_where=unfinished,
        postgresql_where=unfinished,
    )


def _create_turn() -> None:
    op.create_table(
        "turn",
        sa.Column("conversation_id", sa.String(64), sa.ForeignKey("conversation.id"), primary_key=True),
        sa.Column("seq", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("id", sa.String(64), nullable=False, unique=True),
        sa.Column("company_id", sa.Integer(), sa.ForeignKey("company.id"), nullable=False),
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("inbox_id", sa.BigInteger(), sa.ForeignKey("inbox_message.id"), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("agent", sa.String(64)),
        sa.Column("type", sa.String(64), nullable=False),
        sa.Column("contract", sa.String(16), nullable=False),
        sa.Column("lang", sa.String(64), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("status_changed_at", _INSTANT),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("created_at", _INSTANT, nullable=False),
    )


def _create_action() -> None:
    op.create_table(
        "action",
        sa.Column("conversation_id", sa.String(64), sa.ForeignKey("conversation.id"), primary_key=True),
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("company_id", sa.Integer(), sa.ForeignKey("company.id"), nullable=False),
        sa.Column("turn_id", sa.String(64), sa.ForeignKey("turn.id"), nullable=False),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("arguments", sa.JSON(), nullable=False),
        sa.Column("once", sa.Boolean(), nullable=False),
        sa.Column("expires_at", _INSTANT),
        sa.Column("used_at", _INSTANT),
        sa.Column("used_by_inbox_id", sa.BigInteger(), sa.ForeignKey("inbox_message.id")),
        sa.Column("superseded_at", _INSTANT),
        sqlite_with_rowid=False,
    )


def _create_tool_call() -> None:
    op.create_table(
        "tool_call",
        sa.Column("id", _ROW_NUMBER, primary_key=True),
        sa.Column("company_id", sa.Integer(), sa.ForeignKey("company.id"), nullable=False),
        sa.Column("conversation_id", sa.String(64), sa.ForeignKey("conversation.id"), nullable=False),
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("call_id", sa.String(64), nullable=False),
        sa.Column("tool", sa.String(64), nullable=False),
        sa.Column("argument_digest", sa.String(64), nullable=False),
        sa.Column("arguments", sa.JSON(), nullable=False),
        sa.Column("result_digest", sa.String(64)),
        sa.Column("ok", sa.Boolean(), nullable=False),
        sa.Column("error_code", sa.String(64)),
        sa.Column("started_at", _INSTANT, nullable=False),
        sa.Column("duration_ms", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("idempotency_key_digest", sa.String(64)),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_tool_call_conversation_id_run_id", "tool_call", ["conversation_id", "run_id"])
