"""What is undocumented fails here."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.settings import Settings
from frontend_contract.compat import TURN_CLASSES

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_every_setting_is_in_the_readme_and_has_a_meaning(name: str) -> None:
    """A setting nobody can find does not exist."""
    assert f"RIDEPASS_{name.upper()}" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert Settings.model_fields[name].description


def test_the_readme_names_only_settings_that_exist() -> None:
    """A renamed setting leaves no ghost behind."""
    import re

    named = set(re.findall(r"RIDEPASS_([A-Z_]+)", (ROOT / "README.md").read_text(encoding="utf-8")))
    known = {name.upper() for name in Settings.model_fields} | {"PORT"}
    assert named <= known


def test_nothing_names_a_machine() -> None:
    """Paths and hosts of whoever built it stay out of the repository."""
    suspects = ("/wo" + "rk/", "/opt/py" + "pi", '"reso' + 'lved": "http')
    for pattern in ("*.py", "*.md", "*.toml", "*.ts", "*.tsx", "*.mjs", "Makefile", ".ci/run", "*.json", "*.txt"):
        for path in ROOT.rglob(pattern):
            if {".venv", "node_modules", ".git", ".mypy_cache", ".ridepass"} & set(path.parts):
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            assert not any(word in text for word in suspects), path


def test_every_card_type_is_named_in_the_contract_of_thirteen() -> None:
    """The start set of the contract is complete."""
    assert len(TURN_CLASSES) == 13
