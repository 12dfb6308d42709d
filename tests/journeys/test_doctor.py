"""`ridepass doctor` says what is wrong with an installation, and what is only unwise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import make_url, text
from typer.testing import CliRunner, Result

from api.cli import app
from store.sql.engine import make_engine


def examined(data_dir: Path, database_url: str) -> Result:
    env = {"RIDEPASS_DATA_DIR": str(data_dir), "RIDEPASS_DATABASE_URL": database_url, "RIDEPASS_REDIS_URL": ""}
    return CliRunner().invoke(app, ["doctor"], env=env)


@pytest.fixture
def plain_url(postgres_url: str) -> Iterator[str]:
    """The same database by a role that may use it and nothing else."""
    role = f"plain_{uuid4().hex[:12]}"
    admin = make_engine(postgres_url)
    with admin.begin() as connection:
        connection.execute(text(f"CREATE ROLE {role} LOGIN PASSWORD 'plain'"))
        for what in ("ALL TABLES IN SCHEMA public", "ALL SEQUENCES IN SCHEMA public", "SCHEMA public"):
            connection.execute(text(f"GRANT ALL ON {what} TO {role}"))
    yield make_url(postgres_url).set(username=role, password="plain").render_as_string(hide_password=False)
    with admin.begin() as connection:
        connection.execute(text(f"DROP OWNED BY {role}"))
        connection.execute(text(f"DROP ROLE {role}"))
    admin.dispose()


@pytest.mark.postgres
def test_a_role_that_may_do_everything_is_warned_of(tmp_path: Path, postgres_url: str) -> None:
    """BL-184: loudly, by name, and without a failure: no row security is relied on that such a role would void."""
    result = examined(tmp_path, postgres_url)
    (warning,) = [line for line in result.output.splitlines() if line.startswith("WARN")]
    assert "superuser" in warning
    assert "RIDEPASS_DATABASE_URL" in warning
    assert result.exit_code == 0


@pytest.mark.postgres
def test_a_role_with_no_more_than_it_needs_is_not_warned_of(tmp_path: Path, plain_url: str) -> None:
    """BL-184's negative control."""
    result = examined(tmp_path, plain_url)
    assert "WARN" not in result.output
    assert "ok   database: PostgreSQL, schema up to date" in result.output
    assert result.exit_code == 0


def test_the_embedded_database_has_no_roles(tmp_path: Path) -> None:
    result = examined(tmp_path, "")
    assert "WARN" not in result.output
    assert "ok   database: SQLite" in result.output


def test_a_database_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    result = examined(tmp_path, "postgresql://nobody@127.0.0.1:9/none")
    assert "BAD  database: StoreUnavailable: check RIDEPASS_DATABASE_URL" in result.output
    assert result.exit_code == 1
