"""Running the suite as its user does: a child process, and the folder that it leaves."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fixtures.model.inventory import Inventory
from lab.simrack.matrix.plan import Cell, Way

CHECKOUT = Path(__file__).parents[3]
IN_MEMORY = "--lab-transport"
DEADLINE_S = 1800.0
"""No run takes so long; it keeps one that hangs from holding the matrix for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A run that has ended: what it left, its exit status, its wall time and what it printed."""

    folder: Path
    exit_status: int
    wall_s: float
    printed: str


@cache
def best_way() -> Way:
    """`memory` where the suite can answer in its own process, which is much faster."""
    shown = subprocess.run(
        [sys.executable, "-m", "pytest", "--help"],
        cwd=CHECKOUT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    return "memory" if IN_MEMORY in shown.stdout else "ssh"


def command(inventory: Inventory, cell: Cell, folder: Path) -> list[str]:
    """The command line of a run. SSH is the suite's own way, and needs no option."""
    words = [sys.executable, "-m", "pytest", "-q", "-m", inventory.products[0]]
    words += ["--inventory", inventory.name, f"--run-dir={folder}", "--seed", str(cell.seed)]
    if cell.way == "memory":
        words.append(f"{IN_MEMORY}=memory")
    return words + [word for put in cell.puts for word in ("--fault", str(put))]


def launch(inventory: Inventory, cell: Cell, folder: Path) -> Done:
    """Run to the end; `folder` is made by the run."""
    began = time.monotonic()
    done = subprocess.run(
        command(inventory, cell, folder),
        cwd=CHECKOUT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=DEADLINE_S,
    )
    return Done(
        folder=folder,
        exit_status=done.returncode,
        wall_s=time.monotonic() - began,
        printed=done.stdout,
    )
