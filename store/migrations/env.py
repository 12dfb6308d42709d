"""Alembic's entry; the connection comes from `store.migrations`."""

from __future__ import annotations

from alembic import context

from store.sql.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
# The caller owns the transaction.
context.run_migrations()
