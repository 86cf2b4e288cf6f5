"""One run of the product, as its user starts it: a process of its own, and the folder it leaves."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fixtures.analysis.blame import Finding
from fixtures.model.inventory import Inventory
from fixtures.model.loading import load_inventory
from fixtures.model.verdicts import Verdict
from reports.findings import read_findings
from reports.record import Record, read_record
from reports.run import RunInfo, read_run
from reports.runfolder import RunFolder

ROOT = Path(__file__).resolve().parents[2]
DEADLINE_S = 900.0
"""Nothing here may take so long; it only keeps a hanging run from holding CI for ever."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run that has ended: its folder, its exit status, its wall time in seconds."""

    folder: RunFolder
    exit_status: int
    wall_s: float
    printed: str

    @cached_property
    def info(self) -> RunInfo:
        return read_run(self.folder)

    @cached_property
    def rows(self) -> list[Record]:
        return read_record(self.folder.record)

    @cached_property
    def findings(self) -> list[Finding]:
        return read_findings(self.folder)

    @property
    def failed(self) -> list[Record]:
        return [row for row in self.rows if row.verdict is Verdict.FAIL]

    @property
    def unjudged(self) -> list[Record]:
        return [row for row in self.rows if row.verdict is Verdict.INCONCLUSIVE]


def inventory(name: str) -> Inventory:
    """An inventory that comes with the suite."""
    return load_inventory(name, ROOT / "inventories")


def command(marker: str, name: str, folder: Path, *options: str) -> list[str]:
    """The command line of a run."""
    words = ["-m", "pytest", "-m", marker, "--inventory", name, f"--run-dir={folder}"]
    return [sys.executable, *words, *options]


def accept(marker: str, name: str, folder: Path, faults: Iterable[str] = ()) -> Run:
    """Run the acceptance of an inventory to its end; `folder` is made by the run."""
    options = [word for fault in faults for word in ("--fault", fault)]
    began = time.monotonic()
    done = subprocess.run(
        command(marker, name, folder, *options),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=DEADLINE_S,
    )
    wall_s = time.monotonic() - began
    ended = (folder / "record.jsonl").is_file()
    assert ended, f"exit {done.returncode}, and the run did not end:\n{done.stdout[-4000:]}"
    return Run(
        folder=RunFolder(folder), exit_status=done.returncode, wall_s=wall_s, printed=done.stdout
    )


def reports(action: str, run: Path) -> subprocess.CompletedProcess[str]:
    """`python -m reports ACTION RUN`."""
    return subprocess.run(
        [sys.executable, "-m", "reports", action, str(run)],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )


def examples(rows: Sequence[Record], count: int = 5) -> str:
    """The first of some rows, for a message."""
    lines = [f"{row.verdict} {row.metric}@{row.subject} {row.reason} {row.detail}" for row in rows]
    return "\n".join(lines[:count] + ([f"and {len(lines) - count} more"] * (len(lines) > count)))
