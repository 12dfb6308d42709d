"""Names of other people cannot act on what stands around them (direction, escapes, lines)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderers.safe_text import safe_name, safe_paragraphs

FSI, PDI = "\u2068", "\u2069"
CONTROLS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u200e\u200f\u061c"


@pytest.mark.parametrize(
    ("given_name", "shown"),
    [
        ("Ali\u202egnp.exe", "Alignp.exe"),
        ("נועה לוי", f"{FSI}נועה לוי{PDI}"),
        ("علي", f"{FSI}علي{PDI}"),
        ("\u2067Honda\u2069", "Honda"),
        ("Siobhán O'Neil", "Siobhán O'Neil"),
        ("Маша 🛵 Иванова", "Маша 🛵 Иванова"),
        ("👨\u200d👩\u200d👧 Family", "👨\u200d👩\u200d👧 Family"),
        ("red\x1b[31m\x07", "red[31m"),
        ("two\r\nlines\u2028three\tfour", "two lines three four"),
        ("  spaced   out ", "spaced out"),
        ("\x00\ud800", ""),
    ],
)
def test_a_name_is_shown_as_it_reads(given_name: str, shown: str) -> None:
    assert safe_name(given_name) == shown


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from(CONTROLS + "\x1b\n\r\x9b"))))
def test_no_name_holds_a_control(name: str) -> None:
    shown = safe_name(name)
    inner = shown.removeprefix(FSI).removesuffix(PDI)
    assert not set(inner) & set(CONTROLS + FSI + PDI + "\x1b\n\r\x9b\u2028")
    assert shown.startswith(FSI) == shown.endswith(PDI)
    assert not any("\ud800" <= char <= "\udfff" for char in shown)


def test_paragraphs_keep_their_lines_and_closed_isolates() -> None:
    text = f"Hello {FSI}נועה{PDI}, welcome\r\nsecond\tline\x1b[2J"
    assert safe_paragraphs(text) == f"Hello {FSI}נועה{PDI}, welcome\nsecond line[2J"


@pytest.mark.parametrize("line", [f"open {FSI}never closed", f"{PDI}closed before{FSI}", "a\u202eb\u202c"])
def test_what_is_left_open_is_taken_out(line: str) -> None:
    shown = safe_paragraphs(f"{line}\nnext")
    assert not set(shown) & set(FSI + PDI + "\u202e\u202c")
    assert shown.endswith("\nnext")
