"""How fast readers are on what the largest sites print: a fabric of 35,000 HCAs, 576 GPUs.

The fabric is made up (`benchmarks.fat_tree`), with one fault of each kind; a reading counts only if
the comparison names exactly those. Rounds are interleaved, each in a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final
from xml.etree import ElementTree

from benchmarks import fat_tree
from benchmarks.read_once import (
    CONTENDERS,
    FOUND_EDGES,
    GUIDS,
    PLAN,
    PLAN_EDGES,
    TOPOLOGY,
)
from benchmarks.workload import INVENTORIES
from fixtures.model.loading import load_inventory
from fixtures.tools.gpus import nvidia_smi
from lab.simrack import state
from lab.simrack.views import nvidia_smi as view

CHECKOUT: Final = Path(__file__).parents[1]
BOUND: Final = "ElementTree, XML to elements only"
STAGES: Final = ("plan", "read", "hold")
AIM_S, AIM_MB = 10.0, 1024.0
"""For reading and holding a fabric of 35,000 HCAs."""

Expected = set[tuple[str, tuple[str, ...]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One contender, once: seconds by stage, memory, and whether it found what it had to."""

    seconds: dict[str, float]
    cpu_s: float
    peak_mb: float
    exact: bool

    @property
    def whole(self) -> float:
        return sum(self.seconds.values())


def report(inventory: str, hcas: int, rounds: int) -> str:
    """Both readings as text."""
    return f"{fabric(hcas, rounds)}\n\n{gpus(inventory, rounds)}"


def fabric(hcas: int, rounds: int) -> str:
    with tempfile.TemporaryDirectory(prefix="rackgate-bench-") as name:
        folder = Path(name)
        tree = fat_tree.FatTree(hcas)
        expected = lay(tree, folder)
        size_mb = (folder / TOPOLOGY).stat().st_size / 1e6
        found: dict[str, list[Reading]] = {contender: [] for contender in CONTENDERS}
        for _ in range(rounds):
            for contender, readings in found.items():
                readings.append(_once(contender, folder, expected))
    switches = len(tree.guids) - hcas
    return "\n".join(
        [
            f"A fabric of {hcas} HCAs, {switches} switches of {tree.radix} ports and"
            f" {len(tree.cables)} cables ({size_mb:.1f} MB of ibnetdiscover), {rounds} rounds",
            f"aim of rackgate: read and hold in {AIM_S:.0f} s and {AIM_MB:.0f} MB",
            "",
            "| contender | plan s | read s | hold s | all: wall s | all: CPU s | peak MB | exact |",
            "|---|---|---|---|---|---|---|---|",
            *(_row(contender, readings) for contender, readings in found.items()),
        ]
    )


def lay(tree: fat_tree.FatTree, folder: Path) -> Expected:
    """Write the plan, the fabric with its faults, and both as lists of edges."""
    built, expected = fat_tree.with_faults(tree)
    (folder / TOPOLOGY).write_text(fat_tree.topology_text(built), encoding="ascii")
    rows = (f"{one.id},{one.kind},{one.ends[0]},{one.ends[1]}\n" for one in tree.cables)
    (folder / PLAN).write_text("cable,kind,a,b\n" + "".join(rows), encoding="ascii")
    (folder / GUIDS).write_text(json.dumps(tree.guids), encoding="ascii")
    planned = fat_tree.as_planned(tree)
    for name, one in ((PLAN_EDGES, planned), (FOUND_EDGES, built)):
        (folder / name).write_text("".join(_edges(one)), encoding="ascii")
    return expected


def _edges(built: fat_tree.Built) -> Iterable[str]:
    for near, far in built.links.values():
        yield f"{near[0]}:{near[1]} {far[0]}:{far[1]}\n"


def _once(contender: str, folder: Path, expected: Expected) -> Reading:
    argv = [sys.executable, "-m", "benchmarks.read_once", contender, str(folder)]
    done = subprocess.run(argv, cwd=CHECKOUT, stdout=subprocess.PIPE, check=True)
    told = json.loads(done.stdout)
    exact = _exact(told.pop("found"), expected)
    return Reading(**told, exact=exact)


def _exact(found: Sequence[Sequence[Any]], expected: Expected) -> bool:
    """Each fault once and nothing else; edges alone can only say that they are in one graph."""
    named = [(kind, tuple(cables)) for kind, cables in found if isinstance(cables, list)]
    return len(named) == len(expected) and set(named) == expected


def _row(contender: str, readings: Sequence[Reading]) -> str:
    cells = [_spread([one.seconds[stage] for one in readings]) for stage in STAGES]
    cells.append(_spread([one.whole for one in readings]))
    cells.append(_spread([one.cpu_s for one in readings]))
    peak = max(one.peak_mb for one in readings)
    exact = "yes" if all(one.exact for one in readings) else "no: edges only"
    return f"| {contender} | {' | '.join(cells)} | {peak:.0f} | {exact} |"


def gpus(inventory: str, rounds: int) -> str:
    """Every tray's `nvidia-smi -q -x`, as the virtual rack prints it, read one after the other."""
    world = state.build(load_inventory(inventory, INVENTORIES), seed=1)
    hosts = [host for host in world.hosts.values() if host.shown]
    texts = [view.query(world, host, busy=False, now=0.0) for host in hosts]
    size_mb = sum(map(len, texts)) / 1e6
    ways: dict[str, Callable[[str], object]] = {
        "rackgate": nvidia_smi.parse,
        BOUND: ElementTree.fromstring,
    }
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            began = time.process_time()
            for text in texts:
                way(text)
            spent[name].append(time.process_time() - began)
    bound = median(spent[BOUND])
    gpus_read = sum(len(host.shown) for host in hosts)
    return "\n".join(
        [
            f"nvidia-smi -q -x of {len(texts)} trays, {gpus_read} GPUs"
            f" ({size_mb:.1f} MB), {rounds} rounds",
            "",
            "| contender | CPU s | MB/s | ratio to the bound |",
            "|---|---|---|---|",
            *(
                f"| {name} | {_spread(seen)} | {size_mb / median(seen):.0f}"
                f" | {median(seen) / bound:.1f} |"
                for name, seen in spent.items()
            ),
        ]
    )


def _spread(seen: Sequence[float]) -> str:
    return f"{median(seen):.2f} ({min(seen):.2f}–{max(seen):.2f})"
