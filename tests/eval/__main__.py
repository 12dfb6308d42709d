"""`python -m tests.eval [MODULE ...] [--write FILE] [--examples]`: measure understanding and show the table."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TextIO

from tests.bench.marked import keep
from tests.eval.frame import Measure, collect, examples, module_names, table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.eval")
    parser.add_argument("modules", nargs="*", help=f"of {', '.join(module_names())}; all when none is named")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the table between its marks in this file")
    parser.add_argument("--examples", action="store_true", help="show cases that went wrong")
    options = parser.parse_args()
    found = collect(options.modules or module_names(), lambda name: _say(sys.stderr, f"... {name}"))
    text = table(found)
    _say(sys.stdout, text)
    if options.examples:
        _say(sys.stdout, examples(found))
    if options.write:
        keep(options.write, "eval", text)
    missed = [row for row in found if isinstance(row, Measure) and not row.met]
    return 1 if missed else 0


def _say(stream: TextIO, text: str) -> None:
    stream.write(text + "\n")
    stream.flush()


if __name__ == "__main__":
    sys.exit(main())
