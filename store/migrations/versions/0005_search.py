"""What search needs at size."""

from __future__ import annotations

revision = "0005_search"
down_revision = "0004_prices"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing yet."""


def downgrade() -> None:
    """Nothing yet."""
