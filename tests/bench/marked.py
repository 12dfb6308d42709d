"""Tables that a command keeps between two marks of a Markdown page."""

from __future__ import annotations

from pathlib import Path


def keep(page: Path, name: str, made: str) -> None:
    """Write the page with what stands between `<!-- name -->` and `<!-- /name -->` replaced."""
    page.write_text(put(page.read_text(encoding="utf-8"), name, made), encoding="utf-8")


def put(page_text: str, name: str, made: str) -> str:
    """Return the page's text with what stands between the marks replaced."""
    first, last = f"<!-- {name} -->", f"<!-- /{name} -->"
    head, _, rest = page_text.partition(first)
    _, mark, tail = rest.partition(last)
    if not mark:
        raise SystemExit(f"the file has no {first} ... {last}")
    return f"{head}{first}\n{made}{last}{tail}"
