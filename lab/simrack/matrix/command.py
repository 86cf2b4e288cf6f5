"""`python -m lab.simrack matrix`: runs what is missing, prints a line for each, then a summary."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fixtures.model.errors import RackError
from fixtures.model.inventory import Inventory
from fixtures.model.loading import load_inventory
from lab.simrack.faults import LIBRARY
from lab.simrack.matrix import folder, store
from lab.simrack.matrix.judge import judge
from lab.simrack.matrix.launch import best_way, launch
from lab.simrack.matrix.plan import Cell, Wanted, cells
from lab.simrack.matrix.store import Line
from lab.simrack.matrix.summary import summary, unequal_twins

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
USAGE_ERROR, INTERRUPTED = 4, 2


def add_to(commands: Commands) -> None:
    """The options of the command."""
    parser = commands.add_parser(
        "matrix", help="hold the suite against faults and healthy racks; resumes FILE"
    )
    parser.add_argument("--inventory", required=True, metavar="NAME")
    parser.add_argument("--kinds", nargs="*", choices=LIBRARY, default=list(LIBRARY),
                        metavar="KIND", help="default: all faults and variants")  # fmt: skip
    parser.add_argument("--places", type=int, default=1, metavar="N", help="runs of each kind")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--healthy", type=int, default=1, metavar="N", help="runs without a fault")
    parser.add_argument("--pairs", type=int, default=0, metavar="N", help="two faults at once")
    parser.add_argument("--triples", type=int, default=0, metavar="N", help="three at once")
    parser.add_argument("--ssh-share", type=float, default=0.05, metavar="PART",
                        help="runs in memory that are repeated over SSH")  # fmt: skip
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep run folders there")


def run(options: argparse.Namespace, inventories: Path) -> int:
    """0 where everything is as declared, 1 where something is not, 4 where nothing could be run."""
    try:
        inventory = load_inventory(options.inventory, inventories)
        lines = store.open_file(options.out, store.header(inventory))
    except RackError as error:
        print(error, file=sys.stderr)
        return USAGE_ERROR
    wanted = Wanted(
        kinds=options.kinds,
        places=options.places,
        seed=options.seed,
        pairs=options.pairs,
        triples=options.triples,
        healthy=options.healthy,
        ssh_share=options.ssh_share,
    )
    with tempfile.TemporaryDirectory(prefix="matrix-") as scratch:
        keep = options.keep or Path(scratch)
        keep.mkdir(parents=True, exist_ok=True)
        try:
            for line in _missing(inventory, wanted, list(lines), keep):
                store.append(options.out, line)
                lines = [*(one for one in lines if one.key != line.key), line]
                print(_shown(line), flush=True)
        except KeyboardInterrupt:
            print("interrupted: the same command goes on from here", file=sys.stderr)
            return INTERRUPTED
    print("\n".join(summary(lines)))
    return int(any(line.wrong for line in lines) or unequal_twins(lines))


def _missing(inventory: Inventory, wanted: Wanted, lines: list[Line], keep: Path) -> Iterator[Line]:
    known = {(line.key, line.declared) for line in lines}
    for cell in cells(inventory, wanted, best_way()):
        if (cell.key, store.declared(cell.puts)) not in known:
            yield _line(inventory, cell, Path(tempfile.mkdtemp(dir=keep)) / "run")


def _line(inventory: Inventory, cell: Cell, where: Path) -> Line:
    done = launch(inventory, cell, where)
    try:
        found = folder.read(where)
    except RackError as error:
        judged = judge(cell.puts, folder.NOTHING, done.exit_status, inventory)
        wrong = (*judged.wrong, f"{error}: {done.printed[-400:]}")
        return store.line_of(cell, done, folder.NOTHING, replace(judged, wrong=wrong))
    judged = judge(cell.puts, found, done.exit_status, inventory)
    return store.line_of(cell, done, found, judged)


def _shown(line: Line) -> str:
    """A run on the terminal: what it was, how it ended, whom it named, and what is wrong."""
    named = line.findings[0] if line.findings else "nothing"
    signals = ", ".join((*line.failed, *line.reasons)) or "-"
    wrong = f"  WRONG: {'; '.join(line.wrong)}" if line.wrong else ""
    return (
        f"{line.key:<58} {line.outcome:<10} {line.wall_s:6.1f} s  top: {named:<28} {signals}{wrong}"
    )
