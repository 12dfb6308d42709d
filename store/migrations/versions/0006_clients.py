"""Merges, searchable names, imports."""

from __future__ import annotations

revision = "0006_clients"
down_revision = "0005_search"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing yet."""


def downgrade() -> None:
    """Nothing yet."""
