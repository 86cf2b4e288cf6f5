"""One way to read a fabric and hold it against its plan, once, in a process of its own.

python -m benchmarks.read_once NAME FOLDER       (started by `benchmarks.readers`)

Prints the seconds of each stage, the most memory that the process ever had, and what it found, in
one line of JSON. The folder holds what both contenders need (`benchmarks.readers.lay`).
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import networkx as nx

from fixtures.analysis.cabling import hold
from fixtures.analysis.differences import Rate
from fixtures.model.plan import read_plan
from fixtures.tools.fabric import ibnetdiscover
from fixtures.tools.fabric.ibnetdiscover_model import Topology
from fixtures.transport.base import CommandResult

TOPOLOGY, PLAN, GUIDS = "ibnetdiscover.txt", "cables.csv", "guids.json"
FOUND_EDGES, PLAN_EDGES = "found.edges", "plan.edges"
NDR = Rate("4X", "NDR")


class Stages:
    """Wall seconds by name, and the CPU seconds of all."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.cpu_s = 0.0

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        began, cpu = time.perf_counter(), time.process_time()
        yield
        self.seconds[name] = time.perf_counter() - began
        self.cpu_s += time.process_time() - cpu


def rackgate(folder: Path, stages: Stages) -> list[list[Any]]:
    """Bytes of the tool to differences: kind and cables of each."""
    with stages.stage("plan"):
        cables = read_plan(folder / PLAN).cables
        guids = json.loads((folder / GUIDS).read_text(encoding="ascii"))
    with stages.stage("read"):
        found = ibnetdiscover.read(_result((folder / TOPOLOGY).read_bytes()))
    if not isinstance(found, Topology) or not found.complete:
        raise SystemExit("the made-up topology was not read whole")
    with stages.stage("hold"):
        compared = hold(
            cables,
            guids,
            dict(found.sides()),
            nodes={node.guid for node in found.nodes},
            rates={"host": NDR, "fabric": NDR},
            ignored={node.guid for node in found.aggregation_nodes},
        )
    return [[one.kind.value, list(one.cables)] for one in compared.differences]


def networkx(folder: Path, stages: Stages) -> list[list[Any]]:
    """Edge lists to graphs to edges that only one of them has: no rates, no names, no kinds."""
    with stages.stage("plan"):
        plan = nx.read_edgelist(folder / PLAN_EDGES, create_using=nx.Graph, data=False)
    with stages.stage("read"):
        found = nx.read_edgelist(folder / FOUND_EDGES, create_using=nx.Graph, data=False)
    with stages.stage("hold"):
        planned, there = (set(map(frozenset, graph.edges)) for graph in (plan, found))
    return [["missing", len(planned - there)], ["extra", len(there - planned)]]


CONTENDERS: dict[str, Callable[[Path, Stages], list[list[Any]]]] = {
    "rackgate": rackgate,
    "networkx": networkx,
}


def _result(stdout: bytes) -> CommandResult:
    return CommandResult(
        host="observer",
        key="facts/ibnetdiscover",
        argv=("ibnetdiscover",),
        rc=0,
        stdout_bytes=stdout,
        stderr_bytes=b"",
    )


def main(name: str, folder: Path) -> int:
    stages = Stages()
    found = CONTENDERS[name](folder, stages)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    told = {"seconds": stages.seconds, "cpu_s": stages.cpu_s, "peak_mb": peak_mb, "found": found}
    sys.stdout.write(json.dumps(told) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
