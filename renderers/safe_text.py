"""Other people's text on our screens: shown as it reads, unable to act on what stands around it."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_FSI, _PDI = "\u2068", "\u2069"
_OVERRIDES: Final = re.compile("[\u202a-\u202e]")
_ISOLATES: Final = re.compile("[\u2066-\u2069]")
_BIDI_CONTROLS: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_BREAKS: Final = re.compile("\r\n|[\r\v\f\u0085\u2028\u2029]")
_CONTROLS: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufeff\ufff9-\ufffb\ud800-\udfff]")
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})


def safe_name(text: str) -> str:
    """Return a name, number or other short text as one line that cannot turn or break what follows.

    Direction controls, terminal escapes and line breaks go; a text with right-to-left letters is isolated
    (U+2068 … U+2069), so that a number beside it stays where it was put.
    """
    text = _CONTROLS.sub("", _BIDI_CONTROLS.sub("", _BREAKS.sub("\n", text)))
    text = " ".join(text.split())
    return f"{_FSI}{text}{_PDI}" if is_right_to_left(text) else text


def safe_paragraphs(text: str) -> str:
    """Return a text of several lines without terminal escapes and without direction overrides.

    Isolates stay where they are closed in their own line: our own texts use them around names.
    """
    text = _CONTROLS.sub("", _OVERRIDES.sub("", _BREAKS.sub("\n", text))).replace("\t", " ")
    return "\n".join(line if _is_closed(line) else _ISOLATES.sub("", line) for line in text.split("\n"))


def is_right_to_left(text: str) -> bool:
    """Tell whether a text has letters that run from right to left."""
    return any(unicodedata.bidirectional(char) in _RIGHT_TO_LEFT for char in text)


def _is_closed(line: str) -> bool:
    depth = 0
    for char in _ISOLATES.findall(line):
        depth += -1 if char == _PDI else 1
        if depth < 0:
            return False
    return depth == 0
