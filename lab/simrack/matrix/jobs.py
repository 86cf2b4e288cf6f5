"""The runs of a matrix, several at a time: each is made, read, judged, and its folder given up."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

from fixtures.model.errors import RackError
from fixtures.model.inventory import Inventory
from lab.simrack.matrix import folder, store
from lab.simrack.matrix.folder import Found
from lab.simrack.matrix.judge import judge
from lab.simrack.matrix.launch import Done, Launcher, arguments, replaying
from lab.simrack.matrix.plan import Cell
from lab.simrack.matrix.store import Line


def jobs(
    inventory: Inventory, cells: Sequence[Cell], count: int, scratch: Path, keep: Path | None
) -> Iterator[Line]:
    """Lines in the order in which runs end; `keep` is where run folders go that are kept."""
    launchers = [Launcher(inventory) for _ in range(count)]
    free: SimpleQueue[Launcher] = SimpleQueue()
    for launcher in launchers:
        free.put(launcher)

    def make(cell: Cell) -> Line:
        launcher = free.get()
        try:
            return _made(launcher, cell, scratch, keep)
        finally:
            free.put(launcher)

    pool = ThreadPoolExecutor(count)
    try:
        for made in as_completed([pool.submit(make, cell) for cell in cells]):
            yield made.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for launcher in launchers:
            launcher.stop()
        pool.shutdown()


def _made(launcher: Launcher, cell: Cell, scratch: Path, keep: Path | None) -> Line:
    room = _room(cell, scratch, keep)
    try:
        line = _line(launcher, cell, room)
    finally:
        if keep is None:
            shutil.rmtree(room, ignore_errors=True)
    return line


def _room(cell: Cell, scratch: Path, keep: Path | None) -> Path:
    """A new folder; one that is kept is called after its run."""
    where = scratch if keep is None else keep
    where.mkdir(parents=True, exist_ok=True)
    name = "".join(char if char.isalnum() or char in ".-=@" else "_" for char in cell.key)
    return Path(tempfile.mkdtemp(prefix=f"{name[:100]}-", dir=where))


def _line(launcher: Launcher, cell: Cell, room: Path) -> Line:
    inventory, where = launcher.inventory, room / "run"
    try:
        words = arguments(inventory, cell, where)
        done = launcher.run(words, where, forked=cell.way == "memory")
    except RackError as error:
        done = Done(folder=where, exit_status=-1, wall_s=0.0, printed=str(error))
    try:
        found = folder.read(where)
    except RackError as error:
        judged = judge(cell.puts, folder.NOTHING, done.exit_status, inventory)
        wrong = (*judged.wrong, f"{error}: {done.printed[-400:]}")
        return store.line_of(cell, done, folder.NOTHING, replace(judged, wrong=wrong))
    judged = judge(cell.puts, found, done.exit_status, inventory)
    replay = _replayed(launcher, where, room / "replay", found) if cell.replayed else ""
    return store.line_of(cell, done, found, judged, replay)


def _replayed(launcher: Launcher, source: Path, where: Path, found: Found) -> str:
    """`same`, or what judging the evidence again made different."""
    try:
        launcher.run(replaying(launcher.inventory, source, where), where, forked=True)
        different = found.differences(folder.read(where))
    except RackError as error:
        return str(error)
    return f"{len(different)} different: {', '.join(different[:3])}" if different else "same"
