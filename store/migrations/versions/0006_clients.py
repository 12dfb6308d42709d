"""Merges, searchable names, imports."""

from __future__ import annotations

import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0006_clients"
down_revision = "0005_search"
branch_labels = None
depends_on = None

_INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("client", sa.Column("search_name", sa.String(500), nullable=False, server_default=""))
    op.add_column("client", sa.Column("notes", sa.String(2000), nullable=False, server_default=""))
    op.add_column("client", sa.Column("merged_into_id", sa.Integer(), nullable=True))
    op.add_column("client", sa.Column("erased_at", _INSTANT, nullable=True))
    op.add_column("client_contact", sa.Column("is_verified", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute("UPDATE client_contact SET is_verified = true WHERE kind = 'telegram_id'")
    _fill_search_names()
    op.create_index("ix_client_search_name", "client", ["company_id", "search_name"])
    _create_client_change()


def downgrade() -> None:
    op.drop_table("client_change")
    op.drop_index("ix_client_search_name", "client")
    op.drop_column("client_contact", "is_verified")
    for column in ("erased_at", "merged_into_id", "notes", "search_name"):
        op.drop_column("client", column)


def _create_client_change() -> None:
    op.create_table(
        "client_change",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("company_id", sa.Integer(), sa.ForeignKey("company.id"), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("client_id", sa.Integer(), sa.ForeignKey("client.id"), nullable=False),
        sa.Column("other_client_id", sa.Integer(), sa.ForeignKey("client.id"), nullable=True),
        sa.Column("reason", sa.String(40), nullable=False),
        sa.Column("moved", sa.JSON(), nullable=False),
        sa.Column("done_by", sa.String(100), nullable=False),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.Column("undone_at", _INSTANT, nullable=True),
        sa.Column("undone_by", sa.String(100), nullable=False),
        sa.CheckConstraint("kind IN ('merge', 'contact_moved', 'erased')", name="ck_client_change_kind"),
    )
    op.create_index("ix_client_change_client", "client_change", ["company_id", "client_id"])


def _fill_search_names() -> None:
    connection = op.get_bind()
    rows = connection.execute(sa.text("SELECT id, first_name, last_name FROM client")).all()
    named = [{"client": row[0], "name": _searchable(f"{row[1]} {row[2]}")} for row in rows if row[1] or row[2]]
    if named:
        connection.execute(sa.text("UPDATE client SET search_name = :name WHERE id = :client"), named)


def _searchable(name: str) -> str:
    # As it was when this migration was written; it must not change with the product.
    text = name.casefold().translate(dict.fromkeys(map(ord, "'`\u00b4\u02bc\u2019\u2018\u02bb\u200c\u200d")))
    for letter, plain in (("ł", "l"), ("đ", "d"), ("ø", "o"), ("\u0131", "i"), ("æ", "ae"), ("œ", "oe"), ("ð", "d")):
        text = text.replace(letter, plain)
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    folded = unicodedata.normalize("NFC", bare).casefold()
    return " ".join("".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in folded).split())
