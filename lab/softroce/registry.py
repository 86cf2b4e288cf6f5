"""Which labs run on this machine, so that the processes of a dead one are found and ended.

Every lab has one JSON file below the cache folder: its keeper and its other processes, each by
pid and start time. A pid alone is never trusted: the kernel may have given it to somebody else.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
from dataclasses import asdict, dataclass
from pathlib import Path

from lab.softroce.recipe import cache_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process that a lab has started; `started` is in clock ticks since boot."""

    name: str
    pid: int
    started: int

    def alive(self) -> bool:
        """Whether this very process still runs; a zombie does not."""
        return start_time(self.pid) == self.started

    def send(self, sig: signal.Signals) -> None:
        """Signal the process if it is still the one that was started."""
        with contextlib.suppress(ProcessLookupError):
            if self.alive():
                os.kill(self.pid, sig)


def start_time(pid: int) -> int | None:
    """Field 22 of /proc/PID/stat, or None when there is no such process or it is a zombie."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The command's name, in parentheses, may hold anything; the fields after it start at 3.
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])


def identify(name: str, pid: int) -> Process:
    """The process as it is now; one that has just ended gets a start time that matches nothing."""
    started = start_time(pid)
    return Process(name=name, pid=pid, started=-1 if started is None else started)


def registry_folder() -> Path:
    """The folder with one file per running lab."""
    return cache_folder() / "labs"


def boot_id() -> str:
    """Changes with every boot, after which pids and start times mean nothing."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One lab as registered: the process that owns the others, and the others."""

    keeper: Process
    processes: list[Process]


def entry_path(state_dir: Path) -> Path:
    """Where the lab of this state folder is registered."""
    digest = hashlib.sha256(str(state_dir.resolve()).encode()).hexdigest()[:16]
    return registry_folder() / f"{digest}.json"


def write_entry(path: Path, entry: Entry) -> None:
    """Record a lab's processes; atomic."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".new")
    draft.write_text(json.dumps(asdict(entry) | {"boot_id": boot_id()}))
    draft.rename(path)


def read_entry(path: Path) -> Entry | None:
    """The lab registered there; None when there is none, or it was before this boot."""
    try:
        fields = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    if fields["boot_id"] != boot_id():
        return None
    processes = [Process(**process) for process in fields["processes"]]
    return Entry(keeper=Process(**fields["keeper"]), processes=processes)


def end_leftovers() -> list[Process]:
    """End what labs without a keeper have left running; returns what was ended.

    A keeper ends its lab with its owner, so this finds something only when the keeper was killed.
    """
    ended: list[Process] = []
    for path in sorted(registry_folder().glob("*.json")):
        entry = read_entry(path)
        if entry and entry.keeper.alive():
            continue
        for process in entry.processes if entry else []:
            if process.alive():
                process.send(signal.SIGKILL)
                ended.append(process)
        path.unlink(missing_ok=True)
    return ended
