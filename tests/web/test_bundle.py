"""The committed bundle is what its source gives, and it keeps to its budget."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "renderers" / "web"
OFFLINE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ETIMEDOUT", "ECONNRESET")


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=WEB, capture_output=True, text=True, timeout=300, check=False)


def _install() -> None:
    lock, installed = WEB / "package-lock.json", WEB / "node_modules" / ".package-lock.json"
    if installed.exists() and installed.stat().st_mtime >= lock.stat().st_mtime:
        return
    done = _run("npm", "ci", "--no-audit", "--no-fund")
    if any(code in done.stderr for code in OFFLINE):
        pytest.skip("npm cannot reach its registry")
    assert done.returncode == 0, done.stderr


@pytest.mark.node
@pytest.mark.slow
def test_types_bundle_size_and_unit_tests_hold() -> None:
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("no Node.js on this machine")
    _install()
    done = _run("npm", "run", "check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_lock_file_names_no_registry() -> None:
    text = (WEB / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in text
    assert "registry." not in text
