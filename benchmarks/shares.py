"""Which part of the suite a run's processor time goes to, from a profile of the run.

The run is the product's on its virtual rack in memory, in a process of its own. The profiler sees
the main thread, and slows what calls often more than what calls seldom: shares are for finding what
is large, seconds are those of a run without a profiler.
"""

from __future__ import annotations

import cProfile
import json
import pstats
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from benchmarks.phases import CHECKOUT
from benchmarks.workload import INVENTORIES
from fixtures.model.loading import load_inventory

AREAS: Final = (
    ("/fixtures/tools/", "readers"),
    ("/fixtures/analysis/", "findings and peers"),
    ("/fixtures/", "facts, model and transport"),
    ("/reports/", "record and reports"),
    ("/plugins/", "plugins"),
    ("/suites/", "tests"),
    ("/lab/", "the rack's model, as far as the main thread runs it"),
    ("/allure", "Allure"),
    ("/_pytest/", "pytest"),
    ("/pluggy/", "pytest"),
    ("<frozen importlib", "imports"),
)
"""By what is in a file's path; the rest is attributed to who calls it."""
REST: Final = "all else"

Function = tuple[str, int, str]


def report(inventory: str) -> str:
    """CPU seconds of a run, and under the profiler the share of each area, largest first."""
    with tempfile.TemporaryDirectory(prefix="rackgate-shares-") as folder:
        plain = _run(inventory, Path(folder) / "plain")
        profiled = _run(inventory, Path(folder) / "profiled", Path(folder) / "profile")
        shares = by_area(pstats.Stats(str(Path(folder) / "profile")))
    total = sum(shares.values())
    ranked = sorted(shares.items(), key=lambda share: -share[1])
    others = 1 - profiled["main_s"] / profiled["cpu_s"]
    lines = [f"{name:<52}{100 * part / total:>5.0f} %" for name, part in ranked]
    head = f"a run of {inventory} in memory: {plain['cpu_s']:.1f} s of CPU, {plain['wall_s']:.1f} s"
    tail = f"other threads (the rack's model, asking, evidence): {others:.0%} of all"
    return "\n".join([head, *lines, tail])


def _run(inventory: str, folder: Path, profile: Path | None = None) -> dict[str, float]:
    product = load_inventory(inventory, INVENTORIES).product
    words = ["-q", "-m", product, "--inventory", inventory, "--lab-transport=memory"]
    words = [str(profile or ""), *words, f"--run-dir={folder}"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.shares", *words],
        cwd=CHECKOUT,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def by_area(stats: pstats.Stats) -> dict[str, float]:
    """Seconds of each area. What belongs to none (Python's library) counts for its callers."""
    table: Mapping[Function, Any] = stats.stats  # type: ignore[attr-defined]
    known: dict[Function, Mapping[str, float]] = {}
    found: dict[str, float] = defaultdict(float)
    for function, (_, _, own_s, _, _) in table.items():
        for name, part in _parts(function, table, known).items():
            found[name] += own_s * part
    return found


def _parts(
    function: Function, table: Mapping[Function, Any], known: dict[Function, Mapping[str, float]]
) -> Mapping[str, float]:
    """How a function's time is divided among areas; the parts add up to 1."""
    if function in known:
        return known[function]
    name = next((area for mark, area in AREAS if mark in function[0]), "")
    if name:
        known[function] = {name: 1.0}
        return known[function]
    known[function] = {REST: 1.0}  # where functions call each other
    callers: Mapping[Function, Sequence[float]] = table[function][4]
    total = sum(numbers[3] for numbers in callers.values())
    found: dict[str, float] = defaultdict(float)
    for caller, numbers in callers.items():
        for area, part in _parts(caller, table, known).items() if total else ():
            found[area] += part * numbers[3] / total
    known[function] = found or {REST: 1.0}
    return known[function]


def main(profile: str, words: Sequence[str]) -> int:
    began, wall = time.thread_time(), time.monotonic()
    profiler = cProfile.Profile(time.thread_time)
    status = profiler.runcall(pytest.main, list(words)) if profile else pytest.main(list(words))
    if profile:
        profiler.dump_stats(profile)
    used = resource.getrusage(resource.RUSAGE_SELF)
    found = {
        "cpu_s": used.ru_utime + used.ru_stime,
        "main_s": time.thread_time() - began,
        "wall_s": time.monotonic() - wall,
    }
    sys.stdout.write(f"\n{json.dumps(found)}\n")
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
