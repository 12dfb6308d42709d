"""The static files of the web screen, read once, for the API to serve."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HOME: Final = Path(__file__).parent
CONTENT_TYPES: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
}
HASHED: Final = re.compile(r"-[0-9A-Z]{8}\.js$")


@dataclass(frozen=True)
class Asset:
    """One file as it goes out. `immutable` files carry a hash in their name and may be kept for a year."""

    body: bytes
    content_type: str
    immutable: bool


def load_assets() -> dict[str, Asset]:
    """Return URL path -> file: /widget/… (the committed bundle) and /demo/… (files of the demo page)."""
    bundle = sorted(path for path in (HOME / "bundle").iterdir() if path.suffix in CONTENT_TYPES)
    assets = {f"/widget/{path.name}": _read(path, immutable=bool(HASHED.search(path.name))) for path in bundle}
    for name in ("demo.js", "icon.svg"):
        assets[f"/demo/{name}"] = _read(HOME / "demo" / name, immutable=False)
    assets["/demo/demo.css"] = Asset(_demo_css(), CONTENT_TYPES[".css"], immutable=False)
    return assets


def _read(path: Path, *, immutable: bool) -> Asset:
    return Asset(path.read_bytes(), CONTENT_TYPES[path.suffix], immutable)


def _demo_css() -> bytes:
    """The page is drawn with the widget's own tokens and rules, so that both always look alike."""
    style = HOME / "src" / "style"
    parts = (style / "tokens.css", style / "widget.css", style / "cards.css", HOME / "demo" / "demo.css")
    return b"\n".join(part.read_bytes() for part in parts)
