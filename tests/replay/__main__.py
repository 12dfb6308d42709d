"""`python -m tests.replay [PATTERN ...] [--k 8] [--all] [--nulls] [--count]`: play golden conversations, show a table.

`--all` plays every perturbation of every conversation too, and the null agents.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import statistics
import sys
import tempfile
from pathlib import Path
from random import Random

from store.passport import choose_server
from tests.replay.nulls import NULL_AGENTS, null_door
from tests.replay.perturb import OPERATORS
from tests.replay.run import Result, run_all, run_one
from tests.replay.scenario import Scenario, load_phrases, load_scenarios
from tests.replay.world import Worlds


def main() -> int:
    """Run from the command line; 0 when all passed."""
    parser = argparse.ArgumentParser(prog="python -m tests.replay")
    parser.add_argument("patterns", nargs="*", help="parts of ids, or tags; all when none is named")
    parser.add_argument("--k", type=int, default=1, help="runs of each conversation; pass^k is that all of them pass")
    parser.add_argument("--all", action="store_true", help="perturbations and null agents too")
    parser.add_argument("--nulls", action="store_true", help="the null agents alone")
    parser.add_argument("--operators", nargs="*", default=None, help="only these perturbations")
    parser.add_argument("--count", action="store_true", help="only count the conversations, by tag and language")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    if options.count:
        _count([one for one in load_scenarios() if _is_chosen(one, options.patterns)])
        return 0
    logging.disable(logging.CRITICAL)
    return asyncio.run(_run(options))


async def _run(options: argparse.Namespace) -> int:
    chosen = [one for one in load_scenarios() if _is_chosen(one, options.patterns)]
    with tempfile.TemporaryDirectory() as folder:
        server = choose_server(None, Path(folder) / "valkey")
        worlds = Worlds(Path(folder) / "worlds", server)
        try:
            failed = 0
            if not options.nulls:
                failed += await _product(chosen, worlds, options)
            if options.nulls or options.all:
                failed += await _nulls(chosen, worlds)
            return 1 if failed else 0
        finally:
            await worlds.stop()
            server.close()


def _count(chosen: list[Scenario]) -> None:
    """Conversations, and how many different ones they are when the languages of one count once."""
    _say("| tag | conversations | different ones |")
    _say("|---|---|---|")
    _say(f"| all | {len(chosen)} | {_different(chosen)} |")
    for tag in sorted({tag for one in chosen for tag in one.tags}):
        tagged = [one for one in chosen if tag in one.tags]
        _say(f"| {tag} | {len(tagged)} | {_different(tagged)} |")
    for lang in sorted({one.lang for one in chosen}):
        spoken = [one for one in chosen if one.lang == lang]
        _say(f"| in {lang} | {len(spoken)} | {_different(spoken)} |")


def _different(chosen: list[Scenario]) -> int:
    return len({one.id.removesuffix(f"-{one.lang}") for one in chosen})


def _is_chosen(scenario: Scenario, patterns: list[str]) -> bool:
    return not patterns or any(part in scenario.id or part in scenario.tags for part in patterns)


async def _product(chosen: list[Scenario], worlds: Worlds, options: argparse.Namespace) -> int:
    _say(f"| set | conversations | pass^1 | pass^{options.k} |")
    _say("|---|---|---|---|")
    plain = await run_all(chosen, worlds, k=options.k)
    _row("plain", plain)
    _faults(plain)
    results = list(plain)
    operators = options.operators if options.operators is not None else (list(OPERATORS) if options.all else [])
    for name in operators:
        found = await _perturbed(name, plain, worlds, options)
        _row(name, found)
        _faults(found)
        results += found
    for tag in sorted({tag for one in chosen for tag in one.tags}):
        _row(f"plain, {tag}", [one for one in plain if tag in one.scenario.tags])
    for lang in sorted({one.lang for one in chosen}):
        _row(f"plain, in {lang}", [one for one in plain if one.scenario.lang == lang])
    seconds = sorted(second for one in plain for second in one.turn_seconds)
    if seconds:
        _say(f"\nturns: {len(seconds)}, median {1000 * statistics.median(seconds):.0f} ms")
    return sum(not one.passed for one in results)


def _faults(results: list[Result]) -> None:
    """To the error stream, as they are found: a long run may be cut."""
    for one in results:
        if one.passed:
            continue
        lines = next(grade for grade in one.grades if not grade.passed).lines()
        head = f"{one.scenario.id}: {sum(grade.passed for grade in one.grades)} of {len(one.grades)} passed"
        sys.stderr.write("\n    ".join([head, *lines]) + "\n")


async def _perturbed(name: str, plain: list[Result], worlds: Worlds, options: argparse.Namespace) -> list[Result]:
    """Only of conversations that pass plainly: what fails there fails here for the same reason."""
    phrases = load_phrases()
    found = []
    for one in plain:
        if not one.passed or one.transcript is None:
            continue
        random = Random(f"{options.seed} {one.scenario.id}")
        changed = OPERATORS[name](one.scenario, one.transcript, random, phrases)
        if changed is not None:
            found.append(await run_one(changed, worlds, k=options.k))
    return found


async def _nulls(chosen: list[Scenario], worlds: Worlds) -> int:
    _say("\n| null agent | conversations | passed |")
    _say("|---|---|---|")
    too_good = 0
    for agent in NULL_AGENTS:
        passed = [one.id for one in chosen if (await run_one(one, worlds, door=null_door(agent))).passed]
        _say(f"| {agent} | {len(chosen)} | {len(passed)} ({len(passed) / len(chosen):.1%}) {' '.join(passed)} |")
        too_good += len(passed) / len(chosen) >= 0.05
    return too_good


def _row(name: str, results: list[Result]) -> None:
    if not results:
        return
    first = sum(one.grades[0].passed for one in results)
    every = sum(one.passed for one in results)
    size = len(results)
    _say(f"| {name} | {size} | {first} ({first / size:.1%}) | {every} ({every / size:.1%}) |")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
