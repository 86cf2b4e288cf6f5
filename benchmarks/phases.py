"""Where the time of a whole run goes, from what its run folder says, and how fast readers are.

The run is the product's command line in a process of its own. Commands are known by their evidence
(started, duration), judgements by their records; what lies between is this suite's own work.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any, Final

from benchmarks.workload import INVENTORIES
from fixtures.model.loading import load_inventory
from fixtures.tools.gpus import nvidia_smi

CHECKOUT: Final = Path(__file__).parents[1]
FACT_TOPICS: Final = ("facts", "clock")
READ_ROUNDS: Final = 5

Span = tuple[float, float]
"""Beginning and end, seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A share of a run's wall time."""

    name: str
    seconds: float


def report(inventory: str) -> str:
    """Run the product once on its virtual rack; its phases and the readers' speed, as text."""
    with tempfile.TemporaryDirectory(prefix="rackgate-bench-") as folder:
        run = Path(folder) / "run"
        product = load_inventory(inventory, INVENTORIES).product
        argv = ["-m", "pytest", "-q", "-m", product, "--inventory", inventory, f"--run-dir={run}"]
        began = time.time()
        done = subprocess.run(
            [sys.executable, *argv], cwd=CHECKOUT, stdout=subprocess.DEVNULL, check=False
        )
        ended = time.time()
        outcome = json.loads((run / "run.json").read_text(encoding="utf-8"))["outcome"]
        found = phases(run, began, ended)
        head = (
            f"python {' '.join(argv[:-1])}: {outcome}, exit {done.returncode},"
            f" {ended - began:.1f} s"
        )
        return "\n".join([head, "", *_lines(found), "", readers(run)])


def phases(run: Path, began: float, ended: float) -> list[Phase]:
    """The phases of a run whose process lived from `began` to `ended`; they add up to that."""
    asked, judged = list(_jsonl(run / "evidence" / "index.jsonl")), _judged(run)
    first, last = min(entry["started"] for entry in asked), max(judged)
    # A bundle's index lines say how long its commands took, not when the answers were all there.
    facts = [(first, min(judged)), *_spans(e for e in asked if _topic(e) in FACT_TOPICS)]
    leases = _spans(entry for entry in asked if _topic(entry) == "lease")
    loads = _spans(entry for entry in asked if _topic(entry) not in (*FACT_TOPICS, "lease"))
    taken: list[Span] = []
    covered = []
    for name, spans in (("loads", loads), ("facts", facts), ("leases", leases)):
        before = _length(taken)
        taken += spans
        covered.append(Phase(name, _length(taken) - before))
    between = (last - first) - sum(phase.seconds for phase in covered)
    return [
        Phase("start (imports, inventory, collection, lab)", first - began),
        *covered,
        Phase("judging and all else between commands", between),
        Phase("reports (after the last judgement)", ended - last),
    ]


def readers(run: Path) -> str:
    """How long it takes to read every host's `nvidia-smi -q -x`."""
    folder = run / "evidence"
    texts = [
        (folder / entry["stdout"]).read_text(encoding="utf-8")
        for entry in _jsonl(folder / "index.jsonl")
        if entry["key"] == "facts/nvidia-smi-q"
    ]
    walls = []
    for _ in range(READ_ROUNDS):
        began = time.perf_counter()
        for text in texts:
            nvidia_smi.parse(text)
        walls.append(time.perf_counter() - began)
    size_mb = sum(map(len, texts)) / 1e6
    return (
        f"reading {len(texts)} nvidia-smi -q -x ({size_mb:.1f} MB): {median(walls):.2f} s"
        f" ({min(walls):.2f}–{max(walls):.2f}), {1000 * median(walls) / len(texts):.1f} ms each"
    )


def _lines(found: Sequence[Phase]) -> list[str]:
    whole = sum(phase.seconds for phase in found)
    largest = max(found, key=lambda phase: phase.seconds)
    return [
        f"{phase.name:<46} {phase.seconds:>6.1f} s {100 * phase.seconds / whole:>4.0f} %"
        + ("   <- largest" if phase is largest else "")
        for phase in found
    ]


def _topic(entry: dict[str, Any]) -> str:
    return str(entry["key"]).partition("/")[0]


def _spans(entries: Iterable[dict[str, Any]]) -> list[Span]:
    return [(entry["started"], entry["started"] + entry["duration_s"]) for entry in entries]


def _length(spans: Sequence[Span]) -> float:
    """Seconds that are in at least one of the spans."""
    total, reached = 0.0, float("-inf")
    for begin, end in sorted(spans):
        total += max(0.0, end - max(begin, reached))
        reached = max(reached, end)
    return total


def _judged(run: Path) -> list[float]:
    return [
        datetime.fromisoformat(record["time"]).timestamp()
        for record in _jsonl(run / "record.jsonl")
    ]


def _jsonl(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8", errors="surrogateescape") as lines:
        yield from map(json.loads, lines)
