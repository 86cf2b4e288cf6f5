"""Running the suite as its user does: its command line, a process of its own, its run folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from fixtures.model.errors import RackError
from fixtures.model.inventory import Inventory
from lab.simrack.matrix.plan import Cell

CHECKOUT: Final = Path(__file__).parents[3]
DEADLINE_S: Final = 1800.0
"""No run takes so long; it keeps one that hangs from holding the matrix for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A run that has ended: what it left, its exit status, what it took and what it printed.

    `cpu_s` is 0 where it was not measured.
    """

    folder: Path
    exit_status: int
    wall_s: float
    printed: str
    cpu_s: float = 0.0


def arguments(inventory: Inventory, cell: Cell, folder: Path) -> list[str]:
    """pytest's, for a run. SSH is the suite's own way, and needs no option."""
    words = [*_every(inventory), f"--run-dir={folder}", "--seed", str(cell.seed)]
    if cell.way == "memory":
        words.append("--lab-transport=memory")
    return words + [word for put in cell.puts for word in ("--fault", str(put))]


def replaying(inventory: Inventory, source: Path, folder: Path) -> list[str]:
    """pytest's, for judging an earlier run's evidence again."""
    return [*_every(inventory), f"--run-dir={folder}", f"--replay={source}"]


def _every(inventory: Inventory) -> list[str]:
    product = ["-m", inventory.products[0]] if inventory.products else []
    return ["-q", *product, f"--inventory={inventory.files[0]}"]


@dataclass(slots=True)
class Launcher:
    """Makes one run at a time: over SSH in a new process, in memory in a fork of a prepared one."""

    inventory: Inventory
    _prepared: subprocess.Popen[str] | None = field(default=None, init=False)
    _running: subprocess.Popen[str] | None = field(default=None, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _stopped: bool = field(default=False, init=False)

    def run(self, words: Sequence[str], folder: Path, *, forked: bool) -> Done:
        """Run to the end; `folder` is made by the run. Raises RackError where it has no end."""
        began = time.monotonic()
        with tempfile.NamedTemporaryFile("r", errors="replace", suffix=".txt") as printed:
            make = self._fork if forked else self._spawn
            exit_status, cpu_s = make(words, printed.name)
            said = Path(printed.name).read_text(encoding="utf-8", errors="replace")
        return Done(
            folder=folder,
            exit_status=exit_status,
            wall_s=time.monotonic() - began,
            printed=said,
            cpu_s=cpu_s,
        )

    def stop(self) -> None:
        """End what runs; safe to call from another thread."""
        with self._lock:
            self._stopped = True
        for process in (self._running, self._prepared):
            if process is not None:
                _end(process)
                process.wait()
                for pipe in filter(None, (process.stdin, process.stdout)):
                    with suppress(BrokenPipeError):
                        pipe.close()

    def _spawn(self, words: Sequence[str], printed: str) -> tuple[int, float]:
        with Path(printed).open("w", encoding="utf-8") as file:
            self._running = self._start([sys.executable, "-m", "pytest", *words], file.fileno())
            try:
                return self._running.wait(DEADLINE_S), 0.0
            except subprocess.TimeoutExpired:
                _end(self._running)
                raise _endless(words) from None

    def _fork(self, words: Sequence[str], printed: str) -> tuple[int, float]:
        if self._prepared is None or self._prepared.poll() is not None:
            module = "lab.simrack.matrix.prepared"
            argv = [sys.executable, "-m", module, *_every(self.inventory)]
            self._prepared = self._start(argv, subprocess.PIPE)
        prepared = self._prepared
        assert prepared.stdin is not None
        assert prepared.stdout is not None
        watch = threading.Timer(DEADLINE_S, _end, (prepared,))
        watch.daemon = True
        watch.start()
        try:
            prepared.stdin.write(json.dumps({"arguments": words, "printed": printed}) + "\n")
            prepared.stdin.flush()
            answer = json.loads(prepared.stdout.readline())
        except (OSError, ValueError) as error:
            raise _endless(words) from error
        finally:
            watch.cancel()
        return answer["exit_status"], answer["cpu_s"]

    def _start(self, argv: Sequence[str], stdout: int) -> subprocess.Popen[str]:
        """A process in a group of its own, which is ended as one."""
        with self._lock:
            if self._stopped:
                raise RackError("the matrix has been stopped")
            return subprocess.Popen(
                argv,
                cwd=CHECKOUT,
                stdin=subprocess.PIPE if stdout == subprocess.PIPE else subprocess.DEVNULL,
                stdout=stdout,
                stderr=subprocess.STDOUT if stdout != subprocess.PIPE else None,
                text=True,
                start_new_session=True,
            )


def _end(process: subprocess.Popen[str]) -> None:
    """End a process and its runs; a run cleans up when it is interrupted."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)


def _endless(words: Sequence[str]) -> RackError:
    return RackError(
        f"pytest {' '.join(words)}: the run was ended, or did not end within {DEADLINE_S:.0f} s; "
        "run it by hand to see why"
    )
