"""Holds, versions and changes of rentals."""

from __future__ import annotations

revision = "0003_rentals"
down_revision = "0002_chat"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing yet."""


def downgrade() -> None:
    """Nothing yet."""
