"""What understanding adds to the start of a process: imports, lexicons and the readers of the first language."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from statistics import median
from typing import Final

from tests.eval.frame import Measure

_RUNS: Final = 5
_SCRIPT: Final = """
import time
import pydantic, babel.dates, phonenumbers
begin = time.perf_counter()
from datetime import datetime
from graph.models.offline import OfflineInterpreter
from graph.understanding.meaning import InterpretContext
OfflineInterpreter().read("a scooter June 20-27", InterpretContext(now=datetime(2027, 5, 31, 15, 30)))
print(time.perf_counter() - begin)
"""
"""Libraries that the rest of the program needs anyway are not counted."""


def measures() -> Iterator[Measure]:
    """Until the first English message is read, in a fresh process."""
    seconds = [_seconds() for _ in range(_RUNS)]
    yield Measure("start-up", "until the first message is read", median(seconds), 1.5, "less", _RUNS, "s")


def _seconds() -> float:
    run = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True, timeout=60)
    return float(run.stdout)
