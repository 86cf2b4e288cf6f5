"""Collecting the facts of every host: this suite against ClusterShell and parallel-ssh.

Rounds are interleaved (A B C A B C …), each contender in a process of its own, so that what else
the machine does hits all alike; ratios are taken within a round.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.once import Timing, spec
from benchmarks.workload import INVENTORIES
from fixtures.model.loading import load_inventory
from lab import simrack

OURS: Final = "rackgate"
BARE: Final = "rackgate, bare"
CLUSH: Final = "clush"
LIBSSH: Final = "parallel-ssh"
FANOUTS: Final = (16, 32, 64, 128)
CHECKOUT: Final = Path(__file__).parents[1]


@dataclass(slots=True)
class Bench:
    """A running lab, and the answers that all contenders must give."""

    inventory: str
    folder: Path
    spec: Path
    expected: Mapping[str, str] = field(default_factory=dict)

    def once(self, contender: str) -> tuple[Timing, Timing]:
        """The first collection and the second, by a process of its own."""
        argv = [sys.executable, "-m", "benchmarks.once", contender, str(self.spec)]
        # Kept until the end: ext4 is slow to make files where many were just deleted.
        evidence = tempfile.mkdtemp(dir=self.folder)
        done = subprocess.run([*argv, evidence], cwd=CHECKOUT, stdout=subprocess.PIPE, check=True)
        first, again = (Timing(**one) for one in json.loads(done.stdout))
        if not self.expected:
            self.expected = first.digests
        return first, again

    def missing(self, timing: Timing) -> int:
        """How many hosts' answers were not whole, or not what the first collection got."""
        got = timing.digests
        return sum(not got.get(host) or got[host] != said for host, said in self.expected.items())


@contextmanager
def bench(inventory: str) -> Iterator[Bench]:
    """The inventory's virtual rack, for as long as the block lasts."""
    with tempfile.TemporaryDirectory(prefix="rackgate-bench-") as name:
        folder = Path(name)
        lab = simrack.start(load_inventory(inventory, INVENTORIES), state_dir=folder / "lab")
        try:
            told = folder / "spec.json"
            told.write_text(json.dumps(spec(inventory, lab.info, lab.pids[0])), encoding="utf-8")
            yield Bench(inventory=inventory, folder=folder, spec=told)
        finally:
            lab.stop()


def best_fanout(running: Bench, rounds: int) -> tuple[int, dict[int, float]]:
    """ClusterShell's best fan-out here, and the shortest first collection of each."""
    walls: dict[int, list[float]] = {fanout: [] for fanout in FANOUTS}
    for _ in range(rounds):
        for fanout, seen in walls.items():
            seen.append(running.once(f"{CLUSH} -f {fanout}")[0].wall_s)
    shortest = {fanout: min(seen) for fanout, seen in walls.items()}
    return min(shortest, key=lambda fanout: shortest[fanout]), shortest


Rounds = dict[str, list[tuple[Timing, Timing]]]


def measure(running: Bench, contenders: Sequence[str], rounds: int) -> Rounds:
    """Interleaved rounds, beginning with another contender each time."""
    found: Rounds = {name: [] for name in contenders}
    for turn in range(rounds):
        start = turn % len(contenders)
        for name in (*contenders[start:], *contenders[:start]):
            found[name].append(running.once(name))
    return found


def table(running: Bench, found: Rounds, which: int) -> str:
    """One line per contender for the first (0) or the second (1) collection."""
    header = (
        f"{'contender':<14} {'wall s':>7} {'min–max':>12} {'ratio':>6} {'min–max':>11}"
        f" {'client CPU s':>13} {'lab CPU s':>10}  complete"
    )
    base = [timings[which].wall_s for timings in found[OURS]]
    lines = [header, "-" * len(header)]
    for name, pairs in found.items():
        timings = [pair[which] for pair in pairs]
        walls = [timing.wall_s for timing in timings]
        ratios = [wall / ours for wall, ours in zip(walls, base, strict=True)]
        lost = max(running.missing(timing) for timing in timings)
        lines.append(
            f"{name:<14} {median(walls):>7.2f} {_spread(walls):>12}"
            f" {median(ratios):>6.2f} {_spread(ratios):>11}"
            f" {median(timing.client_cpu_s for timing in timings):>13.2f}"
            f" {median(timing.server_cpu_s for timing in timings):>10.2f}"
            f"  {'yes' if not lost else f'NO: {lost} hosts'}"
        )
    return "\n".join(lines)


def _spread(values: Sequence[float]) -> str:
    return f"{min(values):.2f}–{max(values):.2f}"


def report(inventory: str, rounds: int, fanout_rounds: int) -> str:
    """Run it all; the text that `make bench` prints. No `fanout_rounds` leaves clush out, which
    takes most of the time."""
    with bench(inventory) as running:
        running.once(OURS)  # warms the lab and the page cache, and says what is complete
        contenders, tried = [OURS, LIBSSH, BARE], "clush left out"
        if fanout_rounds:
            fanout, shortest = best_fanout(running, fanout_rounds)
            contenders.append(f"{CLUSH} -f {fanout}")
            probes = ", ".join(f"{width}: {wall_s:.2f} s" for width, wall_s in shortest.items())
            tried = f"clush fan-outs tried, shortest of {fanout_rounds}: {probes}"
        found = measure(running, contenders, rounds)
        hosts = len(running.expected)
        return "\n".join(
            [
                f"Facts of {hosts} hosts ({inventory}), {rounds} interleaved rounds;"
                " ratio is to rackgate in the same round (above 1: slower than rackgate)",
                "rackgate keeps every command's output as files; 'bare' and the others keep none",
                tried,
                "",
                "First collection: connect, log in, one exec per host, output received and decoded",
                table(running, found, 0),
                "",
                "Second collection: over the connections that are still open"
                " (ClusterShell keeps none and logs in again)",
                table(running, found, 1),
            ]
        )
