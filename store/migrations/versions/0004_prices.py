"""Packages, absolute seasons, extras, rules by season."""

from __future__ import annotations

revision = "0004_prices"
down_revision = "0003_rentals"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing yet."""


def downgrade() -> None:
    """Nothing yet."""
